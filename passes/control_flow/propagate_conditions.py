"""Use in a branch what its condition says."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from ...dialect.mlir import Block, Module, Operation, Value, ir
from ...dialect.op import Array
from ...dialect.ops.creation import Constant
from ...dialect.ops.state import RaiseIf
from ...dialect.records import dataclass
from ...dialect.register import create, op_class_of
from ..base import Pass, Statistics
from .facts import facts_of
from .structure import IF, body, constant_of, extracted, functions_with_control_flow, operations_in, tensor_of


@dataclass(frozen=True)
class PropagateConditions(Pass):
    """Use constants in a branch for what its condition says.

    Where `c` holds, `c` is true, and so are both parts of `and`; where `x == 3` holds for an integer, x is 3.
    Behind a check of `c`, which went by, `c` is false: `cse` has made equal conditions one value.
    `weft-fold` and `canonicalize` then remove the branches that are decided.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Walk once over every function, with what is known on the way."""
        for function in functions_with_control_flow(module):
            decided = _Walk().over(body(function)) if len(function.regions[0].blocks) else 0
            if decided:
                statistics["uses decided"] += decided


@dataclass
class _Fact:
    """What a value is in the branch of a block."""

    block: Block
    known: Array
    constant: Value | None = None
    """The constant in that block, once there is a use."""

    def value(self, user: Operation) -> Value:
        """The constant, made at the beginning of the block for its first user."""
        if self.constant is None:
            with ir.InsertionPoint.at_block_begin(self.block):
                made = create(Constant, [], {"value": self.known}, location=user.location)
            self.constant = made.results[0]
        return self.constant


@dataclass
class _Walk:
    """A walk over a function in program order, with what is known where it is."""

    facts: dict[Value, _Fact] = field(default_factory=dict)

    def over(self, start: Block) -> int:
        """Use constants for what is known; returns how many uses there were. Blocks may nest deeply."""
        count = 0
        pending: list[Operation | _Scope] = list(operations_in(start)[::-1])
        while pending:
            step = pending.pop()
            if isinstance(step, _Scope):
                self.facts = step.facts
                continue
            if self.facts:
                count += self._use_facts(step)
            if op_class_of(step) is RaiseIf and constant_of(checked := step.operands[0]) is None:
                self.facts = {**self.facts, checked: _Fact(step.block, np.asarray(False))}
            for number in reversed(range(len(step.regions))):
                for block in step.regions[number].blocks:
                    pending.append(_Scope(self.facts))
                    pending += operations_in(block)[::-1]
                    pending.append(_Scope(self._facts_in(block, step, number)))
        return count

    def _use_facts(self, operation: Operation) -> int:
        count = 0
        for place, operand in enumerate(operation.operands):
            if (fact := self.facts.get(operand)) is not None:
                operation.operands[place] = fact.value(operation)
                count += 1
            elif operation.name == IF and (fact := self._fact_of_scalar(operand)) is not None:
                with (
                    ir.InsertionPoint(operation),
                    operation.location,
                ):  # the scalar was extracted around the branch
                    operation.operands[place] = extracted(fact.value(operation))
                count += 1
        return count

    def _fact_of_scalar(self, scalar: Value) -> _Fact | None:
        tensor = tensor_of(scalar)
        return None if tensor is None else self.facts.get(tensor)

    def _facts_in(self, block: Block, operation: Operation, region: int) -> dict[Value, _Fact]:
        """What is known in a block: what is known around it, and what the condition of its branch says."""
        condition = tensor_of(operation.operands[0]) if operation.name == IF else None
        if condition is None:
            return self.facts
        new = {
            value: _Fact(block, known)
            for value, known in facts_of(condition, region == 0).items()
            if value not in self.facts and constant_of(value) is None
        }
        return {**self.facts, **new} if new else self.facts


@dataclass
class _Scope:
    """A step of a walk from which on other facts hold."""

    facts: dict[Value, _Fact]
