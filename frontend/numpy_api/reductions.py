"""Reductions over axes, with NumPy's promotion, `where=`, `initial=` and `out=`; and those that leave NaN out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...dialect.dtypes import DTypeLike, kind
from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ...dialect.op import Op
from ...dialect.ops import reductions as ops
from ...dialect.types import compatible_shapes
from ..indexing.broadcasting import broadcast_to
from ..tracing.element_stores import cast_element
from ..tracing.extents import known_shape, product
from ..tracing.staging import ArrayLike, ArrayResult, apply, asarray, cast, raise_where
from .arguments import (
    BOOL,
    FLOAT64,
    INT64,
    NO_VALUE,
    accumulator_dtype,
    as_inexact,
    as_mask,
    axis_index,
    axis_tuple,
    common_dtype,
    deliver,
    dtype_with_out,
    given,
    is_inexact,
    optional_dtype,
    output_of,
    reduced_axes,
    require_castable,
)
from .documentation import Family, member
from .joining import concatenate
from .nonempty import require_elements
from .selection import blend, choose
from .shape import ravel, reshape, squeeze

INT32 = np.dtype(np.int32)
FLOAT32 = np.dtype(np.float32)


def _reduce(
    op_class: type[Op], x: ArrayResult, axes: tuple[int, ...], keepdims: Any, **more: Any
) -> ArrayResult:
    return apply(op_class, x, axes=tuple(sorted(axes)), keepdims=_keep(keepdims), **more)


def _keep(keepdims: Any) -> bool:
    return keepdims is not NO_VALUE and bool(keepdims)


def _restricts(where: Any) -> bool:
    return given(where) and where is not True


def _masked(x: ArrayResult, where: Any, neutral: Any) -> ArrayResult:
    """The array with what `where` leaves out replaced by a neutral element."""
    return blend(_fitting(x, where), x, np.asarray(neutral, x.dtype)) if _restricts(where) else x


def _fitting(x: ArrayResult, where: Any) -> ArrayResult:
    """A `where` argument as booleans, which broadcast to the array."""
    mask = as_mask(where)
    if mask.ndim > x.ndim:
        raise WeftValueError("input operand has more dimensions than allowed by the axis remapping")
    return mask


def _without_nan(a: ArrayLike, where: Any, neutral: Any) -> tuple[ArrayResult, Any]:
    """The array with NaN replaced, and `where` without the places of NaN."""
    x = asarray(a)
    if not is_inexact(x.dtype):
        return x, where
    numbers = asarray(~np.isnan(x))
    both = np.logical_and(numbers, where) if _restricts(where) else numbers
    return blend(numbers, x, np.asarray(neutral, x.dtype)), both


# Sums and products


def _folding(op_class: type[Op], ufunc: np.ufunc, skip_nan: bool = False) -> Family:
    def function(
        a: ArrayLike,
        axis: Any = None,
        dtype: DTypeLike | None = None,
        out: Any = None,
        keepdims: Any = NO_VALUE,
        initial: Any = NO_VALUE,
        where: Any = NO_VALUE,
    ) -> ArrayResult:
        """Shape: that of a without the axes (all of them when axis is None), which `keepdims` leaves with extent 1.
        Dtype: `dtype`, or that of `out`, or that of a; of small integers and booleans the 64-bit one.
        Raises `AxisError` for an axis that a does not have, `TypeError` unless `where` is boolean.
        """
        x = _without_nan(a, where, ufunc.identity)[0] if skip_nan else asarray(a)
        wanted = optional_dtype(dtype) or dtype_with_out(x.dtype, out) or accumulator_dtype(x.dtype)
        axes = reduced_axes(axis, x.ndim)
        elements = _masked(x, where, ufunc.identity)
        if wanted == BOOL:
            logical = ops.AnyOf if op_class is ops.Sum else ops.AllOf
            result = _reduce(logical, elements, axes, keepdims)
        else:
            computing = INT32 if op_class is ops.Sum and wanted == INT64 and _counts_fit(x, axes) else wanted
            result = cast(_reduce(op_class, cast(elements, computing), axes, keepdims), wanted)
        if given(initial):
            first = asarray(cast_element(initial, wanted))
            result = (
                np.logical_or(result, first) if wanted == BOOL and ufunc is np.add else ufunc(result, first)
            )
        return deliver(result, out, "unsafe")

    return member(function)


def _counts_fit(x: ArrayResult, axes: tuple[int, ...]) -> bool:
    """Whether the number of true elements is known to fit into 32 bits, of which a vector holds twice as many."""
    extents = [known_shape(x)[place] for place in axes]
    known = [extent for extent in extents if extent is not None]
    return x.dtype == BOOL and len(known) == len(extents) and math.prod(known) < 1 << 31


@_folding(ops.Sum, np.add)
def sum() -> None:
    """The sum over axes, as `numpy.sum`.

    >>> weft.sum(np.array([[1, 2], [3, 4]], np.int8), axis=0)
    array([4, 6])
    """


@_folding(ops.Prod, np.multiply)
def prod() -> None:
    """The product over axes, as `numpy.prod`.

    >>> weft.prod(np.array([[1, 2], [3, 4]]), axis=1)
    array([ 2, 12])
    """


@_folding(ops.Sum, np.add, skip_nan=True)
def nansum() -> None:
    """The sum over axes with NaN counted as zero, as `numpy.nansum`.

    >>> weft.nansum(np.array([1.0, np.nan, 2.0]))
    np.float64(3.0)
    """


@_folding(ops.Prod, np.multiply, skip_nan=True)
def nanprod() -> None:
    """The product over axes with NaN counted as one, as `numpy.nanprod`.

    >>> weft.nanprod(np.array([3.0, np.nan, 2.0]))
    np.float64(6.0)
    """


# Means


def _averaging(skip_nan: bool = False) -> Family:
    def function(
        a: ArrayLike,
        axis: Any = None,
        dtype: DTypeLike | None = None,
        out: Any = None,
        keepdims: Any = NO_VALUE,
        *,
        where: Any = NO_VALUE,
    ) -> ArrayResult:
        """Shape: that of a without the axes (all of them when axis is None), which `keepdims` leaves with extent 1.
        Dtype: `dtype`, or that of a; of integers and booleans float64.
        Raises `AxisError` for an axis that a does not have. NaN where there is no element.
        """
        x, where = _without_nan(a, where, 0) if skip_nan else (asarray(a), where)
        wanted = optional_dtype(dtype) or (x.dtype if is_inexact(x.dtype) else FLOAT64)
        if is_inexact(wanted) and not _restricts(where):
            return deliver(
                _reduce(ops.Mean, cast(x, wanted), axis_tuple(axis, x.ndim), keepdims), out, "unsafe"
            )
        wide = FLOAT32 if is_inexact(wanted) and wanted.itemsize == 2 else wanted
        total = sum(cast(x, wide), axis, wide, None, keepdims, where=where)
        if (out := output_of(out)) is not None:  # which holds the sum, and then the quotient
            total, wanted = cast(total, out.dtype), out.dtype
        return deliver(cast(total / _count(x, axis, keepdims, where), wanted), out, "unsafe")

    return member(function)


@_averaging()
def mean() -> None:
    """The arithmetic mean over axes, as `numpy.mean`.

    >>> weft.mean(np.array([[1, 2], [3, 4]]), axis=1)
    array([1.5, 3.5])
    """


@_averaging(skip_nan=True)
def nanmean() -> None:
    """The arithmetic mean over axes of what is not NaN, as `numpy.nanmean`.

    >>> weft.nanmean(np.array([1.0, np.nan, 2.0]))
    np.float64(1.5)
    """


def _count(x: ArrayResult, axis: Any, keepdims: Any, where: Any = NO_VALUE) -> Any:
    """How many elements a reduction takes."""
    if _restricts(where):
        return sum(broadcast_to(where, x.shape), axis, keepdims=keepdims)
    return product([x.shape[place] for place in axis_tuple(axis, x.ndim)])


def average(
    a: ArrayLike,
    axis: Any = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    *,
    keepdims: Any = NO_VALUE,
) -> ArrayResult:
    """The mean over axes, weighted where weights are given, as `numpy.average`.

    Shape: that of a without the axes; the weights have the shape of a, or one axis with the extent of `axis`.
    Dtype: the common one of a and the weights, float64 for integers.
    Raises `TypeError` where `axis` is needed to tell what the weights belong to, `ZeroDivisionError` for weights whose
    sum is 0.

    >>> weft.average(np.array([1.0, 4.0]), weights=np.array([2, 1]))
    np.float64(2.0)
    """
    x = asarray(a)
    if weights is None:
        result = mean(x, axis, keepdims=keepdims)
        scale = np.multiply(_count(x, axis, keepdims), np.ones((), result.dtype))
    else:
        factor = asarray(weights)
        dtype = common_dtype(x, factor, 1.0) if not is_inexact(x.dtype) else common_dtype(x, factor)
        if factor.ndim != x.ndim:
            if axis is None or isinstance(axis, (tuple, list)) or factor.ndim != 1:
                raise WeftTypeError(_AXIS_IS_NEEDED)
            shape = [1] * x.ndim
            shape[axis_index(axis, x.ndim)] = factor.shape[0]
            factor = factor.reshape(tuple(shape))
        elif axis is None and not compatible_shapes(known_shape(factor), known_shape(x)):
            raise WeftTypeError(_AXIS_IS_NEEDED)
        factor = broadcast_to(factor, x.shape)
        scale = sum(factor, axis, dtype, keepdims=keepdims)
        message = "Weights sum to zero, can't be normalized"
        raise_where(np.any(np.equal(scale, 0)), ZeroDivisionError, message)
        result = sum(np.multiply(cast(x, dtype), cast(factor, dtype)), axis, dtype, keepdims=keepdims) / scale
    return (result, broadcast_to(scale, result.shape).copy()[()]) if returned else result


_AXIS_IS_NEEDED = "Axis must be specified when shapes of a and weights differ."


# Spread


def _spreading(op_class: type[Op], skip_nan: bool = False) -> Family:
    def function(
        a: ArrayLike,
        axis: Any = None,
        dtype: DTypeLike | None = None,
        out: Any = None,
        ddof: Any = 0,
        keepdims: Any = NO_VALUE,
        *,
        where: Any = NO_VALUE,
        mean: Any = NO_VALUE,
        correction: Any = NO_VALUE,
    ) -> ArrayResult:
        """Shape: that of a without the axes (all of them when axis is None), which `keepdims` leaves with extent 1.
        Dtype: the real one of `dtype`, or of a; of integers and booleans float64.
        `ddof` (in the Array API `correction`) is taken off the number of elements that is divided by.
        Raises `AxisError` for an axis that a does not have, `ValueError` when both of them are given.
        """
        x, where = _without_nan(a, where, 0) if skip_nan else (asarray(a), where)
        if correction is not NO_VALUE:
            if ddof != 0:
                raise WeftValueError("ddof and correction can't be provided simultaneously.")
            ddof = correction
        wanted = optional_dtype(dtype) or (x.dtype if is_inexact(x.dtype) else FLOAT64)
        if mean is not NO_VALUE and not given(dtype):
            wanted = common_dtype(wanted, asarray(mean))
        _require_spreading(wanted, x.dtype)
        made = wanted if given(dtype) else ops.real_dtype(wanted)
        if not _restricts(where) and mean is NO_VALUE:
            axes = axis_tuple(axis, x.ndim)
            result = _reduce(op_class, cast(x, wanted), axes, keepdims, correction=float(ddof))
            return deliver(cast(result, made), out, "same_kind" if op_class is ops.Std else "unsafe")
        wide = cast(x, FLOAT32 if wanted.itemsize == 2 else wanted)
        freedom = np.maximum(_count(x, axis, keepdims, where) - ddof, 0)
        result = _squared_distance(wide, axis, keepdims, where, mean) / freedom
        result = cast(np.sqrt(result) if op_class is ops.Std else result, made)
        if skip_nan:  # NumPy gives NaN where nothing is left to divide by
            result = cast(choose(np.greater(freedom, 0), result, np.nan), result.dtype)
        return deliver(result, out, "same_kind" if op_class is ops.Std else "unsafe")

    return member(function)


def _require_spreading(wanted: np.dtype[Any], given_dtype: np.dtype[Any]) -> None:
    """Refuse dtypes in which NumPy would compute with a rounded mean, or with that of the real parts."""
    if not is_inexact(wanted) or (kind(given_dtype) == "c" and kind(wanted) != "c"):
        raise UnsupportedError(
            f"var and std of {given_dtype} in dtype={wanted} are not supported in compiled code; convert the array "
            "(x.astype), or the result"
        )


def _squared_distance(x: ArrayResult, axis: Any, keepdims: Any, where: Any, centre: Any) -> ArrayResult:
    """The sum of squared distances from the mean."""
    distance = x - (mean(x, axis, keepdims=True, where=where) if centre is NO_VALUE else centre)
    squares = np.absolute(distance) ** 2 if kind(x.dtype) == "c" else distance * distance
    return sum(squares, axis, keepdims=keepdims, where=where)


@_spreading(ops.Var)
def var() -> None:
    """The variance over axes, as `numpy.var`.

    >>> weft.var(np.array([1, 3]))
    np.float64(1.0)
    """


@_spreading(ops.Std)
def std() -> None:
    """The standard deviation over axes, as `numpy.std`.

    >>> weft.std(np.array([[1, 3], [0, 4]]), axis=1)
    array([1., 2.])
    """


@_spreading(ops.Var, skip_nan=True)
def nanvar() -> None:
    """The variance over axes of what is not NaN, as `numpy.nanvar`.

    >>> weft.nanvar(np.array([1.0, np.nan, 3.0]))
    np.float64(1.0)
    """


@_spreading(ops.Std, skip_nan=True)
def nanstd() -> None:
    """The standard deviation over axes of what is not NaN, as `numpy.nanstd`.

    >>> weft.nanstd(np.array([0.0, np.nan, 4.0]))
    np.float64(2.0)
    """


# Extremes


def _selecting(op_class: type[Op], ufunc: np.ufunc, number_op: type[Op] | None = None) -> Family:
    def function(
        a: ArrayLike,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = NO_VALUE,
        initial: Any = NO_VALUE,
        where: Any = NO_VALUE,
    ) -> ArrayResult:
        """Shape: that of a without the axes (all of them when axis is None), which `keepdims` leaves with extent 1.
        Dtype: that of a. `initial` takes part as one more element, and `where` needs one.
        Raises `ValueError` where there is no element, `AxisError` for an axis that a does not have.
        """
        x, numbers = asarray(a), NO_VALUE
        op, compared = op_class, ufunc
        if number_op is None:
            if given(out) and given(initial):
                x = cast(x, dtype_with_out(x.dtype, out) or x.dtype)  # the dtype in which NumPy compares
        elif not given(initial) and not given(where) and kind(x.dtype) == "f":
            op, compared = number_op, np.fmax if ufunc is np.maximum else np.fmin
        else:
            x, numbers = _without_nan(x, NO_VALUE, -np.inf if ufunc is np.maximum else np.inf)
        result = _extremum(op, compared, x, axis, keepdims, initial, where)
        if given(numbers) and not given(initial):
            some = any(numbers, axis, keepdims=keepdims)
            result = cast(choose(some, result, np.nan), x.dtype)
        return deliver(result, out, "unsafe")

    return member(function)


def _extremum(
    op_class: type[Op], ufunc: np.ufunc, x: ArrayResult, axis: Any, keepdims: Any, initial: Any, where: Any
) -> ArrayResult:
    axes = reduced_axes(axis, x.ndim)
    if not given(initial):
        if _restricts(where):
            raise WeftValueError(
                f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a where mask one has "
                "to specify 'initial'"
            )
        require_elements(
            x, axes, f"zero-size array to reduction operation {ufunc.__name__} which has no identity"
        )
        return _reduce(op_class, x, axes, keepdims)
    start = asarray(cast_element(initial, x.dtype))
    masked = blend(_fitting(x, where), x, start) if _restricts(where) else x
    if 0 in [known_shape(masked)[place] for place in axes]:
        shape = ops.reduced_shape(masked.shape, axes, _keep(keepdims))
        return broadcast_to(start, shape) if shape else start[()]
    if kind(x.dtype) != "c" or not axes:  # what has no element is less than any, or more
        return ufunc(_reduce(op_class, masked, axes, keepdims) if axes else masked, start)
    # The start value joins as one more element, which also makes axes have one that are empty when the function runs.
    *others, last = [place for place in axes if known_shape(masked)[place] is None] or [axes[0]]
    for place in (*others, last):
        edge = (*masked.shape[:place], 1, *masked.shape[place + 1 :])
        joined = concatenate([broadcast_to(start, edge), masked], axis=place)
        masked = _reduce(op_class, joined, (place,), True) if place != last else joined
    return _reduce(op_class, masked, axes, keepdims)


@_selecting(ops.Max, np.maximum)
def max() -> None:
    """The largest element over axes, NaN if there is one, as `numpy.max`.

    >>> weft.max(np.array([[1, 5], [7, 2]]), axis=1)
    array([5, 7])
    """


@_selecting(ops.Min, np.minimum)
def min() -> None:
    """The smallest element over axes, NaN if there is one, as `numpy.min`.

    >>> weft.min(np.array([[1, 5], [7, 2]]), axis=1)
    array([1, 2])
    """


amax, amin = max, min


@_selecting(ops.Max, np.maximum, ops.MaxNumber)
def nanmax() -> None:
    """The largest element over axes that is not NaN, NaN where all are, as `numpy.nanmax`.

    >>> weft.nanmax(np.array([1.0, np.nan, 3.0]))
    np.float64(3.0)
    """


@_selecting(ops.Min, np.minimum, ops.MinNumber)
def nanmin() -> None:
    """The smallest element over axes that is not NaN, NaN where all are, as `numpy.nanmin`.

    >>> weft.nanmin(np.array([1.0, np.nan, 3.0]))
    np.float64(1.0)
    """


def ptp(a: ArrayLike, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE) -> ArrayResult:
    """The difference of the largest and the smallest element over axes, as `numpy.ptp`.

    Shape and dtype: those of `max`. Raises what `max` raises.

    >>> weft.ptp(np.array([[1, 5], [7, 2]]), axis=0)
    array([6, 3])
    """
    x = asarray(a)
    return deliver(np.subtract(max(x, axis, keepdims=keepdims), min(x, axis, keepdims=keepdims)), out)


def _locating(op_class: type[Op]) -> Family:
    def function(a: ArrayLike, axis: Any = None, out: Any = None, *, keepdims: Any = NO_VALUE) -> ArrayResult:
        """Shape: that of a without the axes (all of them when axis is None), which `keepdims` leaves with extent 1.
        Dtype: int64.
        Raises `ValueError` where there is no element, `AxisError` for an axis that a does not have.
        """
        x = asarray(a)
        is_flat = axis is None or (x.ndim == 0 and axis in (0, -1))
        elements, place = (ravel(x), 0) if is_flat else (x, axis_index(axis, x.ndim))
        require_elements(elements, (place,), f"attempt to get {op_class.name} of an empty sequence")
        result = apply(op_class, elements, axis=place, keepdims=_keep(keepdims) and not is_flat)
        if (out := output_of(out)) is not None:
            require_castable(out.dtype, result.dtype, "safe")  # as NumPy asks, not the other way round
        whole = reshape(result, (1,) * x.ndim) if is_flat and _keep(keepdims) else result
        return deliver(whole, out, "unsafe")

    return member(function)


@_locating(ops.Argmax)
def argmax() -> None:
    """The position of the first largest element along an axis, or in the flattened array, as `numpy.argmax`.

    >>> weft.argmax(np.array([[1, 5], [7, 2]]), axis=1)
    array([1, 0])
    """


@_locating(ops.Argmin)
def argmin() -> None:
    """The position of the first smallest element along an axis, or in the flattened array, as `numpy.argmin`.

    >>> weft.argmin(np.array([[1, 5], [7, 2]]), axis=1)
    array([0, 1])
    """


# Logic


def _testing(op_class: type[Op], neutral: int) -> Family:
    def function(
        a: ArrayLike, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *, where: Any = NO_VALUE
    ) -> ArrayResult:
        """Shape: that of a without the axes (all of them when axis is None), which `keepdims` leaves with extent 1.
        Dtype: bool.
        Raises `AxisError` for an axis that a does not have.
        """
        x = _masked(asarray(a), where, neutral)
        return deliver(_reduce(op_class, x, reduced_axes(axis, x.ndim), keepdims), out, "unsafe")

    return member(function)


@_testing(ops.AnyOf, 0)
def any() -> None:
    """Whether any element over axes is not zero, as `numpy.any`.

    >>> weft.any(np.array([[0, 1], [0, 0]]), axis=1)
    array([ True, False])
    """


@_testing(ops.AllOf, 1)
def all() -> None:
    """Whether all elements over axes are not zero, as `numpy.all`.

    >>> weft.all(np.array([[1, 1], [0, 1]]), axis=1)
    array([ True, False])
    """


def count_nonzero(a: ArrayLike, axis: Any = None, *, keepdims: bool = False) -> ArrayResult:
    """The number of elements over axes that are not zero, as `numpy.count_nonzero`.

    Shape: that of a without the axes. Dtype: int64. Raises `AxisError` for an axis that a does not have.

    >>> weft.count_nonzero(np.array([[0, 1], [2, 3]]), axis=1)
    array([1, 2])
    """
    x = asarray(a)
    return sum(x if x.dtype == BOOL else x != 0, axis, keepdims=keepdims)


def logsumexp(a: ArrayLike, axis: Any = None, keepdims: bool = False) -> ArrayResult:
    """log(sum(exp(a))) over axes, without overflow, as `scipy.special.logsumexp`.

    Shape: that of a without the axes. Dtype: that of a, of integers and booleans float64.
    Raises `ValueError` where there is no element, `AxisError` for an axis that a does not have.

    >>> float(weft.logsumexp(np.array([1000.0, 1000.0])))
    1000.6931471805599
    """
    x = as_inexact(asarray(a))
    largest = max(x, axis, keepdims=True)
    shift = choose(np.isfinite(largest), largest, np.zeros((), x.dtype))
    result = np.log(sum(np.exp(x - shift), axis, keepdims=True)) + shift
    if not keepdims:
        result = squeeze(result, reduced_axes(axis, x.ndim))
    return result if result.ndim else result[()]
