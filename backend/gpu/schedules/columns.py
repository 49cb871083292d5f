"""Sums of what does not lie side by side: threads side by side take columns side by side.

A block has eight threads for each column, which take rows in turn, and combine what they have in the order of the rows.
Where there are few columns and many rows, blocks take a slice of the rows each, and a second kernel combines the slices
in their order.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Value
from ....dialect.records import dataclass
from ...nests.collapse import collapse_dims
from ...nests.emit import Emitter, Index, load, store
from ...nests.nest import Access, LoopNest, loop_nest
from ...target import current_gpu
from ..code.control import compare, only_if, otherwise
from ..code.kernel import Kernel, allocate
from ..code.points import read
from ..code.reduce import Reduction
from ..code.vectors import is_aligned, is_vector, lanes_of, load_lanes
from ..code.walk import split, stepped
from .device_schedule import DeviceSchedule, Run
from .followers import count_with_follower, finish, not_asked_for
from .steps import Step

_ACROSS, _DOWN = 32, 8
"""Threads of a block."""
_AHEAD = 4
"""Rows that a thread reads before it adds them up."""
_LEAST = 64
"""Rows of a slice."""
_THREADS = 256
"""Of a block that combines slices."""


@dataclass(frozen=True)
class _Shape:
    """The roles of the dimensions of a nest, and how many neighbouring columns a thread takes."""

    summed: int
    outer: tuple[int, ...]
    column: int
    lanes: int
    slices: int


class Columns(DeviceSchedule):
    """Reductions of the first axis. What a second kernel costs, and slices save, is not weighed."""

    reason = "neighbours are added to neighbours"

    @classmethod
    def match(cls, run: Run) -> Columns | None:
        nest = run.nest
        if nest is None or all(nest.parallel) or not any(nest.parallel) or run.is_small_product:
            return None
        nest = loop_nest(nest.operation)
        collapse_dims([nest], Emitter(run.function))
        return None if _shape(nest) is None else cls(run, count_with_follower(run.steps))

    def threads(self) -> float:
        return super().threads() * _DOWN

    def write(self, name: str) -> None:
        step, ops = self.steps[0], [step.nest.operation for step in self.steps]
        generic = step.nest.operation
        emitter = Emitter(self.function)
        outer = loop_nest(generic)
        collapse_dims([outer], emitter)
        shape = _shape(outer)
        assert shape is not None
        reduction = Reduction.known(outer)
        local = not_asked_for(self.steps)
        across = emitter.divide(
            emitter.add(outer.extents[shape.column], _ACROSS * shape.lanes - 1), _ACROSS * shape.lanes
        )
        blocks = emitter.multiply(across, emitter.product([outer.extents[dim] for dim in shape.outer]))
        if shape.slices == 1:
            kernel = Kernel(self.function, name, ops, (_ACROSS, _DOWN, 1), step.starts, local)
            _Columns(kernel, self.steps, shape).emit(None)
            kernel.launch([blocks], self.title)
            return
        results = emitter.product(
            [e for e, parallel in zip(outer.extents, outer.parallel, strict=True) if parallel]
        )
        assert isinstance(results, int)
        partial = [allocate([shape.slices, results], type) for type in reduction.types]
        memory = [access.memref for access in step.nest.outputs]
        kernel = Kernel(self.function, f"{name}_parts", [generic], (_ACROSS, _DOWN, 1), partial, memory)
        _Columns(kernel, self.steps, shape).emit([kernel.value(memory) for memory in partial])
        kernel.launch([blocks, shape.slices], f"{self.title}; {shape.slices} slices")
        last = Kernel(self.function, name, ops, (_THREADS, 1, 1), [*partial, *step.starts], local)
        _combine(last, self.steps, shape, [last.value(memory) for memory in partial], results)
        last.launch([-(-results // _THREADS)], f"{self.title}: the slices, in their order")


def _shape(nest: LoopNest) -> _Shape | None:
    summed = [dim for dim, parallel in enumerate(nest.parallel) if not parallel]
    if len(summed) != 1 or Reduction.of(nest) is None:
        return None
    column = next(
        (dim for dim, parallel in enumerate(nest.parallel) if parallel and _is_column(nest, dim)), None
    )
    if column is None:
        return None
    columns = nest.extents[column]
    lanes = lanes_of(nest.inputs, column)
    if not isinstance(columns, int) or columns % lanes or columns < _ACROSS * lanes:
        lanes = 1
    outer = tuple(dim for dim, parallel in enumerate(nest.parallel) if parallel and dim != column)
    return _Shape(summed[0], outer, column, lanes, _slices(nest, summed[0], column, lanes))


def _is_column(nest: LoopNest, dim: int) -> bool:
    """Whether what lies side by side along a dimension is added to what lies side by side."""
    reads = any(is_vector(access, dim) for access in nest.inputs)
    return reads and all(access.is_contiguous_in(dim) for access in nest.outputs)


def _slices(nest: LoopNest, summed: int, column: int, lanes: int) -> int:
    """How many blocks share the rows of a column."""
    gpu = current_gpu()
    extents = [extent for extent in nest.extents if isinstance(extent, int)]
    if len(extents) != len(nest.extents):
        return 1
    rows, blocks = extents[summed], -(-extents[column] // (_ACROSS * lanes))
    for dim, extent in enumerate(extents):
        blocks *= extent if dim not in (summed, column) else 1
    if not blocks:
        return 1
    return max(1, min(gpu.multiprocessors * 4 // blocks, rows // _LEAST))


class _Columns:
    """Writes what the threads of a block do."""

    def __init__(self, kernel: Kernel, steps: Sequence[Step], shape: _Shape) -> None:
        self.kernel, self.steps, self.shape, self.emitter = kernel, steps, shape, kernel.emitter
        self.is_vector = shape.lanes > 1

    def emit(self, partial: Sequence[Value] | None) -> None:
        """Write the kernel; the numbers go to `partial` where they are those of a slice."""
        kernel, emitter, shape = self.kernel, self.emitter, self.shape
        with kernel.nests([self.steps[0].nest.operation]) as (nest,):
            self.nest = nest
            collapse_dims([nest], emitter)
            self.reduction = reduction = Reduction.known(nest)
            self._place()
            carried = reduction.neutral(emitter) * shape.lanes
            inside = compare("ult", emitter.value(self.column), emitter.value(nest.extents[shape.column]))
            with only_if(inside, [value.type for value in carried]) as branch:
                branch.give(self._own(carried))
            with otherwise(branch):
                branch.give(carried)
            self._join(branch.results, inside, partial)

    def _place(self) -> None:
        """Which column, and which of the outer points, a thread has."""
        emitter, nest, shape = self.emitter, self.nest, self.shape
        width = _ACROSS * shape.lanes
        across = emitter.divide_up(nest.extents[shape.column], width)
        extents = [*[nest.extents[dim] for dim in shape.outer], across]
        *self.outer, block = split(self.kernel.id("block_id"), extents, emitter)
        self.across, self.down = self.kernel.id("thread_id"), self.kernel.id("thread_id", "y")
        start = emitter.multiply(block, width)
        self.column = emitter.add(start, emitter.multiply(self.across, shape.lanes))

    def _point(self, row: Index) -> list[Index]:
        point: list[Index] = [0] * len(self.nest.parallel)
        for dim, index in zip(self.shape.outer, self.outer, strict=True):
            point[dim] = index
        point[self.shape.summed], point[self.shape.column] = row, self.column
        return point

    def _points(self, row: Index) -> list[list[Index]]:
        point, column = self._point(row), self.shape.column
        return [
            [self.emitter.add(p, lane) if dim == column else p for dim, p in enumerate(point)]
            for lane in range(self.shape.lanes)
        ]

    def _own(self, neutral: list[Value]) -> list[Value]:
        """What a thread makes of its rows."""
        emitter, shape = self.emitter, self.shape
        memrefs = [access.memref for access in self.nest.inputs if is_vector(access, shape.column)]
        aligned = is_aligned(memrefs, shape.lanes, [], emitter) if self.is_vector else None
        if aligned is None:
            return self._rows(neutral)
        with only_if(aligned, [value.type for value in neutral]) as branch:
            branch.give(self._rows(neutral))
        self.is_vector = False
        with otherwise(branch):
            branch.give(self._rows(neutral))
        return branch.results

    def _rows(self, neutral: list[Value]) -> list[Value]:
        emitter, rows, slices = self.emitter, self.nest.extents[self.shape.summed], self.shape.slices
        first, end = emitter.value(self.down), rows
        if slices > 1:
            assert isinstance(rows, int)
            length = -(-rows // slices)
            start = emitter.multiply(self.kernel.id("block_id", "y"), length)
            first = emitter.value(emitter.add(start, self.down))
            end = emitter.minimum(emitter.add(start, length), rows)
        step = _DOWN * _AHEAD
        # Of rows a thread takes several at once, as long as the last of them is there.
        together = emitter.subtract(end, step - _DOWN)
        carried = stepped(first, together, step, neutral, emitter, lambda row, c: self._add(row, _AHEAD, c))
        left = emitter.maximum(0, emitter.subtract(together, first))
        done = emitter.divide_up(left, step)
        rest = emitter.add(first, emitter.multiply(done, step))
        return stepped(rest, end, _DOWN, carried, emitter, lambda row, c: self._add(row, 1, c))

    def _add(self, row: Index, count: int, carried: list[Value]) -> list[Value]:
        """Add some rows, of which the first is given."""
        emitter, shape = self.emitter, self.shape
        rows = [self._points(emitter.add(row, number * _DOWN)) for number in range(count)]
        operands = [[self._load(access, points) for access in self.nest.inputs] for points in rows]
        each = len(self.reduction.found)
        result: list[Value] = []
        for lane in range(shape.lanes):
            values = [[access[lane] for access in of_row] for of_row in operands]
            points = [of_row[lane] for of_row in rows]
            result += self.reduction.add_points(
                carried[lane * each : (lane + 1) * each], points, values, emitter
            )
        return result

    def _load(self, access: Access, points: list[list[Index]]) -> list[Value]:
        if self.is_vector or self.shape.lanes == 1:
            return load_lanes(access, points, self.shape.column, self.emitter)
        return [read(access, point, self.emitter) for point in points]

    def _join(self, values: list[Value], inside: Value, partial: Sequence[Value] | None) -> None:
        """Combine what the threads of a column have, in their order, and store it."""
        emitter, shape, kernel = self.emitter, self.shape, self.kernel
        memory = [kernel.shared([_DOWN, _ACROSS], value.type) for value in values]
        for value, place in zip(values, memory, strict=True):
            store(value, place, [emitter.value(self.down), emitter.value(self.across)])
        kernel.barrier()
        first = compare("eq", self.down, emitter.value(0))
        with only_if(inside), only_if(first):
            each = len(self.reduction.found)
            for number in range(1, _DOWN):
                others = [
                    load(place, [emitter.value(number), emitter.value(self.across)]) for place in memory
                ]
                values = [
                    value
                    for lane in range(shape.lanes)
                    for value in self.reduction.join(
                        values[lane * each : (lane + 1) * each], others[lane * each : (lane + 1) * each]
                    )
                ]
            for lane, point in enumerate(self._points(0)):
                own = values[lane * each : (lane + 1) * each]
                if partial is None:
                    finish(kernel, self.steps, self.nest, self.reduction, own, point)
                else:
                    self._store_slice(own, point, partial)

    def _store_slice(self, values: list[Value], point: list[Index], partial: Sequence[Value]) -> None:
        emitter, nest = self.emitter, self.nest
        flat: Index = 0
        for dim in (*self.shape.outer, self.shape.column):
            flat = emitter.add(emitter.multiply(flat, nest.extents[dim]), point[dim])
        for value, memory in zip(values, partial, strict=True):
            store(value, memory, [self.kernel.id("block_id", "y"), emitter.value(flat)])


def _combine(
    kernel: Kernel, steps: Sequence[Step], shape: _Shape, partial: Sequence[Value], results: int
) -> None:
    """Combine the slices of a result, a thread each."""
    emitter = kernel.emitter
    with kernel.nests([steps[0].nest.operation]) as (nest,):
        collapse_dims([nest], emitter)
        reduction = Reduction.known(nest)
        number = kernel.number()
        with only_if(compare("ult", number, emitter.value(results))):

            def body(turn: Index, so_far: list[Value]) -> list[Value]:
                return reduction.join(
                    so_far, [load(memory, [emitter.value(turn), number]) for memory in partial]
                )

            values = stepped(0, shape.slices, 1, reduction.neutral(emitter), emitter, body)
            dims = [*shape.outer, shape.column]
            point: list[Index] = [0] * len(nest.parallel)
            for dim, index in zip(dims, split(number, [nest.extents[d] for d in dims], emitter), strict=True):
                point[dim] = index
            finish(kernel, steps, nest, reduction, values, point)
