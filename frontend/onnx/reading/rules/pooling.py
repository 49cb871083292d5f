"""The largest elements and means of windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..namespace import weft
from ..table import Refused, Visit, ints, rule
from .convolutions import planes_of
from .elementwise import is_float, scalar
from .indexing import scattered
from .windows import Window, window


def _lowest(x: Any) -> Any:
    return -math.inf if is_float(x) else np.iinfo(x.dtype).min


def _reduced(x: Any, reduction: str, given: Window) -> Any:
    """What is in the windows of images (batch, channels, ...) reduced."""
    return weft.reduce_window(
        x,
        reduction,
        (1, 1, *given.sizes),
        strides=(1, 1, *given.strides),
        padding=(0, 0, *zip(given.low, given.high, strict=True)),
        dilations=(1, 1, *given.dilations),
    )


@rule("MaxPool", shared=window)
def max_pool(x: Any, *, storage_order: int = 0, node: Visit, **more: Any) -> Any:
    """`weft.reduce_window`; with places, elements of windows are compared one after the other."""
    given = window(x, **more)
    if node.is_asked(1):
        return _with_places(x, given, storage_order)
    return _reduced(x, "max", given)


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


@rule("AveragePool", shared=window)
def average_pool(x: Any, *, count_include_pad: int = 0, **more: Any) -> Any:
    """`weft.reduce_window`; borders count if the node says so, and what lies behind them never does."""
    exact, given = window(x, **{**more, "ceil_mode": 0}), window(x, **more)
    if count_include_pad:
        widths = [(0, 0), (0, 0), *zip(exact.low, exact.high, strict=True)]
        x = weft.pad(x, widths) if any(map(any, widths)) else x
        behind = tuple(more - own for more, own in zip(given.high, exact.high, strict=True))
        given = Window(given.sizes, given.strides, given.dilations, (0,) * len(behind), behind)
    return _reduced(x, "mean", given)


@rule("LpPool", shared=window)
def lp_pool(x: Any, *, p: int, **more: Any) -> Any:
    """The p-norms of windows."""
    given = window(x, **more)
    power = scalar(p, x)
    return weft.power(_reduced(weft.power(weft.abs(x), power), "sum", given), scalar(1, x) / power)


def _spatial(x: Any) -> tuple[int, ...]:
    return tuple(range(2, x.ndim))


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
    around = [(low, high) if axis == 1 else (0, 0) for axis in range(x.ndim)]
    window = [size if axis == 1 else 1 for axis in range(x.ndim)]
    total = weft.reduce_window(x * x, "sum", window, padding=around)
    return x / weft.power(scalar(bias, x) + scalar(alpha / size, x) * total, scalar(beta, x))


rule("GlobalAveragePool", says="The mean of each channel.")(
    lambda x: weft.mean(x, axis=_spatial(x), keepdims=True)
)
rule("GlobalMaxPool", says="The largest element of each channel.")(
    lambda x: weft.max(x, axis=_spatial(x), keepdims=True)
)
