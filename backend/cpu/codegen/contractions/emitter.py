"""Write a contraction as loops around a kernel that keeps a tile of the result in registers.

For every panel of columns, the right operand is copied to a scratch buffer when that pays, and then tile
after tile of rows is computed: one accumulator per row and vector, one broadcast element of the left operand
per row and step. Where the left operand does not fit the second-level cache, this is done for blocks of it, and the
sums over a block are added to the result in memory.

The loops over outer dimensions, blocks of rows, panels and tiles may run in any order and side by side: an iteration
writes results, and memory for packed operands, of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from .....dialect.mlir import Value, ir
from .....dialect.records import replace
from ....nests.contraction import Factor
from ....nests.emit import ForLoop, Index
from ..vectors.code import broadcast, broadcast_load, convert, lane_mask, vector_load
from .packing import LeftPack, RightPack
from .plan import Plan, Tiles, tile_height
from .symmetric_product import mirror
from .tile import Block, Panel, PanelRange, TileStore, multiply_add, prefetch
from .walk import Task, Walk

AHEAD = 8
"""So many rows of the right operand before they are packed, they are asked for."""


class ContractionEmitter(Walk):
    """Writes one contraction at the insertion point."""

    def __init__(self, task: Task, plan: Plan) -> None:
        super().__init__(task)
        self.plan = plan
        self.may_repeat = self.may_repeat and plan.depth_block is None
        self.vector = ir.VectorType.get([plan.lanes], task.contraction.element)
        self.store = TileStore(task, plan)
        self.right_pack: RightPack | None = None
        self.left_pack: LeftPack | None = None
        self.packing = False
        """Whether vectors of the right operand are packed where they are read."""
        self.mirrored = task.mirrored
        self.rows_end: Index | None = None
        """Behind the last row that is needed of a panel, if that is not all."""

    def emit(self) -> None:
        """Write the whole contraction."""
        self._products()
        if self.mirrored is not None:
            mirror(self.contraction, self.plan, self.mirrored, self.emitter)

    def _products(self) -> None:
        """Compute all sums, or those that are not mirrored."""
        inside = self._inside()
        with self._loops(self._around()), self._depth_block() as products:
            if self.plan.pack_right and self.plan.pack_whole:
                self.right_pack = RightPack(self.contraction, self.plan, self.emitter)
                for panels in self._panel_ranges():
                    with self._each_panel(panels) as panel:
                        self.right_pack.fill(self.points, panel, products)
            if self.plan.inside_first:
                with self._loops(inside):
                    for panels in self._panel_ranges():
                        self._panels_first(panels, [], products)
                return
            with self._row_block(products) as block:
                if self.plan.pack_left:
                    self.left_pack = LeftPack(self.contraction, self.plan, self.emitter)
                    self.left_pack.fill(self.points, block)
                for panels in self._panel_ranges():
                    (self._rows_first if self.plan.rows_first else self._panels_first)(panels, inside, block)

    def _panels_first(self, panels: PanelRange, inside: Sequence[int], block: Block) -> None:
        """Panel after panel, and for each all rows."""
        with self._each_panel(panels) as panel:
            if self.mirrored is not None:
                self.rows_end = self.emitter.add(panel.column, panels.width * self.plan.lanes)
            if self.plan.pack_right and not self.plan.pack_whole:
                self.right_pack = RightPack(self.contraction, self.plan, self.emitter)
                if self.plan.pack_on_the_way:
                    self._tiles_that_pack(panel, panels.width, block)
                    return
                self.right_pack.fill(self.points, panel, block)
            with self._loops(inside):
                self._row_tiles(
                    panels.width, block, lambda row, height: self._tile(row, height, panel, block)
                )

    def _tiles_that_pack(self, panel: Panel, width: int, block: Block) -> None:
        """All rows of a panel, which the first tile copies as it reads it: the rows that whole tiles leave."""
        rows = self.contraction.extent(self.contraction.row)
        assert isinstance(rows, int)
        highest = tile_height(width, self.plan.parts)
        count = -(-rows // highest)
        height = -(-rows // count)
        first = rows - (count - 1) * height
        self.packing = True
        self._tile(0, first, panel, block)
        self.packing = False
        with self.emitter.loop(self._until(rows), height, first, parallel=True) as row:
            self._tile(row, height, panel, block)

    def _until(self, stop: Index) -> Index:
        """Where tiles of the panel end: those that begin behind the last row that is needed are left out."""
        return stop if self.rows_end is None else self.emitter.minimum(stop, self.rows_end)

    def _rows_first(self, panels: PanelRange, inside: Sequence[int], block: Block) -> None:
        """Rows after rows, and for each tile all panels."""

        def tiles(row: Index, height: int) -> None:
            with self._each_panel(panels) as panel:
                self._tile(row, height, panel, block)

        with self._loops(inside):
            self._row_tiles(panels.width, block, tiles)

    @contextmanager
    def _each_panel(self, panels: PanelRange) -> Iterator[Panel]:
        """A loop over panels; yields the current one."""
        with self.emitter.loop(
            panels.stop, panels.width * self.plan.lanes, panels.first, parallel=True
        ) as column:
            yield self._panel(column, panels.width)

    @contextmanager
    def _depth_block(self) -> Iterator[Block]:
        """A loop over blocks of products, if they are not summed in one go; yields the current one."""
        rows = self.contraction.extent(self.contraction.row)
        depth = self.contraction.extent(self.contraction.summed[-1])
        if self.plan.depth_block is None:
            yield Block(0, rows, 0, depth)
            return
        emitter, size = self.emitter, self.plan.depth_block
        with emitter.loop(emitter.maximum(depth, 1), size) as start:  # sums of nothing are stored, too
            stop = emitter.minimum(emitter.add(start, size), depth)
            yield Block(0, rows, start, emitter.subtract(stop, start), stop, depth)

    @contextmanager
    def _row_block(self, block: Block) -> Iterator[Block]:
        """A loop over blocks of rows, if there are any; yields the current one."""
        with self._pieces(block.last_row, self.plan.row_block, parallel=True) as (row, last_row):
            yield replace(block, row=row, last_row=last_row)

    @contextmanager
    def _pieces(
        self, extent: Index, size: int | None, parallel: bool = False
    ) -> Iterator[tuple[Index, Index]]:
        if size is None:
            yield 0, extent
            return
        with self.emitter.loop(extent, size, parallel=parallel) as start:
            yield start, self.emitter.minimum(self.emitter.add(start, size), extent)

    def _panel_ranges(self) -> list[PanelRange]:
        """Panels that cover all columns."""
        columns, plan = self.contraction.columns, self.plan
        if isinstance(columns, int):
            whole = min(columns, -(-columns // plan.lanes) // plan.vectors * plan.panel)
            tail = [PanelRange(whole, columns, plan.tail)] if plan.tail else []
            return [PanelRange(0, whole, plan.vectors), *tail]
        # Columns that need one vector only form a panel of their own.
        emitter = self.emitter
        room = emitter.add(columns, plan.panel - plan.lanes * plan.tail - 1)
        whole = emitter.multiply(emitter.divide(room, plan.panel), plan.panel)
        return [PanelRange(0, whole, plan.vectors), PanelRange(whole, columns, plan.tail)]

    def _panel(self, column: Index, width: int) -> Panel:
        self.points[self.contraction.column] = column
        columns, lanes = self.contraction.columns, self.plan.lanes
        starts = [self.emitter.add(column, v * lanes) for v in range(width)]
        masks: list[Value | None] = [None] * width
        known = isinstance(columns, int)
        for v in range(width):
            if known and (
                columns % lanes == 0
                or v < width - 1
                or (isinstance(column, int) and starts[v] + lanes <= columns)
            ):
                continue
            if known and self.may_repeat and not self.plan.masked and columns >= lanes:
                starts[v] = self.emitter.minimum(starts[v], columns - lanes)
            else:
                masks[v] = lane_mask(self.emitter, self.emitter.subtract(columns, starts[v]), lanes)
        return Panel(column, starts, masks)

    def _row_tiles(self, width: int, block: Block, tile: Callable[[Index, int], None]) -> None:
        """Cover all rows of the block by tiles for panels of so many vectors."""
        rows = self.contraction.extent(self.contraction.row)
        exact = self.plan if self.may_repeat or not isinstance(rows, int) else self.plan.exactly()
        tiles = exact.tiles(rows, width)
        if isinstance(rows, int):
            for part in tiles:
                self._known_tiles(part, rows, block, tile)
        else:
            self._unknown_tiles(tiles, rows, tile)

    def _known_tiles(self, tiles: Tiles, rows: int, block: Block, tile: Callable[[Index, int], None]) -> None:
        """Tiles of one height; the last one may compute rows of the one before again."""
        assert tiles.count is not None
        height, stop = tiles.height, tiles.first + tiles.count * tiles.height
        if self.plan.row_block is None:
            with self.emitter.loop(self._until(stop), height, tiles.first, parallel=True) as row:
                tile(self.emitter.minimum(row, rows - height) if stop > rows else row, height)
            return
        # Of the tiles, those that begin in the block.
        first, last = (self._tile_from(row, tiles) for row in (block.row, block.last_row))
        with self.emitter.loop(self._until(last), height, first, parallel=True) as row:
            tile(row, height)

    def _tile_from(self, row: Index, tiles: Tiles) -> Index:
        """The row at which the first tile begins that does not begin before a row."""
        assert tiles.count is not None
        emitter, height = self.emitter, tiles.height
        beyond = emitter.maximum(emitter.subtract(row, tiles.first), 0)
        number = emitter.divide_up(beyond, height)
        return emitter.add(emitter.multiply(emitter.minimum(number, tiles.count), height), tiles.first)

    def _unknown_tiles(self, tiles: list[Tiles], rows: Value, tile: Callable[[Index, int], None]) -> None:
        first: Index = 0
        for part in tiles:
            remaining = self.emitter.subtract(rows, first)
            whole = self.emitter.multiply(self.emitter.divide(remaining, part.height), part.height)
            stop = self.emitter.add(first, whole)
            with self.emitter.loop(self._until(stop), part.height, first, parallel=True) as row:
                tile(row, part.height)
            first = stop

    def _tile(self, row: Index, height: int, panel: Panel, block: Block) -> None:
        """Compute `height` rows of the panel from `row` on."""
        if self.contraction.row is not None:
            self.points[self.contraction.row] = row
        places = [
            (self._at(offset, panel.starts[v]), mask)
            for offset in range(height)
            for v, mask in enumerate(panel.masks)
        ]
        initial = self.store.start(places, len(panel.starts), block)
        results = self._sum(list(self.contraction.summed), 0, initial, height, panel, block)
        self.store.finish(results, places, len(panel.starts), block)

    def _sum(
        self, dims: list[int], depth: Index, carried: list[Value], height: int, panel: Panel, block: Block
    ) -> list[Value]:
        """Loops over the summed dimensions; `depth` counts their iterations."""
        if not dims:
            return self._step(depth, carried, height, panel)
        dim, *rest = dims
        extent = self.contraction.extent(dim) if rest else block.depth
        loop = ForLoop(self.emitter, 0, extent, 1, carried, unroll=bool(rest))
        with loop.body():
            self.points[dim] = loop.position if rest else self.emitter.add(block.start, loop.position)
            inner = self.emitter.add(self.emitter.multiply(depth, extent), loop.position)
            loop.end(self._sum(rest, inner, loop.carried, height, panel, block))
        return loop.results

    def _step(self, depth: Index, sums: list[Value], height: int, panel: Panel) -> list[Value]:
        """One step of all sums of the tile: for every row and part of the left operand, one per vector."""
        rights = [self._right(depth, v, panel) for v in range(len(panel.starts))]
        results: list[Value] = []
        for row in range(height):
            for part in range(self.contraction.parts):
                left = self._left(depth, row, part)
                for right in rights:
                    results.append(
                        multiply_add(self.contraction, left, right, sums[len(results)], self.vector)
                    )
        return results

    def _right(self, depth: Index, vector: int, panel: Panel) -> Value:
        if self.right_pack and not self.packing:
            return self.right_pack.vector(depth, vector, panel)
        if self.contraction.packed is not None:
            return self._packed_right(self.contraction.packed, vector, panel)
        factor, point = self.contraction.right, self._at(0, panel.starts[vector])
        indices = factor.access.indices(self.emitter, point)
        value = self._converted_load(factor, indices, panel.masks[vector])
        if self.right_pack:
            self.right_pack.keep(value, depth, vector)
            self._prefetch_right(point)
        return value

    def _packed_right(self, width: int, vector: int, panel: Panel) -> Value:
        """A vector of an operand that lies in memory in panels: they begin where those of the result do."""
        factor, emitter = self.contraction.right, self.emitter
        *others, _ = factor.access.expressions
        number = emitter.divide(panel.column, width)
        places = [self.points[e.position] if isinstance(e, ir.AffineDimExpr) else number for e in others]
        indices = [emitter.value(place) for place in (*places, vector * self.plan.lanes)]
        return self._converted_load(factor, indices, None)

    def _prefetch_right(self, point: list[Index]) -> None:
        """Ask for a line that will be packed soon: the processor does not guess where lines far apart are."""
        last = self.contraction.summed[-1]
        point[last] = self.emitter.add(point[last], AHEAD)
        access = self.contraction.right.access
        prefetch(access.memref, access.indices(self.emitter, point))

    def _converted_load(self, factor: Factor, indices: list[Value], mask: Value | None) -> Value:
        memref = factor.access.memref
        type = ir.VectorType.get([self.plan.lanes], memref.type.element_type)
        return convert(factor.conversion, vector_load(self.emitter, memref, indices, type, mask), self.vector)

    def _left(self, depth: Index, row: int, part: int) -> Value:
        if self.left_pack:
            first = self.points[self.contraction.row] if self.contraction.row is not None else 0
            return broadcast(self.left_pack.element(depth, self.emitter.add(first, row), part), self.vector)
        factor = self.contraction.left
        indices = factor.access.indices(self.emitter, self._at(row, 0))
        if factor.in_parts:
            indices = [*indices, self.emitter.value(part)]
        return broadcast_load(factor.access.memref, indices, factor.conversion, self.vector)
