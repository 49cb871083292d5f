"""What becomes of the sums of a product that a thread has: what follows is computed of them, and they are stored."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Type, Value
from ...nests.contraction import Contraction
from ...nests.emit import Index, create
from ...nests.nest import Access, LoopNest
from ..code.control import compare, only_if
from ..code.kernel import Kernel
from ..code.points import read, write_lanes
from ..code.points import write as store_point
from ..code.reduce import Reduction
from ..code.vectors import is_aligned, is_vector, lanes_of, load_lanes, store_lanes
from .steps import Step


class Results:
    """Writes what a thread does with its sums."""

    outer: Sequence[Index]
    """Which of the products in a batch the block computes."""
    quad: int
    """Neighbours in a row that a thread has sums of, and stores at once where it may."""

    def __init__(
        self,
        kernel: Kernel,
        contraction: Contraction,
        steps: Sequence[Step],
        nests: Sequence[LoopNest],
        is_asked_for: bool,
    ) -> None:
        """Of the first step, and the first nest in the kernel, which is a contraction; a second one follows it."""
        self.kernel, self.contraction, self.emitter = kernel, contraction, kernel.emitter
        self.steps, self.nests, self.is_asked_for = steps, nests, is_asked_for
        self.element: Type = contraction.element
        self.nest = contraction.nest
        self.rows, self.columns = contraction.extent(contraction.row), contraction.columns
        self.aligned: Value | None = None
        """Whether neighbours are where one access may take them, if that is not known."""

    def stored_at_once(self) -> int:
        """How many neighbours are stored at once, where their addresses allow it: one look at these is for all."""
        if not isinstance(self.columns, int) or self.columns % self.quad or not self.accesses_are_even():
            return 1
        memrefs = [access.memref for access, _ in self._vectors()]
        self.aligned = is_aligned(memrefs, self.quad, [], self.emitter)
        return self.quad

    def accesses_are_even(self) -> bool:
        """Whether neighbours in the result are neighbours in all arrays, and as many as are stored at once."""
        fits = all(lanes_of([access], dim) % self.quad == 0 for access, dim in self._vectors())
        return fits and self.quad > 1

    def _vectors(self) -> list[tuple[Access, int]]:
        """What is loaded and stored by neighbours, and along which dimension."""
        result = self.contraction.result
        own = [(access, self.contraction.column) for access in ([result] if self.is_asked_for else [])]
        last = len(result.expressions) - 1
        if len(self.nests) > 1:
            nest = self.nests[1]  # which may put what it makes in the place of the result
            own += [(access, last) for access in nest.inputs if access.memref != result.memref]
            own += [(access, last) for access in nest.outputs]
        return [(access, dim) for access, dim in own if is_vector(access, dim)]

    def is_inside(self, row: Value, column: Value) -> Value:
        """Whether a place is in the result."""
        extents = [self.emitter.value(extent) for extent in (self.rows, self.columns)]
        both = [compare("ult", at, extent) for at, extent in zip((row, column), extents, strict=True)]
        return create("arith.andi", [both[0].type], both)

    def store_places(
        self, values: Sequence[list[Value]], rows: Sequence[Index], columns: Sequence[Index]
    ) -> None:
        """Store what a thread has of some rows and columns, by neighbours where they are aligned."""
        lanes = self.stored_at_once()
        for row, own in zip(map(self.emitter.value, rows), values, strict=True):
            for start in range(0, len(columns), lanes):
                column = self.emitter.value(columns[start])
                with only_if(self.is_inside(row, column)):
                    self.store_neighbours(own[start : start + lanes], row, column)

    def store_neighbours(self, sums: list[Value], row: Value, column: Value) -> None:
        """Store neighbours, and what follows of them, from a place in the result on."""
        emitter, contraction = self.emitter, self.contraction
        points = []
        for lane in range(len(sums)):
            point: list[Index] = [0] * len(self.nest.parallel)
            for dim, index in zip(contraction.outer, self.outer, strict=True):
                point[dim] = index
            assert contraction.row is not None
            point[contraction.row], point[contraction.column] = row, emitter.add(column, lane)
            points.append(point)
        values = self._results(sums, points)
        if self.is_asked_for:
            self._put(values, contraction.result, points)
        if len(self.nests) > 1:
            self._follow(values, points)

    def _results(self, sums: list[Value], points: list[list[Index]]) -> list[Value]:
        """The sums, and what they start from, as they are stored."""
        emitter, result = self.emitter, self.contraction.result
        reduction = Reduction.known(self.nest)
        stored = self.contraction.stored
        if stored != self.element:
            conversion = "arith.trunci" if stored.width < self.element.width else "arith.extsi"
            sums = [create(conversion, [stored], [value]) for value in sums]
        initial = self.steps[0].initial
        if initial is None:
            before = [read(result, point, emitter) for point in points]
        else:
            before = [self.kernel.value(initial)] * len(sums)
        return [reduction.join([start], [value])[0] for start, value in zip(before, sums, strict=True)]

    def _follow(self, values: list[Value], points: list[list[Index]]) -> None:
        """Compute the nest that follows."""
        emitter, nest, result = self.emitter, self.nests[1], self.contraction.result
        dims = [expression.position for expression in result.expressions]
        own = [[point[dim] for dim in dims] for point in points]
        last = len(dims) - 1

        def operand(access: Access) -> list[Value]:
            if not access.is_scalar and access.memref == result.memref:
                return values
            if len(own) > 1 or access.is_scalar:
                return load_lanes(access, own, last, emitter, self.aligned)
            return [read(access, own[0], emitter)]

        for made, access in zip(write_lanes(nest, own, operand, emitter), nest.outputs, strict=True):
            self._put(made, access, own)

    def _put(self, values: list[Value], access: Access, points: list[list[Index]]) -> None:
        if len(values) > 1:
            store_lanes(values, access, points[0], self.emitter, self.aligned)
        else:
            store_point(values[0], access, points[0], self.emitter)
