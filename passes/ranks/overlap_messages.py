"""Compute while messages are on their way what needs none of them.

    %r = weft.send_receive %edge               %m = weft.start_send_receive %edge
    %h = weft.slice_update %u, %r  [9:10]      %v0 = weft.slice_update %u, ... of %u[0:9]
    %y = ... of %h[0:10]                       %r = weft.finish_send_receive %m
    %v = weft.slice_update %h, %y              %h = weft.slice_update %v0, %r  [9:10]
                                               %v = weft.slice_update %h, ... of %u[8:9], %r

Such are stencils over arrays of which each rank has a block: the rows in the middle need nothing of the neighbours, and
are written in place. What is computed of all elements, as of `np.roll(u, 1)`, is written to an empty tensor then. What
a rank does so is its own business: others may wait for the same messages at once.
"""

from __future__ import annotations

import math

from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.op import Cost, Effect, Elementwise
from ...dialect.ops.arrangement import Concat, Roll
from ...dialect.ops.creation import Empty
from ...dialect.ops.distributed import FinishSendReceive, SendReceive, StartSendReceive
from ...dialect.ops.slicing import Slice, SliceUpdate
from ...dialect.records import dataclass
from ...dialect.register import create, decode_attributes, op_class_of
from ..base import Pass, Statistics
from ..control_flow.structure import YIELD
from ..fusion.boxes import Box, Boxes, GivesUp, Straddles, Update, apart, bounds_of, halves, region_in
from ..rewriting import Graph, defined_functions, has_pure_class, is_unused, operations_in, type_of

_MOST_BOXES = 16
_LEAST = 1 << 14
"""Elements to compute meanwhile: fewer take less time than what is done for it."""


@dataclass(frozen=True)
class OverlapMessages(Pass):
    """Begin exchanges with neighbours, compute what needs nothing of them, then wait and compute the edges."""

    least: int = _LEAST

    def run(self, module: Module, statistics: Statistics) -> None:
        """Look at each update of a slice, and each new array, behind messages in its block, until nothing changes."""
        for function in defined_functions(module):
            seen: set[int] = set()
            while self._run_once(Graph(function), seen):
                statistics["exchanges overlapped"] += 1

    def _run_once(self, graph: Graph, seen: set[int]) -> bool:
        for operation in graph.operations:
            is_update = op_class_of(operation) is SliceUpdate
            if (
                not (is_update or self._ends_here(graph, operation))
                or operation.results[0].__hash__() in seen
            ):
                continue
            seen.add(operation.results[0].__hash__())
            overlaps = self._overlaps if is_update else self._overlaps_anew
            if _Behind(graph, operation).messages and overlaps(graph, operation):
                return True
        return False

    def _overlaps(self, graph: Graph, update: Operation) -> bool:
        return _Overlap(graph, update, _Behind(graph, update), self.least).run()

    def _ends_here(self, graph: Graph, operation: Operation) -> bool:
        """Whether an op on elements makes an array that is needed whole: behind its block, or nothing is made of it."""
        if not _is_elementwise(operation):
            return False
        shape = type_of(operation.results[0]).shape
        users = graph.users.get(operation.results[0], ())
        return (
            bool(shape)
            and None not in shape
            and math.prod(extent or 0 for extent in shape) >= self.least
            and (
                any(str(user.name) in (YIELD, "func.return") for user in users)
                or not any(
                    user.block == operation.block
                    and (_is_elementwise(user) or op_class_of(user) in (Slice, Concat, SliceUpdate))
                    for user in users
                )
            )
        )

    def _overlaps_anew(self, graph: Graph, operation: Operation) -> bool:
        """The same of an array that is written to an empty one."""
        result = operation.results[0]
        made, users = type_of(result), [(use.owner, use.operand_number) for use in result.uses]
        behind = operations_in(operation.block)
        with ir.InsertionPoint(behind[behind.index(operation) + 1]):
            empty = create(Empty, [], {"shape": made.shape, "dtype": made.dtype}, location=operation.location)
            bounds = bounds_of(tuple(range(extent or 0) for extent in made.shape))
            update = create(SliceUpdate, [empty.results[0], result], bounds, location=operation.location)
        for user, number in users:
            user.operands[number] = update.results[0]
        if self._overlaps(Graph(graph.function), update):
            return True
        update.results[0].replace_all_uses_with(result)
        update.erase()
        empty.erase()
        return False


class _Behind:
    """What of the block of an update waits for messages, those that the update waits for."""

    def __init__(self, graph: Graph, last: Operation) -> None:
        self.before = self._ops_before(last)
        own = list(last.operands)
        needed = self._messages(graph, own[1:] if op_class_of(last) is SliceUpdate else own)
        self.messages: list[Operation] = []
        """Those that tell nothing of others, up to the first that does."""
        self.late: list[Operation] = []
        """The ops in front of the update that need something of the messages, in order, other messages among them."""
        self.received = {message.results[0] for message in needed}
        self.values: set[Value] = set()
        """What cannot be known before messages are there."""
        self._is_in_order = True
        waits = False
        for operation in self.before:
            is_late = not self.values.isdisjoint(_used(operation))
            if operation in needed and not is_late and not waits:
                self.messages.append(operation)
            elif operation in needed or is_late:
                waits = waits or operation in needed
                self.late.append(operation)
            else:
                self._is_in_order = self._is_in_order and (not waits or _only_computes(operation))
                continue
            self.values.update(operation.results)

    @staticmethod
    def _ops_before(last: Operation) -> list[Operation]:
        operations = operations_in(last.block)
        return operations[: operations.index(last)]

    def _messages(self, graph: Graph, pending: list[Value]) -> list[Operation]:
        """The messages that values are computed of, and those that nobody reads."""
        inside, needed = set(self.before), set[Operation]()
        while pending:
            producer = graph.producers.get(pending.pop())
            if producer is not None and producer in inside and producer not in needed:
                needed.add(producer)
                pending += _used(producer)
        found = [op for op in self.before if op_class_of(op) is SendReceive]
        if needed.isdisjoint(found):
            return []
        return [op for op in found if op in needed or not graph.users.get(op.results[0])]

    def can_wait(self) -> bool:
        """Whether all that is late may be done later, and messages stay in their order."""
        return self._is_in_order and all(
            has_pure_class(operation) or operation.results[0] in self.received for operation in self.late
        )


def _only_computes(operation: Operation) -> bool:
    """Whether an op, which is in front of a message, may as well be behind it."""
    op_class = op_class_of(operation)
    if op_class is None:
        return not len(operation.regions) and str(operation.name) != "func.call"
    return Effect.CONTROL not in op_class.effects


def _used(operation: Operation) -> list[Value]:
    """What an op uses; of one with regions nothing is known."""
    found = list(operation.operands)
    for region in operation.regions:
        for block in region.blocks:
            for inner in operations_in(block):
                found += _used(inner)
    return found


def _is_elementwise(operation: Operation) -> bool:
    op_class = op_class_of(operation)
    return op_class is not None and issubclass(op_class, Elementwise) and op_class.results == 1


def _only_moves(operation: Operation | None) -> bool:
    """Whether an op computes nothing, so that it may be done again."""
    return operation is not None and op_class_of(operation) in (Slice, Concat, Roll)


@dataclass(frozen=True)
class _Made:
    """Elements that were computed for a place of the tensor that is updated."""

    place: Box
    value: Value
    is_late: bool


class _Overlap(Boxes):
    """An update, or several of one tensor one behind the other, of which the middle is computed first."""

    dearest = Cost.EXPENSIVE

    def __init__(self, graph: Graph, last: Operation, behind: _Behind, least: int) -> None:
        halos: dict[Value, Update] = {}
        for operation in behind.late:
            region = region_in(operation) if op_class_of(operation) is SliceUpdate else None
            if region is not None and (
                operation.operands[0] in halos or operation.operands[0] not in behind.values
            ):
                halos[operation.results[0]] = Update(operation, region)
        super().__init__(graph, last, halos)
        self._behind, self._least = behind, least
        self._chain: list[Update] = []
        """The updates by what was received that lie below the others, the first one first."""
        self._tail: list[Operation] = [last]
        """The updates by what is computed, in order."""
        self._find_updates()
        self._is_late = False
        """Whether something that was received was read."""

    def _find_updates(self) -> None:
        below = self._last.operands[0]
        while below in self._updates:
            update = self._updates[below]
            if self._chain or self._brings(update.operation.operands[1]):
                self._chain.insert(0, update)
            else:
                self._tail.insert(0, update.operation)
            below = update.operation.operands[0]

    def _brings(self, value: Value) -> bool:
        """Whether a value is what was received, or a part of it."""
        producer = self._graph.producers.get(value)
        part = producer is not None and op_class_of(producer) is Slice
        return (producer.operands[0] if part and producer is not None else value) in self._behind.received

    def run(self) -> bool:
        """Whether it was worth it."""
        if not self._behind.can_wait():
            return False
        try:
            boxes = [box for update in self._tail for box in self._computed(update)]
        except GivesUp:
            boxes = []
        middle, edges = ([box for box in boxes if box.is_late == late] for late in (False, True))
        chain = self._chain
        if (
            sum(math.prod(map(len, box.place)) for box in middle) < self._least
            or not edges
            or not self._may_be_first(boxes)
            or not self._are_read_here_alone(middle)
        ):
            for operation in reversed(self._made):
                operation.erase()
            return False
        result = (chain[0].operation if chain else self._tail[0]).operands[0]
        for box in middle:
            result = self._written(result, box.place, box.value)
        self._wait_behind()
        if chain:
            chain[0].operation.operands[0] = result
            result = chain[-1].result
        for box in edges:
            result = self._written(result, box.place, box.value)
        self._last.results[0].replace_all_uses_with(result)
        self._last.erase()
        for operation in reversed(self._behind.late):
            if is_unused(operation) and has_pure_class(operation):
                operation.erase()
        return True

    def _may_be_first(self, boxes: list[_Made]) -> bool:
        """Whether nothing of the middle is written to where something else is written before."""
        before = [halo.region for halo in self._chain]
        for box in boxes:
            if box.is_late:
                before.append(box.place)
            elif not all(apart(place, box.place) for place in before):
                return False
        return True

    def _computed(self, update: Operation) -> list[_Made]:
        """The boxes of an update with their elements: where they are written, and whether these need messages."""
        region = region_in(update)
        if region is None:
            raise GivesUp
        found: list[_Made] = []
        pending: list[Box] = [tuple(range(len(extent)) for extent in region)]
        while pending:
            if len(pending) + len(found) > _MOST_BOXES:
                raise GivesUp
            box = pending.pop()
            self._known.clear()
            self._is_late = False
            try:
                value = self._value(update.operands[1], box)
            except Straddles as straddles:
                pending += halves(box, straddles)
                continue
            place = tuple(
                range(own.start + a.start, own.start + a.stop) for own, a in zip(region, box, strict=True)
            )
            found.append(_Made(place, value, self._is_late))
        return found

    def _computed_anew(self, value: Value, box: Box) -> Value:
        operation = self._graph.producers.get(value)
        op_class = None if operation is None else op_class_of(operation)
        if operation is not None and value in self._behind.values and op_class in (Concat, Roll):
            self._anew.add(value)
            return self._joined(operation, box) if op_class is Concat else self._rolled(operation, box)
        if value in self._behind.values or self._graph.has_one_user(value):
            return super()._computed_anew(value, box)
        if _only_moves(operation):
            return super()._computed_anew(value, box)
        return self._read(value, box)

    def _joined(self, operation: Operation, box: Box) -> Value:
        """Elements of tensors that are joined, of one of them."""
        axis, start = decode_attributes(Concat, operation)["axis"], 0
        along = box[axis]
        for operand in operation.operands:
            extent = type_of(operand).shape[axis]
            if extent is None:
                raise GivesUp
            if along.start < start + extent:
                if along.stop > start + extent:
                    raise Straddles(axis - len(box), start + extent - along.start)
                inner = range(along.start - start, along.stop - start)
                return self._value(operand, (*box[:axis], inner, *box[axis + 1 :]))
            start += extent
        raise GivesUp

    def _rolled(self, operation: Operation, box: Box) -> Value:
        """Elements of a tensor whose end comes in at its front."""
        given, source = decode_attributes(Roll, operation), operation.operands[0]
        axis, extent = given["axis"] % len(box), type_of(source).shape[given["axis"] % len(box)]
        if not extent:
            raise GivesUp
        along, first = box[axis], given["shift"] % extent
        if along.start < first < along.stop:
            raise Straddles(axis - len(box), first - along.start)
        by = extent - first if along.start < first else -first
        return self._value(source, (*box[:axis], range(along.start + by, along.stop + by), *box[axis + 1 :]))

    def _read(self, value: Value, box: Box) -> Value:
        if value in self._behind.received:
            self._is_late = True
        elif value in self._behind.values:
            raise GivesUp
        return super()._read(value, box)

    def _are_read_here_alone(self, middle: list[_Made]) -> bool:
        """Whether nothing is computed twice, or read when it is written: what reads it is made anew, too.

        What later messages tell of the tensor that is updated lies outside of the middle.
        """
        known = {update.result for update in self._chain}
        known.update(update.results[0] for update in self._tail[:-1])
        computed = {
            value
            for value in self._anew & self._behind.values
            if not _only_moves(self._graph.producers[value])
        }
        return all(
            user in self._tail
            or not self._anew.isdisjoint(user.results)
            or (value in known and not known.isdisjoint(user.results))
            or (value in known and user in self._behind.late and self._is_apart(user, middle))
            for value in computed | known
            for user in self._graph.users.get(value, ())
        )

    def _is_apart(self, operation: Operation, middle: list[_Made]) -> bool:
        """Whether an op reads nothing of what is written first."""
        region = region_in(operation) if op_class_of(operation) is Slice else None
        return region is not None and all(apart(region, box.place) for box in middle)

    def _wait_behind(self) -> None:
        """Begin the messages where they are, and finish them behind the middle, in front of the edges."""
        late: set[Value] = set()
        for message in self._behind.messages:
            given = decode_attributes(SendReceive, message)
            x = message.operands[0]
            with ir.InsertionPoint(message):
                started = create(StartSendReceive, [x], given, location=message.location)
            with ir.InsertionPoint(self._last):
                made = create(
                    FinishSendReceive,
                    [started.results[0], x],
                    {"over": given["over"]},
                    location=message.location,
                )
            message.results[0].replace_all_uses_with(made.results[0])
            late.add(made.results[0])
            message.erase()
        told = [
            number
            for number, each in enumerate(self._behind.late)
            if each.results[0] in self._behind.received
        ]
        first = (
            told[-1] + 1 if told else 0
        )  # what later messages tell of goes in front of what is made of these
        for operation in self._behind.late[:first]:
            operation.move_before(self._last)
            late.update(operation.results)
        for operation in self._made:
            if not late.isdisjoint(operation.operands):
                late.update(operation.results)
                operation.move_before(self._last)
        for operation in self._behind.late[first:]:
            operation.move_before(self._last)
