"""Python's operators on numbers that are Python's: positions in loops, extents, what `len`, `int` and `not` give.

NumPy's ufuncs differ from them: `True + True` is 2 in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..tracing.array import TracedArray
from ..tracing.staging import cast
from ..tracing.zero_division import number_type

_BITWISE = {np.bitwise_and, np.bitwise_or, np.bitwise_xor}
"""These leave bools as they are."""

COMPARISONS = {np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal}

_OPERATORS = {np.add, np.subtract, np.multiply, np.negative, np.positive, np.absolute, np.power, np.invert}
_OPERATORS |= {np.divide, np.floor_divide, np.remainder, np.divmod, np.left_shift, np.right_shift}
_OPERATORS |= _BITWISE | COMPARISONS
"""What Python's operators call: of Python numbers they give Python numbers again."""


def is_python_operator(ufunc: np.ufunc, operands: Sequence[Any]) -> bool:
    """Whether Python's own numbers meet in one of Python's operators."""
    return ufunc in _OPERATORS and all(number_type(operand) is not None for operand in operands)


def python_operands(ufunc: np.ufunc, operands: Sequence[Any]) -> list[Any]:
    """The operands with bools as the ints that Python takes them for."""
    if not (ufunc in _BITWISE and all(number_type(operand) is bool for operand in operands)):
        operands = [_as_int(operand) if number_type(operand) is bool else operand for operand in operands]
    return list(operands)


def _as_int(operand: Any) -> Any:
    if not isinstance(operand, TracedArray):
        return int(operand)
    number: Any = cast(operand, np.dtype(np.int64))
    return number._like_python(int)


__all__ = ["COMPARISONS", "is_python_operator", "python_operands"]
