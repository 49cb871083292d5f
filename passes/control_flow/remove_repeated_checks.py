"""Remove checks that were made before."""

from __future__ import annotations

from ...dialect.mlir import Block, Module, Value
from ...dialect.ops.state import RaiseIf
from ...dialect.records import dataclass
from ...dialect.register import op_class_of
from ..base import Pass, Statistics
from .structure import body, functions_with_control_flow, operations_in


@dataclass(frozen=True)
class RemoveRepeatedChecks(Pass):
    """Remove a `weft.raise_if` on a condition that an earlier one, which always runs before it, looked at.

    The earlier one went by, so the condition does not hold. `cse` has made equal conditions one value.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Walk blocks with what was checked on the way to them."""
        for function in functions_with_control_flow(module):
            if len(function.regions[0].blocks):
                removed = _remove(body(function), frozenset())
                if removed:
                    statistics["checks removed"] += removed


def _remove(block: Block, checked: frozenset[Value]) -> int:
    removed = 0
    for operation in operations_in(block):
        if op_class_of(operation) is RaiseIf:
            condition = operation.operands[0]
            if condition in checked:
                operation.erase()
                removed += 1
            checked |= {condition}
            continue
        for region in operation.regions:
            for inner in region.blocks:
                removed += _remove(inner, checked)
    return removed
