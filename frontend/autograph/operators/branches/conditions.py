"""The truth of a value that decides what runs: known while tracing, or an i1 of compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from .....dialect.mlir import Value, ir
from .....dialect.register import context
from ....source.modules import told
from ....tracing.array import TracedArray
from ....tracing.element_stores import only_element
from ....tracing.needed_numbers import note_decision
from ....tracing.recorder import Recorder
from ....tracing.staging import cast
from ..values.optional import Optional


def is_staged(value: Any) -> bool:
    """Whether the truth of a value is known only at run time."""
    return isinstance(value, (TracedArray, Optional)) or told(type(value), "__weft_truth__") is not None


def truth_of(value: Any) -> TracedArray:
    """The truth of a traced value as a bool[]: what `bool(value)` gives, errors included."""
    if isinstance(value, Optional):
        present = ~value.is_none
        inner: Any = truth_of(value.value) if is_staged(value.value) else np.bool_(bool(value.value))
        both: TracedArray = np.logical_and(present, inner)
        return both
    array: TracedArray = value.__weft_truth__() if hasattr(type(value), "__weft_truth__") else value
    if array.ndim:
        array = only_element(array)
    converted: TracedArray = cast(array, np.dtype(bool))
    return converted


def condition_of(trace: Recorder, truth: TracedArray) -> Value:
    """The i1 of a bool[]."""
    note_decision(truth)
    with context():
        bit = ir.IntegerType.get_signless(1)
    return trace.create_upstream("tensor.extract", [truth._value()], [bit])[0]
