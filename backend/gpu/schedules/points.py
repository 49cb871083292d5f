"""A thread for a few neighbouring points of a loop nest: elementwise work, gathers, broadcasts, views, pads.

Threads go over the points in steps as long as the grid. Where all that is next to each other in memory starts at
multiples of 16 bytes, which is looked at when the kernel runs, a thread reads and writes 16 bytes at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

from ....dialect.mlir import Value
from ...nests.collapse import collapse_dims
from ...nests.emit import Emitter, Index
from ...nests.nest import Access, LoopNest, loop_nest, memref_size
from ...target import current_gpu
from ..code.control import only_if, otherwise
from ..code.kernel import Kernel
from ..code.points import write as store_point
from ..code.points import write_all, write_lanes, write_point
from ..code.row_reads import RowReads, row_reads
from ..code.vectors import is_aligned, is_vector, lanes_of, load_lanes, store_lanes
from ..code.walk import inverses, neighbours, split_by, stepped
from .device_schedule import DeviceSchedule, Run, points

THREADS = 256
_LINE = 32
"""Bytes that memory gives at least."""
_WAVES = 32
"""So many blocks there may be for each multiprocessor; more points are gone over in steps."""


class Points(DeviceSchedule):
    """A thread for each few elements, 16 bytes at a time where addresses allow it, also of rows that an index tells
    (`x[i]`).
    """

    reason = "no point needs another"

    @classmethod
    def match(cls, run: Run) -> Points | None:
        return cls(run) if run.nest is not None and all(run.nest.parallel) else None

    def seconds(self) -> float:
        """With what is read of memory in vain, where neighbours read what lies apart."""
        gpu, nest = current_gpu(), self.steps[0].nest
        apart = sum(map(partial(_lies_apart, nest), nest.inputs)) * points(nest) * _LINE
        return super().seconds() + apart / (gpu.figures.bytes_per_second or math.inf)

    def write(self, name: str) -> None:
        step = self.steps[0]
        generic = step.nest.operation
        given = [value for value in (*step.starts, step.number) if value is not None]
        words = _inverses(loop_nest(generic), Emitter(self.function))
        asked = list(dict.fromkeys(word for each in words.values() for word in each if word is not None))
        kernel = Kernel(self.function, name, [generic], (THREADS, 1, 1), given, given=asked)
        with kernel.nests([generic]) as (nest,):
            collapse_dims([nest], kernel.emitter)
            starts = [kernel.value(value) for value in step.starts]
            number = None if step.number is None else kernel.value(step.number)
            points = _Points(kernel, nest, starts, number)
            points.inverses = {
                lanes: [word if word is None else kernel.value(word) for word in each]
                for lanes, each in words.items()
            }
            points.emit()
        emitter = Emitter(self.function)
        outer = loop_nest(generic)
        extents = [e for e, parallel in zip(outer.extents, outer.parallel, strict=True) if parallel]
        total = emitter.product(extents)
        note = f"; {points.lanes} points a thread" if points.lanes > 1 else ""
        note += ", of rows that an index tells" if points.reads else ""
        kernel.launch([grid(total, THREADS * points.lanes, emitter)], self.title + note)


class Sums(Points):
    """A thread for each sum, of products of small matrices, say."""

    reason = "a thread for each"

    @classmethod
    def match(cls, run: Run) -> Sums | None:
        nest = run.nest
        return cls(run) if nest is not None and any(nest.parallel) and not all(nest.parallel) else None


def _lies_apart(nest: LoopNest, access: Access) -> bool:
    """Whether neighbours along the last dimension read what lies apart."""
    last = len(nest.parallel) - 1
    return not access.is_scalar and access.mentions(last) and not access.is_contiguous_in(last)


def grid(total: Index, each: int, emitter: Emitter) -> Index:
    """The blocks for so many points, of which a block takes some; no more than keep the machine busy."""
    gpu = current_gpu()
    blocks = emitter.divide_up(total, each)
    return emitter.maximum(1, emitter.minimum(blocks, gpu.multiprocessors * _WAVES))


def _inverses(nest: LoopNest, emitter: Emitter) -> dict[int, list[Value | None]]:
    """What the host computes for divisions by extents, of neighbours together and one by one."""
    collapse_dims([nest], emitter)
    parallel = [dim for dim, parallel in enumerate(nest.parallel) if parallel]
    return {
        lanes: inverses(_extents(nest, parallel, lanes, emitter), emitter)
        for lanes in dict.fromkeys([_lanes(nest, parallel), 1])
    }


def _extents(nest: LoopNest, parallel: Sequence[int], lanes: int, emitter: Emitter) -> list[Index]:
    """How many points there are along each dimension, so many neighbours of the last one being one."""
    extents = [nest.extents[dim] for dim in parallel]
    return [*extents[:-1], emitter.divide(extents[-1], lanes)] if extents else []


def _lanes(nest: LoopNest, parallel: Sequence[int]) -> int:
    """How many neighbours along the last parallel dimension a thread takes."""
    if not parallel or not all(nest.parallel):
        return 1
    last = parallel[-1]
    if not all(access.is_contiguous_in(last) for access in nest.outputs):
        return 1
    lanes = lanes_of(nest.accesses, last)
    extent = nest.extents[last]
    if isinstance(extent, int) and (extent < lanes or (extent % lanes and len(parallel) > 1)):
        return 1
    return lanes


class _Points:
    """The points of a nest, as they are given to threads."""

    inverses: Mapping[int, Sequence[Value | None]]
    """What the host has computed for divisions, by how many neighbours a thread takes."""

    def __init__(
        self, kernel: Kernel, nest: LoopNest, starts: Sequence[Value], number: Value | None = None
    ) -> None:
        self.kernel, self.nest, self.emitter = kernel, nest, kernel.emitter
        self.starts = starts
        if number is not None:
            nest.inputs[0] = Access(number, [], is_scalar=True)
        self.parallel = [dim for dim, parallel in enumerate(nest.parallel) if parallel]
        self.lanes = _lanes(nest, self.parallel)
        self.reads = row_reads(nest, self.parallel[-1], self.lanes) if self.lanes > 1 else []
        """Rows that the body reads by itself."""

    def emit(self) -> None:
        """Write the loop of a thread, or those that it takes one of."""
        if self.lanes == 1:
            self._loop(1)
            return
        last = self.parallel[-1]
        memrefs = [access.memref for access in self.nest.accesses if is_vector(access, last)]
        is_row = len(self.parallel) == 1
        extents = [] if is_row else [self.nest.extents[last]]
        tables = [op.operands[0] for op in self.reads]
        memrefs += tables
        extents += [memref_size(t, t.type.rank - 1) for t in tables if t.type.is_dynamic_dim(t.type.rank - 1)]
        aligned = is_aligned(memrefs, self.lanes, extents, self.emitter)
        assert aligned is not None
        with only_if(aligned) as branch:
            self._loop(self.lanes)
            extent = self.nest.extents[last]
            if is_row and not (isinstance(extent, int) and extent % self.lanes == 0):
                whole = self.emitter.multiply(self.emitter.divide(extent, self.lanes), self.lanes)
                self._loop(1, whole)
        with otherwise(branch):
            self._loop(1)

    def _loop(self, lanes: int, start: Index = 0) -> None:
        """Go over the points from one on, in steps as long as the grid."""
        emitter, nest = self.emitter, self.nest
        extents = _extents(nest, self.parallel, lanes, emitter)
        first = emitter.add(self.kernel.number(), start)
        step = emitter.multiply(self.kernel.id("grid_dim"), THREADS)

        def body(number: Index, _: list[Value]) -> list[Value]:
            position = split_by(emitter.value(number), extents, self.inverses[lanes], emitter)
            self._write(neighbours(nest, self.parallel, position, lanes, emitter))
            return []

        stepped(first, emitter.product(extents), step, [], emitter, body)

    def _write(self, points: list[list[Index]]) -> None:
        """Compute neighbours one by one, between reading and writing them together."""
        nest, emitter, lanes = self.nest, self.emitter, len(points)
        if not all(nest.parallel):
            results = write_point(nest, points[0], emitter, self.starts)
            write_all(results, nest, points[0], emitter)
            return
        last = self.parallel[-1] if self.parallel else 0
        rows = RowReads(self.reads, lanes, emitter)
        made = write_lanes(
            nest, points, lambda access: load_lanes(access, points, last, emitter), emitter, rows.element
        )
        for values, access in zip(made, nest.outputs, strict=True):
            if lanes > 1:
                store_lanes(values, access, points[0], emitter)
            else:
                store_point(values[0], access, points[0], emitter)
