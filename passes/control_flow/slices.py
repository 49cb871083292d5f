"""What slices take of their tensors, where bounds that move along with loops are known to stay within."""

from __future__ import annotations

from collections.abc import Sequence

from ...dialect.mlir import Operation, Value
from ...dialect.ops.slicing import INT64_MAX, DynamicSlice, Slice, slice_of
from ...dialect.records import NamedTuple
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.sizes import Size
from ..rewriting import type_of
from .linear import is_at_most_zero, is_exact, linear


class Span(NamedTuple):
    """So many neighbouring elements of an axis."""

    start: Size
    """The first one, which may depend on counters of loops."""
    size: int


def spans_of(operation: Operation) -> list[Span | None]:
    """What a slice takes of each axis: None where it may be another number of elements, or not neighbours."""
    op_class = op_class_of(operation)
    if op_class not in (Slice, DynamicSlice):
        return []
    attributes = decode_attributes(op_class, operation)
    x, *bounds = operation.operands
    starts, stops = (attributes.get(f"{end}_axes", ()) for end in ("start", "stop"))
    first = dict(zip(starts, bounds, strict=False))
    last = dict(zip(stops, bounds[len(starts) :], strict=True))
    fixed = zip(*(attributes[name] for name in ("start", "stop", "step")), strict=True)
    return [
        _span(extent, ends, first.get(axis), last.get(axis))
        for axis, (extent, ends) in enumerate(zip(type_of(x).shape, fixed, strict=True))
    ]


def _span(
    extent: int | None, ends: tuple[int, int, int], first: Value | None, last: Value | None
) -> Span | None:
    """What is taken of an axis, between ends that are known, or else values."""
    if extent is None or ends[2] != 1:
        return None
    known = (0 if first is not None else ends[0], INT64_MAX if last is not None else ends[1], 1)
    taken = range(*slice_of(*known).indices(extent))
    start = taken.start if first is None else linear(first)
    stop = taken.stop if last is None else linear(last)
    size = stop - start
    if not isinstance(size, int) or size < 0 or not is_exact(start):
        return None
    within: Sequence[Size] = (-start, stop - extent)
    return Span(start, size) if all(map(is_at_most_zero, within)) else None
