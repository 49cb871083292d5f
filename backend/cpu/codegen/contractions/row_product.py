"""Few rows times a matrix: run over the matrix once, in memory order, and add to the result in the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from .....dialect.mlir import Value, ir
from ....nests.emit import Index
from ..vectors.code import broadcast, broadcast_load, convert, lane_mask, vector_load
from .plan import Plan
from .tile import multiply_add
from .walk import Task, load_result, store_result

STEPS = 8
"""Rows of the matrix added in one go: so often less is the result read and written."""


class RowProduct:
    """Writes a contraction with a known, small number of rows at the insertion point."""

    def __init__(self, task: Task, plan: Plan) -> None:
        self.contraction, self.plan, self.emitter, self.initial = (
            task.contraction,
            plan,
            task.emitter,
            task.initial,
        )
        contraction = task.contraction
        rows = contraction.extent(contraction.row)
        assert isinstance(rows, int)
        self.rows = rows
        self.columns = contraction.columns
        self.vector = ir.VectorType.get([plan.lanes], contraction.element)
        self.point: list[Index] = [0] * len(contraction.nest.parallel)

    def emit(self) -> None:
        """Write the whole contraction."""
        self._outer(list(self.contraction.outer))

    def _outer(self, dims: list[int]) -> None:
        if dims:
            with self.emitter.loop(self.contraction.extent(dims[0])) as position:
                self.point[dims[0]] = position
                self._outer(dims[1:])
            return
        if self.initial is not None:
            self._columns(self._fill)
        (summed,) = self.contraction.summed
        depth = self.contraction.extent(summed)
        steps = STEPS if self.rows <= 2 else STEPS // 2
        whole = self.emitter.multiply(self.emitter.divide(depth, steps), steps)
        for start, stop, count in ((0, whole, steps), (whole, depth, 1)):
            with self.emitter.loop(stop, count, start) as position:
                self.point[summed] = position
                self._columns(partial(self._add, count))

    def _columns(self, write: Callable[[Sequence[Value | None]], None]) -> None:
        """Write something for all columns: whole panels, then what remains under a mask."""
        panel, lanes, column = self.plan.panel, self.plan.lanes, self.contraction.column
        whole = self.emitter.multiply(self.emitter.divide(self.columns, panel), panel)
        with self.emitter.loop(whole, panel, parallel=True) as position:
            self.point[column] = position
            write([None] * self.plan.vectors)
        left = self.emitter.subtract(self.columns, whole)
        if isinstance(left, int) and left == 0:
            return
        vectors = -(-left // lanes) if isinstance(left, int) else self.plan.vectors
        self.point[column] = whole
        valid = [self.emitter.subtract(left, v * lanes) for v in range(vectors)]
        write([lane_mask(self.emitter, count, lanes) for count in valid])

    def _at(self, row: int, step: int, vector: int) -> list[Index]:
        point = list(self.point)
        moves = [(self.contraction.row, row), (self.contraction.summed[0], step)]
        for dim, distance in [*moves, (self.contraction.column, vector * self.plan.lanes)]:
            if dim is not None:
                point[dim] = self.emitter.add(point[dim], distance)
        return point

    def _fill(self, masks: Sequence[Value | None]) -> None:
        vector = broadcast(self.initial, self.vector)
        for row in range(self.rows):
            for v, mask in enumerate(masks):
                self._store(vector, row, v, mask)

    def _store(self, vector: Value, row: int, v: int, mask: Value | None) -> None:
        store_result(self.contraction, self.emitter, vector, self._at(row, 0, v), mask)

    def _add(self, steps: int, masks: Sequence[Value | None]) -> None:
        left = self.contraction.left
        for v, mask in enumerate(masks):
            rights = [self._right(step, v, mask) for step in range(steps)]
            for row in range(self.rows):
                point = self._at(row, 0, v)
                total = load_result(self.contraction, self.emitter, point, self.vector, mask)
                for step, right in enumerate(rights):
                    place = left.access.indices(self.emitter, self._at(row, step, 0))
                    factor = broadcast_load(left.access.memref, place, left.conversion, self.vector)
                    total = multiply_add(self.contraction, factor, right, total, self.vector)
                self._store(total, row, v, mask)

    def _right(self, step: int, v: int, mask: Value | None) -> Value:
        right = self.contraction.right
        type = ir.VectorType.get([self.plan.lanes], right.access.memref.type.element_type)
        indices = right.access.indices(self.emitter, self._at(0, step, v))
        vector = vector_load(self.emitter, right.access.memref, indices, type, mask)
        return convert(right.conversion, vector, self.vector)
