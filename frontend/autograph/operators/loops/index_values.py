"""Numbers of trips, and counters, of loops that count: values of MLIR's type `index`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .....dialect.attributes import type_to_mlir
from .....dialect.made_ops import constant_index
from .....dialect.mlir import Value, ir
from .....dialect.register import context
from .....dialect.types import TensorType
from ....tracing.array import TracedArray, wrap
from ....tracing.drafts import Draft
from ....tracing.recorder import Recorder

_INT = TensorType((), np.dtype(np.int64))


def trip_count(trace: Recorder, length: Any) -> Value:
    """The number of trips as an index."""
    if isinstance(length, (int, np.integer)):  # a list that a loop was to fill has one of NumPy's
        return index_constant(trace, int(length))
    with context():
        i64, index = ir.IntegerType.get_signless(64), ir.IndexType.get()
    number = trace.create_upstream("tensor.extract", [length._value()], [i64])
    return trace.create_upstream("arith.index_cast", number, [index])[0]


def counter_value(trace: Recorder, counter: Value) -> TracedArray:
    """The position in a counting loop as a Python int of compiled code."""
    with context():
        i64 = ir.IntegerType.get_signless(64)
        tensor = type_to_mlir(_INT)
    number = trace.create_upstream("arith.index_cast", [counter], [i64])
    value = trace.create_upstream("tensor.from_elements", number, [tensor])[0]
    return wrap(trace, value, _INT)._like_python(int)


def index_constant(trace: Recorder, value: int, draft: Draft | None = None) -> Value:
    """An index constant, in front of a draft or at the present place."""
    with context():
        point = ir.InsertionPoint(trace.region.block if draft is None else draft.op)
        with point, ir.Location.unknown():
            return constant_index(value)
