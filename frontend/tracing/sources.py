"""What a value of a recorded program may have been computed of."""

from __future__ import annotations

from collections.abc import Iterable

from ...dialect.mlir import Operation, Value, ir
from ...dialect.ops.differentiation import StopGradient
from ...dialect.ops.state import ReadRef, WriteRef
from ...dialect.register import op_class_of
from ...passes.rewriting import operations_of


def sources_of(values: Iterable[Value], through_stops: bool = False) -> set[Value]:
    """The values that others may have been computed of; branches and loops count as a whole.

    Without `through_stops`, what goes through `weft.stop_gradient` does not count.
    """
    found: set[Value] = set()
    pending = list(values)
    while pending:
        value = pending.pop()
        if value in found:
            continue
        found.add(value)
        pending += _operands_of(value, through_stops)
    return found


def _operands_of(value: Value, through_stops: bool) -> list[Value]:
    if isinstance(value.owner, ir.Block):
        parent = value.owner.owner.operation  # the name of a function is that of its symbol
        return [] if parent.name == "func.func" else _all_operands(parent)
    operation = value.owner.operation
    op_class = op_class_of(operation)
    if op_class is StopGradient and not through_stops:
        return []
    if op_class is ReadRef:
        cell = operation.operands[0]
        return [cell, *(use.owner.operands[1] for use in cell.uses if op_class_of(use.owner) is WriteRef)]
    return _all_operands(operation)


def _all_operands(operation: Operation) -> list[Value]:
    """The operands of an op and of those inside of it."""
    inside = operations_of(operation) if len(operation.regions) else []
    return [operand for op in (operation, *inside) for operand in op.operands]
