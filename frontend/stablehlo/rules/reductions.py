"""Reductions, of whole axes and of windows, with any function of two elements."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dialect.dtypes import kind
from ....dialect.emitter import INT64, Tensor
from ....dialect.mlir import Block, Operation
from ....dialect.ops.creation import Constant
from ....dialect.sliding import Slide
from .shapes import padded
from .table import Builder, Refused, ints, pairs, rule

COMBINERS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "and": "all",
    "or": "any",
}
"""The reductions of weft, by the ops that combine two elements."""

SCANS = {
    "add": "cumulative_sum",
    "multiply": "cumulative_prod",
    "maximum": "cumulative_max",
    "minimum": "cumulative_min",
}


WINDOWS = {
    "add": "window_sum",
    "maximum": "window_max",
    "minimum": "window_min",
    "or": "window_max",
    "and": "window_min",
}
"""The reductions of windows; and and or are combiners of booleans alone."""


def combiner(region: Any) -> str | None:
    """The op that combines two elements in a region, if that is all that it does: add, maximum, and so on."""
    block: Block = region.blocks[0]
    operations = list(block.operations)
    if len(operations) != 2 or len(block.arguments) != 2:
        return None
    first, last = operations[0].operation, operations[1].operation
    name: str = first.name.removeprefix("stablehlo.")
    takes = set(first.operands) == set(block.arguments)
    returns = list(last.operands) == list(first.results)
    if not (takes and returns) or name not in COMBINERS:
        return None
    if str(block.arguments[0].type) == "tensor<i1>":  # of which sums are or, and products and
        return {"add": "or", "multiply": "and", "maximum": "or", "minimum": "and"}.get(name, name)
    return None if name in ("and", "or") else name


_OPS = {"and": "bitwise_and", "or": "bitwise_or"}


def combine(b: Builder, name: str, x: Tensor, y: Tensor) -> Tensor:
    """Two tensors combined by a known op."""
    return b.one(_OPS.get(name, name), x, y)


@rule("reduce")
def reduce(b: Builder, op: Operation, *operands: Tensor) -> Sequence[Tensor]:
    """`weft.sum`, `prod`, `max`, `min`, `all` or `any`, combined with the initial value; others halve an axis again and
    again."""
    half = len(operands) // 2
    inputs, initial = operands[:half], operands[half:]
    axes = ints(op, "dimensions")
    name = combiner(op.regions[0]) if half == 1 else None
    if name is None:
        return reduced_by_halves(b, op.regions[0], inputs, initial, axes)
    return [_reduced(b, name, inputs[0], initial[0], axes)]


def _reduced(b: Builder, name: str, x: Tensor, initial: Tensor, axes: Sequence[int]) -> Tensor:
    if not axes:
        return combine(b, name, x, b.like(initial, x))
    if name in ("maximum", "minimum"):
        extents = [x.shape[axis] for axis in axes]
        if 0 in extents:
            kept = [b.extent(x, axis) for axis in range(x.rank) if axis not in axes]
            return b.broadcast(initial, kept)
        if None in extents:  # which may have no elements: then the initial value is one
            high = tuple(int(axis in axes) for axis in range(x.rank))
            x = b.pad(x, initial, low=(0,) * x.rank, high=high)
    found: Tensor = b.one(COMBINERS[name], x, axes=tuple(axes), keepdims=False)
    return found if is_neutral(name, initial) else combine(b, name, found, initial)


def is_neutral(name: str, value: Tensor) -> bool:
    """Whether a scalar is known to change nothing in a reduction."""
    known = constant_of(value)
    if known is None:
        return False
    character = kind(value.dtype)
    if name in ("add", "or"):
        return (
            bool(known == 0) and not np.signbit(np.real(known).astype(np.float64))
            if character in "fc"
            else not known
        )
    if name in ("multiply", "and"):
        return bool(known == 1)
    if character not in "biuf":
        return False
    info = None if character in "bf" else np.iinfo(value.dtype)
    least, most = (-np.inf, np.inf) if character == "f" else (0, 1) if info is None else (info.min, info.max)
    return bool(known == (least if name == "maximum" else most))


def constant_of(value: Tensor) -> Any:
    """The element of a constant scalar, or None."""
    from ....dialect.attributes import elements_from_mlir

    owner = value.handle.owner
    if getattr(owner, "name", "") != Constant.mlir_name() or value.rank != 0:
        return None
    return elements_from_mlir(owner.attributes["value"])[()]


# Any function


def reduced_by_halves(
    b: Builder, region: Any, inputs: Sequence[Tensor], initial: Sequence[Tensor], axes: Sequence[int]
) -> list[Tensor]:
    """Axes reduced by a function of two times as many scalars as there are inputs, which is associative."""
    kept = [axis for axis in range(inputs[0].rank) if axis not in axes]
    for axis in axes:
        if inputs[0].shape[axis] is None:
            raise Refused(
                "reduces axes of sizes that are not known, by a function that is none of " + _known()
            )
    parts = [b.moved(x, (*axes, *kept)) for x in inputs]
    rest = [b.extent(inputs[0], axis) for axis in kept]
    count = int(np.prod([inputs[0].shape[axis] for axis in axes]))  # type: ignore[arg-type]
    parts = [b.reshaped(x, [count, *rest]) for x in parts]
    start = [b.broadcast(value, rest) for value in initial]
    if count == 0:
        return start
    while count > 1:
        half = count // 2
        left = [b.along(x, 0, 0, half) for x in parts]
        right = [b.along(x, 0, half, 2 * half) for x in parts]
        joined = combined(b, region, left, right)
        if count % 2:  # the last one, in its place: behind all others
            last = [b.along(x, 0, count - 1, count) for x in parts]
            joined = [b.concat(x, y, axis=0) for x, y in zip(joined, last, strict=True)]
        parts, count = joined, half + count % 2
    return combined(b, region, start, [b.squeeze(x, axes=(0,)) for x in parts])


def combined(b: Builder, region: Any, x: Sequence[Tensor], y: Sequence[Tensor]) -> list[Tensor]:
    """What a region makes of two groups of scalars, for two groups of tensors."""
    found = b.applied(region, [*x, *y])
    return [b.like(value, one) for value, one in zip(found, x, strict=True)]


def _known() -> str:
    return ", ".join(COMBINERS)


# Windows


@rule("reduce_window")
def reduce_window(b: Builder, op: Operation, *operands: Tensor) -> Sequence[Tensor]:
    """`weft.window_max` and its like; sums up to each element are `weft.cumulative_sum`; others go axis after axis."""
    half = len(operands) // 2
    inputs, initial = operands[:half], operands[half:]
    window = ints(op, "window_dimensions")
    rank = len(window)
    strides, gaps, dilations = (
        ints(op, name, [1] * rank) for name in ("window_strides", "base_dilations", "window_dilations")
    )
    padding = pairs(op, "padding", rank)
    name = combiner(op.regions[0]) if half == 1 else None
    if name in SCANS and all(value == 1 for value in (*strides, *gaps, *dilations)):
        axis = _scanned_axis(inputs[0], window, padding)
        if axis is not None and is_neutral(name, initial[0]):
            return [_scan(b, SCANS[name], inputs[0], axis, padding[axis][0] == 0)]
    slides = [
        Slide(size, stride, *sides, dilation, gap)
        for size, stride, sides, dilation, gap in zip(window, strides, padding, dilations, gaps, strict=True)
    ]
    if name in WINDOWS and is_neutral(name, initial[0]) and _are_few(slides, inputs[0]):
        return [
            b.one(
                WINDOWS[name],
                inputs[0],
                window=tuple(window),
                strides=tuple(strides),
                padding=tuple(side for sides in padding for side in sides),
                dilations=tuple(dilations),
            )
        ]
    low, high = ([sides[i] for sides in padding] for i in (0, 1))
    wide = [
        padded(b, x, value, low, high, [gap - 1 for gap in gaps])
        for x, value in zip(inputs, initial, strict=True)
    ]
    for axis in range(rank):
        if window[axis] > 1 or strides[axis] > 1:
            wide = _windowed(b, op.regions[0], name, wide, axis, window[axis], strides[axis], dilations[axis])
    if name is not None:
        return [wide[0] if is_neutral(name, initial[0]) else combine(b, name, wide[0], initial[0])]
    start = [b.like(value, x) for value, x in zip(initial, wide, strict=True)]
    return combined(b, op.regions[0], start, wide)


MOST_ELEMENTS = 128
"""Larger windows are combined along one axis after the other."""


def _are_few(slides: Sequence[Slide], x: Tensor) -> bool:
    """Whether windows have some elements, but not many, and places, and the axes no gaps."""
    fits = all(n is None or slide.places(n) > 0 for slide, n in zip(slides, x.shape, strict=True))
    size = math.prod(slide.window or 0 for slide in slides)
    return fits and 0 < size <= MOST_ELEMENTS and all(slide.gap == 1 for slide in slides)


def _scanned_axis(x: Tensor, window: Sequence[int], padding: Sequence[tuple[int, int]]) -> int | None:
    """The axis along which windows hold all elements up to a place, or from a place on."""
    axes = [axis for axis, extent in enumerate(window) if extent != 1 or padding[axis] != (0, 0)]
    if len(axes) != 1 or window[axes[0]] != x.shape[axes[0]]:
        return None
    behind = window[axes[0]] - 1
    return axes[0] if padding[axes[0]] in ((behind, 0), (0, behind)) else None


def _scan(b: Builder, name: str, x: Tensor, axis: int, is_reversed: bool) -> Tensor:
    given = b.flip(x, axis) if is_reversed else x
    found: Tensor = b.one(name, given, axis=axis)
    return b.flip(found, axis) if is_reversed else found


def _windowed(
    b: Builder,
    region: Any,
    name: str | None,
    parts: list[Tensor],
    axis: int,
    extent: int,
    stride: int,
    dilation: int,
) -> list[Tensor]:
    """Windows along one axis, combined: an associative function of whole windows is one of axis after axis."""
    size = parts[0].shape[axis]
    reach = (extent - 1) * dilation
    if size is None:
        if stride > 1:
            raise Refused("moves windows in steps over axes of sizes that are not known")
        views = [[_shifted(b, x, axis, i * dilation, reach) for x in parts] for i in range(extent)]
    else:
        count = 0 if size <= reach else (size - reach - 1) // stride + 1
        stop = max(count - 1, 0) * stride + min(count, 1)
        views = [
            [b.along(x, axis, i * dilation, i * dilation + stop, stride) for x in parts]
            for i in range(extent)
        ]
    while len(views) > 1:
        joined = [
            [combine(b, name, x[0], y[0])] if name is not None else combined(b, region, x, y)
            for x, y in zip(views[::2], views[1::2], strict=False)
        ]
        views = [*joined, *views[len(joined) * 2 :]]
    return views[0]


def _shifted(b: Builder, x: Tensor, axis: int, offset: int, reach: int) -> Tensor:
    """The elements from an offset on, as many as there are windows that reach so far."""
    behind = reach - offset
    return b.along(x, axis, offset, int(np.iinfo(np.int64).max) if behind == 0 else -behind)


@rule("select_and_scatter")
def select_and_scatter(b: Builder, op: Operation, x: Tensor, source: Tensor, initial: Tensor) -> Tensor:
    """The gradient of pooling: elements of the source go where the window's chosen element is, and meet there."""
    rank = x.rank
    window = ints(op, "window_dimensions", [1] * rank)
    strides = ints(op, "window_strides", [1] * rank)
    padding = pairs(op, "padding", rank)
    name = combiner(op.regions[1])
    if name != "add":
        raise Refused("scatters by a function that is not add")
    if None in x.shape or None in source.shape:
        raise Refused("chooses in windows over axes of sizes that are not known")
    shape: Sequence[int] = [*x.shape]  # type: ignore[list-item]
    places = b.reshaped(b.iota(int(np.prod(shape))), shape)
    low, high = ([sides[i] for sides in padding] for i in (0, 1))
    none = [0] * rank
    nowhere = b.number(-1, INT64)
    values = padded(b, x, b.number(0, x.dtype), low, high, none)
    places = padded(b, places, nowhere, low, high, none)
    best: tuple[Tensor, Tensor] | None = None
    for offsets in itertools.product(*map(range, window)):
        value, place = values, places
        for axis, (offset, stride) in enumerate(zip(offsets, strides, strict=True)):
            count = source.shape[axis]
            assert count is not None
            stop = offset + max(count - 1, 0) * stride + min(count, 1)
            value, place = (b.along(each, axis, offset, stop, stride) for each in (value, place))
        if best is None:
            best = value, place
            continue
        (stays,) = b.applied(op.regions[0], [best[0], value])
        stays = b.logical_or(b.logical_and(stays, b.greater_equal(best[1], 0)), place < 0)
        best = b.select(stays, best[0], value), b.select(stays, best[1], place)
    assert best is not None
    total = int(np.prod(shape))
    flat = b.reshaped(best[1], [int(np.prod(source.shape))])  # type: ignore[arg-type]
    zeros = b.full([total], 0, x.dtype)
    updates = b.reshaped(source, [int(np.prod(source.shape))])  # type: ignore[arg-type]
    updates = b.select(flat < 0, b.number(0, x.dtype), updates)  # of a window that has only what was padded
    flat = b.maximum(flat, 0)
    found = b.reshaped(b.scatter(zeros, updates, flat, axes=(0,), position=0, mode="add"), shape)
    return found if is_neutral("add", initial) else combine(b, "add", found, initial)
