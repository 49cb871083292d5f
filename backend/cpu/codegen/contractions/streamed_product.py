"""Some rows times a large matrix: the matrix is read once, in memory order, in blocks of its rows.

Going down a panel of a matrix with long rows meets another page at every step. Here all panels of a few rows of the
matrix are computed, which are in the second-level cache, before those of the next few, which are asked for meanwhile.
Sums are kept in the result, which stays in that cache, too. They are added up one product after the other, as in other
tiles, so blocks do not change them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .....dialect.mlir import Value, ir
from .....dialect.records import dataclass
from ....nests.contraction import Contraction
from ....nests.emit import PARALLEL, ForLoop, Index, prefetch
from ....processors.description import LINE_BYTES
from ....target import processor
from ..vectors.code import broadcast, broadcast_load, convert, lane_mask, vector_load
from ..vectors.temporaries import element_bytes
from ..vectors.width import vector_bytes, vector_registers
from .plan import is_supported
from .tile import multiply_add
from .walk import Task, Walk

LEAST_ROWS = 4
"""Fewer are added to the result a row of the matrix after the other."""

MOST_ROWS = 48
"""With more, packing panels takes no longer than reading and writing the result again and again."""

LONG_ROW = 2048
"""Panels of a matrix whose rows have so many bytes are too slow to read: no processor fetches the next rows ahead."""

LEAST_DEPTH = 64
"""With shorter sums, reading and writing the result takes as long as what is saved."""

MOST_BLOCK = 32
"""Rows of the matrix in a block."""

CHUNKS = 64
"""A row, or the part of it that goes through the whole matrix, takes this share of the second-level cache: so blocks of
16 rows take a quarter, and the next one another. With 512 KiB, 8 rows times (1000, 8000) take 2.6 ms, and 3.2 with half
of that; with blocks of 4 whole rows 5.0."""


@dataclass(frozen=True)
class StreamPlan:
    """The choices for one product."""

    lanes: int
    vectors: int
    """Vectors of a panel."""
    height: int
    """Rows of a tile."""
    block: int
    """Rows of the matrix that are multiplied before the next ones."""
    chunk: int
    """Columns that go through the whole matrix together."""

    @property
    def panel(self) -> int:
        """Columns computed together."""
        return self.lanes * self.vectors


def plan_streamed_product(contraction: Contraction) -> StreamPlan | None:
    """Choose tiles and blocks; None where the matrix is small, its rows are short, or there are many to multiply."""
    rows, columns = contraction.extent(contraction.row), contraction.extent(contraction.column)
    if not _is_plain(contraction) or not isinstance(rows, int) or not isinstance(columns, int):
        return None
    depth, size = contraction.extent(contraction.summed[0]), element_bytes(contraction.element)
    if not isinstance(depth, int) or not LEAST_ROWS <= rows <= MOST_ROWS or depth < LEAST_DEPTH:
        return None
    cache, row = processor().second_level_cache, columns * size
    if row < LONG_ROW or depth * row < cache:
        return None
    lanes = vector_bytes() // size
    vectors = max((1, 2, 3, 4), key=lambda width: _sums_per_load(rows, width))
    panels = -(-columns // (lanes * vectors))
    # The part of the result that a chunk makes takes half of the cache at most.
    chunks = max(-(-row // (cache // CHUNKS)), -(-2 * rows * row // cache))
    chunk = -(-panels // chunks) * lanes * vectors
    block = max(1, min(MOST_BLOCK, cache // 4 // (chunk * size)))
    return StreamPlan(lanes, vectors, _height(rows, vectors), block, chunk)


def _is_plain(contraction: Contraction) -> bool:
    """Whether it is a product of two matrices, or of each of some pairs, whose second one lies row after row."""
    right = contraction.right
    return (
        is_supported(contraction)
        and contraction.parts == 1
        and contraction.packed is None
        and contraction.element == contraction.stored
        and len(contraction.summed) == 1
        and right.is_contiguous_in(contraction.column)
        and all(right.access.mentions(dim) for dim in contraction.outer)
    )


def _height(rows: int, vectors: int) -> int:
    """Rows of a tile, of tiles that are nearly equal: sums, a row of the panel and one factor fill the registers."""
    highest = max(1, (vector_registers() - vectors - 1) // vectors)
    return -(-rows // -(-rows // highest))


def _sums_per_load(rows: int, vectors: int) -> float:
    """What a tile of so many vectors makes of a load; with few sums, additions wait for each other."""
    height = _height(rows, vectors)
    return height * vectors / max(height + vectors, 8)


class StreamedProduct(Walk):
    """Writes one product at the insertion point."""

    def __init__(self, task: Task, plan: StreamPlan) -> None:
        super().__init__(task)
        self.plan = plan
        self.vector = ir.VectorType.get([plan.lanes], task.contraction.element)
        contraction = task.contraction
        rows, columns = (contraction.extent(dim) for dim in (contraction.row, contraction.column))
        assert isinstance(rows, int)
        assert isinstance(columns, int)
        self.rows, self.columns = rows, columns
        (self.summed,) = contraction.summed
        self.chunk: Index = 0
        """The first column of the current chunk."""

    def emit(self) -> None:
        """Write the whole product."""
        emitter, depth, plan = self.emitter, self.contraction.extent(self.summed), self.plan
        with (
            self._loops(self.contraction.outer),
            emitter.loop(self.columns, plan.chunk, parallel=True) as self.chunk,
        ):
            last = emitter.minimum(emitter.add(self.chunk, plan.chunk), self.columns)
            if self.initial is not None:
                for masks in self._panels(last):
                    self._fill(masks)
            with emitter.loop(depth, plan.block) as start:
                stop = emitter.minimum(emitter.add(start, plan.block), depth)
                for masks in self._panels(last):
                    self._block(start, stop, masks)

    def _panels(self, last: Index) -> Iterator[list[Value | None]]:
        """Loops over the panels of a chunk, then over what the last one leaves; yields the masks of their vectors."""
        panel, lanes, emitter = self.plan.panel, self.plan.lanes, self.emitter
        whole = self.columns // panel * panel
        with self._panel_loop(self.chunk, emitter.minimum(last, whole)):
            yield [None] * self.plan.vectors
        left = self.columns - whole
        if left:
            with self._panel_loop(whole, last):
                valid = [left - v * lanes for v in range(-(-left // lanes))]
                yield [None if count >= lanes else lane_mask(emitter, count, lanes) for count in valid]

    @contextmanager
    def _panel_loop(self, start: Index, stop: Index) -> Iterator[None]:
        """A loop also where it runs once, as threads share what is left behind one."""
        loop = ForLoop(self.emitter, start, stop, self.plan.panel, [])
        loop.operation.attributes[PARALLEL] = ir.UnitAttr.get()
        with loop.body():
            self.points[self.contraction.column] = loop.position
            yield
            loop.end([])

    def _place(self, row: Index, v: int) -> list[Index]:
        """The point of a vector of the panel in a row."""
        point = list(self.points)
        if self.contraction.row is not None:
            point[self.contraction.row] = row
        column = self.contraction.column
        point[column] = self.emitter.add(point[column], v * self.plan.lanes)
        return point

    def _fill(self, masks: Sequence[Value | None]) -> None:
        vector = broadcast(self.initial, self.vector)
        with self.emitter.loop(self.rows) as row:
            for v, mask in enumerate(masks):
                self._store(vector, self._place(row, v), mask)

    def _block(self, start: Index, stop: Index, masks: Sequence[Value | None]) -> None:
        """Add the products of a block to all rows of a panel; the first tile asks for the next block."""
        height = self.plan.height
        first = self.rows - (self.rows - 1) // height * height
        self._tile(0, first, start, stop, masks, ahead=True)
        with self.emitter.loop(self.rows, height, first) as row:
            self._tile(row, height, start, stop, masks, ahead=False)

    def _tile(
        self, row: Index, height: int, start: Index, stop: Index, masks: Sequence[Value | None], ahead: bool
    ) -> None:
        rows = [self.emitter.add(row, offset) for offset in range(height)]
        places = [(self._place(each, v), mask) for each in rows for v, mask in enumerate(masks)]
        sums = [self._load_result(point, self.vector, mask) for point, mask in places]
        loop = ForLoop(self.emitter, start, stop, 1, sums, unroll=False)
        with loop.body():
            if ahead:
                self._ask(start, self.emitter.subtract(loop.position, start))
            self.points[self.summed] = loop.position
            loop.end(self._step(rows, loop.carried, masks))
        for total, (point, mask) in zip(loop.results, places, strict=True):
            self._store(total, point, mask)

    def _step(
        self, rows: Sequence[Index], sums: Sequence[Value], masks: Sequence[Value | None]
    ) -> list[Value]:
        """Add a product to every sum of a tile."""
        left, results = self.contraction.left, list[Value]()
        rights = [self._right(v, mask) for v, mask in enumerate(masks)]
        for row in rows:
            indices = left.access.indices(self.emitter, self._place(row, 0))
            factor = broadcast_load(left.access.memref, indices, left.conversion, self.vector)
            for right in rights:
                total = sums[len(results)]
                results.append(multiply_add(self.contraction, factor, right, total, self.vector))
        return results

    def _right(self, v: int, mask: Value | None) -> Value:
        right = self.contraction.right
        type = ir.VectorType.get([self.plan.lanes], right.access.memref.type.element_type)
        indices = right.access.indices(self.emitter, self._place(0, v))
        vector = vector_load(self.emitter, right.access.memref, indices, type, mask)
        return convert(right.conversion, vector, self.vector)

    def _ask(self, start: Index, step: Index) -> None:
        """Ask for a piece of the next block, in memory order: as much as a step of a panel reads."""
        emitter, plan, access = self.emitter, self.plan, self.contraction.right.access
        column, point = self.contraction.column, list(self.points)
        before = emitter.multiply(emitter.subtract(point[column], self.chunk), plan.block)
        place = emitter.add(before, emitter.multiply(step, plan.panel))
        row = emitter.divide(place, plan.chunk)
        first = emitter.add(self.chunk, emitter.subtract(place, emitter.multiply(row, plan.chunk)))
        point[self.summed] = emitter.add(emitter.add(start, plan.block), row)
        size = element_bytes(access.memref.type.element_type)
        for offset in range(0, plan.panel * size, LINE_BYTES):
            point[column] = emitter.add(first, offset // size)
            prefetch(access.memref, access.indices(emitter, point), 2)
