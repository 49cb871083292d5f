"""Reductions along an axis that is not contiguous: several rows at a time, vectors of columns.

    totals[column : column + lanes] += row0[...] + row1[...] + row2[...] + row3[...]

The totals of few columns stay in registers; those of many columns lie in the first-level cache, and are read and
written once for four rows, or more where the processor follows so many streams. The order of additions is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from .....dialect.mlir import Operation, Value
from ....nests.emit import Emitter, ForLoop, Index, create
from ....nests.independence import any_order
from ....nests.nest import LoopNest
from ....nests.reductions import combine, combiners, widened_sum
from ....target import processor
from ..vectors.code import lane_mask, vector_load, vector_store
from ..vectors.width import vector_registers
from . import vector_reductions
from .vector_body import SplitBody, vector_of
from .vector_loops import VectorLoop, halves, streams

ROWS = 4
"""Rows that are combined before they are combined with the totals."""


def match_column_reduction(nest: LoopNest, order: Sequence[int], emitter: Emitter) -> ColumnReduction | None:
    """The vector form of a reduction around an innermost parallel loop, where there is a good one."""
    if len(order) < 2 or nest.parallel[order[-2]] or not nest.parallel[order[-1]]:
        return None
    rows, inner = order[-2], order[-1]
    if not streams(nest, inner) or not all(access.is_contiguous_in(inner) for access in nest.outputs):
        return None
    outputs = [access.memref for access in nest.outputs]
    if any(access.memref in outputs for access in nest.inputs):
        return None
    found = combiners(nest)
    if any(op is None for op in found):
        return None
    known = [op for op in found if op is not None]
    if len(known) == 1 and widened_sum(known[0]) is not None:
        widened = WidenedColumnSum(nest, rows, inner, emitter, known)
        if widened.lanes >= 4:
            return widened
    return ColumnReduction(nest, rows, inner, emitter, known)


class ColumnReduction(VectorLoop):
    """The loops over rows and, inside of it, columns."""

    def __init__(
        self, nest: LoopNest, rows: int, inner: int, emitter: Emitter, combiners: list[Operation]
    ) -> None:
        self.rows, self.combiners = rows, combiners
        super().__init__(nest, inner, emitter)

    def emit(self, bounds: tuple[Index, Index] | None) -> None:
        """Write the loops at the insertion point; all other dimensions have a position."""
        start, stop = bounds or (0, self.nest.extents[self.inner])
        in_registers = self._columns_in_registers(start, stop)
        if in_registers is not None:
            self._in_registers(in_registers, stop)
            return
        for first, last, count in self._ranges(max(ROWS, processor().column_rows)):
            with self.emitter.loop(last, count, first, unroll=False) as row:
                self._add_rows(row, count, start, stop)

    def _ranges(self, most: int) -> Iterator[tuple[Index, Index, int]]:
        """The first row, the last and how many at a time: of the loop over many, over `ROWS` and over single rows."""
        extent = self.nest.extents[self.rows]
        start: Index = 0
        fewer = min(ROWS, extent) if isinstance(extent, int) and extent else ROWS
        for count in dict.fromkeys((most, fewer, 1)):
            whole = self._whole(start, extent, count)
            if start != whole:
                yield start, whole, count
            start = whole

    def _unroll_factor(self) -> int:
        return 1

    def _columns_in_registers(self, start: Index, stop: Index) -> list[int] | None:
        """The positions of the vectors, where their totals fit into half of the registers."""
        if not isinstance(start, int) or not isinstance(stop, int):
            return None
        columns = list(range(start, stop, self.lanes))
        return columns if len(columns) * self._vectors() <= vector_registers() // 2 else None

    def _vectors(self) -> int:
        """How many vectors hold the totals of `lanes` columns."""
        return len(self.combiners)

    # Totals in registers

    def _in_registers(self, columns: list[int], stop: Index) -> None:
        masks = {column: self._mask(column, stop) for column in columns}
        totals = [vector for column in columns for vector in self._load_totals(column, stop, masks[column])]
        for first, last, count in self._ranges(ROWS):
            loop = ForLoop(self.emitter, first, last, count, totals, unroll=False)
            with loop.body():
                constants = [self._constants(loop.position, number) for number in range(count)]
                results: list[Value] = []
                for number, column in enumerate(columns):
                    own = loop.carried[number * self._vectors() : (number + 1) * self._vectors()]
                    rows_read = self._rows_from(loop.position, column, constants, masks[column])
                    results += self._combined(own, column, rows_read)
                loop.end(results)
            totals = loop.results
        for number, column in enumerate(columns):
            own = totals[number * self._vectors() : (number + 1) * self._vectors()]
            self._store_totals(own, column, stop, masks[column])

    # Totals in memory

    def _add_rows(self, row: Index, count: int, start: Index, stop: Index) -> None:
        constants = [self._constants(row, number) for number in range(count)]
        whole = self._whole(start, stop, self.lanes)
        for first, last in ((start, whole), (whole, stop)):
            if first == last:
                continue
            parallel = any_order([self.nest], [self.inner])
            with self.emitter.loop(last, self.lanes, first, unroll=False, parallel=parallel) as column:
                mask = None if last == whole else self._mask(column, stop)
                totals = self._load_totals(column, stop, mask)
                totals = self._combined(totals, column, self._rows_from(row, column, constants, mask))
                self._store_totals(totals, column, stop, mask)

    def _constants(self, row: Index, number: int) -> dict[Value, Value]:
        self.nest.fixed[self.rows] = self.emitter.add(row, number)
        return self._invariants()

    def _combined(
        self, totals: Sequence[Value], column: Index, rows: Iterator[dict[Value, Value]]
    ) -> list[Value]:
        """The totals of some columns with some rows added."""
        for known in rows:
            known.update(zip(self._output_arguments(), totals, strict=True))
            totals = self._evaluate(column, known)
        return list(totals)

    def _rows_from(
        self, row: Index, column: Index, constants: Sequence[dict[Value, Value]], mask: Value | None
    ) -> Iterator[dict[Value, Value]]:
        """What the body reads in some columns of one row after the other, each while that row has its position."""
        for number, constant in enumerate(constants):
            self.nest.fixed[self.rows] = self.emitter.add(row, number)
            yield self._inputs(column, constant, mask)

    def _load_totals(self, column: Index, stop: Index, mask: Value | None) -> list[Value]:
        points = self._points(column)
        return [self._load(access, points, mask) for access in self.nest.outputs]

    def _store_totals(self, totals: Sequence[Value], column: Index, stop: Index, mask: Value | None) -> None:
        points = self._points(column)
        for vector, access in zip(totals, self.nest.outputs, strict=True):
            vector_store(vector, access.memref, access.indices(self.emitter, points), mask)


class WidenedColumnSum(ColumnReduction):
    """Sums of f32 in f64: neighbouring rows are added in f32, and their sums in f64."""

    def _split(self) -> SplitBody:
        return vector_reductions.narrow_body(super()._split(), self.combiners[0])

    def _vectors(self) -> int:
        return 2

    def _combined(
        self, totals: Sequence[Value], column: Index, rows: Iterator[dict[Value, Value]]
    ) -> list[Value]:
        while vectors := [self._evaluate(column, known)[0] for known in islice(rows, ROWS)]:
            totals = [
                combine(self.combiners[0], total, create("arith.extf", [total.type], [half]))
                for total, half in zip(totals, halves(vector_reductions.pairwise_sum(vectors)), strict=True)
            ]
        return list(totals)

    def _load_totals(self, column: Index, stop: Index, mask: Value | None) -> list[Value]:
        access, type = self.nest.outputs[0], vector_of(self.combiners[0].results[0].type, self.lanes // 2)
        return [
            vector_load(self.emitter, access.memref, access.indices(self.emitter, points), type, half_mask)
            for points, half_mask in self._halves(column, stop, mask)
        ]

    def _store_totals(self, totals: Sequence[Value], column: Index, stop: Index, mask: Value | None) -> None:
        access = self.nest.outputs[0]
        for vector, (points, half_mask) in zip(totals, self._halves(column, stop, mask), strict=True):
            vector_store(vector, access.memref, access.indices(self.emitter, points), half_mask)

    def _halves(
        self, column: Index, stop: Index, mask: Value | None
    ) -> list[tuple[list[Index], Value | None]]:
        """Where the totals of the first and the second half of the columns are, and which of them there are."""
        half = self.lanes // 2
        places = [column, self.emitter.add(column, half)]
        if mask is None:
            return [(self._points(place), None) for place in places]
        return [
            (self._points(place), lane_mask(self.emitter, self.emitter.subtract(stop, place), half))
            for place in places
        ]
