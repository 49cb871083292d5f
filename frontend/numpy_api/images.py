"""Convolution and pooling of images (batch, height, width, channels)."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...dialect.errors import WeftValueError
from ...dialect.op import Op
from ...dialect.ops.contraction import Conv2d, GroupedConv2d
from ...dialect.ops.pooling import AvgPool2d, MaxPool2d
from ..tracing.extents import extents_text, known_shape, require_equal
from ..tracing.staging import (
    ArrayLike,
    ArrayResult,
    apply,
    asarray,
    is_traced,
    raise_if,
    staged,
    trace_of,
    type_of_operand,
)
from .arguments import promoted


def conv2d(
    x: ArrayLike,
    filters: ArrayLike,
    /,
    *,
    strides: Any = 1,
    padding: Any = "valid",
    dilations: Any = 1,
    groups: int = 1,
) -> ArrayResult:
    """The cross-correlation of images with filters.

    Shape: (N, H', W', F) for images (N, H, W, C) and filters (KH, KW, C/groups, F). Dtype: the common one. With
    `groups`, channels and filters are divided into so many parts of equal size, in their order, and filters see the
    channels of their part alone; with as many groups as channels every channel has filters of its own (depthwise).
    `strides` and `dilations` are a number or one for height and width. `padding` is "valid" (none), "same" (the
    result has the image's size divided by the strides, rounded up), a number, a pair, or ((top, bottom), (left,
    right)). Raises `ValueError` where the shapes do not fit.

    >>> weft.conv2d(np.ones((1, 3, 3, 1)), np.ones((2, 2, 1, 1))).shape
    (1, 2, 2, 1)
    """
    image, kernel = promoted(x, filters)
    steps, spread, parts = _pair(strides, "strides"), _pair(dilations, "dilations"), operator.index(groups)
    borders = _padding(padding, image, known_shape(kernel)[:2], steps, spread)
    if image.ndim == 4 and kernel.ndim == 4:
        _require_channels(image, kernel, parts)
        _require_fit("conv2d", image, kernel.shape[:2], borders, spread)
    attributes = {"strides": steps, "padding": borders, "dilations": spread}
    if parts == 1:
        return _checked(Conv2d, image, kernel, **attributes)
    if None in known_shape(image)[3:] + known_shape(kernel)[2:]:
        raise WeftValueError("weft.conv2d: groups need the numbers of channels and filters while tracing")
    return _checked(GroupedConv2d, image, kernel, groups=parts, **attributes)


def max_pool2d(x: ArrayLike, /, window: Any, *, strides: Any = None, padding: Any = "valid") -> ArrayResult:
    """The largest element in every window of images; the stride is the window unless given.

    Shape: (N, H', W', C) for images (N, H, W, C), `strides` and `padding` as in `conv2d`. Dtype: that of x. Raises
    `ValueError` where the window does not fit.

    >>> weft.max_pool2d(np.arange(4.0).reshape(1, 2, 2, 1), 2)
    array([[[[3.]]]])
    """
    return _pool(MaxPool2d, x, window, strides, padding)


def avg_pool2d(x: ArrayLike, /, window: Any, *, strides: Any = None, padding: Any = "valid") -> ArrayResult:
    """The mean of every window of images, in which the border does not count; the stride is the window unless given.

    Shape: (N, H', W', C) for images (N, H, W, C), `strides` and `padding` as in `conv2d`. Dtype: that of x. Raises
    `ValueError` where the window does not fit.

    >>> weft.avg_pool2d(np.arange(4.0).reshape(1, 2, 2, 1), 2)
    array([[[[1.5]]]])
    """
    return _pool(AvgPool2d, x, window, strides, padding)


def _pool(op_class: Any, x: ArrayLike, window: Any, strides: Any, padding: Any) -> ArrayResult:
    image, size = asarray(x), _pair(window, "window")
    steps = size if strides is None else _pair(strides, "strides")
    borders = _padding(padding, image, size, steps, (1, 1))
    if image.ndim == 4:
        _require_fit(op_class.name, image, size, borders, (1, 1))
    return _checked(op_class, image, window=size, strides=steps, padding=borders)


def _checked(op_class: type[Op], *operands: ArrayResult, **attributes: Any) -> ArrayResult:
    """Apply an op after its own rule has looked at the shapes, also for NumPy arrays."""
    op_class.result_types([type_of_operand(operand) for operand in operands], attributes)
    return asarray(apply(op_class, *operands, **attributes))


def _require_channels(image: ArrayResult, kernel: ArrayResult, groups: int) -> None:
    """Check at run time that images and filters have the same number of channels; with groups it is known before."""
    trace = trace_of((image, kernel))
    if trace is not None and groups == 1:
        (left, right), shown = extents_text(image.shape[3], kernel.shape[2])
        message = f"weft.conv2d: the images have {left} channels, the filters {right}"
        require_equal(trace, [(image, 3, kernel, 2)], message, *shown)


def _require_fit(
    name: str,
    image: ArrayResult,
    window: tuple[Any, ...],
    padding: tuple[int, ...],
    dilations: tuple[int, int],
) -> None:
    """Check at run time that a window fits the padded image, where the extents of one are not known before."""
    trace = trace_of((image, *window))
    for axis in (0, 1):
        extent, size = image.shape[1 + axis], window[axis]
        if trace is None or not (is_traced(extent) or is_traced(size)):
            continue
        span = (size - 1) * dilations[axis] + 1
        misfit = np.logical_or(
            np.less(extent + padding[2 * axis] + padding[2 * axis + 1], span), np.less(size, 1)
        )
        (size_text, extent_text), shown = extents_text(size, extent)
        message = f"weft.{name}: a window of {size_text} does not fit axis {1 + axis} of extent {extent_text}"
        raise_if(staged(trace, misfit), "ValueError", message, *shown)


def _pair(value: Any, name: str) -> tuple[int, int]:
    """A number for both axes, or one for each."""
    entries = tuple(value) if isinstance(value, (tuple, list)) else (value, value)
    if len(entries) != 2:
        raise WeftValueError(f"{name} is a number or a pair of numbers, not {value!r}")
    return operator.index(entries[0]), operator.index(entries[1])


def _padding(
    padding: Any,
    image: ArrayResult,
    window: tuple[int | None, ...],
    strides: tuple[int, int],
    dilations: tuple[int, int],
) -> tuple[int, int, int, int]:
    """Top, bottom, left and right."""
    if isinstance(padding, str):
        if padding.lower() == "valid":
            return (0, 0, 0, 0)
        if padding.lower() != "same":
            raise WeftValueError(f"padding is 'valid', 'same' or numbers, not {padding!r}")
        borders: list[int] = []
        for axis in (0, 1):
            extent, size = (known_shape(image)[1 + axis] if image.ndim == 4 else 0), window[axis]
            if size is None or (extent is None and strides[axis] != 1):
                raise WeftValueError(
                    "padding 'same' with strides needs the size of image and window while tracing"
                )
            span = (size - 1) * dilations[axis] + 1
            total = (
                span - 1
                if extent is None
                else max((-(-extent // strides[axis]) - 1) * strides[axis] + span - extent, 0)
            )
            borders += [total // 2, total - total // 2]
        return (borders[0], borders[1], borders[2], borders[3])
    (top, bottom), (left, right) = (
        _pair(entry, "padding")
        for entry in (padding if isinstance(padding, (tuple, list)) else (padding, padding))
    )
    return (top, bottom, left, right)
