"""Decide the checks of integers whose values are known to lie between others, as far from the end of 64 bits."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from ...dialect.mlir import Block, Module, Operation, Value
from ...dialect.ops.elementwise import Maximum
from ...dialect.ops.indexing import FindOutOfBounds
from ...dialect.ops.selection import Select
from ...dialect.ops.state import RaiseIf
from ...dialect.records import dataclass
from ...dialect.register import op_class_of
from ..base import Pass, Statistics
from ..rewriting import operations_of, type_of
from .intervals import EVERYTHING, Interval, Intervals, common, compared, tested
from .structure import (
    FOR,
    IF,
    INDEX_CAST,
    WHILE,
    body,
    constant_of,
    operations_in,
    producer,
    tensor_of,
)


@dataclass(frozen=True)
class ProveNoOverflow(Pass):
    """Remove a `weft.raise_if` of numbers with too many bits, or out of bounds, where ranges tell that none is.

    Counters of loops, extents, and what loops add up of small numbers are far from 2**63, as neither memory nor time
    suffices for more; conditions of branches and loops, and checks that went by, say more.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Walk functions in the order of the program, with what is known there."""
        for function in operations_in(module.body):
            if function.name == "func.func" and any(map(_is_check, operations_of(function))):
                removed = _Walk().remove(body(function), {})
                if removed:
                    statistics["checks of ints removed"] += removed


def _is_check(operation: Operation) -> bool:
    return op_class_of(operation) is RaiseIf


class _Walk:
    """A walk over a function."""

    def __init__(self) -> None:
        self._everywhere = Intervals()

    def remove(self, block: Block, facts: dict[Value, Interval]) -> int:
        """Remove checks in a block, and in what its ops hold."""
        removed, known = 0, Intervals(self._everywhere, facts)
        for operation in operations_in(block):
            if _is_check(operation) and known.never_holds(operation.operands[0]):
                operation.erase()
                removed += 1
            elif op_class_of(operation) is RaiseIf:
                known = self._with(known, _checked(operation, known))
            else:
                for number, region in enumerate(operation.regions):
                    for inner in region.blocks:
                        entered = self._with(known, _entered(operation, number, known))
                        removed += self.remove(inner, entered.facts)
        return removed

    def _with(self, known: Intervals, more: Iterable[tuple[Value, Interval]]) -> Intervals:
        facts = dict(known.facts)
        for value, interval in more:
            facts[value] = common(facts.get(value, EVERYTHING), interval)
        return known if facts == known.facts else Intervals(self._everywhere, facts)


def _checked(check: Operation, known: Intervals) -> Iterator[tuple[Value, Interval]]:
    """What is known behind a check."""
    condition = check.operands[0]
    made = producer(condition)
    if made is not None and op_class_of(made) is FindOutOfBounds:
        index, extent = made.operands
        size = known.of(extent)[1]
        if not type_of(index).rank:
            yield index, (-size, size - 1)
    yield from compared(condition, False, known)


def _entered(operation: Operation, region: int, known: Intervals) -> Iterator[tuple[Value, Interval]]:
    """What is known in a region of a branch or loop when it runs."""
    if operation.name == IF:
        condition = tensor_of(operation.operands[0])
        if condition is not None:
            yield from compared(condition, not region, known)
    elif operation.name == FOR:
        lower, upper = list(operation.operands)[:2]
        least = known.of(lower)[0]
        for bound in _bounds(upper, least):
            yield bound, (least + 1, EVERYTHING[1])
    elif operation.name == WHILE and region:
        yield from tested(operation, known)


def _bounds(upper: Value, least: int) -> Iterator[Value]:
    """What an upper bound is where it is above a number: `range(n)` runs up to n, or to 0."""
    yield upper
    made = producer(upper)
    if made is not None and made.name == INDEX_CAST:
        tensor = tensor_of(made.operands[0])
        made = None if tensor is None else producer(tensor)
        if tensor is not None:
            yield tensor
    if made is not None and op_class_of(made) in (Maximum, Select):
        for one, other in itertools.permutations(list(made.operands)[-2:]):
            constant = constant_of(other)
            if constant is not None and not constant.ndim and constant <= least:
                yield one
