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


__all__ = ["PYTHON_NUMBERS", "number_type"]
