"""Loops for all lanes: as they are where all lanes run them alike, else until the last lane has ended."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...dialect.batching import Laned
from ...dialect.emitter import INT64, Tensor
from ...dialect.mlir import Block, Location, Operation, Type, Value, ir
from ...dialect.op_emitter import OpEmitter
from ..control_flow.structure import (
    CONDITION,
    FOR,
    WHILE,
    YIELD,
    add_yield,
    body,
    constant_index,
    extracted,
    index_from,
    operation_of,
    tensor_from,
    terminator,
    yielded,
)
from ..rewriting import operations_in
from .analysis import runs_for_each
from .batcher import Batcher
from .branches import hand_over, settle
from .masks import can_be_masked


def write_for(batcher: Batcher, loop: Operation, mask: Value | None) -> None:
    """Write an `scf.for`."""
    if not runs_for_each(loop, batcher.__contains__):
        _write_counted(batcher, loop, mask)
    elif can_be_masked(loop):
        _write_masked_for(batcher, loop, mask)
    else:
        batcher.one_by_one(loop, mask)


def write_while(batcher: Batcher, loop: Operation, mask: Value | None) -> None:
    """Write an `scf.while`."""
    condition = terminator(body(loop)).operands[0]
    if condition not in batcher.differing and mask is None:
        _write_while(batcher, loop)
    elif can_be_masked(loop):
        _write_masked_while(batcher, loop, mask)
    else:
        batcher.one_by_one(loop, mask)


# All lanes alike


def _write_counted(batcher: Batcher, loop: Operation, mask: Value | None) -> None:
    batcher.replaced(loop)
    bounds, initial = list(loop.operands)[:3], list(loop.operands)[3:]
    differ = [result in batcher.differing for result in loop.results]
    begin = _values(batcher, initial, differ, loop)
    made = operation_of(FOR, [*bounds, *begin], [v.type for v in begin], regions=1, location=loop.location)
    block = _block(made, 0, [ir.IndexType.get(), *(value.type for value in begin)], loop.location)
    old = body(loop)
    _move(batcher, old, block, [False, *differ])
    batcher.write_all(operations_in(block)[:-1], mask)
    hand_over(batcher, block, differ)
    settle(batcher, loop, made, differ)


def _write_while(batcher: Batcher, loop: Operation) -> None:
    batcher.replaced(loop)
    before, after = body(loop), body(loop, 1)
    starts = [argument in batcher.differing for argument in before.arguments]
    differ = [result in batcher.differing for result in loop.results]
    begin = _values(batcher, loop.operands, starts, loop)
    types = _types(batcher, loop.results, differ)
    made = operation_of(WHILE, begin, types, regions=2, location=loop.location)
    tested = _block(made, 0, [value.type for value in begin], loop.location)
    _move(batcher, before, tested, starts)
    batcher.write_all(operations_in(tested)[:-1], None)
    end = terminator(tested)
    with ir.InsertionPoint(end):
        condition, *passed = end.operands
        values = _values(batcher, passed, differ, end)
        operation_of(CONDITION, [condition, *values], [], location=end.location)
    end.erase()
    run = _block(made, 1, types, loop.location)
    _move(batcher, after, run, differ)
    batcher.write_all(operations_in(run)[:-1], None)
    hand_over(batcher, run, starts)
    settle(batcher, loop, made, differ)


def _values(batcher: Batcher, values: Sequence[Value], differ: Sequence[bool], at: Operation) -> list[Value]:
    b = batcher.emitter(at)
    return [
        batcher.spread(b, value).handle if has else value for value, has in zip(values, differ, strict=True)
    ]


def _types(batcher: Batcher, values: Sequence[Value], differ: Sequence[bool]) -> list[Type]:
    return [
        batcher.mlir_type(value.type) if has else value.type
        for value, has in zip(values, differ, strict=True)
    ]


def _block(operation: Operation, region: int, types: Sequence[Type], location: Location) -> Block:
    made: Block = operation.regions[region].blocks.append(*types, arg_locs=[location] * len(types))
    return made


def _move_ops(old: Block, block: Block) -> None:
    """Move the ops of a block to the end of another."""
    operations = operations_in(old)
    with ir.InsertionPoint(block):
        anchor = operation_of(YIELD, [], [], location=operations[-1].location)
    for operation in operations:
        operation.move_before(anchor)
    anchor.erase()


def _move(batcher: Batcher, old: Block, block: Block, differ: Sequence[bool]) -> None:
    """Move the ops of a block to one whose arguments may have lanes."""
    _move_ops(old, block)
    b = batcher.emitter(terminator(block))
    for argument, new, has in zip(old.arguments, block.arguments, differ, strict=True):
        if has:
            batcher.give(argument, b.value(new))
        else:
            argument.replace_all_uses_with(new)


# Each lane by itself


def _write_masked_while(batcher: Batcher, loop: Operation, mask: Value | None) -> None:
    """Run a loop until all lanes have ended; a lane that has ended keeps what it has.

    Carried are the values at the beginning of a test, which lanes run, and what the last test of each lane passed on.
    """
    batcher.replaced(loop)
    b = batcher.emitter(loop)
    before, after = body(loop), body(loop, 1)
    begin = [batcher.spread(b, value) for value in loop.operands]
    runs = _all_lanes(batcher, b) if mask is None else b.value(mask)
    results = [_zeros(batcher, b, result.type) for result in loop.results]
    count = len(begin)
    carried = [*begin, runs, *results]
    types = [value.handle.type for value in carried]
    made = operation_of(WHILE, [v.handle for v in carried], types, regions=2, location=loop.location)

    tested = _block(made, 0, types, loop.location)
    starts = list(tested.arguments)
    _move_with(batcher, before, tested, starts[:count])
    active = starts[count]
    batcher.write_all(operations_in(tested)[:-1], active)
    end = terminator(tested)
    with ir.InsertionPoint(end):
        b = batcher.emitter(end)
        condition, *passed = end.operands
        goes_on = batcher.spread(b, condition) & b.value(active)
        kept = [
            _chosen(batcher, b, active, batcher.spread(b, value), old)
            for value, old in zip(passed, starts[count + 1 :], strict=True)
        ]
        is_left = extracted(b.any(goes_on, axes=(0,), keepdims=False).handle)
        operation_of(CONDITION, [is_left, *starts[:count], goes_on.handle, *kept], [], location=end.location)
    end.erase()

    run = _block(made, 1, types, loop.location)
    old, active, values = list(run.arguments)[:count], run.arguments[count], list(run.arguments)[count + 1 :]
    _move_with(batcher, after, run, values)
    batcher.write_all(operations_in(run)[:-1], active)
    end = terminator(run)
    with ir.InsertionPoint(end):
        b = batcher.emitter(end)
        following = [
            _chosen(batcher, b, active, batcher.spread(b, value), last)
            for value, last in zip(yielded(run), old, strict=True)
        ]
        add_yield([*following, active, *values], end.location)
    end.erase()
    for value, result in zip(loop.results, list(made.results)[count + 1 :], strict=True):
        batcher.give(value, b.value(result))
    batcher.statistics["loops until all lanes have ended"] += 1


def _write_masked_for(batcher: Batcher, loop: Operation, mask: Value | None) -> None:
    """Run a loop as often as the lane that runs it most; a lane that has ended keeps what it has."""
    batcher.replaced(loop)
    b = batcher.emitter(loop)
    lower, upper, step = (batcher.spread(b, bound) for bound in list(loop.operands)[:3])
    begin = [batcher.spread(b, value) for value in list(loop.operands)[3:]]
    one = b.number(1, INT64)
    trips = b.maximum(b.floor_divide(upper - lower + step - one, step), b.number(0, INT64))
    if mask is not None:
        trips = b.select(b.value(mask), trips, b.number(0, INT64))
    longest = _longest(b, trips)
    bounds = [constant_index(0), index_from(longest.handle), constant_index(1)]
    types = [value.handle.type for value in begin]
    made = operation_of(FOR, [*bounds, *(v.handle for v in begin)], types, regions=1, location=loop.location)
    block = _block(made, 0, [ir.IndexType.get(), *types], loop.location)
    turn, *carried = block.arguments
    old = body(loop)
    with ir.InsertionPoint(block), loop.location:
        b = batcher.emitter(loop)
        number = b.value(tensor_from(turn))
        active = b.less(number, trips)
        counter = lower + number * step
    operations = operations_in(old)
    _move_ops(old, block)
    batcher.give(old.arguments[0], counter)
    for argument, new in zip(list(old.arguments)[1:], carried, strict=True):
        batcher.give(argument, b.value(new))
    batcher.write_all(operations[:-1], active.handle)
    end = terminator(block)
    with ir.InsertionPoint(end):
        b = batcher.emitter(end)
        following = [
            _chosen(batcher, b, active.handle, batcher.spread(b, value), last)
            for value, last in zip(yielded(block), carried, strict=True)
        ]
        add_yield(following, end.location)
    end.erase()
    for value, result in zip(loop.results, made.results, strict=True):
        batcher.give(value, b.value(result))
    batcher.statistics["loops until all lanes have ended"] += 1


def _longest(b: OpEmitter, trips: Tensor) -> Tensor:
    """The largest of the numbers of trips; 0 where there are no lanes."""
    none = b.broadcast(b.number(0, INT64), [1])
    found: Tensor = b.max(b.concat(trips, none, axis=0), axes=(0,), keepdims=False)
    return found


def _move_with(batcher: Batcher, old: Block, block: Block, arguments: Sequence[Value]) -> None:
    """Move the ops of a block to another, with values that stand for its arguments."""
    _move_ops(old, block)
    b = batcher.emitter(terminator(block))
    for argument, new in zip(old.arguments, arguments, strict=True):
        batcher.give(argument, b.value(new))


def _chosen(batcher: Batcher, b: OpEmitter, mask: Value, new: Tensor, old: Value) -> Value:
    """The new values in the lanes of a mask, the old ones in others."""
    found = batcher.selected(b, b.value(mask), Laned(new, True), Laned(b.value(old), True))
    return b.refined(found, b.value(old).type).handle


def _all_lanes(batcher: Batcher, b: OpEmitter) -> Tensor:
    wanted = batcher.type_of(ir.IntegerType.get_signless(1))
    return b.refined(b.full([batcher.lanes(b).extent], True, np.dtype(np.bool_)), wanted)


def _zeros(batcher: Batcher, b: OpEmitter, wanted: Type) -> Tensor:
    made = batcher.type_of(wanted)
    extents = [batcher.lanes(b).extent, *(extent for extent in made.shape[1:] if extent is not None)]
    return b.refined(b.full(extents, 0, made.dtype), made)
