"""Use in a branch what its condition says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...dialect.mlir import Block, Module, Operation, ir
from ...dialect.ops.creation import Constant
from ...dialect.register import create
from ..base import Pass, Statistics
from ..rewriting import operations_of
from .facts import Facts, facts_of
from .structure import (
    IF,
    body,
    constant_of,
    control_ops,
    functions_with_control_flow,
    has_else,
    tensor_of,
)


@dataclass(frozen=True)
class PropagateConditions(Pass):
    """Use constants in a branch for what its condition says.

    Where `c` holds, `c` is true, and so are both parts of `and`; where `x == 3` holds for an integer, x is 3.
    `weft-fold` and `canonicalize` then remove the branches that are decided.
    """

    name: ClassVar[str] = "propagate-conditions"
    summary: ClassVar[str] = "use in branches what their conditions say"

    def run(self, module: Module, statistics: Statistics) -> None:
        """Outer branches first, so that inner ones see all facts."""
        for function in functions_with_control_flow(module):
            for branch in reversed(control_ops(function, IF)):
                if decided := _use_condition(branch):
                    statistics["uses decided"] += decided


def _use_condition(branch: Operation) -> int:
    condition = tensor_of(branch.operands[0])
    if condition is None:
        return 0
    decided = 0
    for region in range(2 if has_else(branch) else 1):
        block = body(branch, region)
        decided += _replace(block, facts_of(condition, region == 0), _operations_below(branch, region))
    return decided


def _operations_below(branch: Operation, region: int) -> list[Operation]:
    inside: list[Operation] = []
    for view in body(branch, region).operations:
        operation = view.operation
        inside += [operation, *(operations_of(operation) if len(operation.regions) else ())]
    return inside


def _replace(block: Block, facts: Facts, inside: list[Operation]) -> int:
    """Let the ops inside a block use constants for what is known; returns how many uses there were."""
    made = {}
    count = 0
    for operation in inside:
        for index, operand in enumerate(operation.operands):
            if operand in facts and constant_of(operand) is None:
                if operand not in made:
                    with ir.InsertionPoint.at_block_begin(block):
                        constant = create(
                            Constant, [], {"value": facts[operand]}, location=operation.location
                        )
                    made[operand] = constant.results[0]
                operation.operands[index] = made[operand]
                count += 1
    return count
