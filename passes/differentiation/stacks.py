"""What loops keep for their reverse: of each iteration a row of a stack, or a piece of a buffer that grows.

A value that has one shape in all iterations, though its extents may be known only at run time, is a row. Values of
other sizes in each iteration follow each other in a buffer, which is doubled when it is full; where they begin, and
their extents, are rows of stacks of numbers. Nothing is padded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from ...dialect.emitter import Extent, Tensor
from ...dialect.mlir import Operation, Value, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.types import TensorType
from ..control_flow.extents import Extents
from ..control_flow.structure import IF, add_yield, extracted, operation_of
from ..rewriting import is_defined_inside

_ROOM = 64
"""How many elements a buffer has room for at first."""


class Stack(ABC):
    """The values of one SSA value of a loop's body, in tensors that the loop carries."""

    initial: list[Value]
    """What these are in front of the loop."""

    @abstractmethod
    def push(self, b: OpEmitter, carried: Sequence[Value], value: Value, row: Tensor) -> list[Value]:
        """What the loop hands on, with the value of the iteration that is the `row`-th."""

    @abstractmethod
    def read(self, b: OpEmitter, carried: Sequence[Value], row: Tensor) -> Value:
        """The value of an iteration, from what the loop leaves."""


class Rows(Stack):
    """A tensor with a row for each iteration."""

    def __init__(self, b: OpEmitter, trips: Extent, extents: Sequence[Extent], value: TensorType) -> None:
        self.type = value
        self.initial = [empty(b, [trips, *extents], value.dtype).handle]

    def push(self, b: OpEmitter, carried: Sequence[Value], value: Value, row: Tensor) -> list[Value]:
        """Write the row."""
        written = b.scatter(b.value(carried[0]), b.value(value), row, axes=(0,), position=0, mode="set")
        return [written.handle]

    def read(self, b: OpEmitter, carried: Sequence[Value], row: Tensor) -> Value:
        """Read the row."""
        found: Value = b.refined(b.gather(b.value(carried[0]), row, axes=(0,), position=0), self.type).handle
        return found


class Pieces(Stack):
    """A buffer with room for more, how far it is filled, where the pieces begin, and stacks of their extents."""

    def __init__(self, b: OpEmitter, trips: Extent, value: TensorType) -> None:
        self.type = value
        number = TensorType((), np.dtype(np.int64))
        self.unknown = [axis for axis, extent in enumerate(value.shape) if extent is None]
        self.numbers = [Rows(b, trips, (), number) for _ in range(1 + len(self.unknown))]
        room = b.refined(empty(b, [_ROOM], value.dtype), TensorType((None,), value.dtype))
        filled = b.number(0, number.dtype)
        self.initial = [room.handle, filled.handle, *(rows.initial[0] for rows in self.numbers)]

    def push(self, b: OpEmitter, carried: Sequence[Value], value: Value, row: Tensor) -> list[Value]:
        """Write the piece behind the others, in a larger buffer if it is full."""
        piece, (buffer, filled) = b.value(value), map(b.value, carried[:2])
        count = b.as_scalar(b.count(piece, range(piece.rank)))
        end = filled + count
        buffer = with_room(b, buffer, end)
        written = b.dynamic_slice_update(buffer, b.reshaped(piece, [count]), filled, end, **ONE_AXIS)
        numbers = [filled, *(b.dim(piece, axis=axis) for axis in self.unknown)]
        kept = [
            rows.push(b, [old], number.handle, row)[0]
            for rows, old, number in zip(self.numbers, carried[2:], numbers, strict=True)
        ]
        return [written.handle, end.handle, *kept]

    def read(self, b: OpEmitter, carried: Sequence[Value], row: Tensor) -> Value:
        """Read the piece."""
        start, *unknown = (
            b.value(rows.read(b, [stack], row)) for rows, stack in zip(self.numbers, carried[2:], strict=True)
        )
        left = iter(unknown)
        extents: list[Extent] = [next(left) if extent is None else extent for extent in self.type.shape]
        count: Extent = 1
        for extent in extents:
            count = extent * count
        piece = b.dynamic_slice(b.value(carried[0]), start, start + count, **ONE_AXIS)
        found: Value = b.refined(b.reshaped(piece, extents), self.type).handle
        return found


ONE_AXIS = {"start": (0,), "stop": (0,), "step": (1,), "start_axes": (0,), "stop_axes": (0,)}
"""A slice of one axis between two bounds at run time."""


def stack_of(loop: Operation, value: Value, trips: Extent, extents: Extents) -> Stack:
    """Where the values of an SSA value of the loop's body are kept; made in front of the loop."""
    b = OpEmitter(loop.location)
    type = b.value(value).type
    known: list[Extent] = []
    for axis, extent in enumerate(type.shape):
        if extent is not None:
            known.append(extent)
            continue
        source, place = extents.origin(value, axis)
        if is_defined_inside(source, loop):
            return Pieces(b, trips, type)
        known.append(b.dim(b.value(source), axis=place))
    return Rows(b, trips, known, type)


def empty(b: OpEmitter, extents: Sequence[Extent], dtype: np.dtype[np.generic]) -> Tensor:
    """A tensor of which nobody reads an element before it is written."""
    shape = tuple(-1 if isinstance(extent, Tensor) else extent for extent in extents)
    found: Tensor = b.empty(*(e for e in extents if isinstance(e, Tensor)), shape=shape, dtype=dtype)
    return found


def with_room(b: OpEmitter, buffer: Tensor, wanted: Tensor) -> Tensor:
    """A buffer, doubled if it has no room for as many elements as are wanted."""
    room = b.dim(buffer, axis=0)
    branch = operation_of(
        IF, [extracted((wanted > room).handle)], [buffer.handle.type], regions=2, location=b.location
    )
    with ir.InsertionPoint(branch.regions[0].blocks.append()):
        more = empty(b, [b.maximum(room, wanted)], buffer.dtype)
        add_yield([b.concat(buffer, more, axis=0).handle], b.location)
    with ir.InsertionPoint(branch.regions[1].blocks.append()):
        add_yield([buffer.handle], b.location)
    return b.value(branch.results[0])
