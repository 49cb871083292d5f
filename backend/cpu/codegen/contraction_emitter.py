"""Write a contraction as loops around a kernel that keeps a tile of the result in registers.

For every panel of columns, the right operand is copied to a scratch buffer when that pays, and then tile
after tile of rows is computed: one accumulator per row and vector, one broadcast element of the left operand
per row and step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ....dialect.mlir import Type, Value, ir
from .contraction import Contraction, Factor
from .contraction_plan import Plan
from .emit import Emitter, ForLoop, Index, create
from .packing import LeftPack, RightPack
from .vector_code import broadcast, broadcast_load, convert, lane_mask, vector_load, vector_store

Finish = Callable[[Value, "list[Index]", "Value | None"], None]
"""Takes a vector of results, the loop position of its first element, and the mask of valid lanes."""


class ContractionEmitter:
    """Writes one contraction at the insertion point.

    `initial` is the scalar that sums start from; without it they are added to the result in memory. `finish`
    takes the finished vectors; without it they are stored. `may_repeat` says whether it may do so twice.
    """

    def __init__(
        self,
        contraction: Contraction,
        plan: Plan,
        emitter: Emitter,
        initial: Value | None,
        finish: Finish | None = None,
        may_repeat: bool = True,
    ) -> None:
        self.contraction, self.plan, self.emitter = contraction, plan, emitter
        self.initial = initial
        self.finish = finish or self._store
        self.may_repeat = may_repeat and initial is not None
        self.tile: Index = 0
        self.vector = ir.VectorType.get([plan.lanes], contraction.element)
        self.columns = contraction.extent(contraction.column)
        self.points: list[Index] = [0] * len(contraction.nest.parallel)
        self.right_pack: RightPack | None = None
        self.left_pack: LeftPack | None = None

    def emit(self) -> None:
        """Write the whole contraction."""
        right = self.contraction.right.access
        around = [dim for dim in self.contraction.outer if right.mentions(dim)]
        inside = [dim for dim in self.contraction.outer if not right.mentions(dim)]
        with self._loops(around):
            if not inside:
                self._pack_left()
            with self.emitter.loop(self.columns, self.plan.panel, parallel=True) as column:
                self.points[self.contraction.column] = column
                masks = self._masks(column)
                if self.plan.pack_right:
                    self.right_pack = RightPack(self.contraction, self.plan, self.emitter)
                    self.right_pack.fill(self.points, masks)
                with self._loops(inside):
                    if inside:
                        self._pack_left()
                    self._row_tiles(masks)

    def _pack_left(self) -> None:
        """Copy the left operand, to memory that belongs to an iteration of the loops around."""
        if self.plan.pack_left:
            self.left_pack = LeftPack(self.contraction, self.plan, self.emitter, self.may_repeat)
            self.left_pack.fill(self.points)

    @contextmanager
    def _loops(self, dims: Sequence[int]) -> Iterator[None]:
        if not dims:
            yield
            return
        with self.emitter.loop(self.contraction.extent(dims[0]), parallel=True) as position:
            self.points[dims[0]] = position
            with self._loops(dims[1:]):
                yield

    def _masks(self, column: Index) -> list[Value | None]:
        """The valid lanes of every vector of the panel; None where all are."""
        if isinstance(self.columns, int) and self.columns % self.plan.panel == 0:
            return [None] * self.plan.vectors
        left = self.emitter.subtract(self.columns, column)
        lanes = self.plan.lanes
        return [
            lane_mask(self.emitter, self.emitter.subtract(left, v * lanes), lanes)
            for v in range(self.plan.vectors)
        ]

    def _row_tiles(self, masks: Sequence[Value | None]) -> None:
        rows = self.contraction.extent(self.contraction.row)
        if isinstance(rows, int) and len(self.plan.heights) > 1 and self.may_repeat:
            self._equal_row_tiles(rows, masks)
            return
        first: Index = 0
        for height in self.plan.heights:
            remaining = self.emitter.subtract(rows, first)
            whole = self.emitter.multiply(self.emitter.divide(remaining, height), height)
            stop = self.emitter.add(first, whole)
            with self.emitter.loop(stop, height, first, parallel=True) as row:
                self._tile(row, row, height, masks)
            first = stop

    def _equal_row_tiles(self, rows: int, masks: Sequence[Value | None]) -> None:
        """Tiles of one height, the last of which computes rows of the one before again: half the code."""
        height = self.plan.heights[0]
        with self.emitter.loop(rows, height, parallel=True) as row:
            self._tile(row, self.emitter.minimum(row, rows - height), height, masks)

    def _tile(self, tile: Index, row: Index, height: int, masks: Sequence[Value | None]) -> None:
        """Compute `height` rows of the panel from `row` on; `tile` is where the tile is packed."""
        self.tile = tile
        if self.contraction.row is not None:
            self.points[self.contraction.row] = row
        positions = [[self._at(row, v) for v in range(self.plan.vectors)] for row in range(height)]
        initial = [
            self._start(positions[row][v], masks[v])
            for row in range(height)
            for v in range(self.plan.vectors)
        ]
        results = self._sum(list(self.contraction.summed), 0, initial, height, masks)
        for row in range(height):
            for v, mask in enumerate(masks):
                self.finish(results[row * self.plan.vectors + v], positions[row][v], mask)

    def _at(self, row: int, vector: int) -> list[Index]:
        """The point of a row and vector in the current tile."""
        point = list(self.points)
        if self.contraction.row is not None:
            point[self.contraction.row] = self.emitter.add(point[self.contraction.row], row)
        column = self.contraction.column
        point[column] = self.emitter.add(point[column], vector * self.plan.lanes)
        return point

    def _start(self, point: list[Index], mask: Value | None) -> Value:
        if self.initial is not None:
            return broadcast(self.initial, self.vector)
        result = self.contraction.result
        return vector_load(
            self.emitter, result.memref, result.indices(self.emitter, point), self.vector, mask
        )

    def _store(self, vector: Value, point: list[Index], mask: Value | None) -> None:
        result = self.contraction.result
        vector_store(vector, result.memref, result.indices(self.emitter, point), mask)

    def _sum(
        self, dims: list[int], depth: Index, carried: list[Value], height: int, masks: Sequence[Value | None]
    ) -> list[Value]:
        """Loops over the summed dimensions; `depth` counts their iterations."""
        if not dims:
            return self._step(depth, carried, height, masks)
        dim, *rest = dims
        extent = self.contraction.extent(dim)
        loop = ForLoop(self.emitter, 0, extent, 1, carried, unroll=bool(rest))
        with loop.body():
            self.points[dim] = loop.position
            inner = self.emitter.add(self.emitter.multiply(depth, extent), loop.position)
            loop.end(self._sum(rest, inner, loop.carried, height, masks))
        return loop.results

    def _step(
        self, depth: Index, sums: list[Value], height: int, masks: Sequence[Value | None]
    ) -> list[Value]:
        """One step of all sums of the tile."""
        rights = [self._right(depth, v, mask) for v, mask in enumerate(masks)]
        results = []
        for row in range(height):
            left = self._left(depth, row)
            for v, right in enumerate(rights):
                results.append(self._multiply_add(left, right, sums[row * self.plan.vectors + v]))
        return results

    def _right(self, depth: Index, vector: int, mask: Value | None) -> Value:
        if self.right_pack:
            return self.right_pack.vector(depth, vector)
        factor = self.contraction.right
        indices = factor.access.indices(self.emitter, self._at(0, vector))
        return self._converted_load(factor, indices, mask)

    def _converted_load(self, factor: Factor, indices: list[Value], mask: Value | None) -> Value:
        memref = factor.access.memref
        type = ir.VectorType.get([self.plan.lanes], memref.type.element_type)
        return convert(factor.conversion, vector_load(self.emitter, memref, indices, type, mask), self.vector)

    def _left(self, depth: Index, row: int) -> Value:
        if self.left_pack:
            return self.left_pack.element(depth, self.tile, row, self.vector)
        factor = self.contraction.left
        indices = factor.access.indices(self.emitter, self._at(row, 0))
        return broadcast_load(factor.access.memref, indices, factor.conversion, self.vector)

    def _multiply_add(self, left: Value, right: Value, total: Value) -> Value:
        return multiply_add(left, right, total, self.vector)


def multiply_add(left: Value, right: Value, total: Value, type: Type) -> Value:
    """left * right + total: with one rounding for floats, wrapping for integers."""
    if isinstance(type.element_type, ir.IntegerType):
        product = create("arith.muli", [type], [left, right])
        return create("arith.addi", [type], [product, total])
    return create("vector.fma", [type], [left, right, total])
