"""Lowerings of sort, argsort and searchsorted.

Every row along the axis is copied into a scratch tensor, merge-sorted bottom-up, and copied to the result.
A merge pass goes from one half of the scratch tensor to the other, without branches, and is stable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...dialect.mlir import Value, dialect, ir
from ...dialect.ops.sorting import Argsort, Searchsorted, Sort
from ...dialect.types import TensorType, normalize_axis
from .conversion import Conversion, Extent, OpInstance, lowers, scalar_type
from .loops import extract, for_loop, insert, loop_nest
from .scalars import ScalarBuilder
from .sort_order import SortOrder, sorts_before

arith = dialect("arith")

_INT64 = np.dtype(np.int64)


@dataclass(frozen=True)
class _RowSort:
    """Sorts a row of keys, and of payloads that travel with them, in scratch tensors of two halves each.

    The length of the halves is a power of two; what is behind the row are sentinels.
    """

    c: Conversion
    order: SortOrder
    length: Value
    passes: Value

    def sort(self, scratch: list[Value]) -> list[Value]:
        """Sort the rows in the first halves; after an odd number of passes they are in the second halves."""

        def merge_pass(iteration: Value, carried: list[Value]) -> Sequence[Value]:
            width = arith.ShLIOp(self.c.index(1), iteration).result
            return self._merge_runs(carried, arith.AndIOp(iteration, self.c.index(1)).result, width)

        return for_loop(self.c, 0, self.passes, scratch, merge_pass)

    def _merge_runs(self, scratch: list[Value], source: Value, width: Value) -> list[Value]:
        """Merge neighbouring sorted runs of a width in the source half into one run in the other half.

        Both runs are merged from their beginnings and, at the same time, from their ends: neither merge uses
        up a run, and the processor works on both at once.
        """
        c = self.c
        target = arith.SubIOp(c.index(1), source).result
        twice = arith.ShLIOp(width, c.index(1)).result
        one = c.index(1)

        def merge_two(start: Value, carried: list[Value]) -> Sequence[Value]:
            middle = arith.AddIOp(start, width).result
            before_middle = arith.SubIOp(middle, one).result
            last = arith.AddIOp(before_middle, width).result

            def take_two(step: Value, state: list[Value]) -> Sequence[Value]:
                cursors, rows = state[:4], state[4:]
                # What might be taken: the next of the left and right run, the last of the left and right run.
                heads = [[self._element(row, source, cursor) for cursor in cursors] for row in rows]
                left, right, left_end, right_end = heads[0]
                right_first = self.order.before(right, left)
                left_last = self.order.before(right_end, left_end)
                places = arith.AddIOp(start, step).result, arith.SubIOp(last, step).result
                for number, (left, right, left_end, right_end) in enumerate(heads):
                    first = arith.SelectOp(right_first, right, left).result
                    final = arith.SelectOp(left_last, left_end, right_end).result
                    for scalar, place in zip((first, final), places, strict=True):
                        place_in_row = scratch_place(c, rows[number], target, place)
                        rows[number] = insert(scalar, rows[number], place_in_row)
                return [*self._advance(cursors, right_first, left_last), *rows]

            return for_loop(c, 0, width, [start, middle, before_middle, last, *carried], take_two)[4:]

        return for_loop(c, 0, self.length, scratch, merge_two, twice)

    def _element(self, row: Value, half: Value, position: Value) -> Value:
        return extract(row, scratch_place(self.c, row, half, position))

    def _advance(self, cursors: list[Value], right_first: Value, left_last: Value) -> list[Value]:
        """Move one cursor at the beginnings of the runs and one at their ends, by arithmetic."""
        left, right, left_end, right_end = cursors
        one = self.c.index(1)
        from_right, from_left_end = (
            arith.IndexCastUIOp(ir.IndexType.get(), taken).result for taken in (right_first, left_last)
        )
        return [
            arith.AddIOp(left, arith.SubIOp(one, from_right).result).result,
            arith.AddIOp(right, from_right).result,
            arith.SubIOp(left_end, from_left_end).result,
            arith.SubIOp(right_end, arith.SubIOp(one, from_left_end).result).result,
        ]


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
    order = SortOrder(c, x_type.dtype, op.attributes["descending"])
    row_sort = _RowSort(c, order, length, _halvings(c, extents[axis]))
    is_argsort = op.op_class is Argsort

    def sort_row(others: list[Value], carried: list[Value]) -> Sequence[Value]:
        def place_in_tensor(position: Value) -> list[Value]:
            return [*others[:axis], position, *others[axis:]]

        def load(position: Value, rows: list[Value]) -> Sequence[Value]:
            number = arith.IndexCastOp(scalar_type(_INT64), position).result
            key = order.encode(extract(x, place_in_tensor(position)), equal_zeros=is_argsort)
            return [
                insert(scalar, row, scratch_place(c, row, c.index(0), position))
                for scalar, row in zip([key, number], rows, strict=False)
            ]

        out, keys, *payload = carried
        scratch = [c.fill_into(order.sentinel(), keys), *payload]
        rows = row_sort.sort(for_loop(c, 0, length, scratch, load))
        half = arith.AndIOp(row_sort.passes, c.index(1)).result

        def store(position: Value, results: list[Value]) -> Sequence[Value]:
            scalar = extract(rows[-1], scratch_place(c, rows[-1], half, position))
            stored = scalar if is_argsort else order.decode(scalar)
            return [insert(stored, results[0], place_in_tensor(position))]

        return [*for_loop(c, 0, length, [out], store), *rows]

    others = [*extents[:axis], *extents[axis + 1 :]]
    dtypes = [order.key_dtype, _INT64] if is_argsort else [order.key_dtype]
    scratch = _scratch(c, x_type.rank, dtypes, extents[axis], row_sort.passes)
    return loop_nest(c, others, [c.empty(op.result_type, extents), *scratch], sort_row)[0]


def _scratch(
    c: Conversion, rank: int, dtypes: Sequence[np.dtype[Any]], length: Extent, passes: Value
) -> list[Value]:
    """Tensors of two rows, padded to a power of two; each of another rank, and none of the result's.

    Two empty tensors of one type become one value when common subexpressions merge, and would share memory.
    """
    padded: Extent = arith.ShLIOp(c.index(1), passes).result
    if isinstance(length, int):
        padded = 1 << max(length - 1, 0).bit_length()
    known = padded if isinstance(padded, int) else None
    between = [[1] * (rank + number - 1) for number in range(len(dtypes))]
    return [
        c.empty(TensorType((2, *ones, known), dtype), [2, *ones, padded])
        for ones, dtype in zip(between, dtypes, strict=True)
    ]


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
