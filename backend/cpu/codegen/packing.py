"""Copies of contraction operands in the order in which the kernel reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ....dialect.mlir import Type, Value, ir
from .contraction import Contraction
from .contraction_plan import Plan
from .emit import Emitter, Index, create, load, store
from .vector_code import (
    broadcast,
    convert,
    lane_mask,
    transpose,
    vector_load,
    vector_store,
)


class RightPack:
    """One panel of the right operand: `depth` rows of as many columns as the kernel computes together.

    Columns beyond the end hold unspecified numbers, which only reach lanes that are not stored.
    """

    def __init__(self, contraction: Contraction, plan: Plan, emitter: Emitter) -> None:
        self.contraction, self.plan, self.emitter = contraction, plan, emitter
        self.factor = contraction.right
        self.vector_type = ir.VectorType.get([plan.lanes], contraction.element)
        self.transposed = self.factor.access.is_contiguous_in(contraction.summed[-1])
        *around, last = (contraction.extent(dim) for dim in contraction.summed)
        # The transposing copy writes whole squares: it needs room for a last one that is not full.
        self.extra = plan.lanes - 1 if self.transposed else 0
        depth = last
        for extent in around:
            depth = emitter.multiply(depth, extent)
        self.buffer = scratch(emitter, [emitter.add(depth, self.extra), plan.panel], contraction.element)

    def vector(self, depth: Index, vector: int) -> Value:
        """A vector of the panel."""
        indices = [self.emitter.value(depth), self.emitter.value(vector * self.plan.lanes)]
        return create("vector.load", [self.vector_type], [self.buffer, *indices])

    def fill(self, points: Sequence[Index], masks: Sequence[Value | None]) -> None:
        """Copy the panel at the current point."""
        point = list(points)
        *around, last = self.contraction.summed
        with summed_loops(self.contraction, self.emitter, around, point) as depth:
            start = self.emitter.multiply(depth, self.contraction.extent(last))
            if self.transposed:
                self._copy_squares(point, start)
            elif self.factor.access.is_contiguous_in(self.contraction.column):
                self._copy_rows(point, start, masks)
            else:
                self._copy_elements(point, start)

    def _copy_rows(self, point: list[Index], start: Index, masks: Sequence[Value | None]) -> None:
        last, column = self.contraction.summed[-1], self.contraction.column
        with self.emitter.loop(self.contraction.extent(last)) as position:
            row = self.emitter.add(start, position)
            for v, mask in enumerate(masks):
                here = list(point)
                here[last] = position
                here[column] = self.emitter.add(point[column], v * self.plan.lanes)
                self._put(self._load(here, mask), row, v * self.plan.lanes)

    def _copy_squares(self, point: list[Index], start: Index) -> None:
        """Rows of the operand become columns of the panel, a square of vectors at a time."""
        last, column, lanes = self.contraction.summed[-1], self.contraction.column, self.plan.lanes
        extent = self.contraction.extent(last)
        final = self.emitter.subtract(self.contraction.extent(column), 1)
        with self.emitter.loop(extent, lanes) as position:
            whole = isinstance(extent, int) and extent % lanes == 0
            mask = None if whole else lane_mask(self.emitter, self.emitter.subtract(extent, position), lanes)
            with self.emitter.loop(self.plan.panel, lanes) as offset:
                rows = []
                for lane in range(lanes):
                    here = list(point)
                    here[last] = position
                    wanted = self.emitter.add(self.emitter.add(point[column], offset), lane)
                    here[column] = self.emitter.minimum(wanted, final)
                    rows.append(self._load(here, mask))
                for lane, vector in enumerate(transpose(rows)):
                    row = self.emitter.add(self.emitter.add(start, position), lane)
                    self._put(vector, row, offset)

    def _copy_elements(self, point: list[Index], start: Index) -> None:
        last, column = self.contraction.summed[-1], self.contraction.column
        final = self.emitter.subtract(self.contraction.extent(column), 1)
        access = self.factor.access
        with self.emitter.loop(self.contraction.extent(last)) as position:
            row = self.emitter.add(start, position)
            with self.emitter.loop(self.plan.panel) as offset:
                here = list(point)
                here[last] = position
                here[column] = self.emitter.minimum(self.emitter.add(point[column], offset), final)
                value = load(access.memref, access.indices(self.emitter, here))
                value = convert(self.factor.conversion, value, self.contraction.element)
                store(value, self.buffer, [self.emitter.value(row), self.emitter.value(offset)])

    def _load(self, point: Sequence[Index], mask: Value | None) -> Value:
        access = self.factor.access
        type = ir.VectorType.get([self.plan.lanes], access.memref.type.element_type)
        indices = access.indices(self.emitter, point)
        vector = vector_load(self.emitter, access.memref, indices, type, mask)
        return convert(self.factor.conversion, vector, self.vector_type)

    def _put(self, vector: Value, row: Index, column: Index) -> None:
        indices = [self.emitter.value(row), self.emitter.value(column)]
        vector_store(vector, self.buffer, indices, None)


class LeftPack:
    """The left operand, tile after tile of rows: for every step the elements of all rows of the tile.

    Only for sizes that are known. With `overlap` the last tile holds the last rows, some of which are in the
    tile before too; else rows beyond the end repeat the last one, and their results are not computed.
    """

    def __init__(self, contraction: Contraction, plan: Plan, emitter: Emitter, overlap: bool) -> None:
        self.contraction, self.plan, self.emitter = contraction, plan, emitter
        self.factor, self.overlap = contraction.left, overlap
        self.height = plan.heights[0]
        self.rows = contraction.extent(contraction.row)
        assert isinstance(self.rows, int)
        depth: Index = 1
        for dim in contraction.summed:
            depth = emitter.multiply(depth, contraction.extent(dim))
        tiles = -(-self.rows // self.height)
        self.buffer = scratch(emitter, [tiles, depth, self.height], contraction.element)

    def element(self, depth: Index, position: Index, row: int, type: Type) -> Value:
        """The element of a row of the tile for the rows from `position` on, as a vector."""
        tile = self.emitter.divide(position, self.height)
        indices = [self.emitter.value(index) for index in (tile, depth, row)]
        return broadcast(load(self.buffer, indices), type)

    def fill(self, points: Sequence[Index]) -> None:
        """Copy all rows."""
        point, row = list(points), self.contraction.row
        assert row is not None
        assert isinstance(self.rows, int)
        tiles, access = -(-self.rows // self.height), self.factor.access
        with self.emitter.loop(tiles, parallel=True) as tile:
            first = self.emitter.multiply(tile, self.height)
            if self.overlap:
                first = self.emitter.minimum(first, self.rows - self.height)
            with summed_loops(self.contraction, self.emitter, self.contraction.summed, point) as depth:
                for offset in range(self.height):
                    point[row] = self.emitter.minimum(self.emitter.add(first, offset), self.rows - 1)
                    value = load(access.memref, access.indices(self.emitter, point))
                    value = convert(self.factor.conversion, value, self.contraction.element)
                    indices = [self.emitter.value(index) for index in (tile, depth, offset)]
                    store(value, self.buffer, indices)


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


def scratch(emitter: Emitter, sizes: Sequence[Index], element: Type) -> Value:
    """Allocate a buffer for an iteration of the loops around."""
    dynamic = ir.ShapedType.get_dynamic_size()
    shape = [size if isinstance(size, int) else dynamic for size in sizes]
    type = ir.MemRefType.get(shape, element)
    operands = [size for size in sizes if not isinstance(size, int)]
    attributes = {
        "alignment": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 64),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(operands), 0]),
    }
    return create("memref.alloc", [type], operands, attributes)
