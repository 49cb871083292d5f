"""The functions of `bisect`: Python's are compiled, so they are written here as programs are, and converted."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator
from typing import Any

from .converted_functions import converted

Function = Callable[..., Any]


@converted
def _bisect_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    hi = len(a) if hi is None else hi
    while lo < hi:
        middle = (lo + hi) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


@converted
def _bisect_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    hi = len(a) if hi is None else hi
    while lo < hi:
        middle = (lo + hi) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            hi = middle
        else:
            lo = middle + 1
    return lo


@converted
def _insort_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    a.insert(_bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


@converted
def _insort_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    a.insert(_bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


def bisection_rows() -> Iterator[tuple[Any, Function]]:
    """Each function, and what is called in its place."""
    yield bisect.bisect_left, _bisect_left
    yield bisect.bisect_right, _bisect_right
    yield bisect.insort_left, _insort_left
    yield bisect.insort_right, _insort_right
