"""Running reductions, differences and integrals along an axis."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...dialect.dtypes import DTypeLike
from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ...dialect.op import Op
from ...dialect.ops import scans as ops
from ..indexing.broadcasting import broadcast_to
from ..tracing.staging import ArrayLike, ArrayResult, asarray, cast, raise_where
from .accumulation import scan
from .arguments import (
    BOOL,
    NO_VALUE,
    along,
    as_inexact,
    axis_index,
    axis_tuple,
    common_dtype,
    deliver,
    dtype_with_out,
    is_inexact,
)
from .documentation import Family, member
from .joining import concatenate
from .reductions import sum as sum_of
from .selection import blend, choose
from .shape import ravel, reshape


def _running(op_class: type[Op], ufunc: np.ufunc, skip_nan: bool = False) -> Family:
    def function(
        a: ArrayLike, axis: Any = None, dtype: DTypeLike | None = None, out: Any = None
    ) -> ArrayResult:
        """Shape: that of a, or one axis of all elements when axis is None.
        Dtype: `dtype`, or that of `out`, or that of a; of small integers and booleans the 64-bit one.
        Raises `AxisError` for an axis that a does not have.
        """
        x = asarray(a)
        if skip_nan and is_inexact(x.dtype):
            x = blend(np.isnan(x), np.asarray(ufunc.identity, x.dtype), x)
        return deliver(scan(op_class, x, axis, dtype or dtype_with_out(x.dtype, out)), out, "unsafe")

    return member(function)


@_running(ops.CumulativeSum, np.add)
def cumsum() -> None:
    """The running sum along an axis, or of the flattened array, as `numpy.cumsum`.

    >>> weft.cumsum(np.array([1, 2, 3]))
    array([1, 3, 6])
    """


@_running(ops.CumulativeProd, np.multiply)
def cumprod() -> None:
    """The running product along an axis, or of the flattened array, as `numpy.cumprod`.

    >>> weft.cumprod(np.array([1, 2, 3]))
    array([1, 2, 6])
    """


@_running(ops.CumulativeSum, np.add, skip_nan=True)
def nancumsum() -> None:
    """The running sum with NaN counted as zero, as `numpy.nancumsum`.

    >>> weft.nancumsum(np.array([1.0, np.nan, 3.0]))
    array([1., 1., 4.])
    """


@_running(ops.CumulativeProd, np.multiply, skip_nan=True)
def nancumprod() -> None:
    """The running product with NaN counted as one, as `numpy.nancumprod`.

    >>> weft.nancumprod(np.array([2.0, np.nan, 3.0]))
    array([2., 2., 6.])
    """


def _cumulative(op_class: type[Op], ufunc: np.ufunc) -> Family:
    def function(
        x: ArrayLike,
        /,
        *,
        axis: int | None = None,
        dtype: DTypeLike | None = None,
        out: Any = None,
        include_initial: bool = False,
    ) -> ArrayResult:
        """Shape: that of x, with one more element along the axis under `include_initial`.
        Dtype: `dtype`, or that of `out`, or that of a; of small integers and booleans the 64-bit one.
        Raises `AxisError` for an axis that a does not have, `ValueError` without
        an axis where x has several.
        """
        array = asarray(x)
        if array.ndim == 0:
            array = reshape(array, (1,))
        if axis is None and array.ndim > 1:
            raise WeftValueError(
                "For arrays which have more than one dimension ``axis`` argument is required."
            )
        place = axis_index(0 if axis is None else axis, array.ndim)
        result = scan(op_class, array, place, dtype or dtype_with_out(array.dtype, out))
        if include_initial:
            edge = tuple(1 if a == place else extent for a, extent in enumerate(result.shape))
            first = np.asarray(ufunc.identity, result.dtype)
            result = concatenate([broadcast_to(first, edge), result], axis=place)
        return deliver(result, out)

    return member(function)


@_cumulative(ops.CumulativeSum, np.add)
def cumulative_sum() -> None:
    """The running sum along an axis, from zero if asked for, as `numpy.cumulative_sum`.

    >>> weft.cumulative_sum(np.array([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """


@_cumulative(ops.CumulativeProd, np.multiply)
def cumulative_prod() -> None:
    """The running product along an axis, from one if asked for, as `numpy.cumulative_prod`.

    >>> weft.cumulative_prod(np.array([2, 3]), include_initial=True)
    array([1, 2, 6])
    """


def diff(
    a: ArrayLike, n: int = 1, axis: int = -1, prepend: Any = NO_VALUE, append: Any = NO_VALUE
) -> ArrayResult:
    """The differences of neighbours along an axis, n times, as `numpy.diff`.

    Shape: that of a with n elements less along the axis. Dtype: that of a. Raises `ValueError` for a negative n and
    for an array without axes, `AxisError` for an axis that a does not have.

    >>> weft.diff(np.array([1, 4, 9]))
    array([3, 5])
    """
    x = asarray(a)
    if n == 0:
        return x
    if n < 0:
        raise WeftValueError(f"order must be non-negative but got {n!r}")
    if x.ndim == 0:
        raise WeftValueError("diff requires input that is at least one dimensional")
    place = axis_index(axis, x.ndim)
    parts = []
    for part in (prepend, x, append):
        if part is NO_VALUE or part is None:
            continue
        piece = asarray(part)
        if piece.ndim == 0:
            piece = broadcast_to(piece, tuple(1 if i == place else e for i, e in enumerate(x.shape)))
        parts.append(piece)
    result = concatenate(parts, axis=place) if len(parts) > 1 else x
    operation = np.not_equal if result.dtype == BOOL else np.subtract
    for _ in range(operator.index(n)):
        result = operation(result[along(place, slice(1, None))], result[along(place, slice(None, -1))])
    return result


def ediff1d(ary: ArrayLike, to_end: Any = None, to_begin: Any = None) -> ArrayResult:
    """The differences of neighbours of the flattened array, as `numpy.ediff1d`.

    Shape: (ary.size - 1,), and what comes before and behind. Dtype: that of ary. Raises `TypeError` for dtypes that
    weft does not have.

    >>> weft.ediff1d(np.array([1, 4, 9]), to_begin=0)
    array([0, 3, 5])
    """
    differences = diff(ravel(ary))
    parts = [differences]
    if to_begin is not None:
        parts.insert(0, _beside(to_begin, differences.dtype, "to_begin"))
    if to_end is not None:
        parts.append(_beside(to_end, differences.dtype, "to_end"))
    return concatenate(parts)


def _beside(values: ArrayLike, dtype: Any, name: str) -> ArrayResult:
    """What stands in front of differences, or behind them, in their dtype."""
    given = asarray(values)
    if not np.can_cast(given.dtype, dtype, "same_kind"):
        raise WeftTypeError(
            f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
        )
    return ravel(cast(given, dtype))


def trapezoid(y: ArrayLike, x: Any = None, dx: Any = 1.0, axis: int = -1) -> ArrayResult:
    """The integral along an axis by the trapezoidal rule, as `numpy.trapezoid`.

    Shape: that of y without the axis. Dtype: the common one of y, x and float64. Raises `AxisError` for an axis that
    y does not have.

    >>> weft.trapezoid(np.array([1, 2, 3]))
    np.float64(4.0)
    """
    values = asarray(y)
    place = axis_index(axis, values.ndim)
    width: Any = dx
    if x is not None:
        grid = asarray(x)
        width = diff(grid) if grid.ndim == 1 else diff(grid, axis=place)
        if grid.ndim == 1:
            width = reshape(width, tuple(width.shape[0] if i == place else 1 for i in range(values.ndim)))
    later, earlier = values[along(place, slice(1, None))], values[along(place, slice(None, -1))]
    return sum_of(width * (later + earlier) / 2.0, place)


def gradient(f: ArrayLike, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """The slope along axes by central differences on an even grid, as `numpy.gradient`.

    Shape: that of f; a tuple for several axes. Dtype: that of f; of integers float64. Raises `UnsupportedError` for
    uneven grids and for `edge_order=2`, `TypeError` for another number of spacings than axes.

    >>> weft.gradient(np.array([1.0, 2.0, 4.0]))
    array([1. , 1.5, 2. ])
    """
    x = as_inexact(asarray(f))
    axes = axis_tuple(axis, x.ndim)
    if edge_order != 1 or any(np.ndim(spacing) for spacing in varargs):
        raise UnsupportedError("gradient is supported on even grids (scalar spacing) with edge_order=1")
    spacings = varargs or (1.0,)
    spacings = spacings * len(axes) if len(spacings) == 1 else spacings
    if len(spacings) != len(axes):
        raise TypeError("invalid number of arguments")
    slopes = []
    for place in axes:
        raise_where(
            np.less(x.shape[place], 2),
            WeftValueError,
            "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are "
            "required.",
        )
    for place, spacing in zip(axes, spacings, strict=True):
        first, second = x[along(place, slice(0, 1))], x[along(place, slice(1, 2))]
        last, before = x[along(place, slice(-1, None))], x[along(place, slice(-2, -1))]
        inner = (x[along(place, slice(2, None))] - x[along(place, slice(None, -2))]) / (2.0 * spacing)
        slopes.append(concatenate([(second - first) / spacing, inner, (last - before) / spacing], axis=place))
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def unwrap(p: ArrayLike, discont: Any = None, axis: int = -1, *, period: float = 2 * np.pi) -> ArrayResult:
    """The angles without jumps of more than half a period along an axis, as `numpy.unwrap`.

    Shape: that of p. Dtype: that of p and the period together. Raises `AxisError` for an axis that p does not have.

    >>> weft.unwrap(np.array([0.0, 6.0]), period=4)
    array([0., 2.])
    """
    x = asarray(p)
    place = axis_index(axis, x.ndim)
    steps = diff(x, axis=place)
    limit = period / 2 if discont is None else discont
    dtype = common_dtype(steps, period)
    half, is_even = (period / 2, True) if dtype.kind == "f" else (period // 2, period % 2 == 0)
    low = -half
    wrapped = np.mod(steps - low, period) + low
    if is_even:
        wrapped = choose((wrapped == low) & (steps > 0), half, wrapped)
    correction = choose(np.absolute(steps) < limit, 0, wrapped - steps)
    first, rest = x[along(place, slice(0, 1))], x[along(place, slice(1, None))]
    made = concatenate([first, rest + cumsum(correction, axis=place)], axis=place)
    return cast(made, dtype)
