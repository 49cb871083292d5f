"""One thread traces and compiles at a time: the MLIR context is shared and single-threaded.

Neither the end of Python nor a fork comes while a thread compiles: LLVM must not be at work while it is torn down, and
a child would find the compiler, and modules that were being imported, in the middle of what nobody finishes.
What is traced may wait for the thread that forks or ends Python, so that these do not wait for ever.
"""

from __future__ import annotations

import atexit
import os
import threading

COMPILE_LOCK = threading.RLock()

_PATIENCE = 10.0
"""Seconds to wait for a compilation in another thread."""

_held: list[bool] = []
"""Whether forks that are under way, which are nested in no other way than this thread's, hold the lock."""


def _before_fork() -> None:
    _held.append(COMPILE_LOCK.acquire(timeout=_PATIENCE))


def _after_fork() -> None:
    if _held.pop():
        COMPILE_LOCK.release()


atexit.register(COMPILE_LOCK.acquire, timeout=_PATIENCE)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
