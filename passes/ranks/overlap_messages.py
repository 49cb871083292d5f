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
from typing import ClassVar

from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.op import Cost, Elementwise
from ...dialect.ops.arrangement import Concat, Roll
from ...dialect.ops.creation import Empty
from ...dialect.ops.distributed import FinishSendReceive, SendReceive, StartSendReceive
from ...dialect.ops.slicing import Slice, SliceUpdate
from ...dialect.records import dataclass
from ...dialect.register import create, decode_attributes, op_class_of
from ..base import Pass, Statistics
from ..fusion.boxes import Box, Boxes, GivesUp, Straddles, Update, apart, bounds_of, halves, region_in
from ..rewriting import Graph, defined_functions, is_unused, operations_in, type_of

_MOST_BOXES = 16
_LEAST = 1 << 14
"""Elements to compute meanwhile: fewer take less time than what is done for it."""


@dataclass(frozen=True)
class OverlapMessages(Pass):
    """Begin exchanges with neighbours, compute what needs nothing of them, then wait and compute the edges."""

    name: ClassVar[str] = "overlap-messages"
    summary: ClassVar[str] = "compute the middle of a tensor while its edges are on their way"

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
        """Whether an op on elements makes an array of which nothing else is computed in its block."""
        if not _is_elementwise(operation):
            return False
        shape = type_of(operation.results[0]).shape
        return (
            bool(shape)
            and None not in shape
            and math.prod(extent or 0 for extent in shape) >= self.least
            and not any(
                user.block == operation.block
                and (_is_elementwise(user) or op_class_of(user) in (Slice, Concat, SliceUpdate))
                for user in graph.users.get(operation.results[0], ())
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
        self.messages = self._messages(graph, own[1:] if op_class_of(last) is SliceUpdate else own)
        self.late: list[Operation] = []
        """The ops in front of the update that need something of the messages, in order."""
        self.values = {message.results[0] for message in self.messages}
        for operation in self.before:
            if operation not in self.messages and not self.values.isdisjoint(_used(operation)):
                self.late.append(operation)
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
        """Whether all that is late may be done later, and no message tells something of another one."""
        classes = [op_class_of(operation) for operation in self.late]
        return all(op_class is not None and op_class.is_pure() for op_class in classes) and not any(
            message.operands[0] in self.values for message in self.messages
        )


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
    """One update, the middle of which is computed first."""

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
        self._received = {message.results[0] for message in behind.messages}
        self._is_late = False
        """Whether something that was received was read."""

    def run(self) -> bool:
        """Whether it was worth it."""
        region = region_in(self._last)
        if region is None or not self._behind.can_wait():
            return False
        try:
            boxes = self._computed(region)
        except GivesUp:
            boxes = []
        middle, edges = ([box for box in boxes if box.is_late == late] for late in (False, True))
        chain = self._halos_below()
        if (
            sum(math.prod(map(len, box.place)) for box in middle) < self._least
            or not edges
            or not self._are_read_here_alone(chain)
            or any(not apart(halo.region, box.place) for halo in chain for box in middle)
        ):
            for operation in reversed(self._made):
                operation.erase()
            return False
        result = chain[0].operation.operands[0] if chain else self._last.operands[0]
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
            if is_unused(operation):
                operation.erase()
        return True

    def _halos_below(self) -> list[Update]:
        """The updates by what was received that lie below the one that is looked at, the first one first."""
        found: list[Update] = []
        below = self._last.operands[0]
        while below in self._updates:
            found.insert(0, self._updates[below])
            below = found[0].operation.operands[0]
        return found

    def _computed(self, region: Box) -> list[_Made]:
        """The boxes with their elements: where they are written, and whether these need messages."""
        found: list[_Made] = []
        pending: list[Box] = [tuple(range(len(extent)) for extent in region)]
        while pending:
            if len(pending) + len(found) > _MOST_BOXES:
                raise GivesUp
            box = pending.pop()
            self._known.clear()
            self._is_late = False
            try:
                value = self._value(self._last.operands[1], box)
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
        if value in self._received:
            self._is_late = True
        elif value in self._behind.values:
            raise GivesUp
        return super()._read(value, box)

    def _are_read_here_alone(self, chain: list[Update]) -> bool:
        """Whether nothing is computed twice, or read when it is written: what reads it is made anew, too."""
        known = {update.result for update in chain}
        computed = {
            value
            for value in self._anew & self._behind.values
            if not _only_moves(self._graph.producers[value])
        }
        return all(
            user == self._last
            or user.results[0] in self._anew
            or (value in known and user.results[0] in known)
            for value in computed | known
            for user in self._graph.users.get(value, ())
        )

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
        for operation in self._made:
            if not late.isdisjoint(operation.operands):
                late.update(operation.results)
                operation.move_before(self._last)
        for operation in self._behind.late:
            operation.move_before(self._last)


__all__ = ["OverlapMessages"]
