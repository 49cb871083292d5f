"""Two branches of one block that become one, because the first decides the second."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from ...dialect.mlir import Block, Operation, Value, ir
from ...dialect.records import dataclass
from ..rewriting import operations_of
from .facts import Facts, evaluate, facts_of
from .speculation import is_speculatable
from .structure import (
    IF,
    add_yield,
    body,
    copy_block,
    copy_of,
    has_else,
    is_inside,
    is_used,
    keep_results,
    operation_of,
    operations_in,
    replace_all,
    splice,
    tensor_of,
    terminator,
    used_inside,
    yielded,
)

Choices = tuple["bool | None", "bool | None"]


def choices_of(first: Operation, second: Operation) -> Choices:
    """What the second condition is in each branch of the first; None where that is not known."""
    return _choice(first, second, 0), _choice(first, second, 1)


def _choice(first: Operation, second: Operation, region: int) -> bool | None:
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


@dataclass
class Merge:
    """Two branches of one block, and the pure ops between them; one choice at least is known."""

    first: Operation
    between: list[Operation]
    second: Operation
    choices: Choices
    copied: list[list[Operation]] = field(init=False)
    """The ops between of which each branch gets a copy."""
    stay: set[int] = field(init=False)
    """The ops between, by identity, that cannot move in front of the first branch."""

    def __post_init__(self) -> None:
        used = {id(operation): set(used_inside(operation)) for operation in self.between}
        inside = self._inside(used)
        self.copied = [self._needed(region, inside, used) for region in (0, 1)]
        self.stay = {id(operation) for operation in inside}

    @property
    def is_moved(self) -> bool:
        """Whether the whole second branch is needed, once."""
        return self.choices.count(None) == 1

    @property
    def is_divided(self) -> bool:
        """Whether each of its two branches is needed, once."""
        return None not in self.choices and self.choices[0] != self.choices[1]

    def _inside(self, used_by: dict[int, set[Value]]) -> list[Operation]:
        """The ops between that use the first branch, or rely on its checks."""
        inside: list[Operation] = []
        values = set(self.first.results)
        for operation in self.between:
            if not is_speculatable(operation) or not values.isdisjoint(used_by[id(operation)]):
                inside.append(operation)
                values.update(operation.results)
        return inside

    def _needed(
        self, region: int, inside: list[Operation], used_by: dict[int, set[Value]]
    ) -> list[Operation]:
        """Those of the ops inside that the second branch, or the part of it that is chosen, needs."""
        needed: list[Operation] = []
        used: set[Value] = set()
        for operation in reversed(inside):
            results = list(operation.results)
            if not used.isdisjoint(results) or any(self._is_used(value, region) for value in results):
                needed.append(operation)
                used |= used_by[id(operation)]
        return needed[::-1]

    def _is_used(self, value: Value, region: int) -> bool:
        """Whether what runs of the second branch, in one of the first, uses a value; costs as much as it has uses."""
        choice = self.choices[region]
        if choice is None:
            return any(_is_part(use.owner.operation, self.second) for use in value.uses)
        if not choice and not has_else(self.second):
            return False
        chosen = body(self.second, 0 if choice else 1)
        return any(is_inside(use.owner.operation, chosen) for use in value.uses)

    def is_small(self, max_copied: int) -> bool:
        """Whether there are not more ops of which there would be copies."""
        left = max_copied - sum(size_of(operation) for copied in self.copied for operation in copied)
        if not self.is_divided:
            region = 0 if True in self.choices else 1
            if region == 0 or has_else(self.second):
                left -= _size_up_to(body(self.second, region), left + 1)
        return left >= 0

    def apply(self) -> list[Operation]:
        """Build the merged branch and erase both; returns the ops that are in their place now."""
        moved = [operation for operation in self.between if id(operation) not in self.stay]
        for operation in moved:
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
        left: list[Operation] = []
        for operation in reversed(self.between):
            if id(operation) in self.stay and any(is_used(result) for result in operation.results):
                left.insert(0, operation)
            elif id(operation) in self.stay:
                operation.erase()
        kept = [is_used(result) for result in results]
        return [*moved, made if all(kept) else keep_results(made, kept), *left]

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
                _use_in(self.second, values)
                self.second.move_before(last)
                return list(self.second.results)
            return list(copy_of(self.second, values).results)
        if not choice and not has_else(self.second):
            return []
        chosen = body(self.second, 0 if choice else 1)
        if not self.is_divided:
            return copy_block(chosen, values)
        for value, other in values.items():
            for use in [use for use in value.uses if is_inside(use.owner.operation, chosen)]:
                use.owner.operation.operands[use.operand_number] = other
        return splice(chosen, last)


def _use_in(operation: Operation, values: dict[Value, Value]) -> None:
    """Let an op, and the ops inside it, use `values` in place of their keys; costs as much as these have uses."""
    for value, other in values.items():
        for use in [use for use in value.uses if _is_part(use.owner.operation, operation)]:
            use.owner.operation.operands[use.operand_number] = other


def _is_part(operation: Operation, whole: Operation) -> bool:
    """Whether an op is another one, or inside it."""
    block = whole.block
    while operation.block != block:
        around = operation.parent
        if around is None or around.operation.name == "func.func":
            return False
        operation = around.operation
    return bool(operation == whole)


def size_of(operation: Operation) -> int:
    """How many ops an op is, with those inside it."""
    return 1 + (len(operations_of(operation)) if len(operation.regions) else 0)


def _size_up_to(block: Block, most: int) -> int:
    """How many ops a block has, with those inside them; not counted any further than needed."""
    total = 0
    for operation in operations_in(block)[:-1]:
        if total > most:
            break
        total += size_of(operation)
    return total
