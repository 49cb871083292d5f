"""Lowerings of sort, argsort, partition and searchsorted.

What is sorted is left to the backend, along the last axis: elements, or integers whose order is theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.mlir import Attribute, Value, dialect, ir
from ...dialect.op import Op
from ...dialect.ops.sorting import Argsort, Partition, PartitionAt, Searchsorted, Sort
from ...dialect.types import TensorType, normalize_axis
from ..index_arithmetic import Extent, IndexArithmetic
from .conversion import Conversion, OpInstance, lowers, scalar_type, storage_type
from .loops import extract, for_loop
from .regions import read_elements
from .scalars import ScalarBuilder
from .shape import transposed
from .sort_order import SortOrder, sorts_before

arith = dialect("arith")

_INT64 = np.dtype(np.int64)


@lowers(Sort)
def lower_sort(c: Conversion, op: OpInstance) -> Value:
    """Sort elements, or keys, which become elements again."""
    descending = op.attributes["descending"]
    return _along_last_axis(c, op, lambda rows, type: _sorted(c, rows, type, descending))


@lowers(Partition)
def lower_partition(c: Conversion, op: OpInstance) -> Value:
    """Partition keys; complex numbers are sorted."""
    places = {"places": ir.DenseI64ArrayAttr.get(sorted(op.attributes["places"]))}

    def partitioned(rows: Value, type: TensorType) -> Value:
        if not op.attributes["places"]:
            return rows
        if kind(type.dtype) == "c":
            return _sorted(c, rows, type, descending=False)
        order = SortOrder(c, type.dtype, descending=False)
        return order.elements(_left(c, Partition, order.keys(rows, type), order.key_type(type), places), type)

    return _along_last_axis(c, op, partitioned)


@lowers(PartitionAt)
def lower_partition_at(c: Conversion, op: OpInstance) -> Value:
    """As a partition, at places that an operand tells."""
    (x, places), type = op.operands, op.operand_types[0]
    if kind(type.dtype) == "c":
        return _sorted(c, x, type, descending=False)
    order = SortOrder(c, type.dtype, descending=False)
    left = c.operation(
        PartitionAt.mlir_name(), [order.keys(x, type), places], [storage_type(order.key_type(type))], {}
    )
    return order.elements(left, type)


@lowers(Argsort)
def lower_argsort(c: Conversion, op: OpInstance) -> Value:
    """The places of sorted keys, which are the same for equal elements."""
    descending = op.attributes["descending"]

    def places(rows: Value, type: TensorType) -> Value:
        result = type.with_dtype(_INT64)
        if kind(type.dtype) != "c":
            keys = SortOrder(c, type.dtype, descending).keys(rows, type, equal=True)
            return _left(c, Argsort, keys, result)
        if not descending:
            return _left(c, Argsort, rows, result)
        # Reversed before and after, so that the places of equal elements ascend.
        backwards = _reversed(c, _left(c, Argsort, _reversed(c, rows, type), result), result)
        last = IndexArithmetic().subtract(c.extent(rows, type.rank - 1), 1)

        def from_front(place: Value) -> Value:
            return arith.SubIOp(arith.IndexCastOp(scalar_type(_INT64), c.index(last)).result, place).result

        return c.map_elements([backwards], [result], [result], from_front)[0]

    return _along_last_axis(c, op, places)


_SORTED = tuple(map(np.dtype, ("int32", "int64", "float32", "float64", "complex64", "complex128")))
"""What the backend sorts as it is; it partitions integers, and gives places of integers and of complex numbers."""


def _along_last_axis(c: Conversion, op: OpInstance, sort: Callable[[Value, TensorType], Value]) -> Value:
    """What a function of a tensor and its type gives along the axis of an op, which is made the last one."""
    (x,), (x_type,), rank = op.operands, op.operand_types, op.result_type.rank
    axis = normalize_axis(op.attributes["axis"], rank)
    turned = [*(other for other in range(rank) if other != axis), axis]
    row_type = TensorType(tuple(x_type.shape[place] for place in turned), x_type.dtype)
    rows = transposed(c, x, row_type, turned)
    return transposed(c, sort(rows, row_type), op.result_type, [turned.index(place) for place in range(rank)])


def _sorted(c: Conversion, rows: Value, type: TensorType, descending: bool) -> Value:
    if type.dtype in _SORTED and not descending:
        return _left(c, Sort, rows, type)
    if kind(type.dtype) == "c":
        return _reversed(c, _sorted(c, rows, type, descending=False), type)
    order = SortOrder(c, type.dtype, descending)
    return order.elements(_left(c, Sort, order.keys(rows, type), order.key_type(type)), type)


def _left(
    c: Conversion,
    op_class: type[Op],
    rows: Value,
    result: TensorType,
    attributes: dict[str, Attribute] | None = None,
) -> Value:
    """An op along the last axis, on storage types."""
    axis = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), result.rank - 1)
    return c.operation(
        op_class.mlir_name(),
        [rows],
        [storage_type(result)],
        {"axis": axis, **(attributes or {"descending": ir.BoolAttr.get(False)})},
    )


def _reversed(c: Conversion, rows: Value, type: TensorType) -> Value:
    """The elements along the last axis in the other order."""
    math, extents = IndexArithmetic(), c.extents(rows)
    last = math.subtract(extents[-1], 1)
    return read_elements(c, rows, type, extents, lambda place: [*place[:-1], math.subtract(last, place[-1])])


def bit_length(c: Conversion, extent: Extent) -> Value:
    """The number of bits of an extent, as an index: how often it can be halved until nothing is left."""
    if isinstance(extent, int):
        return c.index(extent.bit_length())
    i64 = scalar_type(_INT64)
    zeros = c.operation("math.ctlz", [arith.IndexCastOp(i64, extent).result], [i64])
    bits = arith.SubIOp(c.constant(64, _INT64), zeros).result
    return arith.IndexCastOp(ir.IndexType.get(), bits).result


@lowers(Searchsorted)
def lower_searchsorted(c: Conversion, op: OpInstance) -> Value:
    """A binary search for every value, with the same number of steps, and of keys left in each, for all of them."""
    keys, dtype = op.operands[0], op.operand_types[0].dtype
    length = c.index(c.extent(keys, 0))
    steps = bit_length(c, c.extent(keys, 0))
    one = c.index(1)

    def search(value: Value) -> Value:
        stored = c.store(value, dtype)

        def halve(_: Value, carried: list[Value]) -> Sequence[Value]:
            """The place lies in [start, start + left]; looks at the last key of the first half, the larger one."""
            start, left = carried
            rest = arith.ShRUIOp(left, one).result
            middle = arith.AddIOp(start, arith.SubIOp(left, rest).result).result
            key = extract(keys, [arith.SubIOp(middle, one).result])
            if op.attributes["side"] == "left":
                is_after = sorts_before(c, dtype, key, stored)
            else:
                flags = ScalarBuilder(c, np.dtype(np.bool_))
                is_after = flags.complement(sorts_before(c, dtype, stored, key))
            return [arith.SelectOp(is_after, middle, start).result, rest]

        place = for_loop(c, 0, steps, [c.index(0), length], halve)[0]
        return arith.IndexCastOp(scalar_type(_INT64), place).result

    return c.map_elements([op.operands[1]], [op.operand_types[1]], [op.result_type], search)[0]
