"""Fuse updates of overlapping regions of one tensor, so that each element is written once.

    x[1:-1] = 0                        the first and last elements  one by one
    x[:-2] += t              becomes   x[2:-2] = (0 + t[2:]) + t[:-2]
    x[2:] += t

Such chains are what the reverse of a stencil is made of. Each update reads and writes its region, and so the chain
goes through memory as often as there are updates; fused, it is a stencil, too. The regions cut the tensor in boxes in
each of which all elements are computed in the same way, of cheap elementwise ops, which are made anew for each box.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar, TypeAlias

import numpy as np

from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.op import Cost, Elementwise, Op
from ...dialect.ops.creation import Constant
from ...dialect.ops.indexing import Gather, Scatter
from ...dialect.ops.shape import BroadcastTo
from ...dialect.ops.slicing import Slice, SliceUpdate, region_of
from ...dialect.records import dataclass
from ...dialect.register import create, decode_attributes, op_class_of
from ..base import Pass, Statistics
from ..rewriting import Graph, defined_functions, type_of

Box: TypeAlias = tuple[range, ...]
"""A region without gaps: a range of each axis."""

_MOST_UPDATES = 8
"""How many updates are fused at most: each may cut each axis twice."""
_MOST_BOXES = 32
_MOST_OPS = 64
"""How many ops the elements of a box may take; more are no longer cheaper than memory."""


@dataclass(frozen=True)
class FuseUpdates(Pass):
    """Write each element once where updates of overlapping regions of a tensor follow each other."""

    name: ClassVar[str] = "fuse-updates"
    summary: ClassVar[str] = (
        "fuse updates of overlapping regions of a tensor, such as the reverse of a stencil"
    )

    def run(self, module: Module, statistics: Statistics) -> None:
        """Go through all functions that update slices."""
        for function in defined_functions(module):
            graph = Graph(function)
            chains = list(_chains(graph))
            for chain in chains:
                statistics["updates fused"] += _Fusion(graph, chain).run()
            if chains:
                graph.erase_unused()


@dataclass(frozen=True)
class _Update:
    """A `slice_update` of a chain, and the region that it replaces."""

    operation: Operation
    region: Box

    @property
    def result(self) -> Value:
        """The tensor behind the update."""
        result: Value = self.operation.results[0]
        return result


def _chains(graph: Graph) -> Iterator[list[_Update]]:
    """Updates that follow each other in a block, where one replaces what another has replaced."""
    taken: set[Value] = set()
    for operation in graph.operations:
        if op_class_of(operation) is not SliceUpdate or operation.results[0] in taken:
            continue
        chain: list[_Update] = []
        following: Operation | None = operation
        while following is not None and len(chain) < _MOST_UPDATES:
            region = _region(following)
            if region is None:
                break
            chain.append(_Update(following, region))
            taken.add(following.results[0])
            following = _next_update(graph, following)
        regions = [update.region for update in chain]
        if any(not _apart(one, other) for i, one in enumerate(regions) for other in regions[:i]):
            yield chain


def _next_update(graph: Graph, operation: Operation) -> Operation | None:
    """What updates the result of an update, which is otherwise only read by slices."""
    result, found = operation.results[0], None
    for user in graph.users.get(result, ()):
        if user.block != operation.block:
            return None
        if op_class_of(user) is SliceUpdate and user.operands[0] == result and user.operands[1] != result:
            if found is not None:
                return None
            found = user
        elif op_class_of(user) is not Slice or _region(user) is None:
            return None
    return found


def _region(operation: Operation) -> Box | None:
    """What a slice reads or an update replaces; None where that is not known, or has gaps."""
    op_class = op_class_of(operation)
    assert op_class is not None
    bounds = decode_attributes(op_class, operation)
    return region_of(type_of(operation.operands[0]).shape, **bounds)


def _apart(one: Box, other: Box) -> bool:
    return any(a.stop <= b.start or b.stop <= a.start for a, b in zip(one, other, strict=True))


class _Straddles(Exception):
    """The elements of a box are computed in different ways on both sides of a place."""

    def __init__(self, axis: int, offset: int) -> None:
        super().__init__()
        self.axis = axis
        """Counted from the last one, which is -1."""
        self.offset = offset


class _GivesUp(Exception):
    """Fusing takes more boxes or ops than it is worth, or sizes are not known."""


class _Fusion:
    """The fusion of one chain."""

    def __init__(self, graph: Graph, chain: list[_Update]) -> None:
        self._graph = graph
        self._chain = chain
        self._last = chain[-1].operation
        self._updates = {update.result: update for update in chain}
        self._known: dict[tuple[Value, Box], Value] = {}
        self._made: list[Operation] = []
        self._anew: set[Value] = set()
        """The values of which elements were computed anew."""

    def run(self) -> int:
        """Compute the boxes, then write them; how many updates that replaced."""
        first = self._chain[0].operation.operands[0]
        try:
            boxes = self._computed()
        except _GivesUp:
            boxes = None
        if boxes is None or not self._are_read_here_alone():
            for operation in reversed(self._made):
                operation.erase()
            return 0
        result = first
        for box, value in sorted(
            boxes, key=lambda pair: -math.prod(map(len, pair[0]))
        ):  # all numbers are read by then
            result = self._written(result, box, value)
        self._graph.replace(self._last, [result])
        return len(self._chain)

    def _computed(self) -> list[tuple[Box, Value]]:
        """The boxes that change, with their elements."""
        found: list[tuple[Box, Value]] = []
        pending: list[Box] = [tuple(range(extent or 0) for extent in type_of(self._last.results[0]).shape)]
        while pending:
            if len(pending) + len(found) > _MOST_BOXES:
                raise _GivesUp
            box = pending.pop()
            try:
                if self._is_changed(box):
                    made = len(self._made)
                    found.append((box, self._value(self._last.results[0], box)))
                    if len(self._made) - made > _MOST_OPS:
                        raise _GivesUp
            except _Straddles as place:
                pending += _halves(box, place)
        return found

    def _is_changed(self, box: Box) -> bool:
        """Whether an update replaces the elements of a box."""
        return any(_part_of(box, update.region) is not None for update in self._chain)

    def _value(self, value: Value, box: Box) -> Value:
        """Elements of a value; of one element of a vector the number."""
        key = (value, box)
        if key not in self._known:
            self._known[key] = self._computed_anew(value, box)
        return self._known[key]

    def _computed_anew(self, value: Value, box: Box) -> Value:
        if value in self._updates:
            update = self._updates[value]
            offset = _part_of(box, update.region)
            return self._value(update.operation.operands[0 if offset is None else 1], offset or box)
        operation = self._graph.producers.get(value)
        op_class = None if operation is None else op_class_of(operation)
        if operation is None or op_class is None or operation.block != self._last.block:
            return self._read(value, box)
        region = _region(operation) if op_class is Slice else None
        is_cheap = issubclass(op_class, Elementwise) and op_class.results == 1 and op_class.cost <= Cost.CHEAP
        if region is not None:
            found = self._value(operation.operands[0], _moved(box, region))
        elif op_class is BroadcastTo and type_of(operation.operands[0]).rank == 0:
            found = self._filled(operation, box)
        elif is_cheap:
            operands = [self._operand(operand, box) for operand in operation.operands]
            found = self._create(op_class, operands, operation, **decode_attributes(op_class, operation))
        else:
            return self._read(value, box)
        self._anew.add(value)
        return found

    def _operand(self, operand: Value, box: Box) -> Value:
        """What an elementwise op reads of an operand for elements of its result."""
        shape = type_of(operand).shape
        if not shape:
            return operand
        if None in shape:
            raise _GivesUp
        own = box[len(box) - len(shape) :]
        return self._value(
            operand, tuple(range(1) if n == 1 else taken for n, taken in zip(shape, own, strict=True))
        )

    def _filled(self, operation: Operation, box: Box) -> Value:
        number: Value = operation.operands[0]
        if _is_element(box):
            return number
        return self._create(BroadcastTo, [number], operation, shape=tuple(map(len, box)))

    def _read(self, value: Value, box: Box) -> Value:
        """Elements of what is there anyway."""
        if not type_of(value).is_static:
            raise _GivesUp
        if _is_element(box):
            place = self._index(box[0].start)
            return self._create(Gather, [value, place], self._last, axes=(0,), position=0)
        if tuple(map(len, box)) == type_of(value).shape:
            return value
        return self._create(Slice, [value], self._last, **_bounds(box))

    def _written(self, whole: Value, box: Box, value: Value) -> Value:
        if _is_element(box):
            operands = [whole, value, self._index(box[0].start)]
            return self._create(Scatter, operands, self._last, axes=(0,), position=0, mode="set")
        return self._create(SliceUpdate, [whole, value], self._last, **_bounds(box))

    def _index(self, place: int) -> Value:
        return self._create(Constant, [], self._last, value=np.asarray(place))

    def _create(
        self, op_class: type[Op], operands: list[Value], like: Operation, **attributes: object
    ) -> Value:
        """Make an op in front of the last update, at the line of what it stands for."""
        with ir.InsertionPoint(self._last):
            made = create(op_class, operands, attributes, location=like.location)
        self._made.append(made)
        result: Value = made.results[0]
        return result

    def _are_read_here_alone(self) -> bool:
        """Whether all that reads the tensors between the updates was computed anew."""
        updates = {id(update.operation) for update in self._chain}
        pending = [update.result for update in self._chain[:-1]]
        while pending:
            for user in self._graph.users.get(pending.pop(), ()):
                if id(user) in updates:
                    continue
                if len(user.results) != 1 or user.results[0] not in self._anew:
                    return False
                pending.append(user.results[0])
        return True


def _part_of(box: Box, region: Box) -> Box | None:
    """Where a box lies in a region; None where they are apart."""
    if _apart(box, region):
        return None
    for axis, (taken, replaced) in enumerate(zip(box, region, strict=True)):
        for place in (replaced.start, replaced.stop):
            if taken.start < place < taken.stop:
                raise _Straddles(axis - len(box), place - taken.start)
    return tuple(
        range(taken.start - replaced.start, taken.stop - replaced.start)
        for taken, replaced in zip(box, region, strict=True)
    )


def _halves(box: Box, place: _Straddles) -> list[Box]:
    """The parts of a box on both sides of a place."""
    axis = len(box) + place.axis
    whole = box[axis]
    cut = whole.start + place.offset
    return [
        (*box[:axis], part, *box[axis + 1 :]) for part in (range(whole.start, cut), range(cut, whole.stop))
    ]


def _moved(box: Box, region: Box) -> Box:
    """Where a box of a slice lies in what is sliced."""
    return tuple(
        range(taken.start + read.start, taken.stop + read.start)
        for taken, read in zip(box, region, strict=True)
    )


def _is_element(box: Box) -> bool:
    """Whether a box is one element of a vector, which is computed as a number: outside of kernels."""
    return len(box) == 1 and len(box[0]) == 1


def _bounds(box: Box) -> dict[str, tuple[int, ...]]:
    """The attributes of a slice that reads a box."""
    return {
        "start": tuple(taken.start for taken in box),
        "stop": tuple(taken.stop for taken in box),
        "step": (1,) * len(box),
    }
