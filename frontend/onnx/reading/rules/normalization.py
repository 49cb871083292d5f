"""Normalization of features; ops that ONNX writes in terms of others (GroupNormalization, ...) are read as these."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..namespace import weft
from ..table import Refused, Visit, rule
from .elementwise import is_float, scalar


def _by_channel(vector: Any, x: Any) -> Any:
    """A vector with a number for each channel, as it broadcasts over images."""
    return weft.reshape(vector, (1, -1, *(1,) * (x.ndim - 2))) if x.ndim > 1 else vector


@rule("BatchNormalization")
def batch_normalization(
    x: Any,
    scale: Any,
    bias: Any,
    mean: Any,
    variance: Any,
    *,
    epsilon: float,
    momentum: float,
    training_mode: int = 0,
    spatial: int = 1,
    is_test: int = 1,
    node: Visit,
) -> Any:
    """Elements less the mean of their channel, divided by its deviation."""
    if not spatial:
        raise Refused("normalizes each element (spatial=0), which ONNX has no longer")
    if not training_mode:
        if node.version < 14 and any(node.is_asked(place) for place in range(1, 5)):
            raise Refused("is asked for the statistics of a training")
        return _normalized(x, scale, bias, mean, variance, epsilon)
    axes = tuple(a for a in range(x.ndim) if a != 1)
    of_batch, spread = weft.mean(x, axis=axes), weft.var(x, axis=axes)
    old, new = scalar(momentum, mean), scalar(1 - momentum, mean)
    return (
        _normalized(x, scale, bias, of_batch, spread, epsilon),
        mean * old + weft.astype(of_batch, mean.dtype) * new,
        variance * old + weft.astype(spread, variance.dtype) * new,
    )


def _normalized(x: Any, scale: Any, bias: Any, mean: Any, variance: Any, epsilon: float) -> Any:
    factor = scale / weft.sqrt(variance + scalar(epsilon, variance))
    shifted = (x - _by_channel(mean, x)) * _by_channel(factor, x) + _by_channel(bias, x)
    return weft.astype(shifted, x.dtype)


@rule("InstanceNormalization")
def instance_normalization(x: Any, scale: Any, bias: Any, *, epsilon: float) -> Any:
    """Elements less the mean of their channel in their image, divided by its deviation."""
    axes = tuple(range(2, x.ndim))
    centred = x - weft.mean(x, axis=axes, keepdims=True)
    spread = weft.mean(centred * centred, axis=axes, keepdims=True)
    normal = centred / weft.sqrt(spread + scalar(epsilon, x))
    return normal * _by_channel(scale, x) + _by_channel(bias, x)


@rule("LpNormalization")
def lp_normalization(x: Any, *, axis: int, p: int) -> Any:
    """Elements divided by their p-norm along an axis; zeros where that is 0."""
    if p == 1:
        norm = weft.sum(weft.abs(x), axis=axis, keepdims=True)
    else:
        norm = weft.sqrt(weft.sum(x * x, axis=axis, keepdims=True))
    zero = scalar(0, x)
    is_zero = weft.equal(norm, zero)
    return weft.where(is_zero, zero, x / weft.where(is_zero, scalar(1, x), norm))


@rule("LayerNormalization")
def layer_normalization(
    x: Any, scale: Any, bias: Any = None, *, axis: int, epsilon: float, stash_type: int, node: Visit
) -> Any:
    """Elements less the mean of the axes from one on, divided by their deviation, computed in float32 at least."""
    axes = tuple(range(axis % x.ndim, x.ndim))
    wide = weft.astype(x, np.float32) if stash_type == 1 and is_float(x) and x.dtype.itemsize < 4 else x
    mean = weft.mean(wide, axis=axes, keepdims=True)
    centred = wide - mean
    inverse = scalar(1, wide) / weft.sqrt(
        weft.mean(centred * centred, axis=axes, keepdims=True) + scalar(epsilon, wide)
    )
    found = weft.astype(centred * inverse, x.dtype) * scale
    found = found if bias is None else found + bias
    return (found, mean, inverse) if node.outputs > 1 else found
