"""Transposes: squares go through shared memory, so that rows are read and written along themselves.

What is read along another dimension than the result is written along, is read as a square first: neighbouring threads
read neighbours of the operand, and find neighbours of the result in shared memory.
"""

from __future__ import annotations

from ....dialect.mlir import Value
from ....dialect.records import dataclass
from ...nests.collapse import collapse_dims
from ...nests.emit import Emitter, Index, create, load, store
from ...nests.nest import Access, LoopNest, loop_nest
from ..code.control import compare, only_if
from ..code.kernel import Kernel
from ..code.points import read, write_all, write_lanes
from ..code.vectors import element_bytes
from ..code.walk import split, where_any
from .device_schedule import DeviceSchedule, Run

_SIDE = 32
_DOWN = 8
"""Threads of a block, which is 32 wide, along the other side: each has several rows of a square."""
_MOST_SHARED = 40 << 10
"""Bytes of shared memory that squares of all operands may take."""


@dataclass(frozen=True)
class _Shape:
    """The dimension that the result lies along, and the one that transposed operands lie along."""

    along: int
    across: int
    transposed: tuple[int, ...]
    """The inputs that are read as squares, by number."""


class Squares(DeviceSchedule):
    """Transposes by way of shared memory."""

    reason = "rows are read that lie across those of the result"

    @classmethod
    def match(cls, run: Run) -> Squares | None:
        if run.nest is None or run.steps[0].number is not None:
            return None
        nest = loop_nest(run.nest.operation)
        collapse_dims([nest], Emitter(run.function))
        return cls(run) if _shape(nest) is not None else None

    def write(self, name: str) -> None:
        generic, emitter = self.ops[0], Emitter(self.function)
        outer = loop_nest(generic)
        collapse_dims([outer], emitter)
        shape = _shape(outer)
        assert shape is not None
        kernel = Kernel(self.function, name, [generic], (_SIDE, _DOWN, 1))
        with kernel.nests([generic]) as (nest,):
            collapse_dims([nest], kernel.emitter)
            _Squares(kernel, nest, shape).emit()
        blocks = emitter.product(_extents(outer, shape, emitter))
        kernel.launch([blocks], f"{self.title}; {len(shape.transposed)} by way of shared memory")


def _shape(nest: LoopNest) -> _Shape | None:
    if not all(nest.parallel) or len(nest.parallel) < 2:
        return None
    dims = range(len(nest.parallel))
    along = next((d for d in dims if all(a.is_contiguous_in(d) for a in nest.outputs)), None)
    if along is None:
        return None
    for across in dims:
        transposed = tuple(n for n, a in enumerate(nest.inputs) if _is_transposed(a, along, across))
        extents = [nest.extents[along], nest.extents[across]]
        if transposed and all(not isinstance(e, int) or e >= _SIDE // 2 for e in extents):
            sizes = [element_bytes(nest.inputs[n].memref.type.element_type) or 16 for n in transposed]
            fits = sum(sizes) * _SIDE * (_SIDE + 1) <= _MOST_SHARED
            return _Shape(along, across, transposed) if fits else None
    return None


def _is_transposed(access: Access, along: int, across: int) -> bool:
    return (
        across != along
        and not access.is_scalar
        and access.is_contiguous_in(across)
        and access.axis_of(along) is not None
    )


def _others(nest: LoopNest, shape: _Shape) -> list[int]:
    return [dim for dim in range(len(nest.parallel)) if dim not in (shape.along, shape.across)]


def _extents(nest: LoopNest, shape: _Shape, emitter: Emitter) -> list[Index]:
    """How many points there are along the other dimensions, and squares along both of the shape."""
    squares = [emitter.divide_up(nest.extents[dim], _SIDE) for dim in (shape.across, shape.along)]
    return [*[nest.extents[dim] for dim in _others(nest, shape)], *squares]


class _Squares:
    """Writes what a block does: one square."""

    def __init__(self, kernel: Kernel, nest: LoopNest, shape: _Shape) -> None:
        self.kernel, self.nest, self.shape, self.emitter = kernel, nest, shape, kernel.emitter

    def emit(self) -> None:
        """Write the kernel."""
        with where_any(_extents(self.nest, self.shape, self.emitter), self.emitter):
            self._square()

    def _square(self) -> None:
        """Read squares, wait for them, and write the results."""
        kernel, nest, shape, emitter = self.kernel, self.nest, self.shape, self.emitter
        *others, down, right = split(kernel.id("block_id"), _extents(nest, shape, emitter), emitter)
        self.point: list[Index] = [0] * len(nest.parallel)
        for dim, index in zip(_others(nest, shape), others, strict=True):
            self.point[dim] = index
        self.first = {
            shape.across: emitter.multiply(down, _SIDE),
            shape.along: emitter.multiply(right, _SIDE),
        }
        self.x, self.y = kernel.id("thread_id"), kernel.id("thread_id", "y")
        squares = {}
        for number in shape.transposed:
            element = nest.inputs[number].memref.type.element_type
            squares[number] = kernel.shared([_SIDE, _SIDE + 1], element)
        for number, square in squares.items():
            for turn in range(0, _SIDE, _DOWN):
                self._bring(nest.inputs[number], square, turn)
        kernel.barrier()
        for turn in range(0, _SIDE, _DOWN):
            self._write(squares, turn)

    def _at(self, dim: int, within: Index) -> Value:
        return self.emitter.value(self.emitter.add(self.first[dim], within))

    def _inside(self, across: Value, along: Value) -> Value:
        extents = [
            self.emitter.value(self.nest.extents[dim]) for dim in (self.shape.across, self.shape.along)
        ]
        both = [compare("ult", at, extent) for at, extent in zip((across, along), extents, strict=True)]
        return create("arith.andi", [both[0].type], both)

    def _bring(self, access: Access, square: Value, turn: int) -> None:
        """Read a few rows of an operand, which lie across those of the result."""
        emitter, shape = self.emitter, self.shape
        row = emitter.value(emitter.add(self.y, turn))
        across, along = self._at(shape.across, self.x), self._at(shape.along, row)
        with only_if(self._inside(across, along)):
            point = list(self.point)
            point[shape.across], point[shape.along] = across, along
            store(read(access, point, emitter), square, [row, self.x])

    def _write(self, squares: dict[int, Value], turn: int) -> None:
        """Compute a few rows of the result."""
        emitter, shape, nest = self.emitter, self.shape, self.nest
        row = emitter.value(emitter.add(self.y, turn))
        across, along = self._at(shape.across, row), self._at(shape.along, self.x)
        with only_if(self._inside(across, along)):
            point = list(self.point)
            point[shape.across], point[shape.along] = across, along
            own = {id(nest.inputs[number]): square for number, square in squares.items()}

            def operand(access: Access) -> list[Value]:
                square = own.get(id(access))
                return [read(access, point, emitter) if square is None else load(square, [self.x, row])]

            made = write_lanes(nest, [point], operand, emitter)
            write_all((value for (value,) in made), nest, point, emitter)
