"""Reductions that leave NaN out."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.op import Op
from ...dialect.ops import reductions as ops
from ..tracing.staging import ArrayLike, ArrayResult, asarray, cast
from .arguments import NO_VALUE, deliver, is_inexact
from .reductions import any as any_of
from .reductions import count, given, max, max_of_numbers, mean, min, min_of_numbers, prod, spread, sum
from .selection import blend, choose


def without_nan(a: ArrayLike, neutral: Any) -> tuple[ArrayResult, Any]:
    """The array with NaN replaced, and where there was a number (None: everywhere)."""
    x = asarray(a)
    if not is_inexact(x.dtype):
        return x, None
    numbers = ~np.isnan(x)
    return blend(asarray(numbers), x, np.asarray(neutral, x.dtype)), numbers


def nansum(
    a: ArrayLike,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> ArrayResult:
    """The sum over axes, NaN counted as zero."""
    return sum(without_nan(a, 0)[0], axis, dtype, out, keepdims, initial, where)


def nanprod(
    a: ArrayLike,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> ArrayResult:
    """The product over axes, NaN counted as one."""
    return prod(without_nan(a, 1)[0], axis, dtype, out, keepdims, initial, where)


def nanmean(
    a: ArrayLike,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
) -> ArrayResult:
    """The mean over axes of what is not NaN."""
    x, numbers = without_nan(a, 0)
    return mean(x, axis, dtype, out, keepdims, where=_both(numbers, where))


def nanvar(
    a: ArrayLike,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
) -> ArrayResult:
    """The variance over axes of what is not NaN."""
    return _nan_spread(ops.Var, a, axis, dtype, out, ddof, keepdims, where)


def nanstd(
    a: ArrayLike,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
) -> ArrayResult:
    """The standard deviation over axes of what is not NaN."""
    return _nan_spread(ops.Std, a, axis, dtype, out, ddof, keepdims, where)


def _nan_spread(
    op_class: type[Op], a: Any, axis: Any, dtype: Any, out: Any, ddof: Any, keepdims: Any, where: Any
) -> ArrayResult:
    x, numbers = without_nan(a, 0)
    mask = _both(numbers, where)
    result = spread(op_class, x, axis, dtype, ddof, keepdims, mask, NO_VALUE, NO_VALUE)
    if given(mask):  # NumPy gives NaN where nothing is left to divide by
        enough = np.greater(count(x, axis, keepdims, mask) - ddof, 0)
        result = cast(choose(enough, result, np.nan), result.dtype)
    return deliver(result, out)


def _both(numbers: Any, where: Any) -> Any:
    if numbers is None:
        return where
    return np.logical_and(numbers, where) if given(where) and where is not True else numbers


def nanmax(
    a: ArrayLike,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> ArrayResult:
    """The largest element over axes that is not NaN; NaN where all are."""
    if not given(initial) and not given(where) and _is_real_float(a):
        return max_of_numbers(a, axis, out, keepdims)
    return _nan_extremum(max, -np.inf, a, axis, out, keepdims, initial, where)


def nanmin(
    a: ArrayLike,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> ArrayResult:
    """The smallest element over axes that is not NaN; NaN where all are."""
    if not given(initial) and not given(where) and _is_real_float(a):
        return min_of_numbers(a, axis, out, keepdims)
    return _nan_extremum(min, np.inf, a, axis, out, keepdims, initial, where)


def _is_real_float(a: ArrayLike) -> bool:
    dtype = asarray(a).dtype
    return is_inexact(dtype) and dtype.kind != "c"


def _nan_extremum(
    function: Any, neutral: float, a: Any, axis: Any, out: Any, keepdims: Any, initial: Any, where: Any
) -> ArrayResult:
    x, numbers = without_nan(a, neutral)
    result = function(x, axis, None, keepdims, initial, where)
    if numbers is not None:
        some = any_of(numbers, axis, keepdims=keepdims)
        result = cast(choose(some, result, np.nan), x.dtype)
    return deliver(result, out)


__all__ = ["nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar"]
