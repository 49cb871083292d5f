"""A thread for a few neighbouring points of a loop nest: elementwise work, gathers, broadcasts, views, pads.

Threads go over the points in steps as long as the grid. Where all that is next to each other in memory starts at
multiples of 16 bytes, which is looked at when the kernel runs, a thread reads and writes 16 bytes at once.
"""

from __future__ import annotations

from ....dialect.mlir import Operation, Type, Value, ir
from ...nests.collapse import collapse_dims
from ...nests.emit import Emitter, ForLoop, Index, create
from ...nests.nest import LoopNest, loop_nest
from ...target import current
from ..code.control import only_if, otherwise
from ..code.kernel import Kernel
from ..code.points import asks_for_outputs, write_body, write_point
from ..code.points import write as store_point
from ..code.vectors import is_aligned, is_vector, lanes_of, load_lanes, store_lanes

THREADS = 256
_WAVES = 32
"""So many blocks there may be for each multiprocessor; more points are gone over in steps."""


def write(function: Operation, name: str, generic: Operation, fill: Operation | None, reason: str) -> None:
    """Write a nest whose parallel points are computed each on its own; it may start from what a fill sets."""
    kernel = Kernel(function, name, [generic, *([fill] if fill else [])], (THREADS, 1, 1))
    with kernel.body():
        copy = kernel.clone(generic)
        nest = loop_nest(copy)
        collapse_dims([nest], kernel.emitter)
        points = _Points(kernel, nest, None if fill is None else kernel.value(fill.operands[0]))
        points.emit()
        copy.erase()
    emitter = Emitter(function)
    outer = loop_nest(generic)
    total: Index = 1
    for extent, parallel in zip(outer.extents, outer.parallel, strict=True):
        total = emitter.multiply(total, extent) if parallel else total
    note = f"; {points.lanes} points a thread" if points.lanes > 1 else ""
    kernel.launch([grid(total, THREADS * points.lanes, emitter)], reason + note)


def grid(total: Index, each: int, emitter: Emitter) -> Index:
    """The blocks for so many points, of which a block takes some; no more than keep the machine busy."""
    gpu = current().gpu
    assert gpu is not None
    blocks = emitter.divide(emitter.add(total, each - 1), each)
    return emitter.maximum(1, emitter.minimum(blocks, gpu.multiprocessors * _WAVES))


class _Points:
    """The points of a nest, as they are given to threads."""

    def __init__(self, kernel: Kernel, nest: LoopNest, initial: Value | None) -> None:
        self.kernel, self.nest, self.emitter = kernel, nest, kernel.emitter
        self.initial = initial
        self.parallel = [dim for dim, parallel in enumerate(nest.parallel) if parallel]
        self.lanes = self._lanes()

    def _lanes(self) -> int:
        """How many neighbours along the last parallel dimension a thread takes."""
        nest = self.nest
        if not self.parallel or not all(nest.parallel) or self.initial is not None:
            return 1
        last = self.parallel[-1]
        if not all(access.is_contiguous_in(last) for access in nest.outputs):
            return 1
        lanes = lanes_of(nest.accesses, last)
        extent = nest.extents[last]
        if isinstance(extent, int) and (extent < lanes or (extent % lanes and len(self.parallel) > 1)):
            return 1
        return lanes

    def emit(self) -> None:
        """Write the loop of a thread, or those that it takes one of."""
        if self.lanes == 1:
            self._loop(1)
            return
        last = self.parallel[-1]
        memrefs = [access.memref for access in self.nest.accesses if is_vector(access, last)]
        is_row = len(self.parallel) == 1
        extents = [] if is_row else [self.nest.extents[last]]
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
        extents = [nest.extents[dim] for dim in self.parallel]
        if lanes > 1:
            extents[-1] = emitter.divide(extents[-1], lanes)
        total: Index = 1
        for extent in extents:
            total = emitter.multiply(total, extent)
        block = emitter.multiply(self.kernel.id("block_id"), THREADS)
        first = emitter.add(emitter.add(block, self.kernel.id("thread_id")), start)
        step = emitter.multiply(self.kernel.id("grid_dim"), THREADS)
        loop = ForLoop(emitter, first, total, step, [])
        with loop.body():
            positions: list[Index] = [0] * len(nest.parallel)
            for dim, position in zip(self.parallel, split(loop.position, extents, emitter), strict=True):
                positions[dim] = position
            if lanes > 1:
                last = self.parallel[-1]
                positions[last] = emitter.multiply(positions[last], lanes)
            self._write(positions, lanes)
            loop.end([])

    def _write(self, positions: list[Index], lanes: int) -> None:
        """Compute neighbours one by one, between reading and writing them together."""
        nest, emitter = self.nest, self.emitter
        if not all(nest.parallel) or self.initial is not None:
            initial = None if self.initial is None else [self.initial] * len(nest.outputs)
            results = write_point(nest, positions, emitter, initial)
            for value, access in zip(results, nest.outputs, strict=True):
                store_point(value, access, positions, emitter)
            return
        last = self.parallel[-1] if self.parallel else 0
        points = [
            [p if dim != last else emitter.add(p, lane) for dim, p in enumerate(positions)]
            for lane in range(lanes)
        ]
        asked = [True] * len(nest.inputs) + asks_for_outputs(nest)
        operands = [
            load_lanes(access, points, last, emitter)
            if is_asked
            else [create("ub.poison", [access.memref.type.element_type], [])] * lanes
            for access, is_asked in zip(nest.accesses, asked, strict=True)
        ]
        results = [
            write_body(nest, points[lane], [values[lane] for values in operands], emitter)
            for lane in range(lanes)
        ]
        for number, access in enumerate(nest.outputs):
            made = [values[number] for values in results]
            if lanes > 1:
                store_lanes(made, access, points[0], emitter)
            else:
                store_point(made[0], access, points[0], emitter)


def split(flat: Index, extents: list[Index], emitter: Emitter) -> list[Index]:
    """The position, in a box of such extents, of a point by its number; by 32 bits where they are enough."""
    total = 1
    for extent in extents:
        total = total * extent if isinstance(extent, int) else 0
    number = ir.IntegerType.get_signless(32) if 0 < total < 1 << 31 else emitter.index_type

    def convert(value: Value, type: Type) -> Value:
        return value if value.type == type else create("arith.index_castui", [type], [value])

    positions: list[Index] = []
    for extent in reversed(extents[1:]):
        operands = [convert(emitter.value(part), number) for part in (flat, extent)]
        flat = convert(create("arith.divui", [number], operands), emitter.index_type)
        positions.insert(0, convert(create("arith.remui", [number], operands), emitter.index_type))
    return [flat, *positions] if extents else []
