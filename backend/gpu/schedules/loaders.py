"""How the threads of a block bring tiles of a factor to shared memory: neighbours at once where addresses allow it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

from ....dialect.made_ops import slice_of as part_of
from ....dialect.mlir import Type, Value, ir
from ....dialect.records import dataclass
from ...nests.contraction import Contraction, Factor
from ...nests.emit import Emitter, Index, create, store
from ...nests.nest import Access
from ..code.control import compare, only_if, otherwise
from ..code.points import read
from ..code.vectors import (
    BYTES,
    element_bytes,
    elements_of,
    is_aligned,
    is_vector,
    load_vector,
    rows_are_multiples,
)
from ..code.walk import split
from .row_boxes import BlockRows

THREADS = 256
"""Of a block."""


@dataclass(frozen=True)
class Box:
    """How large a tile is."""

    side: int
    """Its rows or columns."""
    depth: int
    """What of the sums is in it."""


class Staged(Protocol):
    """What a loader asks of the product that it loads for."""

    emitter: Emitter
    contraction: Contraction
    element: Type
    """In which is multiplied."""
    thread: Value
    outer: Sequence[Index]
    """Which of the products in a batch this is."""
    depth: Index
    """Of the sums, all that is summed being one number."""

    @property
    def summed(self) -> Sequence[Index]:
        """The extents of what is summed."""


def fits(extent: Index, side: int) -> bool:
    """Whether a tile is known to be no longer than what it is of, and so may be moved inside."""
    return isinstance(extent, int) and extent >= side


def slice_of(tiles: Value, place: Index) -> Value:
    """One of the tiles that lie behind each other in shared memory."""
    type = tiles.type
    extents, unknown = list(type.shape[1:]), ir.ShapedType.get_dynamic_size()
    number, size = (place, math.prod(extents)) if isinstance(place, int) else (unknown, 1)
    strides = [math.prod(extents[axis + 1 :]) for axis in range(len(extents))]
    layout = ir.StridedLayoutAttr.get(number * size, strides)
    result = ir.MemRefType.get(extents, type.element_type, layout, type.memory_space)
    offsets = [place, *[0] * len(extents)]
    return part_of("memref.subview", [tiles], result, offsets, [1, *extents]).results[0]


class Loader:
    """How the threads of a block bring a tile of a factor to shared memory."""

    def __init__(
        self,
        product_: Staged,
        factor: Factor,
        along: int | None,
        first: Index,
        extent: Index,
        box: Box,
        is_moved: bool = False,
        are_multiples: bool = False,
    ) -> None:
        """Of a factor with lines along a dimension, of which there are so many, from the first of a block on.

        A tile has some of them, as its box says. Extents that are not known `are_multiples` of what 16 bytes hold where
        the host has looked at that.

        Tiles that would reach over the end may be moved: those of lines are, which `first` says already, and all of
        what is summed, so that the first one has what the others leave over, behind zeros. All addresses in a tile are
        the same distances from each other then, and tiles after the first one ask for no ends.
        """
        assert along is not None
        self.product, self.factor, self.along = product_, factor, along
        self.first, self.extent, self.emitter = first, extent, product_.emitter
        self.box, self.is_moved, self._are_multiples = box, is_moved, are_multiples
        self.block_rows: BlockRows | None = None
        """The rows that it brings, if these are of several dimensions."""
        access, summed = factor.access, product_.contraction.summed
        self.by_depth = not access.is_contiguous_in(along)
        fast = summed[-1] if self.by_depth else along
        length = box.depth if self.by_depth else box.side
        self.lanes = self._lanes(access, fast, length)
        count = max(1, box.side * box.depth // (THREADS * self.lanes))
        self.places = [number for number in range(count) for _ in range(self.lanes)]
        self.starts = [self._start(number, length // self.lanes) for number in range(count)]

    def _lanes(self, access: Access, fast: int, length: int) -> int:
        """How many neighbours along a dimension a thread reads at once."""
        extent = self.product.contraction.nest.extents[fast]
        size = element_bytes(access.memref.type.element_type)
        is_known = isinstance(extent, int)
        if not size or not (is_known or self._are_multiples) or not is_vector(access, fast):
            return 1
        per_thread = self.box.side * self.box.depth // THREADS
        lanes = min(BYTES // size, length, per_thread)
        while lanes > 1 and ((is_known and extent % lanes) or not rows_are_multiples(access, lanes)):
            lanes //= 2
        return max(lanes, 1)

    def _start(self, number: int, per_line: int) -> tuple[Index, Index]:
        """The depth, and the place along the side, of what a thread reads in a turn."""
        emitter, thread = self.emitter, self.product.thread
        by = emitter.value(per_line)
        if THREADS % per_line == 0:  # turns are lines apart, which addresses say once for all of them
            line = create("arith.divui", [thread.type], [thread, by])
            line = emitter.value(emitter.add(line, number * (THREADS // per_line)))
            rest = create("arith.remui", [thread.type], [thread, by])
        else:
            place = emitter.value(emitter.add(thread, number * THREADS))
            line, rest = (create(name, [place.type], [place, by]) for name in ("arith.divui", "arith.remui"))
        within = emitter.multiply(rest, self.lanes)
        return (within, line) if self.by_depth else (line, within)

    def load(self, depth: Index) -> list[Value]:
        """What the thread reads of a tile that begins at a depth; zeros beyond the end."""
        return self.without_rest(*self.fetch(depth))

    def fetch(self, depth: Index, begins: bool = True) -> tuple[list[Value], list[Value | None]]:
        """What the thread reads of a tile, and for each element whether it is summed, if not always.

        Nobody waits for it yet. `begins` says that it may be the first one.
        """
        places = self.points(depth, begins)
        found = self._read([points for points, _ in places])
        return found, [condition for _, condition in places for _ in range(self.lanes)]

    def points(self, depth: Index, begins: bool = True) -> list[tuple[list[list[Index]], Value | None]]:
        """For each turn the neighbours that the thread reads, all in the factor, and whether they are summed."""
        return [self._points(depth, start, begins) for start in self.starts]

    def without_rest(self, values: Sequence[Value], inside: Sequence[Value | None]) -> list[Value]:
        """What was read, with zeros in the place of what is not summed."""
        zero = self.emitter.splat(0, self.factor.access.memref.type.element_type)
        return [
            value if condition is None else create("arith.select", [zero.type], [condition, value, zero])
            for condition, value in zip(inside, values, strict=True)
        ]

    def _read(self, places: Sequence[Sequence[list[Index]]]) -> list[Value]:
        """The elements at neighbouring points, as vectors where addresses allow it, which all threads find alike.

        Both ways end in vectors: if they ended in elements, LLVM would make one of them, without vectors.
        """
        access, emitter, lanes = self.factor.access, self.emitter, self.lanes
        if lanes == 1:
            return [read(access, point, emitter) for (point,) in places]
        aligned = is_aligned([access.memref], lanes, [], emitter)
        assert aligned is not None
        type = ir.VectorType.get([lanes], access.memref.type.element_type)
        with only_if(aligned, [type] * len(places)) as branch:
            branch.give([load_vector(access, points[0], lanes, emitter) for points in places])
        with otherwise(branch):
            elements = [[read(access, point, emitter) for point in points] for points in places]
            branch.give([create("vector.from_elements", [type], values) for values in elements])
        return [element for vector in branch.results for element in elements_of(vector)]

    def _points(
        self, depth: Index, start: tuple[Index, Index], begins: bool
    ) -> tuple[list[list[Index]], Value | None]:
        """Neighbours that a thread reads in a turn, all in the factor, and whether they are summed, if not always."""
        emitter, total, box = self.emitter, self.product.depth, self.box
        k, side = start
        deep, wide = (self.lanes, 1) if self.by_depth else (1, self.lanes)
        inside: Value | None = None
        if self.is_moved and isinstance(total, int) and total >= box.depth:
            missing = -total % box.depth
            begin = emitter.minimum(emitter.subtract(depth, missing), total - box.depth)
            position = emitter.value(emitter.add(begin, k))
            if missing and begins:
                inside = compare("sge", position, emitter.value(0))
                position = emitter.value(emitter.maximum(0, position))
        else:
            position = emitter.value(emitter.add(depth, k))
            inside = compare("ult", position, emitter.value(total))
            position = emitter.value(emitter.minimum(position, emitter.subtract(total, deep)))
        place = emitter.add(self.first, side)
        if not (self.is_moved and fits(self.extent, box.side)):
            place = emitter.minimum(place, emitter.subtract(self.extent, wide))
        places = {self.along: place} if self.block_rows is None else self.block_rows.clamped(side)
        return [self._point(position, places, lane) for lane in range(self.lanes)], inside

    def _point(self, position: Index, places: Mapping[int, Index], lane: int) -> list[Index]:
        emitter, contraction = self.emitter, self.product.contraction
        point: list[Index] = [0] * len(contraction.nest.parallel)
        for dim, index in zip(contraction.outer, self.product.outer, strict=True):
            point[dim] = index
        for dim, index in zip(
            contraction.summed, split(position, list(self.product.summed), emitter), strict=True
        ):
            point[dim] = index
        for dim, index in places.items():
            point[dim] = index
        fast = contraction.summed[-1] if self.by_depth else self.along
        point[fast] = emitter.add(point[fast], lane)
        return point

    def store(self, values: Sequence[Value], tile: Value) -> None:
        """Put what was read to its place in shared memory, in the type that is multiplied."""
        emitter = self.emitter
        for number, (k, side) in enumerate(self.starts):
            for lane in range(self.lanes):
                depth, place = (emitter.add(k, lane), side) if self.by_depth else (k, emitter.add(side, lane))
                self.put(values[number * self.lanes + lane], tile, depth, place)

    def put(self, value: Value, tile: Value, depth: Index, place: Index) -> None:
        """Store an element, in the type that is multiplied."""
        if self.factor.conversion is not None:
            value = create(self.factor.conversion, [self.product.element], [value])
        store(value, tile, [self.emitter.value(depth), self.emitter.value(place)])
