"""Choice between arrays, element by element: what other functions are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialect.ops.selection import Select
from ..tracing.array import TracedArray
from ..tracing.staging import ArrayLike, ArrayResult, apply, asarray, cast
from ..tracing.stretching import broadcast_together
from .arguments import common_dtype


def blend(condition: ArrayLike, x: ArrayLike, y: ArrayLike) -> ArrayResult:
    """Elements of x where the boolean condition holds, of y elsewhere; both have one dtype, all broadcast."""
    operands: Sequence[Any] = (condition, x, y)
    trace = next((o._storage.trace for o in operands if isinstance(o, TracedArray)), None)
    if trace is not None:
        operands = broadcast_together(trace, operands)
    return apply(Select, *operands)


def choose(condition: ArrayLike, x: ArrayLike, y: ArrayLike) -> ArrayResult:
    """Elements of x where the condition is not zero, of y elsewhere, in their common dtype (`where` of three)."""
    mask = asarray(condition)
    if mask.dtype != np.bool_:
        mask = np.not_equal(mask, 0)
    operands = [as_weak_operand(value) for value in (x, y)]
    dtype = common_dtype(*operands)
    # Python's ints need not fit: they wrap around, as NumPy casts arrays of them.
    numbers = [o if isinstance(o, TracedArray) else np.asarray(o) for o in operands]
    return blend(mask, *(asarray(cast(number, dtype)) for number in numbers))


def as_weak_operand(value: Any) -> Any:
    """A Python number as it is, known or traced, since it is weak, and an array of everything else."""
    return value if is_python_number(value) else asarray(value)


def is_python_number(value: Any) -> bool:
    """Whether NumPy would have a number of Python's: not a scalar of its own, which is strong."""
    if isinstance(value, TracedArray):
        return value._python_type is not None
    return isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic)
