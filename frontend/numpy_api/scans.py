"""Running reductions, differences and integrals along an axis."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...dialect.dtypes import DTypeLike
from ...dialect.errors import UnsupportedError, WeftValueError
from ...dialect.op import Op
from ...dialect.ops import scans as ops
from ..tracing.staging import ArrayLike, ArrayResult, apply, asarray, cast
from .arguments import BOOL, NO_VALUE, along, as_inexact, axis_index, axis_tuple, deliver, optional_dtype
from .joining import concatenate
from .nan_reductions import without_nan
from .reductions import accumulator_dtype, dtype_of_out
from .reductions import sum as sum_of
from .selection import choose
from .shape import broadcast_to, ravel, reshape


def cumsum(a: ArrayLike, axis: Any = None, dtype: DTypeLike | None = None, out: Any = None) -> ArrayResult:
    """The running sum along an axis, or of the flattened array.

    >>> cumsum(np.array([1, 2, 3]))
    array([1, 3, 6])
    """
    return deliver(scan(ops.CumulativeSum, a, axis, dtype or dtype_of_out(out)), out)


def cumprod(a: ArrayLike, axis: Any = None, dtype: DTypeLike | None = None, out: Any = None) -> ArrayResult:
    """The running product along an axis, or of the flattened array."""
    return deliver(scan(ops.CumulativeProd, a, axis, dtype or dtype_of_out(out)), out)


def scan(op_class: type[Op], a: ArrayLike, axis: Any, dtype: DTypeLike | None) -> ArrayResult:
    """Apply a scan; sums and products widen integers as the reductions do."""

    x = asarray(a)
    if axis is None:
        x, axis = ravel(x), 0
    elif x.ndim == 0 and axis in (0, -1):
        x = ravel(x)
    widen = op_class in (ops.CumulativeSum, ops.CumulativeProd)
    wanted = optional_dtype(dtype) or (accumulator_dtype(x.dtype) if widen else x.dtype)
    if wanted == BOOL and widen:
        logical = ops.CumulativeMax if op_class is ops.CumulativeSum else ops.CumulativeMin
        op_class = logical
    return asarray(apply(op_class, cast(x, wanted), axis=axis_index(axis, x.ndim)))


def nancumsum(a: ArrayLike, axis: Any = None, dtype: Any = None, out: Any = None) -> ArrayResult:
    """The running sum, NaN counted as zero."""

    return cumsum(without_nan(a, 0)[0], axis, dtype, out)


def nancumprod(a: ArrayLike, axis: Any = None, dtype: Any = None, out: Any = None) -> ArrayResult:
    """The running product, NaN counted as one."""

    return cumprod(without_nan(a, 1)[0], axis, dtype, out)


def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    include_initial: bool = False,
) -> ArrayResult:
    """The running sum along an axis, from zero if asked for (Array API)."""
    return deliver(
        _cumulative(ops.CumulativeSum, x, axis, dtype or dtype_of_out(out), include_initial, 0), out
    )


def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    include_initial: bool = False,
) -> ArrayResult:
    """The running product along an axis, from one if asked for (Array API)."""
    return deliver(
        _cumulative(ops.CumulativeProd, x, axis, dtype or dtype_of_out(out), include_initial, 1), out
    )


def _cumulative(
    op_class: type[Op], x: ArrayLike, axis: int | None, dtype: Any, include_initial: bool, first: int
) -> ArrayResult:

    array = asarray(x)
    if array.ndim == 0:
        array = reshape(array, (1,))
    if axis is None:
        if array.ndim > 1:
            raise WeftValueError(
                "For arrays which have more than one dimension ``axis`` argument is required."
            )
        axis = 0
    result = scan(op_class, array, axis, dtype)
    if not include_initial:
        return result
    place = axis_index(axis, array.ndim)
    edge = tuple(1 if a == place else extent for a, extent in enumerate(result.shape))
    return concatenate([broadcast_to(np.asarray(first, result.dtype), edge), result], axis=place)


def diff(
    a: ArrayLike, n: int = 1, axis: int = -1, prepend: Any = NO_VALUE, append: Any = NO_VALUE
) -> ArrayResult:
    """The differences of neighbours along an axis, n times.

    >>> diff(np.array([1, 4, 9]))
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
    """The differences of neighbours of the flattened array, with something before and behind."""

    differences = diff(ravel(ary))
    parts = [differences]
    if to_begin is not None:
        parts.insert(0, ravel(cast(asarray(to_begin), differences.dtype)))
    if to_end is not None:
        parts.append(ravel(cast(asarray(to_end), differences.dtype)))
    return concatenate(parts)


def trapezoid(y: ArrayLike, x: Any = None, dx: Any = 1.0, axis: int = -1) -> ArrayResult:
    """The integral along an axis by the trapezoidal rule."""

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
    """The slope by central differences on an even grid, with first-order edges, as `numpy.gradient`."""

    x = as_inexact(asarray(f))
    axes = axis_tuple(axis, x.ndim)
    if edge_order != 1 or any(np.ndim(spacing) for spacing in varargs):
        raise UnsupportedError("gradient is supported on even grids (scalar spacing) with edge_order=1")
    spacings = varargs or (1.0,)
    spacings = spacings * len(axes) if len(spacings) == 1 else spacings
    if len(spacings) != len(axes):
        raise TypeError("invalid number of arguments")
    slopes = []
    for place, spacing in zip(axes, spacings, strict=True):
        first, second = x[along(place, slice(0, 1))], x[along(place, slice(1, 2))]
        last, before = x[along(place, slice(-1, None))], x[along(place, slice(-2, -1))]
        inner = (x[along(place, slice(2, None))] - x[along(place, slice(None, -2))]) / (2.0 * spacing)
        slopes.append(concatenate([(second - first) / spacing, inner, (last - before) / spacing], axis=place))
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def unwrap(p: ArrayLike, discont: Any = None, axis: int = -1, *, period: float = 2 * np.pi) -> ArrayResult:
    """Take away jumps of more than half a period along an axis, as `numpy.unwrap` of floating-point numbers."""
    x = as_inexact(asarray(p))
    place = axis_index(axis, x.ndim)
    steps = diff(x, axis=place)
    limit = period / 2 if discont is None else discont
    half = period / 2
    wrapped = np.mod(steps + half, period) - half
    wrapped = choose((wrapped == -half) & (steps > 0), half, wrapped)
    correction = choose(np.absolute(steps) < limit, 0.0, wrapped - steps)
    first, rest = x[along(place, slice(0, 1))], x[along(place, slice(1, None))]
    return concatenate([first, rest + cumsum(correction, axis=place)], axis=place)


__all__ = [
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "ediff1d",
    "gradient",
    "nancumprod",
    "nancumsum",
    "trapezoid",
    "unwrap",
]
