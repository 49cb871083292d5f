"""Divisions of Python's own numbers by zero, which raise in Python where NumPy's give inf or 0."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

PYTHON_NUMBERS: dict[str, type[Any]] = {"b": bool, "i": int, "f": float, "c": complex}
"""Python's number types by the kinds of the dtypes that hold them."""

_DIVISIONS: dict[np.ufunc, Callable[[Any, Any], Any]] = {
    np.divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.divmod: divmod,
}


def number_type(operand: Any) -> type[Any] | None:
    """The type of a Python number, traced or known; None for NumPy's arrays and scalars."""
    if type(operand) in PYTHON_NUMBERS.values():
        return type(operand)
    number = getattr(operand, "_python_type", None)
    return number if isinstance(number, type) else None


def require_divisor(ufunc: np.ufunc, dividend: Any, divisor: Any) -> None:
    """Where an operator divides Python numbers, one of them traced: raise Python's error for a divisor of 0."""
    divide = _DIVISIONS.get(ufunc)
    kinds = (number_type(dividend), number_type(divisor))
    if divide is None or kinds[0] is None or kinds[1] is None:
        return
    if type(divisor) in PYTHON_NUMBERS.values():
        if not divisor:
            divide(kinds[0](1), divisor)  # raises
        return
    message = "division by zero"
    try:
        divide(kinds[0](1), kinds[1](0))
    except ZeroDivisionError as error:
        message = str(error)
    is_zero: Any = np.equal(divisor, 0)
    divisor._storage.trace.raise_if(is_zero._value(), "ZeroDivisionError", message)


__all__ = ["PYTHON_NUMBERS", "number_type", "require_divisor"]
