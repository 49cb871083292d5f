"""Lowerings of sort, argsort and searchsorted.

Every row along the axis is copied into a scratch tensor, merge-sorted bottom-up, and copied to the result.
A merge pass goes from one half of the scratch tensor to the other and chooses each element without branching;
merging is stable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.mlir import Value, dialect, ir
from ...dialect.ops.sorting import Argsort, Searchsorted, Sort
from ...dialect.types import TensorType, normalize_axis
from .accumulators import computing_dtype, convert_scalar, part_dtype, parts
from .conversion import Conversion, Extent, OpInstance, lowers, scalar_type
from .loops import extract, for_loop, insert, loop_nest
from .scalars import ScalarBuilder

arith = dialect("arith")

_INT64 = np.dtype(np.int64)


def sorts_before(c: Conversion, dtype: np.dtype[Any], x: Value, y: Value) -> Value:
    """Whether one scalar in memory stands before another in ascending order, where NaN is last."""
    if kind(dtype) == "c":
        return _complex_sorts_before(c, dtype, x, y)
    if kind(dtype) != "f":
        order = ScalarBuilder(c, np.dtype(np.uint8) if kind(dtype) == "b" else dtype)
        return order.compare("lt", x, y)
    computing = computing_dtype(dtype)
    x, y = (convert_scalar(c, scalar, dtype, computing) for scalar in (x, y))
    real = ScalarBuilder(c, computing)
    return real.both(arith.CmpFOp(arith.CmpFPredicate.ULT, x, y).result, real.compare("eq", x, x))


def _complex_sorts_before(c: Conversion, dtype: np.dtype[Any], x: Value, y: Value) -> Value:
    """By real part, then by imaginary part, in groups: no NaN; imaginary part NaN; real part NaN; both NaN.

    Within a group the parts that are not NaN decide.
    """
    real = ScalarBuilder(c, part_dtype(dtype))
    pairs = list(zip(parts(c, x, dtype), parts(c, y, dtype), strict=True))
    group = ScalarBuilder(c, np.dtype(np.int8))
    groups = []
    for side in (0, 1):
        real_nan, imaginary_nan = (real.compare("ne", pair[side], pair[side]) for pair in pairs)
        weights = [
            group.select(is_nan, group.constant(weight), group.constant(0))
            for is_nan, weight in ((real_nan, 2), (imaginary_nan, 1))
        ]
        groups.append(group.op("arith.addi", *weights))
    (real_x, real_y), (imaginary_x, imaginary_y) = pairs
    # An ordered comparison with NaN is false: in a group whose real parts are NaN, they count as equal.
    real_differs = real.either(real.compare("lt", real_x, real_y), real.compare("gt", real_x, real_y))
    by_parts = real.select(
        real_differs,
        real.compare("lt", real_x, real_y),
        real.compare("lt", imaginary_x, imaginary_y),
    )
    same_group = group.compare("eq", *groups)
    return real.select(same_group, by_parts, group.compare("lt", *groups))


@dataclass(frozen=True)
class _RowSort:
    """Sorts a row of keys, and of payloads that travel with them, in scratch tensors of two halves each."""

    c: Conversion
    dtype: np.dtype[Any]
    descending: bool
    length: Value

    def sort(self, scratch: list[Value], passes: Value) -> list[Value]:
        """Sort the rows in the first halves, in as many passes as the length has halvings.

        The result is in the second halves if the number of passes is odd.
        """

        def merge_pass(iteration: Value, carried: list[Value]) -> Sequence[Value]:
            width = arith.ShLIOp(self.c.index(1), iteration).result
            return self._merge_runs(carried, arith.AndIOp(iteration, self.c.index(1)).result, width)

        return for_loop(self.c, 0, passes, scratch, merge_pass)

    def _merge_runs(self, scratch: list[Value], source: Value, width: Value) -> list[Value]:
        """Merge neighbouring sorted runs of a width in the source half into one run in the other half."""
        c = self.c
        target = arith.SubIOp(c.index(1), source).result
        twice = arith.ShLIOp(width, c.index(1)).result

        def merge_two(start: Value, carried: list[Value]) -> Sequence[Value]:
            middle = arith.MinSIOp(arith.AddIOp(start, width).result, self.length).result
            end = arith.MinSIOp(arith.AddIOp(start, twice).result, self.length).result

            def take_one(place: Value, state: list[Value]) -> Sequence[Value]:
                left, right, *rows = state
                from_left = self._takes_left(rows[0], source, (left, middle), (right, end))
                position = arith.SelectOp(from_left, left, right).result
                taken = [extract(row, scratch_place(c, row, source, position)) for row in rows]
                rows = [
                    insert(scalar, row, scratch_place(c, row, target, place))
                    for scalar, row in zip(taken, rows, strict=True)
                ]
                step = arith.IndexCastUIOp(ir.IndexType.get(), from_left).result
                next_left = arith.AddIOp(left, step).result
                next_right = arith.AddIOp(right, arith.SubIOp(c.index(1), step).result).result
                return [next_left, next_right, *rows]

            return for_loop(c, start, end, [start, middle, *carried], take_one)[2:]

        return for_loop(c, 0, self.length, scratch, merge_two, twice)

    def _takes_left(
        self, keys: Value, source: Value, left: tuple[Value, Value], right: tuple[Value, Value]
    ) -> Value:
        """Whether the next element is the left run's, which it is if the keys are equal.

        A run is given by its next position and its end.
        """
        c, flags = self.c, ScalarBuilder(self.c, np.dtype(np.bool_))

        def key(position: Value, end: Value) -> Value:
            # A run that is used up is read at its last element: in bounds, and without effect.
            inside = arith.MinSIOp(position, arith.SubIOp(end, c.index(1)).result).result
            return extract(keys, scratch_place(c, keys, source, inside))

        key_left, key_right = key(*left), key(*right)
        ends = (key_left, key_right) if self.descending else (key_right, key_left)
        right_first = sorts_before(c, self.dtype, *ends)
        left_is_used_up = arith.CmpIOp(arith.CmpIPredicate.sge, *left).result
        right_is_used_up = arith.CmpIOp(arith.CmpIPredicate.sge, *right).result
        right_wins = flags.either(right_first, left_is_used_up)
        return flags.either(right_is_used_up, flags.complement(right_wins))


def scratch_place(c: Conversion, scratch: Value, half: Value, position: Value) -> list[Value]:
    """The indices of a position in one half of a scratch tensor, whose axes between these have extent 1."""
    between = ir.RankedTensorType(scratch.type).rank - 2
    return [half, *[c.index(0)] * between, position]


def bit_length(c: Conversion, extent: Extent) -> Value:
    """The number of bits of an extent, as an index: how often it can be halved until nothing is left."""
    if isinstance(extent, int):
        return c.index(extent.bit_length())
    i64 = scalar_type(_INT64)
    zeros = c.operation("math.ctlz", [arith.IndexCastOp(i64, extent).result], [i64])
    bits = arith.SubIOp(c.constant(64, _INT64), zeros).result
    return arith.IndexCastOp(ir.IndexType.get(), bits).result


@lowers(Sort, Argsort)
def lower_sort(c: Conversion, op: OpInstance) -> Value:
    """Sort row by row; argsort lets the positions travel with the keys and keeps only them."""
    x, x_type = op.operands[0], op.operand_types[0]
    axis = normalize_axis(op.attributes["axis"], x_type.rank)
    extents = c.extents(x)
    length = c.index(extents[axis])
    row_sort = _RowSort(c, x_type.dtype, op.attributes["descending"], length)
    passes = _halvings(c, extents[axis])
    dtypes = [x_type.dtype, _INT64] if op.op_class is Argsort else [x_type.dtype]

    def sort_row(others: list[Value], carried: list[Value]) -> Sequence[Value]:
        def place_in_tensor(position: Value) -> list[Value]:
            return [*others[:axis], position, *others[axis:]]

        def load(position: Value, rows: list[Value]) -> Sequence[Value]:
            number = arith.IndexCastOp(scalar_type(_INT64), position).result
            scalars = [extract(x, place_in_tensor(position)), number][: len(rows)]
            return [
                insert(scalar, row, scratch_place(c, row, c.index(0), position))
                for scalar, row in zip(scalars, rows, strict=True)
            ]

        out, *scratch = carried
        rows = row_sort.sort(for_loop(c, 0, length, scratch, load), passes)
        half = arith.AndIOp(passes, c.index(1)).result

        def store(position: Value, results: list[Value]) -> Sequence[Value]:
            scalar = extract(rows[-1], scratch_place(c, rows[-1], half, position))
            return [insert(scalar, results[0], place_in_tensor(position))]

        return [*for_loop(c, 0, length, [out], store), *rows]

    others = [*extents[:axis], *extents[axis + 1 :]]
    initial = [c.empty(op.result_type, extents), *_scratch(c, x_type, axis, dtypes, extents[axis])]
    return loop_nest(c, others, initial, sort_row)[0]


def _scratch(
    c: Conversion, x: TensorType, axis: int, dtypes: Sequence[np.dtype[Any]], length: Extent
) -> list[Value]:
    """Tensors of two rows along the axis; each of another rank, and none of the result's.

    Two empty tensors of one type become one value when common subexpressions merge, and would share memory.
    """
    types = [
        TensorType((2, *[1] * (x.rank + number - 1), x.shape[axis]), dtype)
        for number, dtype in enumerate(dtypes)
    ]
    return [c.empty(scratch, [2, *[1] * (scratch.rank - 2), length]) for scratch in types]


def _halvings(c: Conversion, extent: Extent) -> Value:
    """How often a row can be halved until one element is left, as an index."""
    if isinstance(extent, int):
        return bit_length(c, max(extent - 1, 0))
    return bit_length(c, arith.MaxSIOp(arith.SubIOp(extent, c.index(1)).result, c.index(0)).result)


@lowers(Searchsorted)
def lower_searchsorted(c: Conversion, op: OpInstance) -> Value:
    """A binary search for every value, with the same number of steps for all of them."""
    keys, dtype = op.operands[0], op.operand_types[0].dtype
    length = c.index(c.extent(keys, 0))
    steps = bit_length(c, c.extent(keys, 0))
    one = c.index(1)

    def search(value: Value) -> Value:
        stored = c.store(value, dtype)

        def halve(_: Value, bounds: list[Value]) -> Sequence[Value]:
            """The place lies in [low, high]."""
            low, high = bounds
            middle = arith.ShRUIOp(arith.AddIOp(low, high).result, one).result
            open_ = arith.CmpIOp(arith.CmpIPredicate.slt, low, high).result
            key = extract(keys, [arith.MinSIOp(middle, arith.SubIOp(length, one).result).result])
            flags = ScalarBuilder(c, np.dtype(np.bool_))
            if op.attributes["side"] == "left":
                is_after = sorts_before(c, dtype, key, stored)
            else:
                is_after = flags.complement(sorts_before(c, dtype, stored, key))
            raise_low = flags.both(open_, is_after)
            lower_high = flags.both(open_, flags.complement(is_after))
            next_low = arith.SelectOp(raise_low, arith.AddIOp(middle, one).result, low).result
            return [next_low, arith.SelectOp(lower_high, middle, high).result]

        place = for_loop(c, 0, steps, [c.index(0), length], halve)[0]
        return arith.IndexCastOp(scalar_type(_INT64), place).result

    return c.map_elements([op.operands[1]], [op.operand_types[1]], [op.result_type], search)[0]
