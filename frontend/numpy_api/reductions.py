"""Reductions, running reductions and differences, with NumPy's promotion, `where=`, `initial=` and `out=`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...dialect.dtypes import DTypeLike, as_dtype, kind
from ...dialect.errors import WeftTypeError, WeftValueError
from ...dialect.op import Op
from ...dialect.ops import reductions as ops
from ...dialect.types import compatible_shapes
from ..indexing.views import get_item
from ..tracing.array import TracedArray
from ..tracing.extents import known_shape, product, same_extent
from ..tracing.staging import ArrayLike, ArrayResult, apply, asarray, cast
from .arguments import (
    BOOL,
    FLOAT64,
    INT64,
    NO_VALUE,
    axis_index,
    axis_tuple,
    common_dtype,
    deliver,
    is_inexact,
    optional_dtype,
    reduced_axes,
)
from .elementwise import isclose
from .joining import concatenate
from .selection import blend, choose
from .shape import broadcast_to, ravel, reshape, squeeze

INT32, UINT64 = np.dtype(np.int32), np.dtype(np.uint64)
FLOAT32 = np.dtype(np.float32)


def accumulator_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which NumPy adds and multiplies: integers and booleans become 64-bit."""
    if kind(dtype) in "bi":
        return INT64
    return UINT64 if kind(dtype) == "u" else dtype


def _apply_reduction(
    op_class: type[Op], x: ArrayResult, axes: tuple[int, ...], keepdims: Any, **more: Any
) -> ArrayResult:
    return apply(
        op_class, x, axes=tuple(sorted(axes)), keepdims=bool(keepdims) and keepdims is not NO_VALUE, **more
    )


def _keep(keepdims: Any) -> bool:
    return keepdims is not NO_VALUE and bool(keepdims)


def given(value: Any) -> bool:
    return value is not NO_VALUE and value is not None


def _masked(x: ArrayResult, where: Any, neutral: Any) -> ArrayResult:
    """The array with what `where` leaves out replaced by a neutral element."""
    if where is NO_VALUE or where is True or where is None:
        return x
    mask = asarray(where)
    if mask.dtype != BOOL:
        raise WeftTypeError(
            f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according to the rule 'safe'"
        )
    return blend(mask, x, np.asarray(neutral, x.dtype))


# Sums and products


def sum(
    a: ArrayLike,
    axis: Any = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> ArrayResult:
    """The sum over axes; small integers are added up in 64 bits.

    >>> int(sum(np.array([1, 2, 3], np.int8)))
    6
    """
    return _fold(ops.Sum, np.add, a, axis, dtype, out, keepdims, initial, where, 0)


def prod(
    a: ArrayLike,
    axis: Any = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> ArrayResult:
    """The product over axes; small integers are multiplied in 64 bits."""
    return _fold(ops.Prod, np.multiply, a, axis, dtype, out, keepdims, initial, where, 1)


def _fold(
    op_class: type[Op],
    ufunc: np.ufunc,
    a: ArrayLike,
    axis: Any,
    dtype: Any,
    out: Any,
    keepdims: Any,
    initial: Any,
    where: Any,
    neutral: int,
) -> ArrayResult:
    x = asarray(a)
    wanted = optional_dtype(dtype) or dtype_of_out(out) or accumulator_dtype(x.dtype)
    if wanted == BOOL:
        result = _logical(
            ops.AnyOf if ufunc is np.add else ops.AllOf, _masked(x, where, neutral), axis, keepdims
        )
    else:
        axes = reduced_axes(axis, x.ndim)
        summands, computing = _masked(x, where, neutral), wanted
        if op_class is ops.Sum and wanted == INT64 and _counts_fit(x, axes):
            computing = INT32
        result = cast(_apply_reduction(op_class, cast(summands, computing), axes, keepdims), wanted)
    if given(initial):
        result = ufunc(result, initial)
    return deliver(result, out)


def _counts_fit(x: ArrayResult, axes: tuple[int, ...]) -> bool:
    """Whether the number of true elements is known to fit into 32 bits, of which a vector holds twice as many."""
    extents = [known_shape(x)[place] for place in axes]
    known = [extent for extent in extents if extent is not None]
    return x.dtype == BOOL and len(known) == len(extents) and math.prod(known) < 1 << 31


def dtype_of_out(out: Any) -> np.dtype[Any] | None:
    """NumPy takes the dtype of a reduction's `out` for the computation."""
    target = out[0] if isinstance(out, tuple) else out
    return None if target is None or target is NO_VALUE else as_dtype(target.dtype)


def mean(
    a: ArrayLike,
    axis: Any = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
) -> ArrayResult:
    """The arithmetic mean over axes; of integers and booleans in float64."""
    x = asarray(a)
    wanted = optional_dtype(dtype) or (x.dtype if is_inexact(x.dtype) else FLOAT64)
    if not is_inexact(wanted):
        total = sum(x, axis, wanted, None, keepdims, where=where)
        return deliver(cast(total / count(x, axis, keepdims, where), wanted), out)
    if given(where) and where is not True:
        wide = FLOAT32 if wanted.itemsize == 2 else wanted
        total = sum(cast(x, wide), axis, None, None, keepdims, where=where)
        return deliver(cast(total / count(x, axis, keepdims, where), wanted), out)
    return deliver(_apply_reduction(ops.Mean, cast(x, wanted), axis_tuple(axis, x.ndim), keepdims), out)


def count(x: ArrayResult, axis: Any, keepdims: Any, where: Any = NO_VALUE) -> Any:
    """How many elements a reduction takes."""
    if given(where) and where is not True:
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
    """The mean over axes, weighted where weights are given."""
    x = asarray(a)
    if weights is None:
        result = mean(x, axis, keepdims=keepdims)
        scale = np.multiply(count(x, axis, keepdims), np.ones((), result.dtype))
    else:
        factor = asarray(weights)
        dtype = common_dtype(x, factor, 1.0) if not is_inexact(x.dtype) else common_dtype(x, factor)
        if factor.ndim != x.ndim:
            if axis is None or isinstance(axis, (tuple, list)) or factor.ndim != 1:
                raise WeftTypeError("Axis must be specified when shapes of a and weights differ.")
            shape = [1] * x.ndim
            shape[axis_index(axis, x.ndim)] = factor.shape[0]
            factor = factor.reshape(tuple(shape))

        factor = broadcast_to(factor, x.shape)
        scale = sum(factor, axis, dtype, keepdims=keepdims)
        result = sum(np.multiply(cast(x, dtype), cast(factor, dtype)), axis, dtype, keepdims=keepdims) / scale
    return (result, scale + result * 0) if returned else result


# Spread


def var(
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
    """The variance over axes; `ddof` (Array API: `correction`) is taken off the count."""
    return deliver(spread(ops.Var, a, axis, dtype, ddof, keepdims, where, mean, correction), out)


def std(
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
    """The standard deviation over axes; `ddof` (Array API: `correction`) is taken off the count."""
    return deliver(spread(ops.Std, a, axis, dtype, ddof, keepdims, where, mean, correction), out)


def spread(
    op_class: type[Op],
    a: Any,
    axis: Any,
    dtype: Any,
    ddof: Any,
    keepdims: Any,
    where: Any,
    mean_value: Any,
    correction: Any,
) -> ArrayResult:
    x = asarray(a)
    if correction is not NO_VALUE:
        if ddof != 0:
            raise WeftValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    wanted = optional_dtype(dtype) or (x.dtype if is_inexact(x.dtype) else FLOAT64)
    if not (given(where) and where is not True) and mean_value is NO_VALUE:
        axes = axis_tuple(axis, x.ndim)
        return _apply_reduction(op_class, cast(x, wanted), axes, keepdims, correction=float(ddof))
    wide = cast(x, FLOAT32 if wanted.itemsize == 2 else wanted)
    centre = mean(wide, axis, keepdims=True, where=where) if mean_value is NO_VALUE else mean_value
    distance = wide - centre
    squares = np.absolute(distance) ** 2 if kind(wide.dtype) == "c" else distance * distance
    left = np.maximum(count(x, axis, keepdims, where) - ddof, 0)
    result = sum(squares, axis, keepdims=keepdims, where=where) / left
    result = np.sqrt(result) if op_class is ops.Std else result
    return cast(result, ops.real_dtype(wanted))


# Extremes


def max(
    a: ArrayLike,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> ArrayResult:
    """The largest element over axes; NaN if there is one."""
    return _extremum(ops.Max, np.maximum, a, axis, out, keepdims, initial, where)


def min(
    a: ArrayLike,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> ArrayResult:
    """The smallest element over axes; NaN if there is one."""
    return _extremum(ops.Min, np.minimum, a, axis, out, keepdims, initial, where)


def max_of_numbers(a: ArrayLike, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE) -> ArrayResult:
    """The largest element over axes of floats that is not NaN; NaN where all are."""
    return _extremum(ops.MaxNumber, np.fmax, a, axis, out, keepdims, NO_VALUE, NO_VALUE)


def min_of_numbers(a: ArrayLike, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE) -> ArrayResult:
    """The smallest element over axes of floats that is not NaN; NaN where all are."""
    return _extremum(ops.MinNumber, np.fmin, a, axis, out, keepdims, NO_VALUE, NO_VALUE)


def amax(
    a: ArrayLike,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> ArrayResult:
    """The largest element over axes."""
    return max(a, axis, out, keepdims, initial, where)


def amin(
    a: ArrayLike,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> ArrayResult:
    """The smallest element over axes."""
    return min(a, axis, out, keepdims, initial, where)


def _extremum(
    op_class: type[Op], ufunc: np.ufunc, a: Any, axis: Any, out: Any, keepdims: Any, initial: Any, where: Any
) -> ArrayResult:
    x = asarray(a)
    axes = reduced_axes(axis, x.ndim)
    if not given(initial):
        if given(where) and where is not True:
            raise WeftValueError(
                f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a where mask one has "
                "to specify 'initial'"
            )
        _require_elements(
            x, axes, f"zero-size array to reduction operation {ufunc.__name__} which has no identity"
        )
        return deliver(_apply_reduction(op_class, x, axes, keepdims), out)
    start = asarray(
        cast(initial if isinstance(initial, (bool, int, float, complex)) else asarray(initial), x.dtype)
    )
    masked = x
    if given(where) and where is not True:
        masked = blend(asarray(where), x, start)
    # The start value joins as one more element along a reduced axis, which also makes empty axes have one.
    if not axes:
        return deliver(ufunc(masked, start), out)

    edge = list(masked.shape)
    edge[axes[0]] = 1
    joined = concatenate([broadcast_to(start, tuple(edge)), masked], axis=axes[0])
    if 0 in [known_shape(joined)[place] for place in axes]:
        return deliver(broadcast_to(start, _reduced(masked.shape, axes, keepdims)), out)
    return deliver(_apply_reduction(op_class, joined, axes, keepdims), out)


def _reduced(shape: tuple[Any, ...], axes: tuple[int, ...], keepdims: Any) -> tuple[Any, ...]:
    if _keep(keepdims):
        return tuple(1 if place in axes else extent for place, extent in enumerate(shape))
    return tuple(extent for place, extent in enumerate(shape) if place not in axes)


def _require_elements(x: ArrayResult, axes: tuple[int, ...], message: str) -> None:
    """There must be an element: now where the extents are known, else when the function runs."""
    extents = [known_shape(x)[place] for place in axes]
    if 0 in extents and 0 not in [e for place, e in enumerate(known_shape(x)) if place not in axes]:
        raise WeftValueError(message)
    if isinstance(x, TracedArray) and None in extents:
        size = product([x.shape[place] for place in axes])
        x._storage.trace.raise_if(np.equal(size, 0), "ValueError", message)


def ptp(a: ArrayLike, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE) -> ArrayResult:
    """The difference of the largest and the smallest element over axes."""
    x = asarray(a)
    return deliver(np.subtract(max(x, axis, keepdims=keepdims), min(x, axis, keepdims=keepdims)), out)


def argmax(a: ArrayLike, axis: Any = None, out: Any = None, *, keepdims: Any = NO_VALUE) -> ArrayResult:
    """The position of the largest element, in the flattened array or along an axis."""
    return _argument(ops.Argmax, a, axis, out, keepdims)


def argmin(a: ArrayLike, axis: Any = None, out: Any = None, *, keepdims: Any = NO_VALUE) -> ArrayResult:
    """The position of the smallest element, in the flattened array or along an axis."""
    return _argument(ops.Argmin, a, axis, out, keepdims)


def _argument(op_class: type[Op], a: Any, axis: Any, out: Any, keepdims: Any) -> ArrayResult:
    x = asarray(a)
    if axis is None or (x.ndim == 0 and axis in (0, -1)):
        flat = ravel(x)
        _require_elements(flat, (0,), f"attempt to get {op_class.name} of an empty sequence")
        result = apply(op_class, flat, axis=0, keepdims=False)
        if _keep(keepdims):
            result = reshape(result, (1,) * x.ndim)
        return deliver(result, out)
    place = axis_index(axis, x.ndim)
    _require_elements(x, (place,), f"attempt to get {op_class.name} of an empty sequence")
    return deliver(apply(op_class, x, axis=place, keepdims=_keep(keepdims)), out)


# Logic


def any(
    a: ArrayLike, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *, where: Any = NO_VALUE
) -> ArrayResult:
    """Whether any element over axes is not zero."""
    return deliver(_logical(ops.AnyOf, _masked(asarray(a), where, 0), axis, keepdims), out, "unsafe")


def all(
    a: ArrayLike, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *, where: Any = NO_VALUE
) -> ArrayResult:
    """Whether all elements over axes are not zero."""
    return deliver(_logical(ops.AllOf, _masked(asarray(a), where, 1), axis, keepdims), out, "unsafe")


def _logical(op_class: type[Op], x: ArrayResult, axis: Any, keepdims: Any) -> ArrayResult:
    return _apply_reduction(op_class, x, reduced_axes(axis, x.ndim), keepdims)


def count_nonzero(a: ArrayLike, axis: Any = None, *, keepdims: bool = False) -> ArrayResult:
    """The number of elements over axes that are not zero."""
    x = asarray(a)
    return sum(x if x.dtype == BOOL else x != 0, axis, keepdims=keepdims)


def logsumexp(a: ArrayLike, axis: Any = None, keepdims: bool = False) -> ArrayResult:
    """log(sum(exp(a))) over axes, without overflow."""
    x = asarray(a) if is_inexact(asarray(a).dtype) else cast(asarray(a), FLOAT64)
    largest = max(x, axis, keepdims=True)
    shift = choose(np.isfinite(largest), largest, np.zeros((), x.dtype))
    result = np.log(sum(np.exp(x - shift), axis, keepdims=True)) + shift
    if keepdims:
        return result

    return squeeze(result, reduced_axes(axis, x.ndim))


def allclose(
    a: ArrayLike, b: ArrayLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> ArrayResult:
    """Whether all elements agree within tolerances, as a boolean scalar."""
    return all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> ArrayResult:
    """Whether two arrays have the same shape and elements, as a boolean scalar."""
    x, y = asarray(a1), asarray(a2)
    if not compatible_shapes(known_shape(x), known_shape(y)):
        return False
    x, y, fits = _common_part(x, y)
    same = x == y
    if equal_nan and is_inexact(x.dtype) and is_inexact(y.dtype):
        same = same | (np.isnan(x) & np.isnan(y))
    return all(same) if fits is True else all(same) & fits


def _common_part(x: ArrayResult, y: ArrayResult) -> tuple[ArrayResult, ArrayResult, Any]:
    """Two arrays cut to the extents that both have, and whether these are all."""
    fits: Any = True
    common: list[slice] = []
    for axis, known in enumerate(zip(known_shape(x), known_shape(y), strict=True)):
        left, right = x.shape[axis], y.shape[axis]
        if None not in known or same_extent(left, right):
            common.append(slice(None))
        else:
            common.append(slice(np.minimum(left, right)))
            fits = fits & np.equal(left, right)
    if fits is True:
        return x, y, True
    return get_item(x, tuple(common)), get_item(y, tuple(common)), fits


__all__ = [
    "all",
    "allclose",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "array_equal",
    "average",
    "count_nonzero",
    "logsumexp",
    "max",
    "mean",
    "min",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]
