"""Lowerings of choices by conditions: between tensors, and of the places of true elements."""

from __future__ import annotations

import numpy as np

from ...dialect.mlir import Value, dialect, ir
from ...dialect.ops.selection import Nonzero, Select
from .conversion import Conversion, OpInstance, lowers
from .loops import extract, for_loop, insert

arith = dialect("arith")
tensor = dialect("tensor")

_BOOL, _INT64 = np.dtype(np.bool_), np.dtype(np.int64)


@lowers(Select)
def lower_select(c: Conversion, op: OpInstance) -> list[Value]:
    """One `arith.select` for every element."""

    def body(condition: Value, x: Value, y: Value) -> Value:
        return c.operation("arith.select", [condition, x, y], [x.type])

    return c.map_elements(op.operands, op.operand_types, op.result_types, body)


@lowers(Nonzero)
def lower_nonzero(c: Conversion, op: OpInstance) -> list[Value]:
    """A loop without branches, which would be mispredicted: every place is written, and the next one over a false."""
    (condition,) = op.operands
    extents = c.extents(condition)
    zero = c.constant(0, _INT64)

    def step(index: Value, carried: list[Value]) -> list[Value]:
        places, count = carried
        is_true = c.load(extract(condition, [index]), _BOOL)
        place = arith.IndexCastOp(zero.type, index).result
        one = arith.IndexCastUIOp(ir.IndexType.get(), is_true).result
        return [insert(place, places, [count]), arith.AddIOp(count, one).result]

    start = [c.empty(op.result_types[0], extents), c.index(0)]
    places, count = for_loop(c, 0, extents[0], start, step)
    (cleared,) = for_loop(
        c, count, extents[0], [places], lambda index, rest: [insert(zero, rest[0], [index])]
    )
    number = arith.IndexCastOp(zero.type, count).result
    return [cleared, tensor.FromElementsOp(ir.RankedTensorType.get([], zero.type), [number]).result]
