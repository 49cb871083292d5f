"""Slices with bounds that are None for some run-time values: `x[: -n or None]`."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from ..values.optional import Optional


def without_optional_bounds(index: Any) -> Any:
    """An index in which a bound that may be None is the number that means the same.

    >>> without_optional_bounds(slice(1, None))
    slice(1, None, None)
    """
    if isinstance(index, tuple):
        return tuple(map(without_optional_bounds, index))
    if not isinstance(index, slice) or not any(
        isinstance(bound, Optional) for bound in (index.start, index.stop, index.step)
    ):
        return index
    if not (index.step is None or isinstance(index.step, int)):
        raise UnsupportedError(
            "the step of a slice, beside a bound that may be None, is known only at run time: compiled code must know "
            "which way it goes; choose between two slices (if bound is None: ...)"
        )
    goes_up = index.step is None or index.step > 0
    first, last = (0, sys.maxsize) if goes_up else (sys.maxsize, -sys.maxsize)
    return slice(_bound(index.start, first), _bound(index.stop, last), index.step)


def _bound(bound: Any, instead: int) -> Any:
    """A number, also where the bound is None."""
    if not isinstance(bound, Optional):
        return bound
    chosen: Any = np.where(bound.is_none, np.int64(instead), bound.value)
    return chosen._like_python(int)


__all__ = ["without_optional_bounds"]
