"""Calls that change Python's state take turns: between what one reads and what it writes, no other one changes it.

The turn is Python's, that of `turn`, or native code's, by the words below, which both look at before they begin.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..native_python.layout import Turn

_PATIENCE = 10.0
"""Seconds: who has the turn may wait for what another thread holds that waits for the turn. Then both go on."""
_STEP = 5e-5
"""Seconds between two looks at a call of native code."""

words = (ctypes.c_int64 * Turn.LENGTH)()
"""How many turns Python has given, and the thread whose call native code has let in."""

_lock = threading.RLock()
_thread_state = ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyThreadState_Get", ctypes.pythonapi))


@contextmanager
def turn() -> Iterator[None]:
    """Wait for the turn, and keep other threads from it."""
    deadline = time.monotonic() + _PATIENCE
    lock = _lock
    is_inner = lock._is_owned()  # type: ignore[attr-defined]
    try:
        if not is_inner:
            lock.acquire(timeout=_PATIENCE)
        words[Turn.GIVEN] += 1
        try:
            while words[Turn.NATIVE] not in (0, _thread_state()) and time.monotonic() < deadline:
                time.sleep(_STEP)
            yield
        finally:
            words[Turn.GIVEN] -= 1
    finally:
        if not is_inner:
            try:  # noqa: SIM105  (whose call could be interrupted)
                lock.release()  # an interrupt may have come right behind `acquire`: only the lock knows
            except RuntimeError:
                pass  # it was not had in time


def _forget() -> None:
    """In a child: the threads that had turns are not there."""
    global _lock
    _lock = threading.RLock()
    words[Turn.GIVEN] = words[Turn.NATIVE] = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
