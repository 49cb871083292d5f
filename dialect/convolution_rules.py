"""Cotangents of convolutions and pooling: what a window that slides over images (N,H,W,C) gives back.

Filters are (KH,KW,C/groups,F); `padding` is top, bottom, left, right.
"""

from __future__ import annotations

from collections.abc import Iterator

from .emitter import INT64_MAX, Emitter, Extent, Tensor
from .errors import UnsupportedError


def image_cotangent(
    b: Emitter,
    g: Tensor,
    x: Tensor,
    filters: Tensor,
    groups: int,
    *,
    strides: tuple[int, ...],
    padding: tuple[int, ...],
    dilations: tuple[int, ...],
) -> Tensor:
    """A correlation of the cotangent, with gaps for the strides, with the filters turned round."""
    rows, columns = known_extent(filters, 0), known_extent(filters, 1)
    own, results = b.extents(filters)[2:]
    spread = _with_gaps(b, g, strides)
    borders: list[int] = []
    for axis, size in ((0, rows), (1, columns)):
        reach = (size - 1) * dilations[axis]
        low = reach - padding[2 * axis]
        extent, length = known_extent(x, 1 + axis), known_extent(spread, 1 + axis)
        high = extent - length + reach - low
        spread = b.along(spread, 1 + axis, max(0, -low), min(high, 0) or INT64_MAX)
        borders += [max(0, low), max(0, high)]
    turned = b.flip(b.flip(filters, 0), 1)
    each = _divided(results, groups)
    split = b.reshaped(turned, [rows, columns, own, groups, each])
    back = b.reshaped(b.transpose(split, permutation=(0, 1, 4, 3, 2)), [rows, columns, each, b.extent(x, 3)])
    shape = {"strides": (1, 1), "padding": tuple(borders), "dilations": dilations}
    return _correlated(b, spread, b.conj(back), groups, shape)


def filter_cotangent(
    b: Emitter,
    g: Tensor,
    x: Tensor,
    filters: Tensor,
    groups: int,
    *,
    strides: tuple[int, ...],
    padding: tuple[int, ...],
    dilations: tuple[int, ...],
) -> Tensor:
    """A correlation of the image with the cotangent, over the batch; strides and dilations change places."""
    rows, columns = known_extent(filters, 0), known_extent(filters, 1)
    images, height, width, _ = b.extents(x)
    out_height, out_width, results = b.extents(g)[1:]
    own = b.extent(filters, 2)
    each = _divided(results, groups)
    image = b.transpose(b.reshaped(x, [images, height, width, groups, own]), permutation=(4, 1, 2, 3, 0))
    image = b.reshaped(image, [own, height, width, images * groups])
    window = b.transpose(
        b.reshaped(g, [images, out_height, out_width, groups, each]), permutation=(1, 2, 0, 3, 4)
    )
    window = b.reshaped(window, [out_height, out_width, images, results])
    shape = {"strides": dilations, "padding": padding, "dilations": strides}
    found = _correlated(b, b.conj(image), window, groups, shape)
    found = b.along(b.along(found, 1, 0, rows), 2, 0, columns)
    turned: Tensor = b.transpose(found, permutation=(1, 2, 0, 3))
    return turned


def _correlated(
    b: Emitter, image: Tensor, filters: Tensor, groups: int, shape: dict[str, tuple[int, ...]]
) -> Tensor:
    found: Tensor = (
        b.conv2d(image, filters, **shape)
        if groups == 1
        else b.grouped_conv2d(image, filters, groups=groups, **shape)
    )
    return found


def _with_gaps(b: Emitter, g: Tensor, strides: tuple[int, ...]) -> Tensor:
    """The cotangent at the places of the image where windows begin, zeros between."""
    if strides == (1, 1):
        return g
    images, height, width, channels = b.extents(g)
    spans: list[Extent] = [(height - 1) * strides[0] + 1, (width - 1) * strides[1] + 1]
    zeros = b.full([images, *spans, channels], 0, g.dtype)
    ends = (INT64_MAX,) * 4
    found: Tensor = b.slice_update(zeros, g, start=(0,) * 4, stop=ends, step=(1, *strides, 1))
    return found


def known_extent(x: Tensor, axis: int) -> int:
    """An extent that is needed as a number."""
    extent = x.shape[axis]
    if extent is None:
        raise UnsupportedError(
            f"the derivative of a convolution needs the height and width of {x.type} to be known when it is "
            "compiled; call the function with arrays of one size, or without a signature that leaves them open"
        )
    return extent


def _divided(extent: Extent, count: int) -> Extent:
    if count == 1 or isinstance(extent, int):
        return extent // count if isinstance(extent, int) else extent
    found: Tensor = extent.emitter.floor_divide(extent, count)
    return found


def parts_of_windows(
    window: tuple[int, ...], strides: tuple[int, ...], counts: tuple[int, int]
) -> Iterator[dict[str, tuple[int, ...]]]:
    """For every place in the window the bounds of what all windows have there, of a padded image."""
    for row in range(window[0]):
        for column in range(window[1]):
            stops = (row + (counts[0] - 1) * strides[0] + 1, column + (counts[1] - 1) * strides[1] + 1)
            yield {
                "start": (0, row, column, 0),
                "stop": (INT64_MAX, *stops, INT64_MAX),
                "step": (1, *strides, 1),
            }


def padded_image(b: Emitter, x: Tensor, padding: tuple[int, ...], value: float) -> Tensor:
    """The image with a border of a value."""
    if not any(padding):
        return x
    top, bottom, left, right = padding
    found: Tensor = b.pad(x, value, low=(0, top, left, 0), high=(0, bottom, right, 0))
    return found


def spread(
    b: Emitter,
    x: Tensor,
    parts: list[dict[str, tuple[int, ...]]],
    values: list[Tensor],
    padding: tuple[int, ...],
) -> Tensor:
    """The sum over the places in the window of what goes back to all windows there, without the border."""
    whole = padded_image(b, b.zeros_like(x), padding, 0)
    for part, value in zip(parts, values, strict=True):
        whole = b.slice_update(whole, b.slice(whole, **part) + value, **part)
    top, bottom, left, right = padding
    inside = b.along(whole, 1, top, -bottom if bottom else INT64_MAX)
    return b.along(inside, 2, left, -right if right else INT64_MAX)


__all__ = [
    "filter_cotangent",
    "image_cotangent",
    "known_extent",
    "padded_image",
    "parts_of_windows",
    "spread",
]
