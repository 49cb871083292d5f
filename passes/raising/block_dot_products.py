"""Compute the dot products of several iterations of a loop in one pass over the vector that they share.

    for j in range(n): x[j] = (b[j] - L[j, :j] @ x[:j]) / L[j, j]

Each sum has the one before it as its last element, which is what makes such loops recurrences: triangular solves,
factorisations. All but the last three elements are known when a block of four iterations begins, though. So a block of
four is

    s = L[j:j + 4, :j] @ x[:j]
    x[j] = (b[j] - s[0]) / L[j, j]
    x[j + 1] = (b[j + 1] - (s[1] + L[j + 1, j] * x[j])) / L[j + 1, j + 1]

and so on: a vector is read once for four sums, which are added up across lanes together. Of columns, eight are taken at
once, so that cache lines are read whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from ...dialect.attributes import type_to_mlir
from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.ops.contraction import Contract
from ...dialect.ops.elementwise import Add, Multiply, Subtract
from ...dialect.ops.indexing import Gather, Scatter
from ...dialect.ops.shape import Dim
from ...dialect.ops.slicing import INT64_MAX, DynamicSlice
from ...dialect.records import dataclass
from ...dialect.register import decode_attributes, op_class_of
from ..base import Pass, Statistics
from ..control_flow.linear import is_at_most_zero, linear
from ..control_flow.speculation import is_pure
from ..control_flow.structure import (
    CAST,
    FOR,
    add_yield,
    body,
    computed,
    constant_index,
    constant_tensor,
    control_ops,
    copy_of,
    functions_with_control_flow,
    index_from,
    operation_of,
    operations_in,
    producer,
    scalar_constant,
    trip_count,
    weft_op,
    yielded,
)
from ..rewriting import type_of
from .relations import Iterations, Row, row_of

Values: TypeAlias = "dict[Value, Value]"
"""What stands for the values of a body in a copy of it."""

BLOCK = 4
"""Iterations whose sums are computed together, a power of two: as many as a vector of AVX2 has float64. Cholesky's
factorisation of 400 rows takes 1.6 ms instead of 3.2, a solve with 2000 rows 0.74 ms instead of 0.95 (Zen 3)."""

WIDE_BLOCK = 8
"""The same where iterations go from column to column: as many float64 as a cache line has, which is read whole then.
LU's factorisation of 700 rows takes 30 ms instead of 43, one of 220 rows 0.69 ms instead of 1.02; with 16 columns, 300
rows take 1.50 ms instead of 1.66, and compile in twice the time (Zen 3)."""

_MOST_OPS = 48
"""Longer bodies are not written out so many times."""


@dataclass(frozen=True)
class BlockDotProducts(Pass):
    """Run an `scf.for` in blocks of iterations, with one pass over the vector that their dot products share.

    Of the other vector each iteration takes another row or column of a tensor. Both may become longer by an element
    with each iteration, at the end or at the beginning, and both may be parts of tensors that the loop writes: not,
    however, to elements that an earlier iteration of the block could have read as they were before. Sums of floats
    are added up in another order, as those of all reductions may be.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Look at the innermost loops."""
        for function in functions_with_control_flow(module):
            for loop in control_ops(function, FOR):
                products = _products(loop)
                if products:
                    _Blocks(loop, products).write()
                    statistics["dot products computed in blocks"] += len(products)


@dataclass(frozen=True)
class _Product:
    """A dot product of the iterations of a loop."""

    operation: Operation
    shared: Row
    """What all iterations read."""
    own: Row
    """What each has of its own."""
    moving: int
    """The axis of its tensor along which the iterations go."""
    direction: int
    """1 where they go up along it, -1 where they go down."""
    growth: int
    """1 where vectors grow at the end, -1 where they grow at the beginning, 0 where they do not."""


def _products(loop: Operation) -> list[_Product]:
    """The dot products that can be computed in blocks."""
    operations = operations_in(body(loop))
    trips = trip_count(loop)
    if (trips is not None and trips < 2 * BLOCK) or scalar_constant(loop.operands[2]) != 1:
        return []
    if len(operations) > _MOST_OPS or not any(op_class_of(op) is Contract for op in operations):
        return []
    if any(len(op.regions) or not is_pure(op) for op in operations[:-1]):
        return []
    found = [_product(Iterations(loop), op) for op in operations if op_class_of(op) is Contract]
    return [product for product in found if product is not None]


def _product(iterations: Iterations, operation: Operation) -> _Product | None:
    result = type_of(operation.results[0])
    rows = [row_of(operand) for operand in operation.operands]
    if result.rank or result.dtype not in (np.float32, np.float64) or None in rows:
        return None
    for shared, own in (rows, rows[::-1]):
        assert shared is not None
        assert own is not None
        paces = {axis: iterations.pace(index) for axis, index in own.at.items()}
        moving = [axis for axis, pace in paces.items() if pace != 0]
        growth = _growth(iterations, shared)
        direction = paces[moving[0]] if len(moving) == 1 else None
        if direction not in (1, -1) or growth is None:
            continue
        if direction < 0 and not _is_below(own.at[moving[0]], own, moving[0]):
            continue
        if any(iterations.pace(index) != 0 for index in shared.at.values()):
            continue
        if growth != _growth(iterations, own) or not all(_is_kept(iterations, row) for row in (shared, own)):
            continue
        return _Product(operation, shared, own, moving[0], direction, growth)
    return None


def _growth(iterations: Iterations, row: Row) -> int | None:
    """Whether a vector grows at its end (1), its beginning (-1) or not (0); None where it does something else."""
    start, stop = iterations.pace(row.start), iterations.pace(row.stop)
    if (start, stop) == (0, 0):
        return 0
    if (start, stop) == (0, 1) and row.start is None:
        return 1
    if (start, stop) == (-1, 0) and row.stop is None and row.start is not None:
        return -1 if _is_below(row.start, row, row.axis, 0) else None
    return None


def _is_below(index: Value, row: Row, axis: int, least: int = 1) -> bool:
    """Whether an index is known to be less than the extent of a tensor, by so much at least."""
    extent = type_of(row.base).shape[axis]
    return extent is not None and is_at_most_zero(linear(index) - extent + least)


def _is_kept(iterations: Iterations, row: Row) -> bool:
    """Whether iterations leave alone what later ones of the block have in common with the first."""
    if iterations.is_constant(row.base):
        return True
    writes = iterations.writes(row.base)
    return writes is not None and all(iterations.is_apart(row, write) for write in writes)


def _block_size(products: Sequence[_Product], trips: int | None) -> int:
    """How many iterations are computed together."""
    columns = [p.moving == type_of(p.own.base).rank - 1 and p.moving != p.own.axis for p in products]
    return WIDE_BLOCK if all(columns) and (trips is None or trips >= 2 * WIDE_BLOCK) else BLOCK


class _Blocks:
    """Writes a loop over blocks in front of a loop, which is left with the iterations behind the last block."""

    def __init__(self, loop: Operation, products: Sequence[_Product]) -> None:
        self._loop = loop
        self._iterations = Iterations(loop)
        self._products = products
        self._size = _block_size(products, trip_count(loop))
        self._block = body(loop)
        self._operations = operations_in(self._block)[:-1]

    def write(self) -> None:
        """Rewrite the loop."""
        loop = self._loop
        lower, upper, _, *initial = loop.operands
        with ir.InsertionPoint(loop), loop.location:
            end = self._end(lower, upper)
            step = constant_index(self._size)
            made = operation_of(FOR, [lower, end, step, *initial], [v.type for v in initial], regions=1)
        block = made.regions[0].blocks.append(ir.IndexType.get(), *(value.type for value in initial))
        with ir.InsertionPoint(block), loop.location:
            add_yield(self._iterations_of(*block.arguments), loop.location)
        loop.operands[0] = end
        for place, result in enumerate(made.results):
            loop.operands[3 + place] = result

    def _end(self, lower: Value, upper: Value) -> Value:
        """Behind the last block: where iterations end, or one would read behind the end of a tensor."""
        end = upper
        for index, extent in self._limits():
            first = self._computed([index], {self._block.arguments[0]: lower})[0]
            room = _arith("subi", index_from(extent), index_from(first))
            end = _arith("minsi", end, _arith("addi", lower, room))
        count = _arith("maxsi", _arith("subi", end, lower), constant_index(0))
        return _arith("addi", lower, _arith("andi", count, constant_index(-self._size)))

    def _limits(self) -> Iterator[tuple[Value, Value]]:
        """Indices that grow with the iterations, and extents that they are not known to stay below, as i64[]."""
        for product in self._products:
            own = product.own
            growing = [(own, product.moving, own.at[product.moving], 1)] if product.direction > 0 else []
            for row in (product.shared, own):
                if row.stop is not None and product.growth > 0:
                    growing.append((row, row.axis, row.stop, 0))
            for row, axis, index, least in growing:
                if not _is_below(index, row, axis, least):
                    yield index, weft_op(Dim, self._initial(row.base), axis=axis)

    def _initial(self, base: Value) -> Value:
        """What a tensor is before the loop."""
        if self._iterations.is_constant(base):
            return base
        return self._loop.operands[2 + base.arg_number]

    def _computed(self, wanted: Sequence[Value], values: Values) -> list[Value]:
        """Values of an iteration; `values` has what stands for block arguments."""
        return computed(wanted, self._operations, values)

    # A block

    def _iterations_of(self, first: Value, *carried: Value) -> list[Value]:
        """Write a block of iterations at the insertion point; returns what it hands over."""
        sums = [self._sums(product, first, carried) for product in self._products]
        before: list[Values] = []
        current = list(carried)
        for number in range(self._size):
            counter = _arith("addi", first, constant_index(number)) if number else first
            values = dict(zip(self._block.arguments, [counter, *current], strict=True))
            replaced = {}
            for product, together in zip(self._products, sums, strict=True):
                place = number if product.direction > 0 else self._size - 1 - number
                found = weft_op(Gather, together, constant_tensor(place), axes=(0,), position=0)
                found = self._completed(product, found, values, before)
                replaced[product.operation.results[0]] = found
            values.update(replaced)
            for operation in self._operations:
                if operation.results[0] not in replaced:
                    copy_of(operation, values)
            before.append(values)
            current = [values.get(value, value) for value in yielded(self._block)]
        return current

    def _sums(self, product: _Product, first: Value, carried: Sequence[Value]) -> Value:
        """The sums of what all iterations of a block have in common with the first one."""
        values = dict(zip(self._block.arguments, [first, *carried], strict=True))
        shared, own = product.operation.operands
        if row_of(shared) != product.shared:
            shared = own
        (vector,) = self._computed([shared], values)
        row = product.own
        self._computed(row.bounds, values)
        base = values.get(row.base, row.base)
        others = [axis for axis in row.at if axis != product.moving]
        if others:
            indices = [values.get(row.at[axis], row.at[axis]) for axis in others]
            base = weft_op(Gather, base, *indices, axes=tuple(others), position=0)
        start = values.get(row.at[product.moving], row.at[product.moving])
        if product.direction < 0:
            start = weft_op(Subtract, start, constant_tensor(self._size - 1))
        bounds: dict[int, tuple[Value | None, Value | None]] = {
            product.moving: (start, weft_op(Add, start, constant_tensor(self._size))),
            row.axis: (_in(values, row.start), _in(values, row.stop)),
        }
        matrix = _box(base, [bounds[axis] for axis in sorted(bounds)])
        labels = "ab" if product.moving < row.axis else "ba"
        extents = [
            self._size if label == "a" else n for label, n in zip(labels, type_of(matrix).shape, strict=True)
        ]
        matrix = operation_of(CAST, [matrix], [type_to_mlir(type_of(matrix).with_shape(extents))]).results[0]
        return weft_op(Contract, matrix, vector, spec=f"{labels},b->a")

    def _completed(self, product: _Product, total: Value, values: Values, before: Sequence[Values]) -> Value:
        """Add to a sum what vectors have gained since the first iteration of a block; `before` has those since."""
        if product.growth == 0:
            return total
        now = dict(values)
        self._computed([*product.shared.bounds, *product.own.bounds], now)
        for then in before:
            shared = self._written(product, then) or _element(product.shared, product.growth, now, then)
            own = _element(product.own, product.growth, now, then)
            total = weft_op(Add, total, weft_op(Multiply, own, shared))
        return total

    def _written(self, product: _Product, then: Values) -> Value | None:
        """What an iteration wrote last, if that is the element that the shared vector gains by it."""
        row = product.shared
        if self._iterations.is_constant(row.base):
            return None
        writes = self._iterations.writes(row.base)
        bound = linear(row.stop) if row.stop is not None else linear(row.start) - 1
        place = {**{axis: linear(index) for axis, index in row.at.items()}, row.axis: bound}
        scatter = producer(yielded(self._block)[row.base.arg_number - 1])
        if (
            not writes
            or writes[0] != place
            or scatter is None
            or decode_attributes(Scatter, scatter)["mode"] != "set"
        ):
            return None
        return then.get(scatter.operands[1], scatter.operands[1])


def _element(row: Row, growth: int, now: Values, then: Values) -> Value:
    """What a vector, as it is now, has gained by an iteration before."""
    bound = row.stop if growth > 0 else row.start
    assert bound is not None
    place = then[bound] if growth > 0 else weft_op(Subtract, then[bound], constant_tensor(1))
    indices = {axis: now.get(index, index) for axis, index in row.at.items()} | {row.axis: place}
    axes = tuple(sorted(indices))
    base = now.get(row.base, row.base)
    return weft_op(Gather, base, *(indices[axis] for axis in axes), axes=axes, position=0)


def _in(values: Values, value: Value | None) -> Value | None:
    return None if value is None else values.get(value, value)


def _box(base: Value, bounds: Sequence[tuple[Value | None, Value | None]]) -> Value:
    """The part of a tensor between bounds of each axis, where there are any."""
    starts = {axis: start for axis, (start, _) in enumerate(bounds) if start is not None}
    stops = {axis: stop for axis, (_, stop) in enumerate(bounds) if stop is not None}
    return weft_op(
        DynamicSlice,
        base,
        *starts.values(),
        *stops.values(),
        start=(0,) * len(bounds),
        stop=(INT64_MAX,) * len(bounds),
        step=(1,) * len(bounds),
        start_axes=tuple(starts),
        stop_axes=tuple(stops),
    )


def _arith(name: str, left: Value, right: Value) -> Value:
    """An op of arith on two indices."""
    return operation_of(f"arith.{name}", [left, right], [ir.IndexType.get()]).results[0]
