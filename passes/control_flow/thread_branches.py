"""Merge a branch into an earlier one that decides it: what is known as jump threading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...dialect.mlir import Block, Module, Operation, Value, ir
from ..base import Pass, Statistics
from ..rewriting import operations_of
from .facts import Facts, evaluate, facts_of
from .speculation import is_pure, is_speculatable
from .structure import (
    IF,
    add_yield,
    body,
    control_ops,
    copy_block,
    copy_of,
    functions_with_control_flow,
    has_else,
    is_used,
    keep_results,
    operation_of,
    operations_in,
    replace_all,
    tensor_of,
    terminator,
    use_values,
    used_inside,
    yielded,
)

_ROUNDS_PER_BRANCH = 8


@dataclass(frozen=True)
class ThreadBranches(Pass):
    """Move an `scf.if` into the branches of an earlier one that makes its condition known in one of them.

    An early return or a break leaves a status, 1 in one branch and 0 in the other, that later code tests:

        s = if c {yield 1} else {yield 0};  if s == 0 {rest}     becomes     if c {} else {rest}

    So do two branches on one condition. Between the two there may be pure ops only. Where one branch of the
    first decides and the other does not, the part that is chosen is copied: up to `max-copied` ops.
    """

    name: ClassVar[str] = "thread-branches"
    summary: ClassVar[str] = "merge branches whose conditions earlier branches decide"

    max_copied: int = 12
    """Of how many ops there may be copies after a merge."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Merge until nothing can be; the bound on rounds is not met by code that shrinks."""
        for function in functions_with_control_flow(module):
            for _ in range(_ROUNDS_PER_BRANCH * len(control_ops(function, IF))):
                if not self._merge_one(function):
                    break
                statistics["branches merged"] += 1

    def _merge_one(self, function: Operation) -> bool:
        by_block: dict[Block, list[Operation]] = {}
        for branch in control_ops(function, IF):
            by_block.setdefault(branch.block, []).append(branch)
        return any(len(branches) > 1 and self._merge_in(block) for block, branches in by_block.items())

    def _merge_in(self, block: Block) -> bool:
        """Merge a branch of a block into the nearest one before it that decides it.

        The last one first: a chain of n exits takes 2 n merges then, and not n squared.
        """
        operations = operations_in(block)
        places = [place for place, operation in enumerate(operations) if operation.name == IF]
        for number, second in reversed(list(enumerate(places))):
            for first in reversed(places[:number]):
                between = operations[first + 1 : second]
                if not all(is_pure(operation) for operation in between):
                    break
                merge = _Merge(operations[first], between, operations[second])
                if merge.is_possible(self.max_copied):
                    merge.apply()
                    return True
        return False


class _Merge:
    """Two branches of one block, and the pure ops between them."""

    def __init__(self, first: Operation, between: list[Operation], second: Operation) -> None:
        self.first, self.between, self.second = first, between, second
        self.choices = [_choice(first, second, region) for region in (0, 1)]
        """What the second condition is in each branch of the first; None where that is not known."""
        self.is_moved = self.choices.count(None) == 1
        """Whether the whole second branch is needed once."""
        inside = self._inside()
        self.copied = [self._needed(region, inside) for region in (0, 1)]
        """The ops between of which each branch gets a copy."""
        self.stay = {id(operation) for operation in inside}
        """The ops between that cannot move in front of the first branch."""

    def _inside(self) -> list[Operation]:
        """The ops between that use the first branch, or rely on its checks."""
        inside: list[Operation] = []
        values = set(self.first.results)
        for operation in self.between:
            if not is_speculatable(operation) or any(value in values for value in used_inside(operation)):
                inside.append(operation)
                values.update(operation.results)
        return inside

    def _needed(self, region: int, inside: list[Operation]) -> list[Operation]:
        """Those of the ops inside that the second branch, or the part of it that is chosen, needs."""
        choice = self.choices[region]
        if choice is None:
            used = set(used_inside(self.second))
        elif choice or has_else(self.second):
            chosen = operations_in(body(self.second, 0 if choice else 1))
            used = {value for operation in chosen for value in used_inside(operation)}
        else:
            used = set()
        needed: list[Operation] = []
        for operation in reversed(inside):
            if not used.isdisjoint(operation.results):
                needed.append(operation)
                used.update(used_inside(operation))
        return needed[::-1]

    def is_possible(self, max_copied: int) -> bool:
        """Whether the second condition is known in a branch of the first, and what is copied is small."""
        known = [choice for choice in self.choices if choice is not None]
        if not known:
            return False
        copies = sum(_size(operation) for copied in self.copied for operation in copied)
        if len(known) == 1 or known[0] == known[1]:
            region = 0 if known[0] else 1
            copies += _region_size(self.second, region)
        return copies <= max_copied

    def apply(self) -> None:
        """Build the merged branch in the place of the first and erase both."""
        for operation in self.between:
            if id(operation) not in self.stay:
                operation.move_before(self.first)
        types = [result.type for result in (*self.first.results, *self.second.results)]
        with ir.InsertionPoint(self.first):
            made = operation_of(IF, self.first.operands, types, regions=2, location=self.first.location)
        results = list(made.results)
        count = len(self.first.results)
        replace_all(self.second.results, results[count:])
        # copies first: what moves is changed
        for region in sorted((0, 1), key=lambda region: self.choices[region] is None):
            self._fill(made, region)
        replace_all(self.first.results, results[:count])
        if not self.is_moved:
            self.second.erase()
        self.first.erase()
        for operation in reversed(self.between):
            if not any(is_used(result) for result in operation.results):
                operation.erase()
        kept = [is_used(result) for result in results]
        if not all(kept):
            keep_results(made, kept)

    def _fill(self, made: Operation, region: int) -> None:
        if region == 0 or has_else(self.first):
            block = body(self.first, region)
            block.append_to(made.regions[region])
        else:
            block = made.regions[region].blocks.append()
            with ir.InsertionPoint(block):
                add_yield([], self.first.location)
        own = yielded(block)
        last = terminator(block)
        values: dict[Value, Value] = dict(zip(self.first.results, own, strict=True))
        with ir.InsertionPoint(last):
            for operation in self.copied[region]:
                copy_of(operation, values)
            own += self._second(values, self.choices[region], last)
            add_yield(own, last.location)
        last.erase()

    def _second(self, values: dict[Value, Value], choice: bool | None, last: Operation) -> list[Value]:
        """Do what the second branch does in front of `last`; returns its results."""
        if choice is None:
            if self.is_moved:
                self.second.move_before(last)
                use_values(self.second, values)
                return list(self.second.results)
            return list(copy_of(self.second, values).results)
        if not choice and not has_else(self.second):
            return []
        return copy_block(body(self.second, 0 if choice else 1), values)


def _choice(first: Operation, second: Operation, region: int) -> bool | None:
    """Whether the second condition holds in a branch of the first, when that is known."""
    facts: Facts = {}
    condition = tensor_of(first.operands[0])
    if condition is not None:
        facts = facts_of(condition, region == 0)
    facts[first.operands[0]] = np.asarray(region == 0)
    if region == 0 or has_else(first):
        for result, value in zip(first.results, yielded(body(first, region)), strict=True):
            known = None if not str(result.type).startswith("tensor<") else evaluate(value, facts)
            if known is not None:
                facts[result] = known
    known = evaluate(second.operands[0], facts)
    return None if known is None else bool(known)


def _size(operation: Operation) -> int:
    return 1 + (len(operations_of(operation)) if len(operation.regions) else 0)


def _region_size(branch: Operation, region: int) -> int:
    if region == 1 and not has_else(branch):
        return 0
    return sum(_size(operation) for operation in operations_in(body(branch, region))) - 1
