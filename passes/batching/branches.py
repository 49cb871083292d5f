"""Branches for all lanes: one side where all lanes take the same, else both, of which each lane chooses."""

from __future__ import annotations

from ...dialect.batching import Laned
from ...dialect.emitter import Tensor
from ...dialect.mlir import Block, Operation, Value, ir
from ..control_flow.structure import (
    IF,
    add_yield,
    body,
    has_else,
    operation_of,
    splice,
    terminator,
    yielded,
)
from ..rewriting import operations_in
from .batcher import Batcher
from .masks import can_be_masked


def write_branch(batcher: Batcher, branch: Operation, mask: Value | None) -> None:
    """Write an `scf.if`."""
    condition = branch.operands[0]
    if condition not in batcher:
        _write_sides(batcher, branch, mask)
    elif can_be_masked(branch):
        _write_both(batcher, branch, mask)
    else:
        batcher.one_by_one(branch, mask)


def _write_sides(batcher: Batcher, branch: Operation, mask: Value | None) -> None:
    """A branch that all lanes take alike: what its sides hand over gets lanes where one of them has."""
    batcher.replaced(branch)
    differ = [result in batcher.differing for result in branch.results]
    types = [
        batcher.mlir_type(result.type) if has else result.type
        for result, has in zip(branch.results, differ, strict=True)
    ]
    made = operation_of(IF, branch.operands, types, regions=2, location=branch.location)
    for number in range(2 if has_else(branch) else 1):
        block = body(branch, number)
        block.append_to(made.regions[number])
        batcher.write_all(operations_in(block)[:-1], mask)
        hand_over(batcher, block, differ)
    settle(batcher, branch, made, differ)


def hand_over(batcher: Batcher, block: Block, differ: list[bool]) -> None:
    """Let the end of a block hand over values with lanes where they are to have some."""
    end = terminator(block)
    with ir.InsertionPoint(end):
        b = batcher.emitter(end)
        values = [
            batcher.spread(b, value).handle if has else value
            for value, has in zip(yielded(block), differ, strict=True)
        ]
        add_yield(values, end.location)
    end.erase()


def settle(batcher: Batcher, old: Operation, made: Operation, differ: list[bool]) -> None:
    """Let the results of an op stand for those of the one whose place it takes."""
    b = batcher.emitter(old)
    for value, result, has in zip(old.results, made.results, differ, strict=True):
        if has:
            batcher.give(value, b.value(result))
        else:
            value.replace_all_uses_with(result)


def _write_both(batcher: Batcher, branch: Operation, mask: Value | None) -> None:
    """A branch of which lanes take different sides: both run, and each lane chooses what it gets."""
    b = batcher.emitter(branch)
    batcher.replaced(branch)
    condition = batcher.spread(b, branch.operands[0])
    sides: list[list[Laned]] = []
    for number in range(2 if has_else(branch) else 1):
        takes = condition if number == 0 else b.logical_not(condition)
        runs: Tensor = takes if mask is None else takes & b.value(mask)
        block = body(branch, number)
        operations = operations_in(block)[:-1]
        values = splice(block, branch)
        batcher.write_all(operations, runs.handle)
        sides.append([batcher.laned(b, value) for value in values])
    for number, value in enumerate(branch.results):
        chosen = batcher.selected(b, condition, sides[0][number], sides[1][number])
        batcher.give(value, b.refined(chosen, batcher.type_of(value.type)))
    batcher.statistics["branches on both sides"] += 1
