"""Whether two values that only the program knows are one object in Python: what Python and NumPy have one object of."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....tracing.array import TracedArray
from ....tracing.number_types import number_type

_SHARED_INTS = (-5, 256)
"""The first and the last integer that CPython has one object of."""


def same_number(left: Any, right: Any) -> Any:
    """`left is right` of numbers, traced or known: Python and NumPy have one True each, Python one of each small int.

    >>> same_number(True, True), same_number(True, np.True_), same_number(1000, 1000), same_number(None, True)
    (True, False, False, False)
    """
    kind = _shared_kind(left)
    if kind is None or kind is not _shared_kind(right):
        return False
    equal: Any = np.equal(left, right)
    if kind is int:
        first, last = _SHARED_INTS
        equal = np.logical_and(
            equal, np.logical_and(np.greater_equal(left, first), np.less_equal(left, last))
        )
    return equal._like_python(bool) if isinstance(equal, TracedArray) else bool(equal)


def _shared_kind(value: Any) -> type[Any] | None:
    """The class of a number of which there is one object for each value: Python's bool or int, NumPy's bool."""
    number = number_type(value)
    if number is not None:
        return number if number in (bool, int) else None
    is_scalar = value._is_scalar if isinstance(value, TracedArray) else isinstance(value, np.generic)
    return np.bool_ if is_scalar and value.dtype == np.bool_ else None
