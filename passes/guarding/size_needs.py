"""What ops need of sizes beside what their rules tell of single extents and pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from ...dialect.mlir import Operation, Value
from ...dialect.op import Op
from ...dialect.ops.convolution import Conv
from ...dialect.ops.indexing import Gather, PutAlongAxis, Scatter, TakeAlongAxis
from ...dialect.ops.linear_algebra import QrBasis
from ...dialect.ops.shape import Reshape
from ...dialect.ops.slicing import DynamicSlice, DynamicSliceUpdate, Slice, SliceUpdate
from ...dialect.ops.tables import TableFind, TableIndex
from ...dialect.register import create
from .size_checks import (
    binary,
    extent_of,
    number,
    product,
    raise_if,
    require_at_least,
    require_elements,
    require_equal,
)

Attributes: TypeAlias = "dict[str, Any]"
Check: TypeAlias = Callable[[Operation, Sequence[Value], Attributes], None]


def _same_size(op: Operation, operands: Sequence[Value], attributes: Attributes) -> None:
    """A reshaped array has as many elements as before."""
    array, *told = operands
    unknown = iter(told)
    there = [next(unknown) if extent == -1 else number(extent) for extent in attributes["shape"]]
    require_equal(op, product([extent_of(array, axis) for axis in range(array.type.rank)]), product(there))


def _fits_region(op: Operation, operands: Sequence[Value], attributes: Attributes) -> None:
    """What is written into a region is of its size."""
    target, update, *bounds = operands
    slicing = Slice if op.name == SliceUpdate.mlir_name() else DynamicSlice
    region = create(slicing, [target, *bounds], attributes).results[0]
    for axis in range(region.type.rank):
        require_equal(op, extent_of(update, axis), extent_of(region, axis))


def _indexed(position: int) -> Check:
    """Indices are kept inside of axes, which have to have elements."""

    def check(op: Operation, operands: Sequence[Value], attributes: Attributes) -> None:
        for axis in attributes.get("axes") or (attributes["axis"],):
            require_elements(op, operands[position], extent_of(operands[0], axis))

    return check


def _convolution(op: Operation, operands: Sequence[Value], attributes: Attributes) -> None:
    """The kernel fits the channels and, with what surrounds it, the array."""
    x, kernel = operands
    groups, rank = attributes["groups"], x.type.rank - 2
    channels = binary("multiply", extent_of(kernel, rank), number(groups))
    require_equal(op, extent_of(x, rank + 1), channels)
    left = binary("remainder", extent_of(kernel, rank + 1), number(groups))
    require_equal(op, left, number(0))
    for axis, slide in enumerate(Conv.slides([None] * rank, attributes)):
        size, extent = extent_of(kernel, axis), extent_of(x, 1 + axis)
        require_at_least(op, size, 1)
        wide = binary("multiply", binary("subtract", extent, number(1)), number(slide.gap))
        last = binary(
            "maximum", wide, number(-1)
        )  # where the last element is, of none one in front of the first
        room = binary("add", last, number(slide.low + slide.high))
        more = binary("subtract", size, number(1))
        span = binary("multiply", more, number(slide.dilation))
        # A kernel of one element may have no place at all.
        spare = binary(
            "multiply",
            binary("subtract", number(1), binary("minimum", more, number(1))),
            number(slide.stride),
        )
        message = "a kernel of {0} does not fit an axis of {1}"
        raise_if(op, binary("less", binary("add", room, spare), span), "ValueError", message, (size, extent))


def _scales(op: Operation, operands: Sequence[Value], attributes: Attributes) -> None:
    """There is a scale for each of Householder's vectors."""
    factors, scales = operands
    count = binary("minimum", extent_of(factors, -2), extent_of(factors, -1))
    require_equal(op, extent_of(scales, -1), count)


def _table(op: Operation, operands: Sequence[Value], attributes: Attributes) -> None:
    """A table has slots, and one that is searched room for a key."""
    slots, keys, *words = operands
    require_at_least(op, extent_of(slots, 0), 1)
    if op.name == TableFind.mlir_name():
        require_at_least(op, extent_of(keys, 0), len(words))


SIZE_NEEDS: Mapping[type[Op], Check] = {
    Reshape: _same_size,
    SliceUpdate: _fits_region,
    DynamicSliceUpdate: _fits_region,
    Gather: _indexed(1),
    TakeAlongAxis: _indexed(1),
    Scatter: _indexed(2),
    PutAlongAxis: _indexed(2),
    Conv: _convolution,
    QrBasis: _scales,
    TableFind: _table,
    TableIndex: _table,
}
"""What puts the checks in front of an op."""
