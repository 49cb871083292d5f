"""The reverse of `scf.for`: a loop over the same iterations, last first, which carries cotangents.

It carries those of what the loop carries, and an accumulator for each active value that the body reads from outside.
What its body needs of the forward body is used, computed again, or kept in a stack: a tensor with a row for each
iteration. An array of which the body replaces parts is not kept: the old parts are, and the reverse loop puts them
back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dialect.mlir import Operation, Value, ir
from ...dialect.op import Op
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.indexing import Gather, Scatter
from ...dialect.ops.slicing import DynamicSlice, DynamicSliceUpdate, Slice, SliceUpdate
from ...dialect.records import dataclass
from ...dialect.register import create, decode_attributes, op_class_of
from ..control_flow.extents import Extents
from ..control_flow.structure import (
    FOR,
    body,
    constant_index,
    operation_of,
    replace_terminator,
    scalar_constant,
    tensor_from,
    terminator,
    trip_count,
    yielded,
)
from ..rewriting import operations_in
from .adjoints import Adjoints, rounded, widened
from .pieces import cut, keep_last_piece, length_of, piece_length, state_size
from .residuals import ForwardRegion, is_piece, may_run_again, rebuilt, size_of
from .stacks import stack_of
from .sweep import Sweep, captured

_READS: dict[type[Op], type[Op]] = {SliceUpdate: Slice, DynamicSliceUpdate: DynamicSlice, Scatter: Gather}
"""What reads what an update replaces."""


def reverse_for(sweep: Sweep, loop: Operation, adjoints: Adjoints) -> None:
    """Emit the reverse of a loop at the current insertion point."""
    _Reversal(sweep, loop).run(adjoints)


@dataclass
class _Undo:
    """An array that the loop carries, and the ops of the body that replace parts of it, last first."""

    argument: Value
    place: int
    updates: list[Operation]


@dataclass
class _Reversal:
    """The reverse of one loop while it is made."""

    sweep: Sweep
    loop: Operation
    state: int | None = None
    """For a loop over pieces: how many values it carried before it was cut."""
    reverse: Any = None
    anchor: Any = None
    """An op of the reverse body in front of which values of the forward one are computed again."""
    number: Any = None
    """The number of the iteration that is reversed, as i64[]."""

    def run(self, adjoints: Adjoints) -> None:
        """Make the reverse loop, then provide what its body needs, in pieces where that is too much."""
        loop, activity = self.loop, self.sweep.activity
        b = OpEmitter(loop.location)
        initial, arguments = list(loop.operands)[3:], list(body(loop).arguments)[1:]
        carried = [i for i, result in enumerate(loop.results) if result in activity]
        read = captured(loop, activity)
        totals = [adjoints.total(b, value) for value in (*(loop.results[i] for i in carried), *read)]
        starts = [*totals[: len(carried)], *(widened(b, start) for start in totals[len(carried) :])]
        zero, one, trips = constant_index(0), constant_index(1), self._trips()
        self.reverse = operation_of(
            FOR, [zero, trips, one, *starts], [v.type for v in starts], regions=1, location=loop.location
        )
        block = self.reverse.regions[0].blocks.append(
            ir.IndexType.get(), *(v.type for v in starts), arg_locs=[loop.location] * (len(starts) + 1)
        )
        given = list(block.arguments)[1:]
        with ir.InsertionPoint(block):
            last = _arith("arith.subi", trips, one)
            number = _arith("arith.subi", last, block.arguments[0])
            counter = self._counter(number)
            self.number = tensor_from(number)
            self.anchor = constant_index(0).owner.operation
            inner = Adjoints(dict(zip(read, given[len(carried) :], strict=True)))
            for place, i in enumerate(carried):
                if yielded(body(loop))[i] in activity:
                    inner.add(b, yielded(body(loop))[i], b.value(given[place]))
            with self.sweep.in_loop():
                self.sweep.run(operations_in(body(loop))[:-1], inner)
            left = [inner.total(b, arguments[i]) for i in carried]
            operation_of("scf.yield", [*left, *(inner.values[v] for v in read)], [], location=loop.location)
        forward_counter = body(loop).arguments[0]
        ForwardRegion(loop, body(loop), [forward_counter]).ask_for_extents(operations_in(block))
        forward = ForwardRegion(loop, body(loop), [forward_counter])
        kept, undone = self._needed(forward)
        length = self._piece_length(forward, kept, undone)
        if length is not None:
            before = dict(zip([*(loop.results[i] for i in carried), *read], totals, strict=True))
            self._run_in_pieces(length, before, adjoints)
            return
        self._provide(forward, kept, undone, {forward_counter: counter})
        if self.state is not None:
            self._keep_last_piece(self.state)
        results = list(self.reverse.results)
        ends = zip(read, results[len(carried) :], totals[len(carried) :], strict=False)
        adjoints.values.update((value, rounded(b, end, before)) for value, end, before in ends)
        for i, result in zip(carried, results, strict=False):
            if initial[i] in activity:
                adjoints.add(b, initial[i], b.value(result))

    # Counters

    def _trips(self) -> Value:
        """How often the loop runs."""
        lower, upper, step = list(self.loop.operands)[:3]
        known = trip_count(self.loop)
        if known is not None:
            return constant_index(known)
        distance = upper if scalar_constant(lower) == 0 else _arith("arith.subi", upper, lower)
        if scalar_constant(step) != 1:
            distance = _arith("arith.ceildivsi", distance, step)
        return _arith("arith.maxsi", distance, constant_index(0))

    def _counter(self, number: Value) -> Value:
        """The counter of the forward loop in an iteration."""
        lower, _, step = list(self.loop.operands)[:3]
        offset = number if scalar_constant(step) == 1 else _arith("arith.muli", number, step)
        return offset if scalar_constant(lower) == 0 else _arith("arith.addi", lower, offset)

    def _row(self) -> Value:
        """The number of the iteration in the forward loop, as i64[]."""
        lower, _, step = list(self.loop.operands)[:3]
        counter = body(self.loop).arguments[0]
        distance = counter if scalar_constant(lower) == 0 else _arith("arith.subi", counter, lower)
        return tensor_from(distance if scalar_constant(step) == 1 else _arith("arith.divsi", distance, step))

    # What the reverse body needs

    def _needed(self, forward: ForwardRegion) -> tuple[list[Value], list[_Undo]]:
        """What is to be kept, and the arrays that are put back."""
        needed = forward.used_by(operations_in(body(self.reverse)))
        undone = self._undoable(forward)
        kept = forward.keep(needed, [undo.argument for undo in undone])
        reached = forward.reached(needed, kept)
        return kept, [undo for undo in undone if undo.argument in reached]

    def _provide(
        self, forward: ForwardRegion, kept: list[Value], undone: list[_Undo], lookup: dict[Value, Value]
    ) -> None:
        logs = {id(update): _old_part(update) for undo in undone for update in undo.updates}
        lookup.update(self._keep(list(dict.fromkeys([*kept, *logs.values()]))))
        forward = ForwardRegion(self.loop, body(self.loop), [body(self.loop).arguments[0]])
        if undone:
            self._put_back(undone, logs, forward, lookup)
        forward.provide(operations_in(body(self.reverse)), lookup, self.anchor)

    # Pieces

    def _piece_length(self, forward: ForwardRegion, kept: list[Value], undone: list[_Undo]) -> Value | None:
        """How many iterations a piece is to have; None for a loop that is not cut, or would not compute the same."""
        replaced = [update.operands[1] for undo in undone for update in undo.updates]
        size = sum(map(size_of, [*kept, *replaced]))
        is_cut = self.state is not None or is_piece(self.loop)
        if is_cut or not size or not may_run_again(self.loop) or self.sweep.shadows.touch(self.loop):
            return None
        state = state_size(forward, [*kept, *replaced])
        with ir.InsertionPoint(self.loop), self.loop.location:
            return piece_length(
                self.loop, self._trips(), size, state, self.sweep.memory, self.sweep.is_in_loop
            )

    def _run_in_pieces(self, length: Value, before: dict[Value, Value], adjoints: Adjoints) -> None:
        """Make the reverse of a loop over pieces instead, from the cotangents there were."""
        sweep, loop = self.sweep, self.loop
        with ir.InsertionPoint(loop):
            trips = self._trips()
        results, state = list(loop.results), len(list(loop.results))
        around = cut(loop, trips, length)
        sweep.retire(loop, around)
        sweep.set_aside(self.reverse)
        sweep.activity.follow([around])
        following = dict(zip(results, around.results, strict=True))
        adjoints.values.update((following.get(value, value), known) for value, known in before.items())
        _Reversal(sweep, around, state).run(adjoints)

    def _keep_last_piece(self, state: int) -> None:
        found = keep_last_piece(self.loop, self.reverse, state)
        if found is not None:
            for old, new in zip((self.loop, self.reverse), found, strict=True):
                self.sweep.retire(old, new)
            self.loop, self.reverse = found

    def _undoable(self, forward: ForwardRegion) -> list[_Undo]:
        """The arrays that the loop carries and replaces small parts of."""
        found = []
        for place, argument in enumerate(list(body(self.loop).arguments)[1:]):
            updates = []
            value = yielded(body(self.loop))[place]
            while value in forward.producers and op_class_of(forward.producers[value]) in _READS:
                updates.append(forward.producers[value])
                value = updates[-1].operands[0]
            small = all(2 * size_of(update.operands[1]) < size_of(argument) for update in updates)
            if updates and value == argument and small:
                found.append(_Undo(argument, place, updates))
        return found

    def _keep(self, values: Sequence[Value]) -> dict[Value, Value]:
        """Let the forward loop keep values; returns what they are in the reverse one."""
        if not values:
            return {}
        loop, b = self.loop, OpEmitter(self.loop.location)
        with ir.InsertionPoint(loop):
            rows = length_of(loop) if is_piece(loop) else self._trips()
            known = scalar_constant(rows)
            trips = b.value(tensor_from(rows)) if known is None else known
            extents = Extents()
            stacks = [stack_of(loop, value, trips, extents) for value in values]
        block = body(loop)
        arguments = [[block.add_argument(v.type, loop.location) for v in stack.initial] for stack in stacks]
        with ir.InsertionPoint(terminator(block)):
            row = b.value(self._row())
            pushed = [
                stack.push(b, carried, value, row)
                for stack, carried, value in zip(stacks, arguments, values, strict=True)
            ]
        replace_terminator(block, [*yielded(block), *(v for several in pushed for v in several)])
        initial = [v for stack in stacks for v in stack.initial]
        made = rebuilt(loop, initial, initial)
        self.sweep.retire(loop, made)
        self.loop = made
        left = iter(list(made.results)[len(made.results) - len(initial) :])
        with ir.InsertionPoint(self.anchor):
            return {
                value: stack.read(b, [next(left) for _ in stack.initial], b.value(self.number))
                for value, stack in zip(values, stacks, strict=True)
            }

    def _put_back(
        self,
        undone: list[_Undo],
        logs: dict[int, Value],
        forward: ForwardRegion,
        lookup: dict[Value, Value],
    ) -> None:
        """Let the reverse loop carry arrays back in time."""
        ends = [self.loop.results[undo.place] for undo in undone]
        block = body(self.reverse)
        states = [block.add_argument(end.type, self.loop.location) for end in ends]
        for undo, end in zip(undone, ends, strict=True):
            del end
            state = states[undone.index(undo)]
            for update in undo.updates:
                state = self._before(update, state, lookup[logs[id(update)]], forward, lookup)
            lookup[undo.argument] = state
        replace_terminator(block, [*yielded(block), *(lookup[undo.argument] for undo in undone)])
        made = rebuilt(self.reverse, ends, ends)
        self.sweep.retire(self.reverse, made)
        self.reverse = made

    def _before(
        self, update: Operation, state: Value, old: Value, forward: ForwardRegion, lookup: dict[Value, Value]
    ) -> Value:
        """The array before an update, from what it is behind it."""
        op_class = op_class_of(update)
        assert op_class is not None
        attributes = decode_attributes(op_class, update)
        if op_class is Scatter:
            attributes["mode"] = "set"
        places = [forward.again(value, lookup, self.anchor) for value in list(update.operands)[2:]]
        with ir.InsertionPoint(self.anchor):
            return create(op_class, [state, old, *places], attributes, location=update.location).results[0]


def _old_part(update: Operation) -> Value:
    """What an update replaces, read in front of it."""
    op_class = op_class_of(update)
    assert op_class is not None
    attributes = decode_attributes(op_class, update)
    attributes.pop("mode", None)
    whole, _, *places = update.operands
    with ir.InsertionPoint(update):
        return create(_READS[op_class], [whole, *places], attributes, location=update.location).results[0]


def _arith(name: str, *operands: Value) -> Value:
    return operation_of(name, operands, [operands[0].type]).results[0]
