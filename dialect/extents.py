"""Where the extent of an axis comes from, in a program: what the ops say of it, followed from value to value."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TypeAlias

from .attributes import type_from_mlir
from .mlir import Value, ir
from .op import Op
from .ops.elementwise import Add, Multiply, Negative, Subtract
from .ops.shape import Dim
from .register import decode_attributes, op_class_of
from .sizes import Size
from .types import RefType

Axis: TypeAlias = "tuple[Value, int]"
"""An axis of a tensor or cell; axis -1 of a scalar is the extent that the scalar is."""

SCALAR = -1

SIZE_FUNCTIONS: dict[type[Op], Callable[..., Size]] = {
    Add: operator.add,
    Subtract: operator.sub,
    Multiply: operator.mul,
    Negative: operator.neg,
}
"""Ops on i64 whose results are sizes in terms of their operands."""


def extent_source(value: Value, axis: int) -> Axis | None:
    """One step back: an operand of the op that made a value, and its axis; None where the extent is new."""
    if value.owner is None or isinstance(
        value.owner, ir.Block
    ):  # None where a tape in plain Python evaluates
        return None
    operation = value.owner.operation
    op_class = op_class_of(operation)
    if op_class is None:
        return None
    attributes = decode_attributes(op_class, operation)
    if axis == SCALAR:
        return (operation.operands[0], attributes["axis"]) if op_class is Dim else None
    types = [type_from_mlir(operand.type) for operand in operation.operands]
    held = [t.tensor if isinstance(t, RefType) else t for t in types]
    source = op_class.source_of_result(held, attributes, value.result_number, axis)
    return None if source is None else (operation.operands[source[0]], source[1])
