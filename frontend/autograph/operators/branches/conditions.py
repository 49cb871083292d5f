"""The truth of a value that decides what runs: known while tracing, or an i1 of compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from .....dialect.mlir import Value, ir
from .....dialect.register import context
from ....tracing.array import TracedArray
from ....tracing.needed_numbers import note_decision
from ....tracing.recorder import Recorder
from ....tracing.staging import cast, raise_if
from ..values.optional import Optional

_AMBIGUOUS = "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
_EMPTY = "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty."


def is_staged(value: Any) -> bool:
    """Whether the truth of a value is known only at run time."""
    return isinstance(value, (TracedArray, Optional)) or hasattr(type(value), "__weft_truth__")


def truth_of(value: Any) -> TracedArray:
    """The truth of a traced value as a bool[]: what `bool(value)` gives, errors included."""
    if isinstance(value, Optional):
        present = ~value.is_none
        inner: Any = truth_of(value.value) if is_staged(value.value) else np.bool_(bool(value.value))
        both: TracedArray = np.logical_and(present, inner)
        return both
    array: TracedArray = value.__weft_truth__() if hasattr(type(value), "__weft_truth__") else value
    if array.ndim:
        array = _only_element(array)
    converted: TracedArray = cast(array, np.dtype(bool))
    return converted


def _only_element(array: TracedArray) -> TracedArray:
    """The element of an array of one; other sizes have no truth, as in NumPy."""
    shape = array.type.shape
    if None in shape:
        size = array.size
        raise_if(np.greater(size, 1), "ValueError", _AMBIGUOUS)
        raise_if(np.equal(size, 0), "ValueError", _EMPTY)
    elif any(extent != 1 for extent in shape):
        raise ValueError(_EMPTY if 0 in shape else _AMBIGUOUS)
    element: TracedArray = array[(0,) * array.ndim]
    return element


def condition_of(trace: Recorder, truth: TracedArray) -> Value:
    """The i1 of a bool[]."""
    note_decision(truth)
    with context():
        bit = ir.IntegerType.get_signless(1)
    return trace.create_upstream("tensor.extract", [truth._value()], [bit])[0]


__all__ = ["condition_of", "is_staged", "truth_of"]
