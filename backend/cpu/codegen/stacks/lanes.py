"""Stacks of small arrays in vectors: an element of several arrays is one vector, and each array has a lane.

In memory one array follows the other. Blocks of as many elements of an array as a vector has lanes are loaded for each
of the arrays, and transposed in registers, in log2(lanes) steps of one shuffle for every vector.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .....dialect.mlir import Type, Value, ir
from .....dialect.records import dataclass
from .....passes.rewriting import reassociation
from ....functions.number import Number
from ....nests.complex_parts import flat_parts
from ....nests.emit import Emitter, Index, create


@dataclass(frozen=True)
class Stack:
    """Memory of arrays without gaps."""

    memory: Value
    """Numbers along one axis; a complex one is two."""
    count: int
    """How many numbers an array has."""

    @staticmethod
    def of(memref: Value, count: int, emitter: Emitter) -> Stack:
        """Memory without gaps as a stack of arrays of so many elements."""
        flat = _flat(memref)
        if isinstance(memref.type.element_type, ir.ComplexType):
            return Stack(flat_parts(flat, emitter), 2 * count)
        return Stack(flat, count)

    def load(self, places: Sequence[Index], emitter: Emitter) -> list[Number]:
        """The numbers of the arrays at some places, each array in its lane."""
        width = self._width(len(places))
        type = _vector(width, self.memory.type.element_type)
        numbers: dict[int, Value] = {}
        starts = self._starts(places, emitter)
        for first in self._blocks(width):
            indices = [emitter.value(emitter.add(start, first)) for start in starts]
            rows = [create("vector.load", [type], [self.memory, index]) for index in indices]
            numbers.update(zip(range(first, first + width), to_lanes(rows), strict=True))
        return [Number(numbers[place]) for place in range(self.count)]

    def store(self, numbers: Sequence[Number], places: Sequence[Index], emitter: Emitter) -> None:
        """Write the arrays to places, which may be the same for arrays that are the same."""
        width = self._width(len(places))
        starts = self._starts(places, emitter)
        for first in self._blocks(width):
            rows = from_lanes([number.value for number in numbers[first : first + width]])
            for row, start in zip(rows, starts, strict=True):
                index = emitter.value(emitter.add(start, first))
                create("vector.store", [], [row, self.memory, index])

    def _width(self, lanes: int) -> int:
        """How many numbers of an array are read at once: a power of two."""
        return min(lanes, 1 << (self.count.bit_length() - 1))

    def _blocks(self, width: int) -> list[int]:
        """Where blocks begin; the last one may overlap that before it."""
        starts = list(range(0, self.count - width + 1, width))
        return starts if self.count % width == 0 else [*starts, self.count - width]

    def _starts(self, places: Sequence[Index], emitter: Emitter) -> list[Index]:
        """Where the arrays at some places begin."""
        return [emitter.multiply(place, self.count) for place in places]


def to_lanes(rows: Sequence[Value]) -> list[Value]:
    """Vectors of a number of each row, one for each number of a row: a power of two, as is the number of rows."""
    width = _lanes(rows[0])
    columns = [_joined(rows[first::width]) for first in range(width)]
    return _transposed(columns)


def from_lanes(columns: Sequence[Value]) -> list[Value]:
    """The rows that `to_lanes` was given."""
    width, lanes = len(columns), _lanes(columns[0])
    turned = _transposed(columns)
    return [
        turned[row % width]
        if width == lanes
        else shuffle(
            turned[row % width], turned[row % width], range(row - row % width, row - row % width + width)
        )
        for row in range(lanes)
    ]


def _joined(vectors: Sequence[Value]) -> Value:
    """A vector of the lanes of vectors, one after the other."""
    if len(vectors) == 1:
        return vectors[0]
    middle = len(vectors) // 2
    return join(_joined(vectors[:middle]), _joined(vectors[middle:]))


def _transposed(vectors: Sequence[Value]) -> list[Value]:
    """Each block of as many lanes as there are vectors, transposed: two by two, then four by four, and so on."""
    found = list(vectors)
    lanes, step = _lanes(found[0]), 1
    while step < len(found):
        first = [lane if not lane & step else lanes + lane - step for lane in range(lanes)]
        second = [lane + step if not lane & step else lanes + lane for lane in range(lanes)]
        for row in range(len(found)):
            if not row & step:
                x, y = found[row], found[row + step]
                found[row], found[row + step] = shuffle(x, y, first), shuffle(x, y, second)
        step *= 2
    return found


def join(x: Value, y: Value) -> Value:
    """A vector of the lanes of two."""
    return shuffle(x, y, range(2 * _lanes(x)))


def shuffle(x: Value, y: Value, lanes: Sequence[int]) -> Value:
    """A vector of lanes of two, counted through both."""
    mask = {"mask": ir.DenseI64ArrayAttr.get(list(lanes))}
    return create("vector.shuffle", [_vector(len(lanes), x.type.element_type)], [x, y], mask)


def _lanes(vector: Value) -> int:
    return int(vector.type.shape[0])


def _vector(lanes: int, element: Type) -> Type:
    return ir.VectorType.get([lanes], element)


def _flat(memref: Value) -> Value:
    """The same memory along one axis."""
    type = memref.type
    if type.rank == 1:
        return memref
    attributes = {"reassociation": reassociation([range(type.rank)] if type.rank else [])}
    if not type.rank:
        flat = ir.MemRefType.get([1], type.element_type)
        return create(
            "memref.expand_shape",
            [flat],
            [memref],
            {**attributes, "static_output_shape": ir.DenseI64ArrayAttr.get([1])},
        )
    dynamic = ir.ShapedType.get_dynamic_size()
    size = dynamic if dynamic in type.shape else math.prod(type.shape)
    return create(
        "memref.collapse_shape", [ir.MemRefType.get([size], type.element_type)], [memref], attributes
    )
