"""Functions of `scipy.special` that are no ufuncs: sums of exponentials and what is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tracing.staging import ArrayLike, ArrayResult, asarray, cast
from . import reductions as reduce
from .arguments import as_inexact
from .selection import choose


def logsumexp(
    a: ArrayLike, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False
) -> Any:
    """log(sum(b * exp(a))) over axes without overflow, and the sign of the sum, as `scipy.special.logsumexp`.

    Shape: that of a and b together, without the axes. Dtype: the common one, float64 of integers. Raises what
    `weft.sum` raises.
    """
    if b is None and not return_sign:
        return reduce.logsumexp(a, axis, keepdims)
    x = as_inexact(asarray(a))
    weights = cast(asarray(1 if b is None else b), x.dtype)
    lowest = choose(weights == 0, cast(-np.inf, x.dtype), x)
    largest = reduce.max(lowest, axis, keepdims=True)
    shift = choose(np.isfinite(largest), largest, cast(0, x.dtype))
    total = reduce.sum(weights * np.exp(lowest - shift), axis, keepdims=True)
    result = np.log(np.absolute(total)) + shift
    sign = np.sign(total)
    if not return_sign:
        result = choose(sign < 0, cast(np.nan, x.dtype), result)
    if not keepdims:
        result, sign = (reduce.sum(part, axis) for part in (result, sign))  # of one element
    return (result, sign) if return_sign else result


def softmax(x: ArrayLike, axis: Any = None) -> ArrayResult:
    """exp(x) divided by its sum over axes, as `scipy.special.softmax`.

    Shape: that of x. Dtype: that of x, float64 of integers. Raises `AxisError` for an axis that x does not have.
    """
    values = as_inexact(asarray(x))
    scaled = np.exp(values - reduce.max(values, axis, keepdims=True))
    return scaled / reduce.sum(scaled, axis, keepdims=True)


def log_softmax(x: ArrayLike, axis: Any = None) -> ArrayResult:
    """The logarithm of `softmax`, as `scipy.special.log_softmax`.

    Shape, dtype, errors: those of `softmax`.
    """
    values = as_inexact(asarray(x))
    largest = reduce.max(values, axis, keepdims=True)
    shifted = values - choose(np.isfinite(largest), largest, cast(0, values.dtype))
    return shifted - np.log(reduce.sum(np.exp(shifted), axis, keepdims=True))


__all__ = ["log_softmax", "logsumexp", "softmax"]
