"""Copies of contraction operands in the order in which the kernel reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .....dialect.mlir import Value, ir
from ....nests.contraction import Contraction
from ....nests.emit import Emitter, Index, create, load, store
from ..vectors.code import columns_of, convert, lane_mask, transpose, vector_load, vector_store
from ..vectors.temporaries import element_bytes, scratch
from .plan import Plan, tile_height
from .tile import Block, Panel


class RightPack:
    """A panel of the right operand, or all of them: a row for every product of a block, and the columns of the panel.

    Columns beyond the end hold unspecified numbers, which only reach lanes that are not stored.
    """

    def __init__(self, contraction: Contraction, plan: Plan, emitter: Emitter) -> None:
        self.contraction, self.plan, self.emitter = contraction, plan, emitter
        self.factor = contraction.right
        self.vector_type = ir.VectorType.get([plan.lanes], contraction.element)
        *around, last = (contraction.extent(dim) for dim in contraction.summed)
        transposed = self.factor.is_contiguous_in(contraction.summed[-1])
        self.piece = min(plan.lanes, 16 // element_bytes(contraction.element))
        """Products of a row that a transposing copy takes at once."""
        self.long_enough = _least(last, plan.depth_block) >= self.piece
        """Whether there are so many; where that is not known, masks are needed."""
        self.transposed = transposed and (plan.masked or self.long_enough)
        depth: Index = last if plan.depth_block is None else plan.depth_block
        for extent in around:
            depth = emitter.multiply(depth, extent)
        # The transposing copy writes whole pieces: it needs room for a last one that is not full.
        self.rows = emitter.add(depth, plan.lanes - 1 if self.transposed else 0)
        """Rows of a panel."""
        rows = self.rows
        if plan.pack_whole:
            panels = emitter.divide_up(contraction.columns, plan.panel)
            rows = emitter.multiply(rows, panels)
        self.buffer = scratch(emitter, [rows, plan.panel], contraction.element)

    def _first_row(self, panel: Panel) -> Index:
        """Where a panel begins."""
        if not self.plan.pack_whole:
            return 0
        return self.emitter.multiply(self.emitter.divide(panel.column, self.plan.panel), self.rows)

    def vector(self, depth: Index, vector: int, panel: Panel) -> Value:
        """A vector of a panel."""
        row = self.emitter.add(self._first_row(panel), depth)
        indices = [self.emitter.value(row), self.emitter.value(vector * self.plan.lanes)]
        return create("vector.load", [self.vector_type], [self.buffer, *indices])

    def keep(self, value: Value, depth: Index, vector: int) -> None:
        """Store a vector of the panel that was read, and converted, by the way."""
        self._put(value, depth, vector * self.plan.lanes)

    def fill(self, points: Sequence[Index], panel: Panel, block: Block) -> None:
        """Copy a panel at the current point."""
        point = list(points)
        *around, last = self.contraction.summed
        with summed_loops(self.contraction, self.emitter, around, point) as depth:
            start = self.emitter.multiply(depth, self.contraction.extent(last))
            start = self.emitter.add(self._first_row(panel), start)
            if self.transposed:
                self._copy_transposed(point, start, panel, block)
            elif self.factor.is_contiguous_in(self.contraction.column):
                self._copy_rows(point, start, panel, block)
            else:
                self._copy_elements(point, start, panel, block)

    def _copy_rows(self, point: list[Index], start: Index, panel: Panel, block: Block) -> None:
        last, column = self.contraction.summed[-1], self.contraction.column
        with self.emitter.loop(block.depth) as position:
            row = self.emitter.add(start, position)
            for v, (first, mask) in enumerate(zip(panel.starts, panel.masks, strict=True)):
                here = list(point)
                here[last] = self.emitter.add(block.start, position)
                here[column] = first
                self._put(self._load(here, mask), row, v * self.plan.lanes)

    def _copy_transposed(self, point: list[Index], start: Index, panel: Panel, block: Block) -> None:
        """Rows of the operand become columns of the panel, as many as vectors have lanes at a time."""
        lanes = self.plan.lanes
        if self.plan.masked:
            # All columns of the panel by the same code, which is long.
            whole = all(valid is None for valid in panel.masks)
            with self.emitter.loop(len(panel.starts) * lanes, lanes) as place:
                first = self.emitter.add(panel.starts[0], place)
                self._copy_vectors(point, self._rows(first, whole), start, place, block)
            return
        for v, first in enumerate(panel.starts):
            rows = self._rows(first, panel.masks[v] is None)
            self._copy_vectors(point, rows, start, v * lanes, block)

    def _rows(self, first: Index, whole: bool) -> list[Index]:
        """The rows for a vector from a column on, the last one again for those beyond."""
        emitter = self.emitter
        final = emitter.subtract(self.contraction.extent(self.contraction.column), 1)
        wanted = [emitter.add(first, lane) for lane in range(self.plan.lanes)]
        return wanted if whole else [emitter.minimum(row, final) for row in wanted]

    def _copy_vectors(
        self, point: list[Index], rows: Sequence[Index], start: Index, place: Index, block: Block
    ) -> None:
        """Rows of the operand become columns at a place of the panel, 128 bits of each at a time."""
        piece, extent, emitter = self.piece, block.depth, self.emitter
        with emitter.loop(extent, piece) as step:
            position, mask = step, None
            if not (isinstance(extent, int) and extent % piece == 0):
                if self.long_enough:
                    position = emitter.minimum(step, emitter.subtract(extent, piece))
                else:
                    mask = lane_mask(emitter, emitter.subtract(extent, step), piece)
            here, pieces = list(point), []
            here[self.contraction.summed[-1]] = emitter.add(block.start, position)
            for row in rows:
                here[self.contraction.column] = row
                pieces.append(self._load(here, mask, piece))
            for number, vector in enumerate(columns_of(pieces)):
                self._put(vector, emitter.add(emitter.add(start, position), number), place)

    def _copy_elements(self, point: list[Index], start: Index, panel: Panel, block: Block) -> None:
        last, column, parts = self.contraction.summed[-1], self.contraction.column, self.contraction.parts
        final = self.emitter.subtract(self.contraction.extent(column), 1)
        access, emitter = self.factor.access, self.emitter
        with emitter.loop(block.depth) as position:
            row, here = emitter.add(start, position), list(point)
            here[last] = emitter.add(block.start, position)
            for v, first in enumerate(panel.starts):
                with emitter.loop(self.plan.lanes // parts) as offset:
                    wanted = emitter.add(emitter.divide(first, parts), offset)
                    here[column] = emitter.minimum(wanted, final)
                    for part in range(parts):
                        indices = access.indices(emitter, here)
                        if self.factor.in_parts:
                            indices.append(emitter.value(part))
                        value = load(access.memref, indices)
                        value = convert(self.factor.conversion, value, self.contraction.element)
                        to = emitter.add(
                            emitter.add(emitter.multiply(offset, parts), v * self.plan.lanes), part
                        )
                        store(value, self.buffer, [emitter.value(row), emitter.value(to)])

    def _load(self, point: Sequence[Index], mask: Value | None, lanes: int | None = None) -> Value:
        access, lanes = self.factor.access, lanes or self.plan.lanes
        type = ir.VectorType.get([lanes], access.memref.type.element_type)
        indices = access.indices(self.emitter, point)
        vector = vector_load(self.emitter, access.memref, indices, type, mask)
        return convert(self.factor.conversion, vector, ir.VectorType.get([lanes], self.contraction.element))

    def _put(self, vector: Value, row: Index, column: Index) -> None:
        indices = [self.emitter.value(row), self.emitter.value(column)]
        vector_store(vector, self.buffer, indices, None)


class LeftPack:
    """The rows and products of a block of the left operand, converted: row after row.

    Rows are so long that those of a tile do not evict each other from the cache. Complex numbers lie there as parts.
    """

    def __init__(self, contraction: Contraction, plan: Plan, emitter: Emitter) -> None:
        self.contraction, self.plan, self.emitter = contraction, plan, emitter
        self.factor = contraction.left
        assert contraction.row is not None
        self.row: int = contraction.row
        self.first: Index = 0
        """The row of the operand that is the first one here."""
        depth: Index = 1
        for dim in contraction.summed:
            depth = emitter.multiply(depth, contraction.extent(dim))
        if plan.depth_block is not None:
            depth = plan.depth_block
        rows = contraction.extent(self.row)
        if plan.row_block is not None:
            # The last tile that begins in a block may end beyond it.
            rows = emitter.minimum(rows, plan.row_block + tile_height(1))
        # An odd number of vectors: then rows that follow each other lie in all parts of the cache.
        length = emitter.multiply(depth, contraction.parts)
        vectors = emitter.divide_up(length, plan.lanes)
        odd = emitter.add(emitter.multiply(emitter.divide(vectors, 2), 2), 1)
        self.buffer = scratch(emitter, [rows, emitter.multiply(odd, plan.lanes)], contraction.element)

    def element(self, depth: Index, row: Index, part: int) -> Value:
        """The element of a row, or a part of it, for a step of the sums."""
        emitter, parts = self.emitter, self.contraction.parts
        place = [emitter.subtract(row, self.first), emitter.add(emitter.multiply(depth, parts), part)]
        return load(self.buffer, [self.emitter.value(index) for index in place])

    def fill(self, points: Sequence[Index], block: Block) -> None:
        """Copy a block at the current point."""
        self.first = block.row
        emitter, point, rows = self.emitter, list(points), block.last_row
        if self.plan.row_block is not None:
            most = self.contraction.extent(self.row)
            rows = emitter.minimum(emitter.add(rows, tile_height(1)), most)
        count = emitter.subtract(rows, block.row)
        *around, last = self.contraction.summed
        with summed_loops(self.contraction, emitter, around, point) as turn:
            place = emitter.multiply(turn, self.contraction.extent(last))
            whole: Index = 0
            if self.factor.is_contiguous_in(self.row) and not around:
                whole = emitter.multiply(emitter.divide(count, self.plan.lanes), self.plan.lanes)
                with emitter.loop(whole, self.plan.lanes, parallel=True) as offset:
                    self._copy_squares(point, offset, block)
            with emitter.loop(count, 1, whole, parallel=True) as offset:
                point[self.row] = emitter.add(block.row, offset)
                self._copy_row(point, offset, place, block)

    def _copy_squares(self, point: Sequence[Index], offset: Index, block: Block) -> None:
        """Columns of the operand, as many as a vector has lanes, become rows."""
        emitter, lanes = self.emitter, self.plan.lanes
        (last,) = self.contraction.summed
        here, final = list(point), emitter.subtract(block.depth, 1)
        here[self.row] = emitter.add(block.row, offset)
        with emitter.loop(block.depth, lanes) as position:
            columns = []
            for lane in range(lanes):
                wanted = emitter.minimum(emitter.add(position, lane), final)
                here[last] = emitter.add(block.start, wanted)
                columns.append(self._load(here))
            for lane, vector in enumerate(transpose(columns)):
                self._put(vector, emitter.add(offset, lane), position)

    def _copy_row(self, point: Sequence[Index], row: Index, place: Index, block: Block) -> None:
        """Copy a row of the block to a place in a row: vectors, then what remains."""
        lanes, emitter, access = self.plan.lanes, self.emitter, self.factor.access
        last, here = self.contraction.summed[-1], list(point)
        whole: Index = 0
        if self.factor.is_contiguous_in(last):
            whole = emitter.multiply(emitter.divide(block.depth, lanes), lanes)
            with emitter.loop(whole, lanes) as position:
                here[last] = emitter.add(block.start, position)
                self._put(self._load(here), row, emitter.add(place, position))
        with emitter.loop(block.depth, 1, whole) as position:
            here[last] = emitter.add(block.start, position)
            for part in range(self.contraction.parts):
                indices = access.indices(emitter, here)
                if self.factor.in_parts:
                    indices.append(emitter.value(part))
                value = load(access.memref, indices)
                value = convert(self.factor.conversion, value, self.contraction.element)
                to = emitter.multiply(emitter.add(place, position), self.contraction.parts)
                store(value, self.buffer, [emitter.value(row), emitter.value(emitter.add(to, part))])

    def _load(self, point: Sequence[Index]) -> Value:
        access, lanes = self.factor.access, self.plan.lanes
        type = ir.VectorType.get([lanes], access.memref.type.element_type)
        vector = vector_load(self.emitter, access.memref, access.indices(self.emitter, point), type, None)
        return convert(self.factor.conversion, vector, ir.VectorType.get([lanes], self.contraction.element))

    def _put(self, vector: Value, row: Index, place: Index) -> None:
        vector_store(vector, self.buffer, [self.emitter.value(index) for index in (row, place)], None)


def _least(extent: Index, block: int | None) -> int:
    """The least number of products in a block, as far as is known."""
    if not isinstance(extent, int):
        return 0
    return extent if block is None else extent - (extent - 1) // block * block


@contextmanager
def summed_loops(
    contraction: Contraction, emitter: Emitter, dims: Sequence[int], point: list[Index], depth: Index = 0
) -> Iterator[Index]:
    """Loops over summed dimensions; yields the count of iterations done."""
    if not dims:
        yield depth
        return
    extent = contraction.extent(dims[0])
    with emitter.loop(extent) as position:
        point[dims[0]] = position
        inner = emitter.add(emitter.multiply(depth, extent), position)
        with summed_loops(contraction, emitter, dims[1:], point, inner) as result:
            yield result
