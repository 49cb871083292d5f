"""Floats as integers with a scale and a zero point."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..namespace import weft
from ..table import Refused, rule
from ..tensors import dtype_of
from .convolutions import integers_convolved
from .elementwise import is_float, scalar
from .products import mat_mul_integer
from .shapes import shape_of
from .windows import window


def _placed(value: Any, x: Any, axis: int, block: int) -> Any:
    """A scale or zero point as it broadcasts: one number, or one for each place or block along an axis."""
    if value.ndim == 0 or (value.ndim == 1 and value.shape[0] == 1 and x.ndim != 1):
        return weft.reshape(value, ())
    if value.ndim == 1 and not block:
        return weft.reshape(value, tuple(-1 if a == axis % x.ndim else 1 for a in range(x.ndim)))
    repeated = weft.repeat(value, block, axis=axis)
    extent = x.shape[axis]
    return repeated[tuple(slice(None, extent) if a == axis % x.ndim else slice(None) for a in range(x.ndim))]


@rule("QuantizeLinear")
def quantize_linear(
    x: Any,
    y_scale: Any,
    y_zero_point: Any = None,
    *,
    axis: int = 1,
    saturate: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    precision: int = 0,
) -> Any:
    """Elements divided by the scale, rounded to even, plus the zero point, as far as the integers go."""
    if y_zero_point is not None:
        wanted = y_zero_point.dtype
    else:
        wanted = dtype_of(output_dtype, "the result") if output_dtype else np.dtype(np.uint8)
    if is_float(np.empty(0, wanted)):
        raise Refused(f"makes elements of {wanted}")
    wide = x if is_float(x) else weft.astype(x, np.float32)
    scaled = weft.rint(wide / weft.astype(_placed(y_scale, x, axis, block_size), wide.dtype))
    if y_zero_point is not None:
        scaled = scaled + weft.astype(_placed(y_zero_point, x, axis, block_size), wide.dtype)
    limits = np.iinfo(wanted)
    bounded = weft.minimum(weft.maximum(scaled, scalar(limits.min, wide)), scalar(limits.max, wide))
    return weft.astype(bounded, wanted)


@rule("DequantizeLinear")
def dequantize_linear(
    x: Any,
    x_scale: Any,
    x_zero_point: Any = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
) -> Any:
    """Elements less the zero point, times the scale."""
    wanted = dtype_of(output_dtype, "the result") if output_dtype else x_scale.dtype
    wide = weft.astype(x, np.float32)
    if x_zero_point is not None:
        wide = wide - weft.astype(_placed(x_zero_point, x, axis, block_size), np.float32)
    return weft.astype(wide * weft.astype(_placed(x_scale, x, axis, block_size), np.float32), wanted)


@rule("QLinearMatMul")
def q_linear_mat_mul(
    a: Any, a_scale: Any, a_zero: Any, b: Any, b_scale: Any, b_zero: Any, y_scale: Any, y_zero: Any
) -> Any:
    """The product of matrices of integers that stand for floats, as such a matrix."""
    product = weft.astype(mat_mul_integer(a, b, a_zero, b_zero), np.float32)
    left = weft.astype(a_scale, np.float32)
    left = weft.expand_dims(left, axis=-1) if left.ndim == 1 and left.shape[0] != 1 else left
    factor = left * weft.astype(b_scale, np.float32)
    return _requantized(product * factor, weft.astype(y_scale, np.float32), y_zero)


def _requantized(x: Any, scale: Any, zero: Any) -> Any:
    limits = np.iinfo(zero.dtype)
    rounded = weft.rint(x / scale) + weft.astype(zero, x.dtype)
    return weft.astype(
        weft.minimum(weft.maximum(rounded, scalar(limits.min, x)), scalar(limits.max, x)), zero.dtype
    )


@rule("QLinearConv", shared=window)
def q_linear_conv(
    x: Any,
    x_scale: Any,
    x_zero: Any,
    w: Any,
    w_scale: Any,
    w_zero: Any,
    y_scale: Any,
    y_zero: Any,
    b: Any = None,
    *,
    group: int,
    **more: Any,
) -> Any:
    """The convolution of images of integers that stand for floats, as such an image."""
    given = window(x, shape_of(w)[2:], **more)
    found = integers_convolved(x, w, x_zero, w_zero, given, group)
    shape = (1, -1, *(1,) * (x.ndim - 2))
    if b is not None:
        found = found + weft.reshape(b, shape)
    factor = weft.reshape(weft.asarray(x_scale), ()) * weft.reshape(weft.asarray(w_scale), shape)
    return _requantized(
        weft.astype(found, np.float32) * factor, weft.reshape(weft.asarray(y_scale), ()), y_zero
    )
