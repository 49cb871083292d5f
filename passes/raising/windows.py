"""What updates of a tensor compute of windows of another one: largest elements, means, sums of products with filters.

    out[:, i, j, :] = np.sum(image[:, i : i + 5, j : j + 5, :, np.newaxis] * filters, axis=(1, 2, 3))

An update is a `View`: what it computes, and where its windows lie, by counters of the loops around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ...dialect.dtypes import kind
from ...dialect.mlir import Value
from ...dialect.op import Op
from ...dialect.ops.contraction import Contract, parse_spec
from ...dialect.ops.elementwise import Multiply
from ...dialect.ops.indexing import Scatter
from ...dialect.ops.reductions import Max, Mean, Sum, normalize_axes
from ...dialect.ops.shape import BroadcastTo, ExpandDims, Stretch, Transpose
from ...dialect.ops.slicing import SliceUpdate
from ...dialect.records import dataclass, replace
from ...dialect.sizes import Size
from ..control_flow.linear import linear
from ..control_flow.slices import Span, spans_of
from ..control_flow.structure import producer
from ..rewriting import type_of
from .accumulators import PRODUCT_DTYPES
from .relations import made_of

Axes: TypeAlias = "tuple[int | None, ...]"
"""For each axis of a product the axis of a factor, or None where the factor is repeated along it."""


@dataclass(frozen=True)
class Windows:
    """What is computed of every window of an image."""

    image: Value
    spans: tuple[Span, ...]
    """What is used of each axis of the image; of those along which windows move, as if they began at 0."""
    moving: tuple[int, ...]
    """The axes of the image along which windows move."""
    placed: tuple[int, ...]
    """The axes of the result that have one place for each window."""
    function: type[Op]
    """`Max`, `Mean`, or the `Sum` of products."""
    filters: Value | None = None
    image_axes: Axes = ()
    filter_axes: Axes = ()
    summed: tuple[int, ...] = ()
    """Axes of the product."""


@dataclass(frozen=True)
class Update:
    """An update of a tensor with what is computed of one window."""

    base: Value
    """What the tensor was before."""
    windows: Windows
    places: tuple[Size, ...]
    """The indices on the axes of the result that have one place for each window."""
    starts: tuple[Size, ...]
    """Where the window begins on the axes along which windows move."""


def update_of(value: Value) -> Update | None:
    """A tensor as one that was updated with what is computed of a window; None where it is something else."""
    made = made_of(value)
    if made is None:
        return None
    op_class, attributes, operands = made
    if op_class is Scatter and attributes["mode"] == "set" and not type_of(operands[2]).rank:
        base, computed, *indices = operands
        at = dict(zip(attributes["axes"], map(linear, indices), strict=True))
    elif op_class is SliceUpdate:
        base, update = operands
        single = made_of(update)
        if single is None or single[0] is not ExpandDims:
            return None
        (computed,) = single[2]
        found = _places(type_of(base).shape, attributes, single[1]["axes"])
        if found is None:
            return None
        at = found
    else:
        return None
    placed = tuple(sorted(at))
    taken = _windows(computed, placed)
    if taken is None or None in type_of(base).shape:
        return None
    windows, starts = taken
    return Update(base, windows, tuple(at[axis] for axis in placed), starts)


def _places(
    shape: Sequence[int | None], attributes: dict[str, Any], single: Sequence[int]
) -> dict[int, Size] | None:
    """The one place that an update has on some axes; None where it does not have all of the others."""
    places: dict[int, Size] = {}
    bounds = zip(*(attributes[name] for name in ("start", "stop", "step")), strict=True)
    for axis, (extent, (start, stop, step)) in enumerate(zip(shape, bounds, strict=True)):
        if extent is None or step != 1:
            return None
        taken = range(extent)[start:stop]
        if axis in single and len(taken) == 1:
            places[axis] = taken.start
        elif axis in single or len(taken) != extent:
            return None
    return places


def _windows(value: Value, placed: tuple[int, ...]) -> tuple[Windows, tuple[Size, ...]] | None:
    """What a value is of a window, and where that begins on the axes along which windows move."""
    made = made_of(value)
    if made is None:
        return None
    function, attributes, operands = made
    if function is Contract:
        return _contracted(attributes["spec"], operands, type_of(value).dtype, placed)
    if function not in (Max, Mean, Sum) or attributes["keepdims"]:
        return None
    (reduced,) = operands
    summed = normalize_axes(attributes["axes"], type_of(reduced).rank)
    if function is Sum:
        return _summed(reduced, summed, placed)
    window = _window(reduced)
    if window is None or len(summed) != len(placed) or kind(type_of(reduced).dtype) == "c":
        return None
    image, spans = window
    return _at_zero(Windows(image, tuple(spans), summed, placed, function), spans)


def _summed(
    value: Value, summed: tuple[int, ...], placed: tuple[int, ...]
) -> tuple[Windows, tuple[Size, ...]] | None:
    """The sum of a product of a window and filters."""
    made, type = made_of(value), type_of(value)
    if made is None or made[0] is not Multiply or None in type.shape:
        return None
    extents = [extent for extent in type.shape if extent is not None]
    factors = [_factor(factor, type.shape) for factor in made[2]]
    return _products(factors, extents, type.dtype, summed, placed)


def _contracted(
    spec: str, operands: Sequence[Value], dtype: Any, placed: tuple[int, ...]
) -> tuple[Windows, tuple[Size, ...]] | None:
    """A contraction of a window with filters: the product has the axes of the result, then those that are summed."""
    *labels, result = parse_spec(spec)
    axes = result + "".join(dict.fromkeys(label for label in "".join(labels) if label not in result))
    extents, factors = dict[str, int](), list[tuple[Value, Axes]]()
    for operand, own in zip(operands, labels, strict=True):
        shape = type_of(operand).shape
        extents |= {label: extent for label, extent in zip(own, shape, strict=True) if extent is not None}
        source, of_operand = _factor(operand, shape)
        factors.append((source, tuple(of_operand[own.index(d)] if d in own else None for d in axes)))
    if len(extents) != len(axes):
        return None
    summed = tuple(range(len(result), len(axes)))
    return _products(factors, [extents[label] for label in axes], dtype, summed, placed)


def _products(
    factors: Sequence[tuple[Value, Axes]],
    shape: Sequence[int],
    dtype: Any,
    summed: tuple[int, ...],
    placed: tuple[int, ...],
) -> tuple[Windows, tuple[Size, ...]] | None:
    """Sums of products of a shape, of a window and filters in any order."""
    if str(dtype) not in PRODUCT_DTYPES or any(type_of(value).dtype != dtype for value, _ in factors):
        return None
    for (source, image_axes), (filters, filter_axes) in (factors, factors[::-1]):
        window = _window(source)
        if window is None:
            continue
        image, spans = window
        own = ((image_axes, [span.size for span in spans]), (filter_axes, type_of(filters).shape))
        moving = _moving(image, spans, [image_axes[d] for d in summed])
        if (
            len(moving) == len(placed)
            and all(_is_whole(axes, extents, shape) for axes, extents in own)
            and _is_convolution(image_axes, filter_axes, summed, moving)
        ):
            windows = Windows(
                image, tuple(spans), moving, placed, Sum, filters, image_axes, filter_axes, summed
            )
            return _at_zero(windows, spans)
    return None


def _is_whole(axes: Axes, extents: Sequence[int | None], shape: Sequence[int]) -> bool:
    """Whether a product has each axis of a factor once, and all of it."""
    used = {axis: shape[d] for d, axis in enumerate(axes) if axis is not None}
    once = len(used) == len(axes) - axes.count(None)
    return once and [used.get(axis) for axis in range(len(extents))] == list(extents)


def _moving(image: Value, spans: Sequence[Span], summed: Sequence[int | None]) -> tuple[int, ...]:
    """The axes of which a window has a part only."""
    extents = type_of(image).shape
    return tuple(
        axis
        for axis, span in enumerate(spans)
        if axis in summed and (span.start, span.size) != (0, extents[axis])
    )


def _is_convolution(
    image_axes: Axes, filter_axes: Axes, summed: tuple[int, ...], moving: tuple[int, ...]
) -> bool:
    """Whether products are summed over axes that both factors have, and only one factor has each of the others."""
    for d, (axis, other) in enumerate(zip(image_axes, filter_axes, strict=True)):
        if d in summed and (axis is None or other is None):
            return False
        if d not in summed and ((axis is None) == (other is None) or axis in moving):
            return False
    return True


def _at_zero(windows: Windows, spans: Sequence[Span]) -> tuple[Windows, tuple[Size, ...]] | None:
    """Windows, and where one begins; those of all iterations are equal then."""
    starts = tuple(spans[axis].start for axis in windows.moving)
    same = tuple(Span(0, span.size) if axis in windows.moving else span for axis, span in enumerate(spans))
    if not windows.moving or len(windows.moving) > 2 or not all(isinstance(span.start, int) for span in same):
        return None
    return replace(windows, spans=same), starts


def _window(value: Value) -> tuple[Value, list[Span]] | None:
    """A value as a part of an image; None where that is not known."""
    operation = producer(value)
    spans = (
        [] if operation is None else [span for span in spans_of(operation) if span is not None and span.size]
    )
    if operation is None or not spans or len(spans) != type_of(value).rank:
        return None
    image: Value = operation.operands[0]
    return image, spans


def _factor(value: Value, shape: Sequence[int | None]) -> tuple[Value, Axes]:
    """What a factor of a product of a shape is made of by repeating it and moving its axes."""
    axes = _aligned(list(range(type_of(value).rank)), type_of(value).shape, shape)
    while (made := made_of(value)) is not None:
        op_class, attributes, operands = made
        if op_class is ExpandDims:
            inserted = attributes["axes"]
            axes = [
                None if axis is None or axis in inserted else axis - sum(other < axis for other in inserted)
                for axis in axes
            ]
        elif op_class is Transpose:
            axes = [None if axis is None else attributes["permutation"][axis] for axis in axes]
        elif op_class in (BroadcastTo, Stretch) and len(operands) == 1:
            before = _aligned(
                list(range(type_of(operands[0]).rank)), type_of(operands[0]).shape, type_of(value).shape
            )
            axes = [None if axis is None else before[axis] for axis in axes]
        else:
            break
        value = operands[0]
    return value, tuple(axes)


def _aligned(
    axes: list[int | None], extents: Sequence[int | None], shape: Sequence[int | None]
) -> list[int | None]:
    """The axes of a value for those of a shape that it is broadcast to."""
    found: list[int | None] = [None] * (len(shape) - len(extents))
    for axis, extent, target in zip(axes, extents, shape[len(found) :], strict=True):
        found.append(None if extent == 1 and target != 1 else axis)
    return found
