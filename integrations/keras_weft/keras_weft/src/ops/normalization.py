"""Moments, and normalisation by them."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src import backend

from ..conversion import cast, convert_to_tensor


def moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> tuple[Any, Any]:
    if synchronized:
        raise NotImplementedError("Argument synchronized=True is not supported with weft.")
    x = convert_to_tensor(x)
    dtype = backend.standardize_dtype(x.dtype)
    half = dtype in ("float16", "bfloat16")  # of too small a range or too few digits for sums
    if half:
        x = cast(x, "float32")
    axes = tuple(axes) if isinstance(axes, list) else axes
    mean = np.mean(x, axis=axes, keepdims=True)
    variance = np.mean(np.square(x - mean), axis=axes, keepdims=True)
    if not keepdims:
        mean, variance = np.squeeze(mean, axes), np.squeeze(variance, axes)
    if not half:
        return mean, variance
    largest = np.float32(np.finfo(np.float16).max)
    return cast(np.clip(mean, -largest, largest), dtype), cast(np.clip(variance, -largest, largest), dtype)


def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    axis: int,
    offset: Any = None,
    scale: Any = None,
    epsilon: float = 1e-3,
) -> Any:
    x, mean, variance = convert_to_tensor(x), convert_to_tensor(mean), convert_to_tensor(variance)
    shape = [1] * x.ndim
    shape[axis] = mean.shape[0]
    factor = variance.dtype.type(1) / np.sqrt(variance + variance.dtype.type(epsilon))
    if scale is not None:
        factor = factor * convert_to_tensor(scale)
    shift = -mean * factor
    if offset is not None:
        shift = shift + convert_to_tensor(offset)
    return x * np.reshape(factor, shape) + np.reshape(shift, shape)


__all__ = ["batch_normalization", "moments"]
