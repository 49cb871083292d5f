"""Convolutions, and reductions of windows, which slide over images of another layout: (N, C, ...)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dialect.dtypes import is_half, kind
from ....dialect.emitter import INT64_MAX, Extent, Tensor
from ....dialect.ops.convolution import Conv
from ....dialect.ops.reductions import extremum_of_nothing
from ....dialect.ops.windows import WindowReduction
from ....dialect.sliding import Slide, slid_shape
from ....dialect.types import TensorType
from ...graph_writers.table import SINGLE, Unsaid
from .table import DOUBLE, Builder, writer

# Convolutions


@writer("conv")
def conv(b: Builder, x: Tensor, kernel: Tensor, groups: int, **how: tuple[int, ...]) -> Tensor:
    wide = SINGLE if is_half(x.dtype) else x.dtype
    if kind(wide) != "f":
        if wide.itemsize > 2:
            raise Unsaid(f"has no form for {wide.name}: Conv does not take it")
        wide = DOUBLE  # which has all sums of products of such integers
    rank = x.rank - 2
    if rank == 0:  # nodes slide along one axis at least
        one = {name: (0, 0) if name == "padding" else (1,) for name in how}
        found = b.one(
            "conv", b.expand_dims(x, axes=(1,)), b.expand_dims(kernel, axes=(0,)), groups=groups, **one
        )
        return b.one("squeeze", found, axes=(1,))
    x, slides = _cut(b, x, 1, Conv.slides(kernel.shape[:-2], how))
    image = b.converted(b.transposed(x, (0, rank + 1, *range(1, rank + 1))), wide)
    weights = b.converted(kernel, wide)
    convolved = _with_gaps if any(slide.gap > 1 for slide in slides) else _without_gaps
    found = convolved(b, image, weights, slides, groups)
    turned = b.transposed(found, (0, *range(2, rank + 2), 1))
    if kind(x.dtype) in "iu":
        turned = b.convert(turned, np.dtype(np.int64))
    return b.converted(turned, x.dtype)


def _cut(b: Builder, x: Tensor, first: int, slides: Sequence[Slide]) -> tuple[Tensor, list[Slide]]:
    """An array without what negative borders cut, which nodes do not take; of an axis with gaps nothing is cut."""
    found: list[Slide] = []
    for axis, slide in enumerate(slides, first):
        if slide.gap == 1 and (slide.low < 0 or slide.high < 0):
            x = b.along(x, axis, max(-slide.low, 0), min(slide.high, 0) or INT64_MAX)
            slide = slide._replace(low=max(slide.low, 0), high=max(slide.high, 0))
        found.append(slide)
    return x, found


def _slid(b: Builder, image: Tensor, slides: Sequence[Slide]) -> tuple[int | None, ...]:
    """How many places windows have along the axes of an image (N, C, ...)."""
    return slid_shape("windows", image.type, 2, slides)


def _how(slides: Sequence[Slide]) -> dict[str, Any]:
    """The attributes of a node whose windows slide so; older versions of some know of no dilations."""
    dilations = [slide.dilation for slide in slides]
    return {
        "strides": [slide.stride for slide in slides],
        "pads": [*(slide.low for slide in slides), *(slide.high for slide in slides)],
        **({"dilations": dilations} if set(dilations) != {1} else {}),
    }


def _without_gaps(b: Builder, image: Tensor, kernel: Tensor, slides: Sequence[Slide], groups: int) -> Tensor:
    rank = len(slides)
    weights = b.transposed(kernel, (rank + 1, rank, *range(rank)))
    shape = (image.shape[0], kernel.shape[-1], *_slid(b, image, slides))
    return b.make("Conv", [image, weights], TensorType(shape, image.dtype), group=groups, **_how(slides))


def _with_zeros(b: Builder, image: Tensor, slides: Sequence[Slide]) -> tuple[Tensor, list[Slide]]:
    """An image with zeros in the gaps between its elements."""
    extents = b.extents(image)
    for axis, slide in enumerate(slides, 2):
        extents[axis] = (extents[axis] - 1) * slide.gap + 1
    steps = (1, 1, *(slide.gap for slide in slides))
    ends = (INT64_MAX,) * image.rank
    zeros = b.full(extents, 0, image.dtype)
    wide = b.one("slice_update", zeros, image, start=(0,) * image.rank, stop=ends, step=steps)
    return _cut(b, wide, 2, [slide._replace(gap=1) for slide in slides])


def _with_gaps(b: Builder, image: Tensor, kernel: Tensor, slides: Sequence[Slide], groups: int) -> Tensor:
    """`ConvTranspose`, whose filters are turned round; what it does not reach is zero.

    With groups, and of sizes that are not known, zeros are put into the gaps: onnx's own evaluator takes the filters of
    other groups.
    """
    rank = len(slides)
    if groups > 1 or None in kernel.shape[:-2]:
        wide, plain = _with_zeros(b, image, slides)
        return _without_gaps(b, wide, kernel, plain, groups)
    for axis in range(rank):
        kernel = b.flip(kernel, axis)
    weights = b.transposed(kernel, (rank, rank + 1, *range(rank)))
    before = [slide.reach - slide.low for slide in slides]
    behind = [slide.reach - slide.high for slide in slides]
    plain = [
        Slide(s.window, 1, s.reach - max(low, 0), s.reach - max(high, 0), s.dilation, s.gap)
        for s, low, high in zip(slides, before, behind, strict=True)
    ]
    found = b.make(
        "ConvTranspose",
        [image, weights],
        TensorType((image.shape[0], kernel.shape[-1], *_slid(b, image, plain)), image.dtype),
        strides=[slide.gap for slide in slides],
        dilations=[slide.dilation for slide in slides],
        pads=[max(side, 0) for side in (*before, *behind)],
    )
    low, high = ((0, 0, *(max(-side, 0) for side in sides)) for sides in (before, behind))
    if any((*low, *high)):
        found = b.one("pad", found, b.number(0, found.dtype), low=low, high=high)
    for axis, slide in enumerate(slides, 2):
        found = b.along(found, axis, 0, INT64_MAX, slide.stride) if slide.stride > 1 else found
    return found


# Reductions of windows


def _as_images(
    b: Builder, x: Tensor, slides: Sequence[Slide]
) -> tuple[Tensor, list[Slide], list[int], list[Extent]]:
    """An array as images (N, C, ...) of the axes along which a window moves; the order of its axes, and its others."""
    moving = [axis for axis, slide in enumerate(slides) if slide != Slide(1, 1, 0, 0, slide.dilation)]
    others = [axis for axis in range(x.rank) if axis not in moving]
    extents = b.extents(x)
    image = b.transposed(x, (*others, *moving))
    kept = [extents[axis] for axis in others]
    if len(others) != 2:
        image = b.reshaped(image, [1, b.count(x, others), *(extents[axis] for axis in moving)])
    return image, [slides[axis] for axis in moving], [*others, *moving], kept


def _from_images(b: Builder, found: Tensor, order: Sequence[int], kept: Sequence[Extent]) -> Tensor:
    """The array of which images were made, with other extents of the axes that were moved along."""
    if len(kept) != 2:
        found = b.reshaped(found, [*kept, *b.extents(found)[2:]])
    return b.transposed(found, [order.index(axis) for axis in range(len(order))])


def _pooled(b: Builder, op_type: str, image: Tensor, slides: Sequence[Slide]) -> Tensor:
    shape = (*image.shape[:2], *_slid(b, image, slides))
    sizes = [slide.window for slide in slides]
    return b.make(op_type, [image], image.type.with_shape(shape), kernel_shape=sizes, **_how(slides))


def _surrounded(b: Builder, image: Tensor, slides: Sequence[Slide], value: Any) -> tuple[Tensor, list[Slide]]:
    """Images with borders of a value, where some are as wide as the window, which nodes do not take."""
    if all(max(slide.low, slide.high) < (slide.window or 0) for slide in slides):
        return image, list(slides)
    low, high = (0, 0, *(slide.low for slide in slides)), (0, 0, *(slide.high for slide in slides))
    padded = b.one("pad", image, b.number(value, image.dtype), low=low, high=high)
    return padded, [slide._replace(low=0, high=0) for slide in slides]


_POOLED_IN: dict[str, np.dtype[Any]] = {
    "bool": np.dtype(np.uint8), "int16": SINGLE, "uint16": SINGLE, "int32": DOUBLE, "uint32": DOUBLE,
}  # fmt: skip
"""What has all values of a type of which ONNX has no windows."""


_FIRST_WITH_DILATIONS = 19
"""The opset from which on the elements of a window may be apart in `AveragePool`."""


@writer("window_max")
def window_max(b: Builder, x: Tensor, **how: tuple[int, ...]) -> Tensor:
    array, slides = _cut(b, x, 0, WindowReduction.slides(how))
    image, slides, order, kept = _as_images(b, array, slides)
    if not slides:
        return x
    image, slides = _surrounded(b, image, slides, extremum_of_nothing(x.dtype, smallest=False).real)
    wide = b.converted(image, _POOLED_IN.get(x.dtype.name, b.wide_for("MaxPool", x.dtype)))
    found = b.converted(_pooled(b, "MaxPool", wide, slides), x.dtype)
    if kind(x.dtype) == "f":
        marks = _pooled(b, "MaxPool", b.converted(b.isnan(image), SINGLE), slides)
        found = b.select(b.greater(marks, 0), b.number(np.nan, x.dtype), found)
    return _from_images(b, found, order, kept)


@writer("window_min")
def window_min(b: Builder, x: Tensor, **how: tuple[int, ...]) -> Tensor:
    turn = {"f": "negative", "b": "logical_not"}.get(kind(x.dtype), "invert")  # what reverses the order
    return b.one(turn, b.one("window_max", b.one(turn, x), **how))


@writer("window_sum")
def window_sum(b: Builder, x: Tensor, **how: tuple[int, ...]) -> Tensor:
    """The convolution with a kernel of ones."""
    image, slides, order, kept = _as_images(b, x, WindowReduction.slides(how))
    if not slides:
        return x
    window = [slide.window or 0 for slide in slides]
    found = b.one(
        "conv",
        b.reshaped(image, [b.count(image, (0, 1)), *b.extents(image)[2:], 1]),
        b.full([*window, 1, 1], 1, x.dtype),
        strides=tuple(slide.stride for slide in slides),
        padding=tuple(side for slide in slides for side in (slide.low, slide.high)),
        dilations=tuple(slide.dilation for slide in slides),
        input_dilations=(1,) * len(slides),
        groups=1,
    )
    return _from_images(b, b.reshaped(found, [*b.extents(image)[:2], *b.extents(found)[1:-1]]), order, kept)


@writer("window_mean")
def window_mean(b: Builder, x: Tensor, **how: tuple[int, ...]) -> Tensor:
    slides = WindowReduction.slides(how)
    is_wide = any(max(slide.low, slide.high) >= (slide.window or 0) for slide in slides)
    is_apart = any(slide.dilation > 1 for slide in slides)
    if is_wide or (is_apart and b.nodes.opset < _FIRST_WITH_DILATIONS):
        totals, counts = (b.one("window_sum", each, **how) for each in (x, b.full(b.extents(x), 1, x.dtype)))
        return totals / counts
    if kind(x.dtype) == "c":
        raise Unsaid(f"has no form for {x.dtype.name}: AveragePool does not take it")
    array, slides = _cut(b, x, 0, slides)
    image, slides, order, kept = _as_images(b, array, slides)
    if not slides:
        return x
    wide = b.converted(image, SINGLE) if is_half(x.dtype) else image
    return _from_images(b, b.converted(_pooled(b, "AveragePool", wide, slides), x.dtype), order, kept)
