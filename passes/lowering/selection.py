"""Lowering of the choice between tensors."""

from __future__ import annotations

from ...dialect.mlir import Value
from ...dialect.ops.selection import Select
from .conversion import Conversion, OpInstance, lowers


@lowers(Select)
def lower_select(c: Conversion, op: OpInstance) -> list[Value]:
    """One `arith.select` for every element."""

    def body(condition: Value, x: Value, y: Value) -> Value:
        return c.operation("arith.select", [condition, x, y], [x.type])

    return c.map_elements(op.operands, op.operand_types, op.result_types, body)
