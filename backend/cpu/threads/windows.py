"""Threads of Windows, for `pool_code.py`: translated with it in place of `posix.py`."""

from __future__ import annotations

from ..native_python.intrinsics import CFunction, Static, set_word

CreateThread = CFunction(6)
WaitForSingleObject = CFunction(2, "i32")
CloseHandle = CFunction(1, "i32")
AcquireSRWLockExclusive = CFunction(1, "void")
ReleaseSRWLockExclusive = CFunction(1, "void")
SleepConditionVariableSRW = CFunction(4, "i32")
WakeConditionVariable = CFunction(1, "void")
WakeAllConditionVariable = CFunction(1, "void")
SwitchToThread = CFunction(0, "i32")

MUTEX = Static(1)
CONDITION = Static(1)
INFINITE = 0xFFFFFFFF


def initialise() -> None:
    """Make the mutex and the condition, whatever they were."""
    set_word(MUTEX, 0)
    set_word(CONDITION, 0)


def lock() -> None:
    """Wait for the mutex."""
    AcquireSRWLockExclusive(MUTEX)


def unlock() -> None:
    """Give up the mutex."""
    ReleaseSRWLockExclusive(MUTEX)


def wait() -> None:
    """Wait to be woken, without the mutex meanwhile."""
    SleepConditionVariableSRW(CONDITION, MUTEX, INFINITE, 0)


def wake_one() -> None:
    """Wake a thread that waits."""
    WakeConditionVariable(CONDITION)


def wake_all() -> None:
    """Wake all threads that wait."""
    WakeAllConditionVariable(CONDITION)


def yield_processor() -> None:
    """Let another thread run."""
    SwitchToThread()


def refuse_signals() -> None:
    """There are none."""


def allow_signals() -> None:
    """There are none."""


def start_thread(handle: int, function: int) -> int:
    """Start a thread, whose handle goes to an address; whether it could be started."""
    started = CreateThread(0, 0, function, 0, 0, 0)
    set_word(handle, started)
    return started != 0


def join(handle: int) -> None:
    """Wait for the end of a thread."""
    WaitForSingleObject(handle, INFINITE)
    CloseHandle(handle)
