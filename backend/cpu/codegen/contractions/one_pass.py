"""Two products of vectors with one matrix, u = A @ x and v = y @ A, in one pass over it.

    for rows in blocks of A:  u[rows] = A[rows] @ x        (and what is computed from these elements)
                              v += y[rows] @ A[rows]       (rows that are in a cache by now)

`y` may be `u`, or what is computed from it. Rows are in parts of a fixed number, whose sums `v` is added up from at the
end: threads share the parts, and the result depends neither on them nor on whether the number of rows is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .....dialect.mlir import Value, ir
from .....dialect.records import dataclass
from ....nests.contraction import Contraction, match_contraction
from ....nests.emit import Emitter, ForLoop, Index, compare, create
from ....nests.nest import Access, LoopNest
from ..vectors.code import broadcast_load, lane_mask, vector_load, vector_store
from ..vectors.temporaries import scratch
from .dot_product import DotPlan, DotProducts, plan_paying_dot_products
from .epilogue import Epilogue, is_used_only_by, match_follower
from .plan import is_supported, masks_are_cheap
from .tile import broadcast_start, multiply_add
from .walk import Task, store_result

PART = 512
"""Rows whose products are added up by themselves: the sums of the parts are less than a hundredth of the matrix."""

MOST_BETWEEN = 256
"""What is computed between the products is code for one vector, once for whole blocks and once for the last one."""

MOST_STEPS = 4
"""Kernels between two products whose work is done along with the first, beside what follows that in its own."""

VECTORS = 2
"""Of columns that rows are added to in one go."""


@dataclass(frozen=True)
class Side:
    """One of the products: what sets its result to a number, and the nest."""

    fill: LoopNest
    contraction: Contraction

    @property
    def initial(self) -> Value:
        """What sums start from."""
        return self.fill.inputs[0].memref

    @property
    def vector(self) -> Access:
        """The factor that is no matrix."""
        return self.contraction.left.access


@dataclass(frozen=True)
class Pair:
    """Two products that may be written together."""

    rows: Side
    """Dot products of rows."""
    plan: DotPlan
    steps: Sequence[Epilogue]
    """What is computed from the dot products, one after the other."""
    sums: Side
    """Sums of rows."""

    @property
    def nests(self) -> list[LoopNest]:
        """What is written."""
        between = [step.nest for step in self.steps]
        return [*self._before, *between, self.sums.fill, self.sums.contraction.nest]

    @property
    def _before(self) -> list[LoopNest]:
        return [self.rows.fill, self.rows.contraction.nest]

    @property
    def stores_products(self) -> bool:
        """Whether something else reads the dot products."""
        known = [nest.operation for nest in self._before] + [step.nest.operation for step in self.steps]
        return not is_used_only_by(self.rows.contraction.result.memref, known)

    @property
    def made(self) -> list[Value]:
        """The memory that is written for each row."""
        found = [access.memref for step in self.steps for access in step.nest.outputs]
        return found + ([self.rows.contraction.result.memref] if self.stores_products else [])


def match_pair(
    nests: Sequence[LoopNest], fills: Callable[[LoopNest, LoopNest], bool], emitter: Emitter
) -> Pair | None:
    """See the first of some nests as two products of vectors with one matrix."""
    if len(nests) < 4 or not _is_vector_product(nests[1]) or not fills(nests[0], nests[1]):
        return None
    places = range(2, min(len(nests), MOST_STEPS + 4))
    at = next((number for number in places if _is_filled(nests[number:], fills)), None)
    first = _side(nests[0], nests[1])
    second = None if at is None else _side(nests[at], nests[at + 1])
    if at is None or first is None or second is None:
        return None
    plan = plan_paying_dot_products(first.contraction)
    if plan is None or not plan.masked or plan.pack_right or plan.rows != 1:
        return None
    made, steps = [first.contraction.result.memref], list[Epilogue]()
    for nest in nests[2:at]:
        step = match_follower(first.contraction, made, nest, plan.lanes, emitter, MOST_BETWEEN)
        if step is None or step.updates():
            return None
        steps.append(step)
        made += [access.memref for access in nest.outputs]
    pair = Pair(first, plan, steps, second)
    return pair if _fit(pair) else None


def _is_vector_product(nest: LoopNest) -> bool:
    return sorted(nest.parallel) == [False, True] and len(nest.inputs) == 2


def _is_filled(nests: Sequence[LoopNest], fills: Callable[[LoopNest, LoopNest], bool]) -> bool:
    return len(nests) > 1 and _is_vector_product(nests[1]) and fills(nests[0], nests[1])


def _side(fill: LoopNest, nest: LoopNest) -> Side | None:
    contraction = match_contraction(nest, None)
    if contraction is None or not is_supported(contraction) or contraction.parts != 1 or contraction.logical:
        return None
    if (
        contraction.element != contraction.stored
        or contraction.left.conversion
        or contraction.right.conversion
    ):
        return None
    if contraction.packed is not None or len(contraction.left.access.expressions) != 1:
        return None
    return Side(fill, contraction)


def _fit(pair: Pair) -> bool:
    """Whether the second product adds up the rows that the first one multiplies, and nothing overlaps."""
    first, second = pair.rows.contraction, pair.sums.contraction
    matrix = first.right.access.memref
    if second.right.access.memref != matrix or first.element != second.element:
        return False
    if not masks_are_cheap(second) or not second.right.is_contiguous_in(second.column):
        return False
    if any(extent == 0 for extent in (*first.nest.extents, *second.nest.extents)):
        return False
    made = pair.made
    sums, read = second.result.memref, [matrix, pair.rows.vector.memref, pair.rows.initial]
    read += [access.memref for step in pair.steps for access in step.nest.inputs]
    memory = [*made, sums, matrix, pair.rows.vector.memref, pair.sums.vector.memref]
    return (
        all(_is_whole(memref) for memref in memory)
        and sums not in [*made, *read, pair.sums.vector.memref]
        and not any(memref in (matrix, pair.rows.vector.memref) for memref in made)
    )


def _is_whole(memref: Value) -> bool:
    """Whether memory is no view of other memory: then it overlaps no other."""
    return isinstance(memref.owner, ir.Block) or memref.owner.operation.name in (
        "memref.alloc",
        "memref.get_global",
    )


class OnePass:
    """Writes two products at the insertion point."""

    def __init__(self, pair: Pair, emitter: Emitter) -> None:
        self.pair, self.emitter = pair, emitter
        task = Task(pair.rows.contraction, emitter, pair.rows.initial, self._finish, may_repeat=False)
        self.dots = DotProducts(task, pair.plan)
        contraction = pair.sums.contraction
        self.contraction = contraction
        (self.summed,) = contraction.summed
        self.rows, self.columns = contraction.extent(self.summed), contraction.columns
        self.lanes = pair.plan.depth_lanes
        self.vector = ir.VectorType.get([self.lanes], contraction.element)
        self.height = pair.plan.columns
        """Rows of a block."""

    def emit(self) -> None:
        """Write both."""
        emitter, rows = self.emitter, self.rows
        if isinstance(rows, int) and rows <= PART:
            self._part(0, rows, self.contraction.result.memref, [])
            return
        room = emitter.add(emitter.maximum(rows, 1), PART - 1)
        parts = emitter.divide(room, PART)
        sums = scratch(emitter, [parts, self.columns], self.contraction.element)
        with emitter.loop(parts, parallel=True) as part:
            start = emitter.multiply(part, PART)
            stop = emitter.minimum(emitter.add(start, PART), rows)
            self._part(start, stop, sums, [part])
        self._panels(lambda column, masks: self._add_parts(parts, sums, column, masks))

    def _part(self, start: Index, stop: Index, sums: Value, place: list[Index]) -> None:
        """Multiply some rows, and add them to a row of sums."""
        emitter, height = self.emitter, self.height
        self._panels(lambda column, masks: self._fill(sums, place, column, masks))
        blocks = emitter.divide(emitter.subtract(stop, start), height)
        whole = emitter.add(start, emitter.multiply(blocks, height))
        with emitter.loop(whole, height, start) as row:
            self.dots.tile([emitter.add(row, number) for number in range(height)], 1, None)
            self._add_rows(sums, place, row, height)
        with emitter.loop(stop, height, whole) as row:
            last = emitter.subtract(stop, 1)
            places = [emitter.minimum(emitter.add(row, number), last) for number in range(height)]
            self.dots.tile(places, 1, lane_mask(emitter, emitter.subtract(stop, row), self.pair.plan.lanes))
        with emitter.loop(stop, 1, whole) as row:
            self._add_rows(sums, place, row, 1)

    def _finish(self, vector: Value, point: list[Index], mask: Value | None) -> None:
        """Store dot products, and what is computed from them."""
        contraction = self.pair.rows.contraction
        if self.pair.stores_products:
            store_result(contraction, self.emitter, vector, point, mask)
        made = {contraction.result.memref: vector}
        for step in self.pair.steps:
            step.follow(made, point, mask)

    def _panels(self, write: Callable[[Index, Sequence[Value | None]], None]) -> None:
        """Write something for all columns: whole panels, then what remains under a mask."""
        emitter, lanes = self.emitter, self.lanes
        panel = VECTORS * lanes
        whole = emitter.multiply(emitter.divide(self.columns, panel), panel)
        with emitter.loop(whole, panel) as column:
            write(column, [None] * VECTORS)
        left = emitter.subtract(self.columns, whole)
        if isinstance(left, int) and left == 0:
            return
        vectors = -(-left // lanes) if isinstance(left, int) else VECTORS
        valid = [emitter.subtract(left, v * lanes) for v in range(vectors)]
        write(whole, [lane_mask(emitter, count, lanes) for count in valid])

    def _fill(self, sums: Value, place: list[Index], column: Index, masks: Sequence[Value | None]) -> None:
        """Start the sums of the first part from the number that all start from, others from 0."""
        start = broadcast_start(self.contraction, self.pair.sums.initial, self.vector)
        if place:
            zero = self.emitter.splat(0, self.vector)
            is_first = _is_zero(self.emitter, place[0])
            start = create("arith.select", [self.vector], [is_first, start, zero])
        for v, mask in enumerate(masks):
            vector_store(start, sums, self._indices(place, column, v), mask)

    def _add_rows(self, sums: Value, place: list[Index], row: Index, height: int) -> None:
        """Add so many rows of the matrix, each times its number, to sums."""
        contraction, emitter = self.contraction, self.emitter
        left, right = contraction.left.access, contraction.right.access
        rows = [emitter.add(row, step) for step in range(height)]
        points = (left.indices(emitter, self._point(each, 0)) for each in rows)
        factors = [broadcast_load(left.memref, point, None, self.vector) for point in points]

        def add(column: Index, masks: Sequence[Value | None]) -> None:
            for v, mask in enumerate(masks):
                indices = self._indices(place, column, v)
                total = vector_load(emitter, sums, indices, self.vector, mask)
                for each, factor in zip(rows, factors, strict=True):
                    point = self._point(each, emitter.add(column, v * self.lanes))
                    where = right.indices(emitter, point)
                    vector = vector_load(emitter, right.memref, where, self.vector, mask)
                    total = multiply_add(contraction, factor, vector, total, self.vector)
                vector_store(total, sums, indices, mask)

        self._panels(add)

    def _add_parts(self, parts: Index, sums: Value, column: Index, masks: Sequence[Value | None]) -> None:
        """Add up the sums of all parts in order."""
        emitter, result = self.emitter, self.contraction.result
        for v, mask in enumerate(masks):
            first = vector_load(emitter, sums, self._indices([0], column, v), self.vector, mask)
            loop = ForLoop(emitter, 1, parts, 1, [first], unroll=False)
            with loop.body():
                vector = vector_load(
                    emitter, sums, self._indices([loop.position], column, v), self.vector, mask
                )
                loop.end([self.dots.add(loop.carried[0], vector)])
            vector_store(loop.results[0], result.memref, self._indices([], column, v), mask)

    def _point(self, row: Index, column: Index) -> list[Index]:
        point: list[Index] = [0, 0]
        point[self.summed], point[self.contraction.column] = row, column
        return point

    def _indices(self, place: Sequence[Index], column: Index, v: int) -> list[Value]:
        emitter = self.emitter
        return [emitter.value(index) for index in (*place, emitter.add(column, v * self.lanes))]


def _is_zero(emitter: Emitter, index: Index) -> Value:
    return compare("eq", emitter.value(index), emitter.value(0))
