"""Long loops are cut in pieces, so that not everything that their reverse needs is kept at once.

    for piece:                         for piece, last first:
      keep the carried state             if it is not the last: run it again, from the state in front of it
      for iteration of the piece         for iteration of the piece, last first:
        ...                                ...

The stacks have rows for one piece only; those of the last piece are there from the forward run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ...dialect.emitter import INT64, Tensor
from ...dialect.mlir import Operation, Value, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.creation import Empty
from ...dialect.register import op_class_of
from ..control_flow.speculation import is_pure
from ..control_flow.structure import (
    CAST,
    FOR,
    IF,
    add_yield,
    body,
    constant_index,
    index_from,
    operation_of,
    producer,
    replace_terminator,
    scalar_constant,
    tensor_from,
    trip_count,
    yielded,
)
from ..rewriting import is_defined_inside, operations_in
from .residuals import PIECE, ForwardRegion, is_piece, rebuilt, size_of

_LEAST = 16
"""Fewer iterations are not worth a piece."""
_MANY_TRIPS = 1 << 17
"""What is taken for the number of iterations when it is known only at run time whether a loop is cut."""
_MOST_STATE = 4096
"""How many times larger than what is kept of an iteration the state may be that is kept of a piece."""


def length_of(piece: Operation) -> Value:
    """How many iterations a piece has at most, as an index."""
    length: Value = piece.parent.operation.operands[2]
    return length


def state_size(forward: ForwardRegion, kept: Iterable[Value]) -> int:
    """How many bytes of what a loop carries are needed to compute values of its body again."""
    arguments = list(forward.block.arguments)[1:]
    following = dict(zip(arguments, yielded(forward.block), strict=True))
    known: set[Value] = set()
    pending = list(kept)
    while pending:
        value = pending.pop()
        if value in known:
            continue
        known.add(value)
        if value in forward.producers:
            pending += forward.read_by(forward.producers[value])
        elif value in following:
            pending.append(following[value])
    return sum(size_of(argument) for argument in arguments if argument in known)


def piece_length(
    loop: Operation, trips: Value, kept: int, state: int, memory: int, is_inside: bool
) -> Value | None:
    """How many iterations a piece is to have, as an index; None for a loop that is not to be cut.

    `kept` are the bytes of an iteration, `state` those of what a piece starts from. A loop whose number of iterations
    is known only at run time has one piece if it is short, unless it is inside of another.
    """
    known = trip_count(loop)
    if known is not None:
        if known * kept <= memory:
            return None
        length = _even(known, max(_LEAST, math.isqrt(known * max(state, 1) // kept)))
        pieces = -(-known // length)
        is_worthwhile = 2 * (pieces * state + length * kept) < known * kept
        return constant_index(length) if is_worthwhile else None
    if is_inside or state > _MOST_STATE * kept or kept * _MANY_TRIPS <= memory:
        return None
    return _length_at_run_time(OpEmitter(loop.location), trips, kept, state, memory)


def _even(trips: int, length: int) -> int:
    """About the length, so that all pieces are equal where that can be."""
    near = range(max(length // 2, 1), 2 * length)
    return min((n for n in near if trips % n == 0), key=lambda n: abs(n - length), default=length)


def _length_at_run_time(b: OpEmitter, trips: Value, kept: int, state: int, memory: int) -> Value:
    count: Tensor = b.maximum(b.value(tensor_from(trips)), 1)
    share = b.converted(count, np.dtype(np.float64)) * (max(state, 1) / kept)
    root = b.minimum(b.maximum(b.converted(b.sqrt(share), INT64), _LEAST), count)
    return index_from(b.select(count > memory // kept, root, count).handle)


def cut(loop: Operation, trips: Value, length: Value) -> Operation:
    """The loop as one over pieces of a length, with a loop over the iterations of each inside; it takes its place.

    The caller takes the loop out of the program.
    """
    lower, _, step, *initial = loop.operands
    old = body(loop)
    types = [value.type for value in initial]
    locations = [loop.location] * (1 + len(types))
    with ir.InsertionPoint(loop), loop.location:
        around = operation_of(FOR, [constant_index(0), trips, length, *initial], types, regions=1)
    block = around.regions[0].blocks.append(ir.IndexType.get(), *types, arg_locs=locations)
    start, *carried = block.arguments
    with ir.InsertionPoint(block), loop.location:
        bounds = [constant_index(0), _iterations(trips, start, length), constant_index(1)]
        piece = operation_of(FOR, [*bounds, *carried], types, regions=1, **{PIECE: ir.UnitAttr.get()})
        add_yield(list(piece.results), loop.location)
    old.append_to(piece.regions[0])
    with ir.InsertionPoint.at_block_begin(old), loop.location:
        place = _index("arith.addi", start, old.arguments[0])
        scaled = _index("arith.muli", place, step)
        counter = _index("arith.addi", lower, scaled)
    old.arguments[0].replace_all_uses_except(counter, place.owner.operation)
    for result, other in zip(loop.results, around.results, strict=True):
        result.replace_all_uses_with(other)
    return around


def _iterations(trips: Value, start: Value, length: Value) -> Value:
    """How many iterations a piece has: the last one perhaps fewer."""
    total, most = scalar_constant(trips), scalar_constant(length)
    if total is not None and most is not None and total % most == 0:
        return length
    return _index("arith.minsi", _index("arith.subi", trips, start), length)


def keep_last_piece(around: Operation, reverse: Operation, state: int) -> tuple[Operation, Operation] | None:
    """Let the reverse of a loop over pieces use the stacks that the last piece left; returns both loops, made new.

    `state` is how many values the loop carried before it was cut. None where nothing changes.

    The forward loop hands the stacks on from piece to piece, and the reverse writes over them.
    """
    piece = next(op for op in operations_in(body(around)) if is_piece(op))
    again = next((op for op in operations_in(body(reverse)) if is_piece(op)), None)
    stacks = list(piece.operands)[3 + state :]
    if again is None or not stacks or not _hoist(stacks, around):
        return None
    fresh = [_is_fresh(stack) for stack in stacks]
    block = body(around)
    arguments = [block.add_argument(stack.type, around.location) for stack in stacks]
    _start_from(piece, state, arguments, fresh)
    replace_terminator(block, [*yielded(block), *list(piece.results)[state:]])
    outer = rebuilt(around, stacks, stacks)
    left = list(outer.results)[len(outer.results) - len(stacks) :]
    last = [*list(outer.results)[:state], *left]
    return outer, _reuse(reverse, again, last, state, fresh)


def _reuse(
    reverse: Operation, again: Operation, last: list[Value], state: int, fresh: list[bool]
) -> Operation:
    """Let the reverse loop run a piece again unless it is the last, whose results are known."""
    block = body(reverse)
    left = last[state:]
    arguments = [block.add_argument(value.type, reverse.location) for value in left]
    types = [result.type for result in again.results]
    with ir.InsertionPoint(again), reverse.location:
        predicate = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0)
        is_last = operation_of(
            "arith.cmpi",
            [block.arguments[0], constant_index(0)],
            [ir.IntegerType.get_signless(1)],
            predicate=predicate,
        ).results[0]
        branch = operation_of(IF, [is_last], types, regions=2)
    known, run = (region.blocks.append() for region in branch.regions)
    with ir.InsertionPoint(known):
        add_yield([*last[:state], *arguments], reverse.location)
    for result, other in zip(again.results, branch.results, strict=True):
        result.replace_all_uses_with(other)
    with ir.InsertionPoint(run):
        add_yield(list(again.results), reverse.location)
    again.move_before(operations_in(run)[-1])
    _start_from(again, state, arguments, fresh)
    replace_terminator(block, [*yielded(block), *list(branch.results)[state:]])
    return rebuilt(reverse, left, left)


def _start_from(piece: Operation, state: int, stacks: list[Value], fresh: list[bool]) -> None:
    """Let a loop over a piece write over stacks; counts begin anew."""
    for number, (stack, is_fresh) in enumerate(zip(stacks, fresh, strict=True)):
        if is_fresh:
            piece.operands[3 + state + number] = stack


def _is_fresh(value: Value) -> bool:
    """Whether nobody reads a tensor before it is written."""
    made = producer(value)
    while made is not None and made.name == CAST:
        made = producer(made.operands[0])
    return made is not None and op_class_of(made) is Empty


def _hoist(values: Iterable[Value], loop: Operation) -> bool:
    """Move what makes values in front of a loop; nothing if that depends on the iteration."""
    found: dict[Operation, None] = {}
    if not all(_find_makers(value, loop, found) for value in values):
        return False
    for operation in found:
        operation.move_before(loop)
    return True


def _find_makers(value: Value, loop: Operation, found: dict[Operation, None]) -> bool:
    """Note what makes a value inside of a loop, in order; whether nothing of that depends on the iteration."""
    if not is_defined_inside(value, loop):
        return True
    made = producer(value)
    if made is None or not (is_pure(made) or op_class_of(made) is Empty):
        return False
    if not all(_find_makers(operand, loop, found) for operand in made.operands):
        return False
    found[made] = None
    return True


def _index(name: str, *operands: Value) -> Value:
    return operation_of(name, operands, [operands[0].type]).results[0]
