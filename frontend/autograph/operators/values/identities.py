"""What Python says of numbers by their classes and identities, where only the program knows them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ....tracing.array import TracedArray
from ....tracing.number_types import PYTHON_NUMBERS, number_type

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


_EXAMPLES: dict[type, Any] = {list: [], tuple: ()}
_PYTHONS = frozenset({*_EXAMPLES, *PYTHON_NUMBERS.values()})


def told_by_class(operate: Callable[[Any, Any], Any], left: Any, right: Any) -> bool | None:
    """Whether a number is equal to a list, which it never is; None where the values tell.

    Raises what Python does where two classes of its own have no such operator, as floats have no bits.
    """
    one, other = _class_in_python(left), _class_in_python(right)
    return None if one is None or other is None else _told(operate, one, other)


def _class_in_python(value: Any) -> type | None:
    """The class of a number of Python's, traced or not, or of a list or tuple; None for what NumPy computes with."""
    kind = type(value)
    return kind if kind in _PYTHONS else number_type(value) if isinstance(value, TracedArray) else None


@cache
def _told(operate: Callable[[Any, Any], Any], left: type, right: type) -> bool | None:
    answer = operate(*(_EXAMPLES[kind] if kind in _EXAMPLES else kind(1) for kind in (left, right)))
    is_never = operate in (operator.eq, operator.ne) and (left in _EXAMPLES) != (right in _EXAMPLES)
    return bool(answer) if is_never else None
