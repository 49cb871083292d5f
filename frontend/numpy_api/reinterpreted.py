"""The bytes of an array read as elements of another kind or width: `x.view(dtype)`.

What NumPy gives is a view. Here it is another array, as no element of the one is an element of the other: writing one
of the two is refused.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.errors import LayoutError, WeftValueError
from ...dialect.ops.casts import Bitcast
from ...dialect.ops.complex_parts import Complex
from ..tracing.array import TracedArray
from ..tracing.layouts import last_axis_is_contiguous
from ..tracing.staging import apply, cast, raise_where
from .joining import stack
from .memory_order import NOT_KNOWN, copy_for_view, require_native_order, use_layout
from .shape import reshape


def reinterpreted(x: TracedArray, dtype: np.dtype[Any]) -> Any:
    """The bytes of an array as elements of another dtype, along the last axis; raises what NumPy's `view` raises."""
    require_native_order(x)
    if x.dtype.itemsize != dtype.itemsize:
        _require_last_axis(x, dtype)
    if not x.ndim:
        made = _with_dtype(reshape(x, (1,)), dtype)
        return made[0] if x._is_scalar else copy_for_view(reshape(made, ()).copy()._as_array(), x, "view")
    return copy_for_view(_with_dtype(x, dtype), x, "view")


def _require_last_axis(x: TracedArray, dtype: np.dtype[Any]) -> None:
    """Raise unless the bytes of the last axis follow each other, and give whole elements."""
    if not x.ndim:
        raise WeftValueError(
            "Changing the dtype of a 0d array is only supported if the itemsize is unchanged"
        )
    use_layout(x)
    is_contiguous = last_axis_is_contiguous(x._layout(), x.type)
    if is_contiguous is None:
        raise LayoutError(f"how the last axis of this array ({x.type}) lies in memory {NOT_KNOWN}")
    if not is_contiguous:
        raise WeftValueError("To change to a dtype of a different size, the last axis must be contiguous")
    raise_where(
        np.not_equal(np.remainder(x.shape[-1] * x.dtype.itemsize, dtype.itemsize), 0),
        WeftValueError,
        "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis of "
        "the array.",
    )


def _with_dtype(x: Any, dtype: np.dtype[Any]) -> Any:
    """The elements of another dtype, through unsigned integers: of complex numbers part by part."""
    width = dtype.itemsize
    if kind(x.dtype) == "c":
        parts = stack((x.real, x.imag), -1)
        return _with_dtype(reshape(parts, _longer(x, 2)), dtype)
    if kind(dtype) == "c":
        parts = _with_dtype(x, np.dtype(f"f{width // 2}"))
        return apply(Complex, parts[..., 0::2].copy(), parts[..., 1::2].copy())
    bits = cast(x, np.dtype(np.uint8)) if kind(x.dtype) == "b" else _bits(x, np.dtype(f"u{x.dtype.itemsize}"))
    bits = _of_width(bits, width)
    return np.not_equal(bits, 0) if kind(dtype) == "b" else _bits(bits, dtype)


def _bits(x: Any, dtype: np.dtype[Any]) -> Any:
    return x if x.dtype == dtype else apply(Bitcast, x, dtype=dtype)


def _of_width(bits: Any, width: int) -> Any:
    """Unsigned integers cut into narrower ones, the lowest bytes first, or put together to wider ones."""
    before = bits.dtype.itemsize
    if before == width:
        return bits
    narrow, wide = min(before, width), max(before, width)
    count = wide // narrow
    if width < before:
        shifts = np.arange(count, dtype=bits.dtype) * (8 * narrow)
        parts = np.right_shift(bits[..., None], shifts.astype(bits.dtype))
        return reshape(cast(parts, np.dtype(f"u{width}")), _longer(bits, count))
    dtype = np.dtype(f"u{wide}")
    parts = [
        np.left_shift(cast(bits[..., k::count], dtype), dtype.type(8 * narrow * k)) for k in range(count)
    ]
    return functools.reduce(np.bitwise_or, parts)


def _longer(x: Any, count: int) -> tuple[Any, ...]:
    """The shape with a last axis that is some times as long."""
    return (*x.shape[:-1], x.shape[-1] * count)
