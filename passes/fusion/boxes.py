"""Elements of tensors, box by box: what slices, updates of regions and elementwise ops give of them, computed anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from ...dialect.mlir import Operation, Value, ir
from ...dialect.op import Cost, Elementwise, Op
from ...dialect.ops.creation import Constant
from ...dialect.ops.indexing import Gather, Scatter
from ...dialect.ops.shape import BroadcastTo
from ...dialect.ops.slicing import Slice, SliceUpdate, region_of
from ...dialect.records import dataclass
from ...dialect.register import create, decode_attributes, op_class_of
from ..rewriting import Graph, type_of

Box: TypeAlias = tuple[range, ...]
"""A region without gaps: a range of each axis."""


@dataclass(frozen=True)
class Update:
    """A `slice_update`, and the region that it replaces."""

    operation: Operation
    region: Box

    @property
    def result(self) -> Value:
        """The tensor behind the update."""
        result: Value = self.operation.results[0]
        return result


class Straddles(Exception):
    """The elements of a box are computed in different ways on both sides of a place."""

    def __init__(self, axis: int, offset: int) -> None:
        super().__init__()
        self.axis = axis
        """Counted from the last one, which is -1."""
        self.offset = offset


class GivesUp(Exception):
    """It takes more boxes or ops than it is worth, or sizes are not known."""


class Boxes:
    """Computes boxes of values in front of an op, as if some updates were not there."""

    dearest: Cost = Cost.CHEAP
    """Elementwise ops of this cost at most are done anew."""

    def __init__(self, graph: Graph, last: Operation, updates: Mapping[Value, Update]) -> None:
        self._graph = graph
        self._last = last
        self._for = last
        """Whose line the elements that are read and written now are shown at."""
        self._updates = updates
        self._known: dict[tuple[Value, Box], Value] = {}
        self._made: list[Operation] = []
        self._anew: set[Value] = set()
        """The values of which elements were computed anew."""

    def _value(self, value: Value, box: Box) -> Value:
        """Elements of a value; of one element of a vector the number."""
        key = (value, box)
        if key not in self._known:
            self._known[key] = self._computed_anew(value, box)
        return self._known[key]

    def _computed_anew(self, value: Value, box: Box) -> Value:
        if value in self._updates:
            update = self._updates[value]
            offset = part_of(box, update.region)
            return self._value(update.operation.operands[0 if offset is None else 1], offset or box)
        operation = self._graph.producers.get(value)
        op_class = None if operation is None else op_class_of(operation)
        if operation is None or op_class is None or operation.block != self._last.block:
            return self._read(value, box)
        region = region_in(operation) if op_class is Slice else None
        is_cheap = (
            issubclass(op_class, Elementwise) and op_class.results == 1 and op_class.cost <= self.dearest
        )
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
            raise GivesUp
        own = box[len(box) - len(shape) :]
        return self._value(
            operand, tuple(range(1) if n == 1 else taken for n, taken in zip(shape, own, strict=True))
        )

    def _filled(self, operation: Operation, box: Box) -> Value:
        number: Value = operation.operands[0]
        if is_element(box):
            return number
        return self._create(BroadcastTo, [number], operation, shape=tuple(map(len, box)))

    def _read(self, value: Value, box: Box) -> Value:
        """Elements of what is there anyway."""
        if not type_of(value).is_static:
            raise GivesUp
        if is_element(box):
            place = self._index(box[0].start)
            return self._create(Gather, [value, place], self._for, axes=(0,), position=0)
        if tuple(map(len, box)) == type_of(value).shape:
            return value
        return self._create(Slice, [value], self._for, **bounds_of(box))

    def _written(self, whole: Value, box: Box, value: Value) -> Value:
        if is_element(box):
            operands = [whole, value, self._index(box[0].start)]
            return self._create(Scatter, operands, self._for, axes=(0,), position=0, mode="set")
        return self._create(SliceUpdate, [whole, value], self._for, **bounds_of(box))

    def _index(self, place: int) -> Value:
        return self._create(Constant, [], self._for, value=np.asarray(place))

    def _create(
        self, op_class: type[Op], operands: list[Value], like: Operation, **attributes: object
    ) -> Value:
        """Make an op in front of the last update, at the line of what it stands for."""
        with ir.InsertionPoint(self._last):
            made = create(op_class, operands, attributes, location=like.location)
        self._made.append(made)
        result: Value = made.results[0]
        return result


def region_in(operation: Operation) -> Box | None:
    """What a slice reads or an update replaces; None where that is not known, or has gaps."""
    op_class = op_class_of(operation)
    assert op_class is not None
    bounds = decode_attributes(op_class, operation)
    return region_of(type_of(operation.operands[0]).shape, **bounds)


def apart(one: Box, other: Box) -> bool:
    return any(a.stop <= b.start or b.stop <= a.start for a, b in zip(one, other, strict=True))


def part_of(box: Box, region: Box) -> Box | None:
    """Where a box lies in a region; None where they are apart."""
    if apart(box, region):
        return None
    for axis, (taken, replaced) in enumerate(zip(box, region, strict=True)):
        for place in (replaced.start, replaced.stop):
            if taken.start < place < taken.stop:
                raise Straddles(axis - len(box), place - taken.start)
    return tuple(
        range(taken.start - replaced.start, taken.stop - replaced.start)
        for taken, replaced in zip(box, region, strict=True)
    )


def halves(box: Box, place: Straddles) -> list[Box]:
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


def is_element(box: Box) -> bool:
    """Whether a box is one element of a vector, which is computed as a number: outside of kernels."""
    return len(box) == 1 and len(box[0]) == 1


def bounds_of(box: Box) -> dict[str, tuple[int, ...]]:
    """The attributes of a slice that reads a box."""
    return {
        "start": tuple(taken.start for taken in box),
        "stop": tuple(taken.stop for taken in box),
        "step": (1,) * len(box),
    }
