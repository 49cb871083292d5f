"""How deep calls may be nested: as Python says, and deeper while a function is traced, whose calls take more frames."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

_FRAMES = 8
"""Of the fifteen that a traced call takes: what calls itself through C is to end before the stack does."""

_MOST = 20_000
"""So many frames of Python's take some megabytes of the stack where C lies between them."""

_limits: list[int] = []


def call_depth() -> int:
    """How deep the functions of a program may call each other."""
    return _limits[0] if _limits else sys.getrecursionlimit()


@contextlib.contextmanager
def deeper_calls() -> Iterator[None]:
    """Let Python nest more calls in the block, in which functions are traced; one thread at a time is in one."""
    before = sys.getrecursionlimit()
    _limits.append(call_depth())
    deeper = max(before, min(_limits[0] * _FRAMES, _MOST))
    sys.setrecursionlimit(deeper)
    try:
        yield
    finally:
        _limits.pop()
        if sys.getrecursionlimit() == deeper:  # and no program has set another one
            with contextlib.suppress(RecursionError):  # of a caller that is as deep as Python allows
                sys.setrecursionlimit(before)
