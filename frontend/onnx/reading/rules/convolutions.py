"""Convolutions, by `weft.conv`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..namespace import item, weft
from ..table import ints, known, require, rule
from .elementwise import scalar
from .shapes import part, shape_of
from .windows import Window, window


@rule("Conv", shared=window)
def conv(
    x: Any,
    w: Any,
    b: Any = None,
    *,
    group: int,
    **more: Any,
) -> Any:
    """`weft.conv`, with the channels moved to the end."""
    given = window(x, shape_of(w)[2:], **more)
    return _with_bias(convolved(x, w, given, group), b)


def _with_bias(found: Any, b: Any) -> Any:
    return found if b is None else found + weft.reshape(b, (1, -1, *(1,) * (found.ndim - 2)))


def convolved(x: Any, w: Any, given: Window, group: int, gaps: Sequence[int] | int = 1) -> Any:
    """The convolution of images (batch, channels, ...) with filters (filters, channels of a group, ...)."""
    rank = x.ndim - 2
    inner = range(2, rank + 2)
    found = weft.conv(
        weft.permute_dims(x, (0, *inner, 1)),
        weft.permute_dims(w, (*inner, 1, 0)),
        strides=given.strides,
        padding=tuple(zip(given.low, given.high, strict=True)),
        dilations=given.dilations,
        input_dilations=gaps,
        groups=group,
    )
    return weft.permute_dims(found, (0, rank + 1, *range(1, rank + 1)))


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


@rule("ConvTranspose", shared=window)
def conv_transpose(
    x: Any,
    w: Any,
    b: Any = None,
    *,
    auto_pad: str,
    group: int,
    output_padding: Sequence[int] | None = None,
    output_shape: Sequence[int] | None = None,
    **more: Any,
) -> Any:
    """`weft.conv` of the image, with gaps between its elements, and turned filters."""
    rank = x.ndim - 2
    plain = window(x, shape_of(w)[2:], auto_pad="NOTSET", **more)
    wider = list(output_padding or (0,) * rank)
    low, high = list(plain.low), list(plain.high)
    sizes = [int(known(extent, "the size of the image")) for extent in shape_of(x)[2:]]
    steps = plain.strides
    if output_shape or auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        wanted = list(output_shape or [])[-rank:] or [n * s for n, s in zip(sizes, steps, strict=True)]
        for axis in range(rank):
            total = steps[axis] * (sizes[axis] - 1) + wider[axis] + plain.spans[axis] - wanted[axis]
            half = total // 2
            low[axis], high[axis] = (half, total - half) if auto_pad == "SAME_UPPER" else (total - half, half)
    before = tuple(span - 1 - border for span, border in zip(plain.spans, low, strict=True))
    behind = tuple(
        span - 1 - border + extra for span, border, extra in zip(plain.spans, high, wider, strict=True)
    )
    inputs, outputs = w.shape[0], w.shape[1]
    whole, backwards = slice(None), slice(None, None, -1)
    turned = item(w, (whole, whole, *(backwards,) * rank))
    turned = weft.reshape(turned, (group, inputs // group, outputs, *plain.sizes))
    turned = weft.permute_dims(turned, (0, 2, 1, *range(3, 3 + rank)))
    filters = weft.reshape(turned, (group * outputs, inputs // group, *plain.sizes))
    dense = Window(plain.sizes, (1,) * rank, plain.dilations, before, behind)
    return _with_bias(convolved(x, filters, dense, group, steps), b)


@rule("ConvInteger", shared=window)
def conv_integer(
    x: Any,
    w: Any,
    x_zero_point: Any = None,
    w_zero_point: Any = None,
    *,
    group: int,
    **more: Any,
) -> Any:
    """The convolution of integers in int32, less their zero points."""
    given = window(x, shape_of(w)[2:], **more)
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
