"""Which values are Python's own numbers: their operators are Python's, not NumPy's."""

from __future__ import annotations

from typing import Any

PYTHON_NUMBERS: dict[str, type[Any]] = {"b": bool, "i": int, "f": float, "c": complex}
"""Python's number types by the kinds of the dtypes that hold them."""


def number_type(operand: Any) -> type[Any] | None:
    """The type of a Python number, traced or known; None for NumPy's arrays and scalars."""
    if type(operand) in PYTHON_NUMBERS.values():
        return type(operand)
    number = getattr(operand, "_python_type", None)
    return number if isinstance(number, type) else None


def said_of(array: Any, number: str, other: str) -> TypeError:
    """What Python or NumPy says where what has no items is asked for them: of a number with its class."""
    is_number = array._is_scalar
    return TypeError(number.format(array._class_name) if is_number else other)
