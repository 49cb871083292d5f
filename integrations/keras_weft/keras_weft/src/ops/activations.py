"""Activations: each computes in the dtype of its input, also in half types, which Python's numbers would widen."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from keras.src import backend
from scipy import special  # type: ignore[import-untyped]

import weft

from ..conversion import cast, convert_to_tensor


def _with_constants(x: Any, *numbers: Any) -> tuple[Any, ...]:
    """An array, and numbers in its dtype."""
    x = convert_to_tensor(x)
    return (x, *(x.dtype.type(number) for number in numbers))


def _inexact(x: Any) -> Any:
    """An array of floats: that of integers and booleans has Keras's own float type."""
    x = convert_to_tensor(x)
    return x if np.issubdtype(x.dtype, np.inexact) or x.dtype == "bfloat16" else cast(x, backend.floatx())


def _between(x: Any, low: Any, high: Any) -> Any:
    return np.minimum(np.maximum(x, low), high)  # np.clip makes floats of 32 bits of bfloat16


def relu(x: Any) -> Any:
    x, zero = _with_constants(x, 0)
    return np.maximum(x, zero)


def relu6(x: Any) -> Any:
    x, zero, six = _with_constants(x, 0, 6)
    return _between(x, zero, six)


def sigmoid(x: Any) -> Any:
    x = _inexact(x)
    return special.expit(x).astype(x.dtype)  # which is float64 for half types


def sparse_sigmoid(x: Any) -> Any:
    x, half, zero, one = _with_constants(x, 0.5, 0, 1)
    return _between(half * (x + one), zero, one)


def tanh(x: Any) -> Any:
    return np.tanh(convert_to_tensor(x))


def tanh_shrink(x: Any) -> Any:
    x = convert_to_tensor(x)
    return x - np.tanh(x)


def softplus(x: Any) -> Any:
    x, zero = _with_constants(_inexact(x), 0)
    return np.logaddexp(x, zero)


def softsign(x: Any) -> Any:
    x, one = _with_constants(_inexact(x), 1)
    return x / (one + np.abs(x))


def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    x, limit, zero = _with_constants(x, threshold, 0)
    return np.where(x > limit, x - limit, np.where(x < -limit, x + limit, zero))


def sparse_plus(x: Any) -> Any:
    x, quarter, one, zero = _with_constants(x, 0.25, 1, 0)
    return np.where(x <= -one, zero, np.where(x < one, quarter * np.square(x + one), x))


def silu(x: Any) -> Any:
    x = _inexact(x)
    return x * sigmoid(x)


def squareplus(x: Any, b: Any = 4) -> Any:
    x, half = _with_constants(_inexact(x), 0.5)
    return (x + np.sqrt(np.square(x) + cast(b, x.dtype))) * half


def log_sigmoid(x: Any) -> Any:
    x = _inexact(x)
    return special.log_expit(x).astype(x.dtype)


def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    x, slope, zero = _with_constants(_inexact(x), negative_slope, 0)
    return np.where(x >= zero, x, slope * x)


def hard_sigmoid(x: Any) -> Any:
    x, six, half, zero, one = _with_constants(_inexact(x), 6, 0.5, 0, 1)
    return _between(x / six + half, zero, one)


def hard_silu(x: Any) -> Any:
    x = _inexact(x)
    return x * hard_sigmoid(x)


def elu(x: Any, alpha: float = 1.0) -> Any:
    x, factor, zero = _with_constants(_inexact(x), alpha, 0)
    # What is not chosen must be finite, as it would make NaN of the gradient.
    return np.where(x >= zero, x, factor * np.expm1(np.minimum(x, zero)))


def selu(x: Any) -> Any:
    x, scale = _with_constants(_inexact(x), 1.0507009873554804934193349852946)
    return scale * elu(x, 1.6732632423543772848170429916717)


def gelu(x: Any, approximate: bool = True) -> Any:
    x, one, half = _with_constants(_inexact(x), 1, 0.5)
    if approximate:
        x, slope, cubic = _with_constants(x, math.sqrt(2 / math.pi), 0.044715)
        return x * (half * (one + np.tanh(slope * (x + cubic * (x * x * x)))))
    return x * (weft.erf(x * x.dtype.type(math.sqrt(0.5))) + one) * half


def celu(x: Any, alpha: float = 1.0) -> Any:
    x, factor, zero = _with_constants(_inexact(x), alpha, 0)
    return np.maximum(x, zero) + factor * np.expm1(np.minimum(x, zero) / factor)


def glu(x: Any, axis: int = -1) -> Any:
    x = _inexact(x)
    if x.shape[axis] % 2 != 0:
        raise ValueError(f"axis size must be divisible by 2. Received: x.shape={x.shape} with axis={axis}")
    value, gate = np.split(x, 2, axis)
    return value * sigmoid(gate)


def hard_tanh(x: Any) -> Any:
    x, one = _with_constants(x, 1)
    return _between(x, -one, one)


def hard_shrink(x: Any, threshold: float = 0.5) -> Any:
    x, limit, zero = _with_constants(x, threshold, 0)
    return np.where(np.abs(x) > limit, x, zero)


def threshold(x: Any, threshold: float, default_value: float) -> Any:
    x, limit, default = _with_constants(x, threshold, default_value)
    return np.where(x > limit, x, default)


def softmax(x: Any, axis: Any = -1) -> Any:
    x = _inexact(x)
    scaled = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return scaled / np.sum(scaled, axis=axis, keepdims=True)


def log_softmax(x: Any, axis: Any = -1) -> Any:
    x = _inexact(x)
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


def sparsemax(x: Any, axis: int = -1) -> Any:
    """The point of the simplex that is nearest to x: its largest entries, less what makes their sum one."""
    x, one, zero = _with_constants(_inexact(x), 1, 0)
    descending = -np.sort(-x, axis=axis)
    sums = np.cumsum(descending, axis=axis, dtype=x.dtype)
    shape = [1] * x.ndim
    shape[axis] = -1
    counts = np.arange(1, x.shape[axis] + 1).reshape(shape).astype(x.dtype)
    support = descending * counts > sums - one
    size = np.sum(support.astype(x.dtype), axis=axis, keepdims=True)
    total = np.sum(np.where(support, descending, zero), axis=axis, keepdims=True)
    return np.maximum(x - (total - one) / size, zero)


__all__ = [
    "celu",
    "elu",
    "gelu",
    "glu",
    "hard_shrink",
    "hard_sigmoid",
    "hard_silu",
    "hard_tanh",
    "leaky_relu",
    "log_sigmoid",
    "log_softmax",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "soft_shrink",
    "softmax",
    "softplus",
    "softsign",
    "sparse_plus",
    "sparse_sigmoid",
    "sparsemax",
    "squareplus",
    "tanh",
    "tanh_shrink",
    "threshold",
]
