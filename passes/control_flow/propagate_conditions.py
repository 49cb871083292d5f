"""Use in a branch what its condition says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...dialect.mlir import Block, Module, Operation, ir
from ...dialect.ops.creation import Constant
from ...dialect.register import create
from ..base import Pass, Statistics
from .facts import Facts, facts_of
from .structure import (
    IF,
    body,
    constant_of,
    control_ops,
    functions_with_control_flow,
    has_else,
    is_inside,
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
        decided += _replace(body(branch, region), facts_of(condition, region == 0))
    return decided


def _replace(block: Block, facts: Facts) -> int:
    """Let the ops inside a block use constants for what is known; returns how many uses there were."""
    count = 0
    for value, known in facts.items():
        if constant_of(value) is not None:
            continue
        uses = [use for use in value.uses if is_inside(use.owner.operation, block)]
        if uses:
            with ir.InsertionPoint.at_block_begin(block):
                constant = create(Constant, [], {"value": known}, location=uses[0].owner.location).results[0]
            for use in uses:
                use.owner.operation.operands[use.operand_number] = constant
        count += len(uses)
    return count
