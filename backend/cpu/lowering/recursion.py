"""How deep compiled functions may call each other."""

from __future__ import annotations

import threading

from ....dialect.call_depth import call_depth

_SMALLEST_STACK = 1 << 20
"""Bytes that every thread is taken to have where nothing tells: Windows gives no more."""

_LARGEST_STACK = 1 << 30


def depth_limit() -> int:
    """The number of calls that may be nested, as for Python functions."""
    return call_depth()


def stack_budget() -> int:
    """The bytes of the current thread's stack that compiled code may use: half of it."""
    size = threading.stack_size() if threading.current_thread() is not threading.main_thread() else 0
    return (size or _default_stack_size()) // 2


def _default_stack_size() -> int:
    try:
        import resource
    except ImportError:
        return _SMALLEST_STACK
    soft, _ = resource.getrlimit(resource.RLIMIT_STACK)
    return 2 * _SMALLEST_STACK if soft in (resource.RLIM_INFINITY, -1) else min(soft, _LARGEST_STACK)
