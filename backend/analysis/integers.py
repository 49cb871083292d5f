"""Integers of a program that are known before it runs: sizes, bounds of loops, counters."""

from __future__ import annotations

from collections.abc import Mapping

from ...dialect.mlir import Operation, Value, ir
from ..ranges.comparisons import compared
from ..ranges.interval import ARITHMETIC, WIDEST

_UNCHANGED = frozenset(
    {"arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci"}
)


def evaluate(
    op: Operation, numbers: Mapping[Value, int], shapes: Mapping[Value, list[int | None]]
) -> int | None:
    """The integer that an op gives; None where it is not known, or is none."""
    name = op.name
    if name == "arith.constant":
        value = op.attributes["value"]
        return int(value.value) if isinstance(value, (ir.IntegerAttr, ir.BoolAttr)) else None
    if name in ("tensor.dim", "memref.dim"):
        axis, shape = numbers.get(op.operands[1]), shapes.get(op.operands[0])
        return shape[axis] if axis is not None and shape is not None else None
    if name in ("tensor.extract", "memref.load") and len(op.operands) == 1:
        return numbers.get(op.operands[0])  # of a tensor of rank 0
    if name == "bufferization.to_tensor" or name in _UNCHANGED:
        return numbers.get(op.operands[0])
    if name == "tensor.from_elements" and len(op.operands) == 1 and not op.results[0].type.shape:
        return numbers.get(op.operands[0])
    if name == "arith.select":
        chosen = numbers.get(op.operands[0])
        return None if chosen is None else numbers.get(op.operands[1 if chosen else 2])
    return _of_two(op, numbers)


def _of_two(op: Operation, numbers: Mapping[Value, int]) -> int | None:
    arithmetic = ARITHMETIC.get(op.name)
    if arithmetic is None and op.name != "arith.cmpi":
        return None
    left, right = (numbers.get(operand) for operand in op.operands)
    if left is None or right is None:
        return None
    one, other = (left, left), (right, right)
    if arithmetic is None:
        low, high = compared(op.attributes["predicate"].value, one, other)
    else:
        low, high = arithmetic(one, other, WIDEST)
    return low if low == high else None
