"""Python ints that are joined with a narrower dtype of another path: they have to fit it.

A variable that is `len(x) * 1000` on one path and a number of an array of int8 on another is of int8. In Python it
would be either, so that an int that does not fit must not wrap.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from ....tracing.array import TracedArray
from ....tracing.staging import raise_where


def require_to_fit(value: Any, dtype: np.dtype[Any]) -> None:
    """Refuse to make a Python int one of a dtype that does not hold it, which it is on another path."""
    if type(value) is not int or dtype.kind not in "iu":
        return
    bounds = np.iinfo(dtype)
    if not bounds.min <= value <= bounds.max:
        raise UnsupportedError(
            f"a variable or an item of a list is {value} on one path, and on another of {dtype}, which does not hold "
            f"that number; give both one dtype that does, for example np.int64({value}) and x.astype(np.int64)"
        )


def check_that_it_fits(value: TracedArray, dtype: np.dtype[Any]) -> None:
    """Raise where what is a Python int becomes one of a dtype that does not hold it, when the program runs."""
    if value._python_type is not int or dtype.kind not in "iu" or np.can_cast(value.dtype, dtype):
        return
    bounds, known = np.iinfo(dtype), np.iinfo(value.dtype)
    outside = np.zeros((), np.bool_)
    if bounds.min > known.min:
        outside = np.logical_or(outside, np.less(value, int(bounds.min)))
    if bounds.max < known.max:
        outside = np.logical_or(outside, np.greater(value, int(bounds.max)))
    raise_where(outside, OverflowError, f"Python integer {{0}} out of bounds for {dtype}", value)
