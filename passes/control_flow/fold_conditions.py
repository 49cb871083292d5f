"""Bring what is known about conditions to where upstream's patterns for scf see it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...dialect.mlir import Block, Module, Operation, ir
from ...dialect.ops.creation import Constant
from ...dialect.register import create
from ..base import Pass, Statistics
from ..rewriting import operations_of
from .facts import Facts, facts_of
from .structure import (
    EXTRACT,
    FROM_ELEMENTS,
    IF,
    SCALAR_CONSTANT,
    body,
    constant_of,
    control_ops,
    functions_with_control_flow,
    has_else,
    is_used,
    operation_of,
    scalar_constant,
    tensor_of,
)

_SCALARS = ("i1", "i64")
"""The types of conditions and of numbers of iterations."""


@dataclass(frozen=True)
class FoldConditions(Pass):
    """Extract scalars of constants as constants, and use in a branch what its condition says.

    Where `c` holds, `c` is true, and so are both parts of `and`; where `x == 3` holds for an integer, x is 3.
    `canonicalize` then removes the branches that are decided and the loops that do not run.
    """

    name: ClassVar[str] = "fold-conditions"
    summary: ClassVar[str] = "make conditions that are known constants of arith, also inside branches"

    def run(self, module: Module, statistics: Statistics) -> None:
        """Outer branches first, so that inner ones see all facts."""
        for function in functions_with_control_flow(module):
            decided = sum(_use_condition(branch) for branch in reversed(control_ops(function, IF)))
            folded = 0
            for operation in operations_of(function):
                if operation.name == EXTRACT:
                    folded += _fold_extract(operation)
                elif operation.name == FROM_ELEMENTS:
                    folded += _fold_from_elements(operation)
            statistics += Counter({"uses of conditions decided": decided, "scalars made constant": folded})


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


def _fold_extract(extract: Operation) -> int:
    result = extract.results[0]
    if len(extract.operands) != 1 or str(result.type) not in _SCALARS or not is_used(result):
        return 0
    number = scalar_constant(result)
    if number is None:
        return 0
    attribute = ir.IntegerAttr.get(result.type, number)
    with ir.InsertionPoint(extract):
        constant = operation_of(
            SCALAR_CONSTANT, [], [result.type], location=extract.location, value=attribute
        )
    result.replace_all_uses_with(constant.results[0])
    return 1


def _fold_from_elements(operation: Operation) -> int:
    result = operation.results[0]
    array = constant_of(result) if is_used(result) else None
    if array is None:
        return 0
    with ir.InsertionPoint(operation):
        constant = create(Constant, [], {"value": np.asarray(array)}, location=operation.location)
    result.replace_all_uses_with(constant.results[0])
    return 1
