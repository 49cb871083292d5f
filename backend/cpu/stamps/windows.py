"""The clock and the threads of Windows, for `stamps_code.py`: translated with it in place of `posix.py`."""

from __future__ import annotations

from ..native_python.intrinsics import CFunction, stack, word

QueryPerformanceCounter = CFunction(1, "i32")
GetCurrentThreadId = CFunction(0, "i32")


def now() -> int:
    """The time in ticks, of which `clock.nanoseconds` makes what `time.perf_counter` tells."""
    time = stack(1)
    QueryPerformanceCounter(time)
    return word(time)


def thread() -> int:
    """The thread, as `threading.get_ident` tells it."""
    return GetCurrentThreadId()
