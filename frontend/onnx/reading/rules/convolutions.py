"""Convolutions, of images with one, two or three axes, by `weft.conv2d`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..namespace import item, weft
from ..table import Refused, ints, known, require, rule
from .elementwise import scalar
from .shapes import part, shape_of
from .windows import Window, window


@rule("Conv")
def conv(
    x: Any,
    w: Any,
    b: Any = None,
    *,
    auto_pad: str,
    dilations: Sequence[int] | None = None,
    group: int,
    kernel_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Any:
    """`weft.conv2d`, with the channels moved to the end; a third axis of images is taken for channels."""
    given = window(x, kernel_shape or shape_of(w)[2:], strides, dilations, pads, auto_pad)
    return _with_bias(convolved(x, w, given, group), b)


def _with_bias(found: Any, b: Any) -> Any:
    return found if b is None else found + weft.reshape(b, (1, -1, *(1,) * (found.ndim - 2)))


def convolved(x: Any, w: Any, given: Window, group: int) -> Any:
    """The convolution of images (batch, channels, ...) with filters (filters, channels of a group, ...)."""
    rank = x.ndim - 2
    if rank == 1:
        wide = Window(
            (1, *given.sizes), (1, *given.strides), (1, *given.dilations), (0, *given.low), (0, *given.high)
        )
        found = convolved(weft.expand_dims(x, axis=2), weft.expand_dims(w, axis=2), wide, group)
        return weft.squeeze(found, axis=2)
    if rank == 3:
        return _of_volumes(x, w, given, group)
    if rank != 2:
        raise Refused(f"is over images of {rank} axes: 1 to 3 are read")
    images = weft.permute_dims(x, (0, 2, 3, 1))
    filters = weft.permute_dims(w, (2, 3, 1, 0))
    (top, left), (bottom, right) = given.low, given.high
    if min(top, left, bottom, right) < 0:
        raise Refused("has borders of negative sizes")
    found = weft.conv2d(
        images,
        filters,
        strides=given.strides,
        padding=((top, bottom), (left, right)),
        dilations=given.dilations,
        groups=group,
    )
    return weft.permute_dims(found, (0, 3, 1, 2))


def _of_volumes(x: Any, w: Any, given: Window, group: int) -> Any:
    """Planes of volumes as images, whose channels are those of all planes that a filter sees."""
    planes = planes_of(x, given, 0.0)  # for each plane of a filter (batch, channels, depth', height, width)
    batch, _, depth, height, width = planes[0].shape
    channels = w.shape[1]
    stacked = weft.stack(planes, axis=2)
    stacked = weft.reshape(stacked, (batch, group, channels, len(planes), depth, height, width))
    # Of each group of channels all planes, as groups of images divide channels in their order.
    images = weft.reshape(
        weft.permute_dims(stacked, (0, 4, 1, 2, 3, 5, 6)),
        (batch * depth, group * channels * len(planes), height, width),
    )
    filters = weft.reshape(w, (w.shape[0], channels * len(planes), *w.shape[3:]))
    flat = Window(given.sizes[1:], given.strides[1:], given.dilations[1:], given.low[1:], given.high[1:])
    found = convolved(images, filters, flat, group)
    found = weft.reshape(found, (batch, depth, *found.shape[1:]))
    return weft.permute_dims(found, (0, 2, 1, 3, 4))


def planes_of(x: Any, given: Window, fill: Any, axis: int = 0) -> list[Any]:
    """For each place of a window along an axis of images, what lies at it in all windows."""
    along = 2 + axis
    low, high = given.low[axis], given.high[axis]
    if high < 0:
        x, high = part(x, along, slice(None, high)), 0
    if low or high:
        widths = [(low, high) if a == along else (0, 0) for a in range(x.ndim)]
        x = weft.pad(x, widths, constant_values=scalar(fill, x))
    step, gap, span = given.strides[axis], given.dilations[axis], given.spans[axis]
    extent = x.shape[along]
    require(
        not isinstance(extent, int) or extent >= span, f"a window of {span} does not fit an axis of {extent}"
    )
    count = (extent - span) // step + 1
    return [
        part(x, along, slice(place * gap, place * gap + (count - 1) * step + 1, step))
        for place in range(given.sizes[axis])
    ]


@rule("ConvTranspose")
def conv_transpose(
    x: Any,
    w: Any,
    b: Any = None,
    *,
    auto_pad: str,
    dilations: Sequence[int] | None = None,
    group: int,
    kernel_shape: Sequence[int] | None = None,
    output_padding: Sequence[int] | None = None,
    output_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Any:
    """The gradient of `Conv`: a convolution of the image, with zeros between its elements, and turned filters."""
    rank = x.ndim - 2
    plain = window(x, kernel_shape or shape_of(w)[2:], strides, dilations, pads, "NOTSET")
    more = list(output_padding or (0,) * rank)
    low, high = list(plain.low), list(plain.high)
    sizes = [int(known(extent, "the size of the image")) for extent in shape_of(x)[2:]]
    steps = plain.strides
    if output_shape or auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        wanted = list(output_shape or [])[-rank:] or [n * s for n, s in zip(sizes, steps, strict=True)]
        for axis in range(rank):
            total = steps[axis] * (sizes[axis] - 1) + more[axis] + plain.spans[axis] - wanted[axis]
            half = total // 2
            low[axis], high[axis] = (half, total - half) if auto_pad == "SAME_UPPER" else (total - half, half)
    for axis, step in enumerate(steps):
        x = _spread(x, 2 + axis, sizes[axis], step)
    before = [span - 1 - border for span, border in zip(plain.spans, low, strict=True)]
    behind = [span - 1 - border + extra for span, border, extra in zip(plain.spans, high, more, strict=True)]
    x = _bordered(x, before, behind)
    inputs, outputs = w.shape[0], w.shape[1]
    whole, backwards = slice(None), slice(None, None, -1)
    turned = item(w, (whole, whole, *(backwards,) * rank))
    turned = weft.reshape(turned, (group, inputs // group, outputs, *plain.sizes))
    turned = weft.permute_dims(turned, (0, 2, 1, *range(3, 3 + rank)))
    filters = weft.reshape(turned, (group * outputs, inputs // group, *plain.sizes))
    one = (1,) * rank
    dense = Window(plain.sizes, one, plain.dilations, (0,) * rank, (0,) * rank)
    return _with_bias(convolved(x, filters, dense, group), b)


def _spread(x: Any, axis: int, size: int, step: int) -> Any:
    """With zeros between the elements along an axis."""
    if step == 1 or size == 0:
        return x
    wide = weft.expand_dims(x, axis=axis + 1)
    widths = [(0, step - 1) if a == axis + 1 else (0, 0) for a in range(wide.ndim)]
    flat = weft.reshape(
        weft.pad(wide, widths), tuple(size * step if a == axis else n for a, n in enumerate(x.shape))
    )
    return part(flat, axis, slice(0, (size - 1) * step + 1))


def _bordered(x: Any, before: Sequence[int], behind: Sequence[int]) -> Any:
    """With zeros around the image; negative sizes cut."""
    for axis, (low, high) in enumerate(zip(before, behind, strict=True)):
        if low < 0 or high < 0:
            x = part(x, 2 + axis, slice(max(-low, 0), None if high >= 0 else high))
    widths = [
        (0, 0),
        (0, 0),
        *((max(low, 0), max(high, 0)) for low, high in zip(before, behind, strict=True)),
    ]
    return weft.pad(x, widths) if any(map(any, widths)) else x


@rule("ConvInteger")
def conv_integer(
    x: Any,
    w: Any,
    x_zero_point: Any = None,
    w_zero_point: Any = None,
    *,
    auto_pad: str,
    dilations: Sequence[int] | None = None,
    group: int,
    kernel_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Any:
    """The convolution of integers in int32, less their zero points."""
    given = window(x, kernel_shape or shape_of(w)[2:], strides, dilations, pads, auto_pad)
    return integers_convolved(x, w, x_zero_point, w_zero_point, given, group)


def integers_convolved(x: Any, w: Any, x_zero: Any, w_zero: Any, given: Window, group: int) -> Any:
    """A convolution in int32 of images and filters less their zero points, of filters one for each or one for all."""
    image, filters = weft.astype(x, np.int32), weft.astype(w, np.int32)
    if x_zero is not None:
        image = image - weft.reshape(weft.astype(weft.asarray(x_zero), np.int32), ())
    if w_zero is not None:
        point = weft.astype(weft.asarray(w_zero), np.int32)
        filters = filters - weft.reshape(point, (-1, *(1,) * (w.ndim - 1)))
    return convolved(image, filters, given, group)


@rule("Col2Im")
def col2im(
    x: Any,
    image_shape: Any,
    block_shape: Any,
    *,
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Any:
    """Windows added up where they overlap: what `ConvTranspose` does with each column as a filter of its own."""
    shape, block = ints(image_shape, "the shape of the image"), ints(block_shape, "the shape of the blocks")
    rank = len(shape)
    steps, gaps = tuple(strides or (1,) * rank), tuple(dilations or (1,) * rank)
    borders = list(pads or (0,) * (2 * rank))
    spans = [(size - 1) * gap + 1 for size, gap in zip(block, gaps, strict=True)]
    counts = [(shape[a] + borders[a] + borders[rank + a] - spans[a]) // steps[a] + 1 for a in range(rank)]
    batch, rows = x.shape[0], x.shape[1]
    channels = rows // int(np.prod(block))
    columns = weft.reshape(x, (batch, rows, *counts))
    size = int(np.prod(block))
    filters = np.eye(size, dtype=x.dtype).reshape(size, 1, *block)  # each puts one number at one place
    columns = weft.reshape(columns, (batch * channels, size, *counts))
    found = conv_transpose(
        columns,
        filters,
        auto_pad="NOTSET",
        dilations=gaps,
        group=1,
        pads=borders,
        strides=steps,
        output_padding=[
            shape[a] - ((counts[a] - 1) * steps[a] + spans[a] - borders[a] - borders[rank + a])
            for a in range(rank)
        ],
    )
    return weft.reshape(found, (batch, channels, *shape))


__all__ = ["convolved", "integers_convolved", "planes_of"]
