"""The clock and threads of POSIX, for `stamps_code.py`: translated with it. Windows has the same in `windows.py`."""

from __future__ import annotations

import sys

from ..native_python.intrinsics import CFunction, stack, word

clock_gettime = CFunction(2, "i32")
pthread_self = CFunction(0)

CLOCK = 8 if sys.platform == "darwin" else 1
"""That of `time.perf_counter`: CLOCK_UPTIME_RAW, or CLOCK_MONOTONIC."""
BILLION = 1_000_000_000


def now() -> int:
    """The time in nanoseconds."""
    time = stack(2)
    clock_gettime(CLOCK, time)
    return word(time) * BILLION + word(time + 8)


def thread() -> int:
    """The thread, as `threading.get_ident` tells it."""
    return pthread_self()
