"""Contractions as dot products: vectors run along the sum, and a tile of results is added up across lanes at the end.

That is best for long sums and few results, and reads both operands in memory order where they are contiguous along
the sum: a matrix times a vector, x @ y.T, a tall matrix times a few columns.

For complex numbers, whose parts lie side by side, a result has two sums: of x * y, part by part, and of x times y
with its parts exchanged. The first, with every other lane negated, adds up to the real part, the
second to the imaginary one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .....dialect.mlir import Value, ir
from .....dialect.records import dataclass
from ....nests.complex_parts import flat_parts, split_parts
from ....nests.contraction import Contraction, Factor
from ....nests.emit import ForLoop, Index, create, load, store
from ....nests.nest import Access
from ....target import processor
from ..vectors.code import convert, lane_mask, vector_load
from ..vectors.temporaries import element_bytes, scratch
from ..vectors.width import vector_bytes
from .plan import masks_are_cheap
from .tile import broadcast_start, multiply_add, shuffle
from .walk import Task, Walk

MOST_PACKED = 8
"""So many columns that are not contiguous along the sum are copied."""

MOST_SUMS = 16
LEAST_SUMS = 8
"""Vectors of partial sums in a tile; with fewer, additions wait for each other."""


@dataclass(frozen=True)
class DotPlan:
    """The tile: so many rows and columns of results, `parts` vectors of partial sums for each."""

    rows: int
    columns: int
    parts: int
    depth_lanes: int
    """What a vector of partial sums holds."""
    at_once: int
    """So many vectors along the sum are multiplied at the same time, for as many sums of every result."""
    pack_right: bool
    masked: bool

    @property
    def lanes(self) -> int:
        """What a vector of results holds: the columns of a row."""
        return self.columns * self.parts


def plan_dot_products(contraction: Contraction) -> DotPlan | None:
    """Choose a tile; None where vectors along the sum are none."""
    if contraction.packed is not None:
        return None
    rows, columns = contraction.extent(contraction.row), contraction.extent(contraction.column)
    parts, element = contraction.parts, contraction.element
    if contraction.logical or (parts == 1 and element != contraction.stored) or len(contraction.summed) != 1:
        return None
    (summed,) = contraction.summed
    left, right = contraction.whole or (contraction.left.access, contraction.right.access)
    if not left.is_contiguous_in(summed) or columns == 0 or rows == 0 or (columns == 1 and parts == 1):
        return None
    lanes = vector_bytes() // element_bytes(element)
    depth = contraction.extent(summed)
    contiguous = right.is_contiguous_in(summed)
    if isinstance(columns, int) and isinstance(rows, int) and isinstance(depth, int):
        if depth * parts < lanes or (not contiguous and (columns > MOST_PACKED or rows < 4 * columns)):
            return None
    elif rows != 1 or not contiguous:
        return None
    return _tile(rows, columns, parts, lanes, not contiguous, masks_are_cheap(contraction))


def _tile(rows: int, columns: Index, parts: int, lanes: int, pack_right: bool, masked: bool) -> DotPlan:
    most = min(MOST_SUMS, 2 * lanes) // parts
    across = min(lanes // parts, most)
    if isinstance(columns, int):
        across = min(across, 1 << (columns - 1).bit_length())
    if rows >= 4:
        across = min(across, 4)
    height = max(1, min(most // across, 1 << (rows.bit_length() - 1)))
    at_once = max(1, LEAST_SUMS // (height * across * parts))
    return DotPlan(height, across, parts, lanes, at_once, pack_right, masked)


def cycles_along_columns(contraction: Contraction) -> float:
    """An estimate of the cycles that vectors along the columns take; infinity where sizes are not known."""
    sizes = _sizes(contraction)
    if sizes is None:
        return math.inf
    rows, columns, depth, lanes = sizes
    parts = contraction.parts
    sums = rows * -(-columns * parts // lanes) * parts
    found = max(sums, 8.0) * depth / 2
    if not contraction.right.is_contiguous_in(contraction.column):
        found += (0.4 if parts == 1 else 1.5) * columns * depth
    return found


def cycles_of_dot_products(contraction: Contraction, plan: DotPlan) -> float:
    """An estimate for vectors along the sum; none where sizes are not known, as these are taken where they can be."""
    sizes = _sizes(contraction)
    if sizes is None:
        return 0.0
    rows, columns, depth, lanes = sizes
    results, parts = rows * columns * contraction.parts, contraction.parts
    products = results * -(-depth * parts // lanes) / 2 * (1.1 if rows > 1 else 1.2)
    copies = processor().element_copy * columns * depth * parts if plan.pack_right else 0.0
    return products + processor().lane_sum * results + copies


def _sizes(contraction: Contraction) -> tuple[int, int, int, int] | None:
    """Rows, columns and depth of a product, and the lanes of a vector; None where they are not known."""
    dims = (contraction.row, contraction.column, *contraction.summed)
    rows, columns, *depths = (contraction.extent(dim) for dim in dims)
    known = [depth for depth in depths if isinstance(depth, int)]
    if not isinstance(rows, int) or not isinstance(columns, int) or len(known) < len(depths):
        return None
    return rows, columns, math.prod(known), vector_bytes() // element_bytes(contraction.element)


def plan_paying_dot_products(contraction: Contraction) -> DotPlan | None:
    """Choose a tile; None where vectors along the columns do better."""
    plan = plan_dot_products(contraction)
    if plan is None or cycles_of_dot_products(contraction, plan) >= cycles_along_columns(contraction):
        return None
    return plan


class DotProducts(Walk):
    """Writes one contraction at the insertion point."""

    def __init__(self, task: Task, plan: DotPlan) -> None:
        super().__init__(task)
        contraction, emitter = task.contraction, task.emitter
        self.plan = plan
        (self.summed,) = contraction.summed
        self.depth = emitter.multiply(contraction.extent(self.summed), plan.parts)
        self.columns = contraction.extent(contraction.column)
        self.vector = ir.VectorType.get([plan.depth_lanes], contraction.element)
        self.left, self.right = contraction.left, contraction.right
        if contraction.whole is not None:
            left, right = contraction.whole
            self.left = self._flat(left)
            self.right = Factor(right, None) if plan.pack_right else self._flat(right)
        self.buffer: Value | None = None

    def _flat(self, access: Access) -> Factor:
        return Factor(Access(flat_parts(access.memref, self.emitter), access.expressions, False), None)

    def emit(self) -> None:
        """Write the whole contraction."""
        with self._loops(self._around()):
            if self.plan.pack_right:
                self._pack_right()
            with self._loops(self._inside()):
                self._rows()

    def _pack_right(self) -> None:
        """Copy the columns, one after the other."""
        emitter, factor, point, parts = self.emitter, self.right, list(self.points), self.plan.parts
        self.buffer = scratch(emitter, [self.columns, self.depth], self.contraction.element)
        source = factor.access.memref if parts == 1 else split_parts(factor.access.memref, emitter)
        depth = self.contraction.extent(self.summed)
        with emitter.loop(depth) as step, emitter.loop(self.columns) as column:
            point[self.summed], point[self.contraction.column] = step, column
            for part in range(parts):
                last = [emitter.value(part)] if parts > 1 else []
                value = load(source, [*factor.access.indices(emitter, point), *last])
                value = convert(factor.conversion, value, self.contraction.element)
                to = emitter.add(emitter.multiply(step, parts), part)
                store(value, self.buffer, [emitter.value(column), emitter.value(to)])

    def _rows(self) -> None:
        rows, height, emitter = self.contraction.extent(self.contraction.row), self.plan.rows, self.emitter
        assert isinstance(rows, int)
        if rows % height and self.may_repeat:
            with emitter.loop(rows, height, parallel=True) as row:
                self._columns(emitter.minimum(row, rows - height), height)
            return
        whole = rows // height * height
        for first, stop, step in ((0, whole, height), (whole, rows, 1)):
            if first < stop:
                with emitter.loop(stop, step, first, parallel=True) as row:
                    self._columns(row, step)

    def _columns(self, row: Index, height: int) -> None:
        columns, across, emitter = self.columns, self.plan.columns, self.emitter
        if self.contraction.row is not None:
            self.points[self.contraction.row] = row
        with emitter.loop(columns, across, parallel=True) as column:
            if isinstance(columns, int) and columns % across == 0:
                self.tile([emitter.add(column, number) for number in range(across)], height, None)
            elif isinstance(columns, int) and columns > across and self.may_repeat:
                first = emitter.minimum(column, columns - across)
                self.tile([emitter.add(first, number) for number in range(across)], height, None)
            else:
                final = emitter.subtract(columns, 1)
                places = [emitter.minimum(emitter.add(column, number), final) for number in range(across)]
                valid = emitter.multiply(emitter.subtract(columns, column), self.plan.parts)
                self.tile(places, height, lane_mask(emitter, valid, self.plan.lanes))

    def tile(self, columns: Sequence[Index], height: int, mask: Value | None) -> None:
        """Compute some rows of the columns; `mask` has those that are valid."""
        sums = self._sums(columns, height)
        together = min(height, self.plan.depth_lanes // self.plan.lanes)
        width = self.plan.lanes
        for first in range(0, height, together):
            total = self._across_lanes(sums[first * width : (first + together) * width])
            for row in range(together):
                lanes = range(row * width, (row + 1) * width)
                part = shuffle(total, total, lanes) if together > 1 else total
                point = self._at(first + row, self.emitter.multiply(columns[0], self.plan.parts))
                self.finish(self._with_start(part, point, mask), point, mask)

    def _sums(self, columns: Sequence[Index], height: int) -> list[Value]:
        """Run along the sum: several vectors at once, single ones, and what remains; two vectors per complex number."""
        emitter, lanes, at_once = self.emitter, self.plan.depth_lanes, self.plan.at_once
        zero = emitter.splat(0, self.vector)
        count = height * len(columns) * self.plan.parts
        sums, start = [zero] * count, 0
        if at_once > 1:
            start = emitter.multiply(emitter.divide(self.depth, lanes * at_once), lanes * at_once)
            loop = ForLoop(emitter, 0, start, lanes * at_once, sums * at_once, unroll=False)
            with loop.body():
                ends: list[Value] = []
                for number in range(at_once):
                    place = emitter.add(loop.position, number * lanes)
                    carried = loop.carried[number * count : (number + 1) * count]
                    ends += self._step(place, carried, columns, height, None)
                loop.end(ends)
            sums = loop.results
            while len(sums) > count:
                half = len(sums) // 2
                sums = [self.add(a, b) for a, b in zip(sums[:half], sums[half:], strict=True)]
        sums = self._last_sums(sums, start, columns, height)
        if self.plan.parts == 1:
            return sums
        signs = [lane + lanes * (lane % 2) for lane in range(lanes)]
        negated = [create("arith.negf", [self.vector], [value]) for value in sums[::2]]
        real = [shuffle(value, minus, signs) for value, minus in zip(sums[::2], negated, strict=True)]
        return [value for pair in zip(real, sums[1::2], strict=True) for value in pair]

    def _last_sums(
        self, sums: Sequence[Value], start: Index, columns: Sequence[Index], height: int
    ) -> list[Value]:
        emitter, lanes = self.emitter, self.plan.depth_lanes
        whole = emitter.multiply(emitter.divide(self.depth, lanes), lanes)
        loop = ForLoop(emitter, start, whole, lanes, sums, unroll=False)
        with loop.body():
            loop.end(self._step(loop.position, loop.carried, columns, height, None))
        rest = emitter.subtract(self.depth, whole)
        if isinstance(rest, int) and rest == 0:
            return loop.results
        if self.plan.masked:
            return self._step(whole, loop.results, columns, height, lane_mask(emitter, rest, lanes))
        single = ForLoop(emitter, whole, self.depth, self.plan.parts, loop.results, unroll=False)
        with single.body():
            single.end(self._step(single.position, single.carried, columns, height, None, single=True))
        return single.results

    def _step(
        self,
        position: Index,
        sums: Sequence[Value],
        columns: Sequence[Index],
        height: int,
        mask: Value | None,
        single: bool = False,
    ) -> list[Value]:
        """Add a vector of products, or a single one in the first lanes, to every sum of the tile."""
        rights: list[Value] = []
        for column in columns:
            rights.append(self._read_right(position, column, mask, single))
            if self.plan.parts == 2:
                exchanged = [lane ^ 1 for lane in range(self.plan.depth_lanes)]
                rights.append(shuffle(rights[-1], rights[-1], exchanged))
        results: list[Value] = []
        for row in range(height):
            point = self._at(row, columns[0])
            point[self.summed] = position
            left = self._read(self.left, point, mask, single)
            for right in rights:
                results.append(multiply_add(self.contraction, left, right, sums[len(results)], self.vector))
        return results

    def _read_right(self, position: Index, column: Index, mask: Value | None, single: bool) -> Value:
        if self.buffer is not None:
            indices = [self.emitter.value(column), self.emitter.value(position)]
            return self._load(self.buffer, indices, None, mask, single)
        point = self._at(0, column)
        point[self.summed] = position
        return self._read(self.right, point, mask, single)

    def _read(self, factor: Factor, point: Sequence[Index], mask: Value | None, single: bool) -> Value:
        indices = factor.access.indices(self.emitter, point)
        return self._load(factor.access.memref, indices, factor.conversion, mask, single)

    def _load(
        self, memref: Value, indices: list[Value], conversion: str | None, mask: Value | None, single: bool
    ) -> Value:
        if not single:
            type = ir.VectorType.get([self.plan.depth_lanes], memref.type.element_type)
            return convert(conversion, vector_load(self.emitter, memref, indices, type, mask), self.vector)
        vector = self.emitter.splat(0, self.vector)
        *outer, last = indices
        for part in range(self.plan.parts):
            place = [*outer, self.emitter.value(self.emitter.add(last, part))]
            scalar = convert(conversion, load(memref, place), self.contraction.element)
            position = {"static_position": ir.DenseI64ArrayAttr.get([part])}
            vector = create("vector.insert", [self.vector], [scalar, vector], position)
        return vector

    def _across_lanes(self, vectors: Sequence[Value]) -> Value:
        """One vector with the sum over the lanes of each: halves of two are added until one is left.

        In every round a vector has groups of lanes, each with partial sums of one result.
        """
        group = lanes = self.plan.depth_lanes
        while len(vectors) > 1:
            pairs = zip(vectors[::2], vectors[1::2], strict=True)
            vectors = [self._halved(left, right, group, 2 * lanes) for left, right in pairs]
            group //= 2
        (total,) = vectors
        while group > 1:
            total = self._halved(total, total, group, total.type.shape[0])
            group //= 2
        return total

    def _halved(self, left: Value, right: Value, group: int, lanes: int) -> Value:
        """Add the halves of all groups in the first so many lanes of two vectors."""
        low = [lane for lane in range(lanes) if lane % group < group // 2]
        high = [lane + group // 2 for lane in low]
        return self.add(shuffle(left, right, low), shuffle(left, right, high))

    def _with_start(self, total: Value, point: list[Index], mask: Value | None) -> Value:
        """Add what sums start from."""
        if self.initial is not None:
            return self.add(total, broadcast_start(self.contraction, self.initial, total.type))
        return self.add(total, self._load_result(point, total.type, mask))

    def add(self, left: Value, right: Value) -> Value:
        is_integer = isinstance(self.contraction.element, ir.IntegerType)
        return create("arith.addi" if is_integer else "arith.addf", [left.type], [left, right])
