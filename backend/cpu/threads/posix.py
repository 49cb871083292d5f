"""Threads of POSIX, for `pool_code.py`: translated with it. Windows has the same functions in `windows.py`."""

from __future__ import annotations

import sys

from ..native_python.intrinsics import CFunction, Static, set_word

pthread_create = CFunction(4, "i32")
pthread_join = CFunction(2, "i32")
pthread_mutex_init = CFunction(2, "i32")
pthread_mutex_lock = CFunction(1, "i32")
pthread_mutex_unlock = CFunction(1, "i32")
pthread_cond_init = CFunction(2, "i32")
pthread_cond_wait = CFunction(2, "i32")
pthread_cond_signal = CFunction(1, "i32")
pthread_cond_broadcast = CFunction(1, "i32")
pthread_sigmask = CFunction(3, "i32")
sigfillset = CFunction(1, "i32")
sched_yield = CFunction(0, "i32")

WORDS = 16
"""No system has larger mutexes, conditions or sets of signals."""
MUTEX = Static(WORDS)
CONDITION = Static(WORDS)
SIGNALS = Static(2 * WORDS)
"""All of them, and those that the owner of the pool does not take."""
SIG_SETMASK = 3 if sys.platform == "darwin" else 2


def initialise() -> None:
    """Make the mutex and the condition, whatever they were."""
    for index in range(WORDS):
        set_word(MUTEX + index * 8, 0)
        set_word(CONDITION + index * 8, 0)
    pthread_mutex_init(MUTEX, 0)
    pthread_cond_init(CONDITION, 0)


def lock() -> None:
    """Wait for the mutex."""
    pthread_mutex_lock(MUTEX)


def unlock() -> None:
    """Give up the mutex."""
    pthread_mutex_unlock(MUTEX)


def wait() -> None:
    """Wait to be woken, without the mutex meanwhile."""
    pthread_cond_wait(CONDITION, MUTEX)


def wake_one() -> None:
    """Wake a thread that waits."""
    pthread_cond_signal(CONDITION)


def wake_all() -> None:
    """Wake all threads that wait."""
    pthread_cond_broadcast(CONDITION)


def yield_processor() -> None:
    """Let another thread run."""
    sched_yield()


def refuse_signals() -> None:
    """Let threads that are started take none: Python's handlers are to interrupt what Python's threads wait for."""
    sigfillset(SIGNALS)
    pthread_sigmask(SIG_SETMASK, SIGNALS, SIGNALS + WORDS * 8)


def allow_signals() -> None:
    """Take signals as before."""
    pthread_sigmask(SIG_SETMASK, SIGNALS + WORDS * 8, 0)


def start_thread(handle: int, function: int) -> int:
    """Start a thread, whose handle goes to an address; whether it could be started."""
    return pthread_create(handle, 0, function, 0) == 0


def join(handle: int) -> None:
    """Wait for the end of a thread."""
    pthread_join(handle, 0)
