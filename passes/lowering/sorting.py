"""Lowerings of sort, argsort and searchsorted.

Every row along the axis is copied into a scratch tensor, sorted there, and copied to the result. Long rows are sorted
digit by digit (radix_sort.py), short ones merged bottom-up: a pass goes from one half of the scratch tensor to the
other, without branches. Both are stable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...dialect.attributes import type_from_mlir
from ...dialect.dtypes import kind
from ...dialect.mlir import Attribute, Operation, Value, dialect, ir
from ...dialect.op import Op
from ...dialect.ops.sorting import Argsort, Partition, Searchsorted, Sort
from ...dialect.records import dataclass
from ...dialect.types import TensorType, normalize_axis
from ..index_arithmetic import Extent
from .conversion import Conversion, OpInstance, lowers, scalar_type, storage_type
from .loops import branch, extract, for_loop, insert, loop_nest
from .radix_sort import SHORTEST, RadixSort, scratch_place
from .scalars import ScalarBuilder
from .shape import transposed
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
    """Sort the rows along the axis, which is made the last one; long ones digit by digit, short ones by merging.

    Argsort lets the positions travel with the keys and keeps only them.
    """
    (x,), (x_type,) = op.operands, op.operand_types
    axis = normalize_axis(op.attributes["axis"], x_type.rank)
    turned = [*(other for other in range(x_type.rank) if other != axis), axis]
    back = [turned.index(place) for place in range(x_type.rank)]
    rows = transposed(c, x, _turned(x_type, turned), turned)
    lowered = _sort_rows(c, rows, _turned(x_type, turned), op.op_class, op.attributes["descending"])
    return transposed(c, lowered, op.result_type, back)


@lowers(Partition)
def lower_partition(c: Conversion, op: OpInstance) -> Value:
    """Left to the backend on rows along the last axis; what it cannot partition is sorted."""
    (x,), (x_type,) = op.operands, op.operand_types
    axis = normalize_axis(op.attributes["axis"], x_type.rank)
    turned = [*(other for other in range(x_type.rank) if other != axis), axis]
    back = [turned.index(place) for place in range(x_type.rank)]
    rows, row_type = transposed(c, x, _turned(x_type, turned), turned), _turned(x_type, turned)
    if x_type.dtype in _LEFT_DTYPES:
        attributes: dict[str, Attribute] = {
            "places": ir.DenseI64ArrayAttr.get(sorted(op.attributes["places"]))
        }
        if kind(x_type.dtype) == "u":
            attributes[_UNSIGNED] = ir.UnitAttr.get()
        lowered = _left(c, Partition, rows, row_type, attributes)
    else:
        lowered = _sort_rows(c, rows, row_type, Sort, False)
    return transposed(c, lowered, op.result_type, back)


LEFT = ("weft.sort", "weft.argsort", "weft.partition")
"""The ops that are left to the backend, on tensors whose last axis is sorted."""

_LEFT_DTYPES = tuple(map(np.dtype, ("int32", "int64", "uint32", "uint64", "float32", "float64")))

_UNSIGNED = "weft.unsigned"
"""On ops that are left to the backend: storage types do not tell."""


def _left(
    c: Conversion, op_class: type[Op], rows: Value, result: TensorType, attributes: dict[str, Attribute]
) -> Value:
    """An op along the last axis, on storage types."""
    axis = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), result.rank - 1)
    attributes = {"axis": axis, **attributes}
    return c.operation(f"weft.{op_class.name}", [rows], [storage_type(result)], attributes)


def _sort_rows(c: Conversion, rows: Value, type: TensorType, op_class: type[Op], descending: bool) -> Value:
    """Sort along the last axis: left to the backend, which may have instructions for it, or by loops."""
    gives_positions = op_class is Argsort
    result = type.with_dtype(_INT64) if gives_positions else type
    dtype, length = type.dtype, c.extent(rows, type.rank - 1)

    def by_loops() -> Value:
        return _Sorting(c, rows, gives_positions, SortOrder(c, dtype, descending)).emit(result)

    def left() -> Value:
        attributes: dict[str, Attribute] = {"descending": ir.BoolAttr.get(descending)}
        if kind(dtype) == "u":
            attributes[_UNSIGNED] = ir.UnitAttr.get()
        return _left(c, op_class, rows, result, attributes)

    if dtype not in _LEFT_DTYPES:
        return by_loops()
    if not gives_positions or dtype.itemsize == 8:
        return left()
    # A key and its place make one number of 64 bits.
    if isinstance(length, int):
        return left() if length < 1 << 32 else by_loops()
    limit = c.index(1 << 32)
    is_short = arith.CmpIOp(arith.CmpIPredicate.ult, length, limit).result
    return branch(is_short, lambda: [left()], lambda: [by_loops()], c.empty(result, c.extents(rows)))


def sort_by_loops(c: Conversion, operation: Operation) -> Value:
    """What a sort along the last axis that was left to the backend is as loops, at the insertion point."""
    (rows,) = operation.operands
    (result,) = operation.results
    dtype = _tensor(rows).dtype
    if _UNSIGNED in operation.attributes:
        dtype = np.dtype(f"u{dtype}")
    descending = "descending" in operation.attributes and operation.attributes["descending"].value
    order = SortOrder(c, dtype, descending)
    return _Sorting(c, rows, operation.name == "weft.argsort", order).emit(_tensor(result))


def _tensor(value: Value) -> TensorType:
    found = type_from_mlir(value.type)
    assert isinstance(found, TensorType)
    return found


def _turned(type: TensorType, permutation: Sequence[int]) -> TensorType:
    return TensorType(tuple(type.shape[axis] for axis in permutation), type.dtype)


@dataclass(frozen=True)
class _Sorting:
    """Sorts all rows along the last axis of a tensor."""

    c: Conversion
    x: Value
    gives_positions: bool
    order: SortOrder

    def emit(self, result: TensorType) -> Value:
        """The result, by the way that is the faster one for the length of rows."""
        c, length, dtype = self.c, self._extents()[-1], self.order.key_dtype
        if kind(dtype) == "c":
            return self._merged(result)
        shortest = SHORTEST[8 * dtype.itemsize]
        if isinstance(length, int):
            return self._by_digits(result) if length >= shortest else self._merged(result)
        is_long = arith.CmpIOp(arith.CmpIPredicate.sge, length, c.index(shortest)).result
        like = c.empty(result, self._extents())
        return branch(is_long, lambda: [self._by_digits(result)], lambda: [self._merged(result)], like)

    def _extents(self) -> list[Extent]:
        return self.c.extents(self.x)

    def _by_digits(self, result: TensorType) -> Value:
        c, order, (*others, length) = self.c, self.order, self._extents()
        radix = RadixSort(c, order.key_dtype, order.descending, length)

        def sort_row(place: list[Value], carried: list[Value]) -> Sequence[Value]:
            out, *rows, counts = carried

            def load(position: Value, state: list[Value]) -> Sequence[Value]:
                *rows, counts = state
                key = radix.encode(
                    order.encode(extract(self.x, [*place, position]), equal=self.gives_positions)
                )
                number = arith.IndexCastOp(scalar_type(_INT64), position).result
                loaded = [
                    insert(scalar, row, scratch_place(c, row, c.index(0), position))
                    for scalar, row in zip([key, number], rows, strict=False)
                ]
                return [*loaded, radix.count(key, counts)]

            *rows, counts = for_loop(c, 0, length, [*rows, radix.clear(counts)], load)
            rows, counts, half = radix.sort(rows, counts)

            def decode(key: Value) -> Value:
                return order.decode(radix.encode(key))

            return [self._stored(out, rows, half, place, decode), *rows, counts]

        scratch = [*_scratch(c, len(others) + 1, self._dtypes(), length), radix.counts(len(others) + 4)]
        return loop_nest(c, others, [c.empty(result, self._extents()), *scratch], sort_row)[0]

    def _merged(self, result: TensorType) -> Value:
        c, order, (*others, length) = self.c, self.order, self._extents()
        merging = _RowSort(c, order, c.index(length), _halvings(c, length))

        def sort_row(place: list[Value], carried: list[Value]) -> Sequence[Value]:
            def load(position: Value, rows: list[Value]) -> Sequence[Value]:
                number = arith.IndexCastOp(scalar_type(_INT64), position).result
                key = order.encode(extract(self.x, [*place, position]), equal=self.gives_positions)
                return [
                    insert(scalar, row, scratch_place(c, row, c.index(0), position))
                    for scalar, row in zip([key, number], rows, strict=False)
                ]

            out, keys, *payload = carried
            scratch = [c.fill_into(order.sentinel(), keys), *payload]
            rows = merging.sort(for_loop(c, 0, length, scratch, load))
            half = arith.AndIOp(merging.passes, c.index(1)).result
            return [self._stored(out, rows, half, place, order.decode), *rows]

        padded: Extent = arith.ShLIOp(c.index(1), merging.passes).result
        if isinstance(length, int):
            padded = 1 << max(length - 1, 0).bit_length()
        scratch = _scratch(c, len(others) + 1, self._dtypes(), padded)
        return loop_nest(c, others, [c.empty(result, self._extents()), *scratch], sort_row)[0]

    def _dtypes(self) -> list[np.dtype[Any]]:
        return [self.order.key_dtype, _INT64] if self.gives_positions else [self.order.key_dtype]

    def _stored(
        self, out: Value, rows: list[Value], half: Value, place: list[Value], decode: Callable[[Value], Value]
    ) -> Value:
        """The result with a sorted row, or its positions, at a place."""

        def store(position: Value, results: list[Value]) -> Sequence[Value]:
            scalar = extract(rows[-1], scratch_place(self.c, rows[-1], half, position))
            stored = scalar if self.gives_positions else decode(scalar)
            return [insert(stored, results[0], [*place, position])]

        return for_loop(self.c, 0, self._extents()[-1], [out], store)[0]


def _scratch(c: Conversion, rank: int, dtypes: Sequence[np.dtype[Any]], length: Extent) -> list[Value]:
    """Tensors of two rows; each of another rank, and none of the result's.

    Two empty tensors of one type become one value when common subexpressions merge, and would share memory.
    """
    known = length if isinstance(length, int) else None
    between = [[1] * (rank + number - 1) for number in range(len(dtypes))]
    return [
        c.empty(TensorType((2, *ones, known), dtype), [2, *ones, length])
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
