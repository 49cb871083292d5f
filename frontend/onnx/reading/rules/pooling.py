"""The largest elements and means of windows."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..namespace import weft
from ..table import Refused, Visit, ints, rule
from .convolutions import planes_of
from .elementwise import is_float, scalar
from .indexing import scattered
from .shapes import part
from .windows import Window, window


def _lowest(x: Any) -> Any:
    return -math.inf if is_float(x) else np.iinfo(x.dtype).min


def _along_axes(x: Any, given: Window, fill: Any, combine: Callable[[Any, Any], Any]) -> Any:
    """Elements of windows combined, along one axis after the other."""
    for axis in range(x.ndim - 2):
        x = functools.reduce(combine, planes_of(x, given, fill, axis))
    return x


def _by_images(op: Any, x: Any, given: Window) -> Any:
    """A function of images of two axes, with the channels at the end."""
    behind = [min(size, 0) for size in given.high]  # where windows that were left out would begin
    for axis, size in enumerate(behind):
        x = part(x, 2 + axis, slice(None, size)) if size else x
    given = Window(
        given.sizes, given.strides, given.dilations, given.low, tuple(max(n, 0) for n in given.high)
    )
    is_line = x.ndim == 3
    image = weft.expand_dims(x, axis=2) if is_line else x
    sizes, strides, low, high = (
        ((first, *rest) if is_line else rest)
        for first, rest in ((1, given.sizes), (1, given.strides), (0, given.low), (0, given.high))
    )
    borders = ((low[0], high[0]), (low[1], high[1]))
    found = op(weft.permute_dims(image, (0, 2, 3, 1)), tuple(sizes), strides=tuple(strides), padding=borders)
    found = weft.permute_dims(found, (0, 3, 1, 2))
    return weft.squeeze(found, axis=2) if is_line else found


def _is_of_images(x: Any, given: Window) -> bool:
    return x.ndim in (3, 4) and set(given.dilations) == {1}


@rule("MaxPool")
def max_pool(
    x: Any,
    *,
    auto_pad: str,
    ceil_mode: int = 0,
    dilations: Sequence[int] | None = None,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = None,
    storage_order: int = 0,
    strides: Sequence[int] | None = None,
    node: Visit,
) -> Any:
    """`weft.max_pool2d`; with places, or of other images, elements of windows are compared one after the other."""
    given = window(x, kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
    if node.is_asked(1):
        return _with_places(x, given, storage_order)
    if _is_of_images(x, given) and is_float(x):
        return _by_images(weft.max_pool2d, x, given)
    return _along_axes(x, given, _lowest(x), weft.maximum)


def _with_places(x: Any, given: Window, column_major: int) -> tuple[Any, Any]:
    """The largest elements, and where each lies in the whole array."""
    shape = tuple(x.shape)
    if not all(isinstance(extent, int) for extent in shape):
        raise Refused("gives places, for which sizes have to be known")
    spatial = shape[2:]
    order = spatial[::-1] if column_major else spatial
    inner = np.arange(math.prod(spatial)).reshape(order)
    inner = inner.T if column_major else inner
    places = (
        np.arange(math.prod(shape[:2])).reshape(*shape[:2], *(1,) * len(spatial)) * math.prod(spatial) + inner
    )
    elements, numbers = [x], [places]
    for axis in range(len(spatial)):
        elements = [plane for each in elements for plane in planes_of(each, given, _lowest(x), axis)]
        numbers = [plane for each in numbers for plane in planes_of(each, given, -1, axis)]
    largest, at = elements[0], numbers[0]
    for element, number in zip(elements[1:], numbers[1:], strict=True):
        is_larger = weft.greater(element, largest)
        largest, at = weft.where(is_larger, element, largest), weft.where(is_larger, number, at)
    return largest, weft.asarray(at)


@rule("AveragePool")
def average_pool(
    x: Any,
    *,
    auto_pad: str,
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    dilations: Sequence[int] | None = None,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Any:
    """`weft.avg_pool2d`; borders count if the node says so, and what lies behind them never does."""
    exact = window(x, kernel_shape, strides, dilations, pads, auto_pad)
    given = window(x, kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
    if count_include_pad:
        widths = [(0, 0), (0, 0), *zip(exact.low, exact.high, strict=True)]
        x = weft.pad(x, widths) if any(map(any, widths)) else x
        behind = tuple(more - own for more, own in zip(given.high, exact.high, strict=True))
        given = Window(given.sizes, given.strides, given.dilations, (0,) * len(behind), behind)
    if _is_of_images(x, given):
        return _by_images(weft.avg_pool2d, x, given)
    counts = _along_axes(np.ones((1, 1, *(int(n) for n in x.shape[2:])), x.dtype), given, 0, np.add)
    return _along_axes(x, given, 0, weft.add) / counts


@rule("LpPool")
def lp_pool(
    x: Any,
    *,
    auto_pad: str,
    ceil_mode: int = 0,
    dilations: Sequence[int] | None = None,
    kernel_shape: Sequence[int],
    p: int,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Any:
    """The p-norms of windows."""
    given = window(x, kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
    power = scalar(p, x)
    return weft.power(_along_axes(weft.power(weft.abs(x), power), given, 0, weft.add), scalar(1, x) / power)


def _spatial(x: Any) -> tuple[int, ...]:
    return tuple(range(2, x.ndim))


@rule("GlobalAveragePool")
def global_average_pool(x: Any) -> Any:
    """The mean of each channel."""
    return weft.mean(x, axis=_spatial(x), keepdims=True)


@rule("GlobalMaxPool")
def global_max_pool(x: Any) -> Any:
    """The largest element of each channel."""
    return weft.max(x, axis=_spatial(x), keepdims=True)


@rule("GlobalLpPool")
def global_lp_pool(x: Any, *, p: int) -> Any:
    """The p-norm of each channel."""
    power = scalar(p, x)
    total = weft.sum(weft.power(weft.abs(x), power), axis=_spatial(x), keepdims=True)
    return weft.power(total, scalar(1, x) / power)


@rule("MaxUnpool")
def max_unpool(
    x: Any,
    indices: Any,
    output_shape: Any = None,
    *,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Any:
    """Elements where `MaxPool` took them from, else zeros."""
    rank = x.ndim - 2
    steps, borders = strides or (1,) * rank, list(pads or (0,) * (2 * rank))
    inner = [
        (x.shape[2 + a] - 1) * steps[a] - borders[a] - borders[rank + a] + kernel_shape[a]
        for a in range(rank)
    ]
    shape = [*x.shape[:2], *inner]
    wanted = shape if output_shape is None else ints(output_shape, "the shape of the output")
    places = weft.reshape(indices, (-1,))
    if wanted != shape:
        # Indices are of the shape that the pooling had, which the output's may exceed.
        coordinates = weft.unravel_index(places, tuple(shape))
        places = weft.ravel_multi_index(coordinates, tuple(wanted))
    flat = weft.zeros((math.prod(wanted),), dtype=x.dtype)
    return weft.reshape(scattered(flat, (places,), weft.reshape(x, (-1,)), "none"), tuple(wanted))


@rule("LRN")
def lrn(x: Any, *, alpha: float, beta: float, bias: float, size: int) -> Any:
    """Elements divided by a power of the sum of squares of the channels around."""
    low, high = (size - 1) // 2, size - 1 - (size - 1) // 2
    squares = weft.expand_dims(x * x, axis=(0, 1))  # with the channels as the second axis of an image
    around = Window((1, size), (1, 1), (1, 1), (0, low), (0, high))
    total = functools.reduce(weft.add, planes_of(squares, around, 0, 1))
    total = weft.squeeze(total, axis=(0, 1))
    return x / weft.power(scalar(bias, x) + scalar(alpha / size, x) * total, scalar(beta, x))


__all__ = ["global_average_pool"]
