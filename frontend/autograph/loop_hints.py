"""How a `for` loop is to be compiled: unrolled, or never unrolled."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import Any

from ..tracing.current import current_trace
from .operators.values.iterables import Staged, Unrolled
from .operators.values.ranges import Range


def unroll(iterable: Iterable[Any]) -> Any:
    """Let a `for` loop over an iterable be unrolled, whatever its length: each iteration is compiled by itself.

    Outside of compiled functions it is the iterable itself. The loop raises `UnsupportedError` where only the program
    knows how many iterations there are.

    >>> [i for i in weft.unroll([0, 1, 2])]
    [0, 1, 2]
    """
    return iterable if current_trace() is None else Unrolled(iterable)


def range(*bounds: Any) -> Any:
    """Python's `range`, for a `for` loop that is never unrolled: its body is compiled once, whatever the bounds are.

    Outside of compiled functions it is Python's `range`. Raises `ValueError` for a step of 0.

    >>> [i for i in weft.range(1, 7, 3)]
    [1, 4]
    """
    return builtins.range(*bounds) if current_trace() is None else Staged(Range.of(*bounds))
