"""Functions that select, find and replace elements at places that are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialect.dtypes import kind as kind_of
from ...dialect.errors import UnsupportedError, WeftIndexError, WeftTypeError, WeftValueError
from ...dialect.ops import indexing as ops
from ...dialect.ops.complex_parts import Complex
from ...dialect.ops.shape import Dim
from ...dialect.ops.sorting import Searchsorted
from ...dialect.types import format_shape
from ..indexing.broadcasting import broadcast_arrays, broadcast_to
from ..tracing.array import TracedArray
from ..tracing.element_stores import cast_elements, cast_unchecked
from ..tracing.extents import Extent, known_shape
from ..tracing.number_types import number_type
from ..tracing.staging import (
    ArrayLike,
    ArrayResult,
    apply,
    asarray,
    cast,
    emit,
    is_traced,
    raise_if,
    raise_where,
    rank_0_array,
    staged,
    trace_of,
)
from ..tracing.stretching import Misfit, meet
from .arguments import (
    BOOL,
    FLOAT64,
    INT64,
    along,
    axis_index,
    common_dtype,
    deliver,
    flat_or_axis,
    require_castable,
    write_into,
)
from .joining import stack
from .reductions import any as any_of
from .selection import as_weak_operand, blend
from .selection import choose as choose_between
from .shape import expand_dims, ravel, reshape, tile


def take(
    a: ArrayLike, indices: ArrayLike, axis: int | None = None, out: Any = None, mode: str = "raise"
) -> ArrayResult:
    """The elements at indices along an axis, or of the flattened array, as `numpy.take`.

    Shape: that of a with the axis replaced by the shape of the indices. Dtype: that of a. Raises `IndexError` for
    indices out of bounds unless `mode` is wrap or clip, `TypeError` for those that are no integers.

    >>> weft.take(np.array([5, 6, 7]), [2, 0])
    array([7, 5])
    """
    x, place = flat_or_axis(a, axis)
    places = _integers(indices)
    if known_shape(x)[place] == 0 and 0 not in known_shape(places):
        raise WeftIndexError("cannot do a non-empty take from an empty axes.")
    places = _in_bounds(places, x, place, mode)
    trace = trace_of((x, places))
    if trace is not None and mode == "raise":
        return deliver(staged(trace, x)[along(place, places)], out)
    return deliver(apply(ops.Gather, x, places, axes=(place,), position=place), out)


def _integers(indices: ArrayLike) -> ArrayResult:
    places = asarray(indices)
    if not is_traced(places) and places.size == 0 and not hasattr(indices, "dtype"):
        places = places.astype(INT64)
    require_castable(places.dtype, INT64, "same_kind")
    return asarray(cast(places, INT64))


def _in_bounds(places: ArrayResult, x: ArrayResult, axis: int, mode: str) -> ArrayResult:
    """The indices after the treatment of those out of bounds; for eager arrays `raise` checks here."""
    extent = x.shape[axis]
    if is_traced(extent) and mode in ("wrap", "clip") and 0 not in known_shape(places):
        misfit = np.logical_and(np.equal(extent, 0), np.greater(places.size, 0))
        message = "cannot do a non-empty take from an empty axes."
        raise_if(misfit, "IndexError", message)
    if mode == "wrap":
        return asarray(np.remainder(places, extent))
    if mode == "clip":
        return asarray(np.minimum(np.maximum(places, 0), extent - 1))
    if mode != "raise":
        raise WeftValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    if trace_of((places, x)) is None:
        outside = places[(places < -extent) | (places >= extent)]
        if outside.size:
            raise WeftIndexError(
                f"index {outside.reshape(-1)[0]} is out of bounds for axis {axis} with size {extent}"
            )
    return places


def take_along_axis(arr: ArrayLike, indices: ArrayLike, /, axis: int | None = -1) -> ArrayResult:
    """The elements that an array of indices names along an axis, as `numpy.take_along_axis`.

    Shape: that of the indices, broadcast with arr in the other axes. Dtype: that of arr. Raises `IndexError` for
    indices out of bounds or of another kind, `ValueError` for another number of axes.

    >>> weft.take_along_axis(np.array([[5, 6], [7, 8]]), np.array([[1], [0]]), axis=1)
    array([[6],
           [7]])
    """
    x, places, place = _along(arr, indices, axis)
    return asarray(apply(ops.TakeAlongAxis, x, places, axis=place))


def put_along_axis(arr: ArrayLike, indices: ArrayLike, values: ArrayLike, axis: int | None) -> None:
    """Write values, in place, where an array of indices says along an axis, as `numpy.put_along_axis`.

    Shape: values broadcast to the indices, and these with arr in the other axes. Dtype: values are cast to that of
    arr. Raises what `take_along_axis` raises.

    >>> x = np.array([[5, 6], [7, 8]])
    >>> weft.put_along_axis(x, np.array([[1], [0]]), 0, axis=1)
    >>> x
    array([[5, 0],
           [0, 8]])
    """
    target = asarray(arr)
    x, places, place = _along(target, indices, axis)
    update = broadcast_to(asarray(cast_elements(values, x.dtype)), places.shape)
    replaced = apply(ops.PutAlongAxis, x, places, update, axis=place)
    replaced = reshape(replaced, target.shape) if axis is None else replaced
    write_into(target, replaced, "assignment destination")


def _along(arr: ArrayLike, indices: ArrayLike, axis: int | None) -> tuple[ArrayResult, ArrayResult, int]:
    """The array, int64 indices that fit its other axes (which broadcast), and the axis."""
    x, places = asarray(arr), asarray(indices)
    if places.dtype.kind not in "iu":
        raise WeftIndexError("`indices` must be an integer array")
    if axis is None:
        if places.ndim != 1:
            raise WeftValueError("when axis=None, `indices` must have a single dimension.")
        x, axis = ravel(x), 0
    place = axis_index(axis, x.ndim)
    if places.ndim != x.ndim:
        raise WeftValueError("`indices` and `arr` must have the same number of dimensions")
    places = asarray(cast(places, INT64))
    (x, places), others = _meet_but(x, places, place)
    x = _broadcast_but(x, others, place)
    places = _broadcast_but(places, others, place)
    _require_in_bounds(x, places, place)
    return x, places, place


def _meet_but(
    x: ArrayResult, places: ArrayResult, axis: int
) -> tuple[Sequence[ArrayResult], Sequence[Extent]]:
    """Two arrays and the extents to which they broadcast, of all axes but one; unknown extents of 1 are stretched."""
    groups = []
    for other in range(x.ndim):
        left, right = known_shape(x)[other], known_shape(places)[other]
        if other != axis and 1 not in (left, right) and None not in (left, right) and left != right:
            raise WeftIndexError(
                "shape mismatch: indexing arrays could not be broadcast together with shapes "
                f"{format_shape(known_shape(x))} {format_shape(known_shape(places))} "
            )
        groups.append([(i, other) for i, extent in ((0, left), (1, right)) if other != axis and extent != 1])
    misfit = Misfit(
        "shape mismatch: indexing arrays could not be broadcast together with shapes ", error="IndexError"
    )
    return meet(trace_of((x, places)), (x, places), groups, misfit)


def _broadcast_but(x: ArrayResult, extents: Sequence[Extent], axis: int) -> ArrayResult:
    """The array broadcast to extents, but for one axis."""
    shape = (*extents[:axis], x.shape[axis], *extents[axis + 1 :])
    same = all(
        known is None if is_traced(wanted) else known == wanted
        for known, wanted in zip(known_shape(x), shape, strict=True)
    )
    return x if same else broadcast_to(x, shape)


def _require_in_bounds(x: ArrayResult, places: ArrayResult, axis: int) -> None:
    """Indices out of bounds end in an IndexError: now, or when the function runs."""
    trace = trace_of((x, places))
    if trace is None:
        extent = x.shape[axis]
        outside = places[(places < -extent) | (places >= extent)]
        if outside.size:
            raise WeftIndexError(
                f"index {outside.reshape(-1)[0]} is out of bounds for axis {axis} with size {extent}"
            )
        return
    extent = emit(trace, Dim, (staged(trace, x),), {"axis": axis})
    outside, offender = emit(trace, ops.FindOutOfBounds, (places, extent), {})
    message = f"index {{0}} is out of bounds for axis {axis} with size {{1}}"
    raise_if(outside, "IndexError", message, offender, extent)


def put(a: ArrayLike, ind: ArrayLike, v: ArrayLike, mode: str = "raise") -> None:
    """Write values, in place, at indices of the flattened array, as `numpy.put`.

    Shape: v is repeated up to the number of indices. Dtype: v is cast to that of a. Raises `IndexError` for indices
    out of bounds unless `mode` is wrap or clip, `UnsupportedError` for numbers of them that are known only when the
    function runs.

    >>> x = np.zeros(3)
    >>> weft.put(x, [0, 2], [1, 2])
    >>> x
    array([1., 0., 2.])
    """
    target = asarray(a)
    target = target._memory() if isinstance(target, TracedArray) else target
    flat = ravel(target)
    places = _in_bounds(ravel(_integers(ind)), flat, 0, mode)
    values = ravel(cast_elements(v, target.dtype))
    count, given = known_shape(places)[0], known_shape(values)[0]
    if count is None or given is None:
        raise UnsupportedError(
            "put() needs the number of indices and values while tracing; assign to x.reshape(-1)[ind]"
        )
    if given == 0 or count == 0:
        return

    trace = trace_of((target, places, values))
    if trace is not None:
        values = staged(trace, values)  # before it is repeated: what NumPy would make is an array to keep
    values = broadcast_to(values, (count,)) if given == 1 else tile(values, -(-count // given))[:count]
    if trace is None:
        target.reshape(-1)[places] = (
            values if target.flags.c_contiguous else target.flat.__setitem__(places, values)
        )
        return
    _require_in_bounds(flat, places, 0)
    replaced = apply(ops.Scatter, flat, values, places, axes=(0,), position=0, mode="set")
    write_into(target, reshape(replaced, target.shape), "put: output array")


def place(arr: ArrayLike, mask: ArrayLike, vals: ArrayLike) -> None:
    """Write values one after the other, in place, where a mask holds, as `numpy.place`; the first follow the last.

    Shape: the mask has the size of arr; where there is one value, it may broadcast to it. Dtype: the values are cast to
    that of arr. Raises `UnsupportedError` for several values of sizes that are known only when the function runs.

    >>> x = np.array([1, 2, 3])
    >>> weft.place(x, x > 1, [7, 8])
    >>> x
    array([1, 7, 8])
    """
    target = asarray(arr)
    values, chosen = _values_for(target, vals), asarray(mask)
    if None not in known_shape(values) and values.size == 1:
        _replace_where(target, mask, reshape(values, ()))
        return
    if None in (*known_shape(values), *known_shape(target), *known_shape(chosen)) or values.size == 0:
        raise UnsupportedError("place() needs the sizes of what it takes while tracing; use np.where")
    if chosen.size != target.size:
        raise WeftValueError("place: mask and data must be the same size")
    order = np.cumsum(np.not_equal(ravel(chosen), 0)) - 1
    order = np.maximum(order if values.size >= target.size else np.remainder(order, values.size), 0)
    _replace_where(target, reshape(chosen, target.shape), reshape(ravel(values)[order], target.shape))


def putmask(a: ArrayLike, mask: ArrayLike, values: ArrayLike) -> None:
    """Write values, in place, where a mask holds, as `numpy.putmask`.

    Shape: values have that of a, or one element. Dtype: values are cast to that of a. Raises `UnsupportedError` for
    values of other shapes.

    >>> x = np.array([1, 2, 3])
    >>> weft.putmask(x, x > 1, -x)
    >>> x
    array([ 1, -2, -3])
    """
    target = asarray(a)
    new = _values_for(target, values)
    if new.ndim and known_shape(new) != known_shape(target):
        if None in known_shape(new) or new.size != 1:
            raise UnsupportedError(
                "putmask() takes values of the array's shape, or one value, in compiled code"
            )
        new = reshape(new, ())
    _replace_where(target, mask, new)


def _values_for(target: ArrayResult, values: ArrayLike) -> ArrayResult:
    """What `place` and `putmask` write: numbers and lists that fit, and arrays of a dtype that is safe to cast."""
    is_array = not values._is_scalar if isinstance(values, TracedArray) else isinstance(values, np.ndarray)
    if is_array:
        require_castable(values.dtype, target.dtype, "safe")
    return asarray(cast_elements(values, target.dtype))


def _replace_where(target: ArrayResult, mask: ArrayLike, values: ArrayResult) -> None:
    condition = asarray(mask)
    sizes = condition.size, target.size
    if not any(map(is_traced, sizes)) and sizes[0] != sizes[1]:
        raise WeftValueError("mask and data must be the same size")
    condition = condition if condition.dtype == BOOL else condition != 0
    write_into(target, blend(reshape(condition, target.shape), values, target))


def copyto(dst: ArrayLike, src: ArrayLike, casting: str = "same_kind", where: Any = True) -> None:
    """Write an array into another, in place, where a mask holds, as `numpy.copyto`.

    Shape: src and the mask broadcast to dst. Dtype: src is cast to that of dst. Raises `TypeError` for a cast that
    the rule `casting` does not allow, `ValueError` for shapes that do not broadcast.

    >>> x = np.zeros(2)
    >>> weft.copyto(x, [1, 2])
    >>> x
    array([1., 2.])
    """
    target, source = asarray(dst), as_weak_operand(src)
    if src is dst and target.ndim and where is True:
        return  # before NumPy asks whether it can be written
    is_weak = number_type(source) is not None
    given = common_dtype(target, source) if is_weak else source.dtype
    require_castable(given, target.dtype, casting)
    value = cast_unchecked(source, target.dtype)
    if where is not True:
        value = blend(asarray(where), value, target)
    if isinstance(target, TracedArray):
        target[...] = value
    else:
        write_into(target, value)


def choose(a: ArrayLike, choices: Any, out: Any = None, mode: str = "raise") -> ArrayResult:
    """Elements of one of several arrays, by index, as `numpy.choose`.

    Shape: the common one of a and the choices. Dtype: the common one of the choices. Raises `ValueError` for indices
    without a choice unless `mode` is wrap or clip, `TypeError` for those that are no integers.

    >>> weft.choose(np.array([1, 0]), [np.array([5, 6]), np.array([7, 8])])
    array([7, 6])
    """
    options = [as_weak_operand(choice) for choice in choices]
    dtype = common_dtype(*options)
    selector, *options = broadcast_arrays(asarray(a), *(cast(option, dtype) for option in options))
    stacked = stack(options)
    selector = _integers(selector)
    if mode != "raise":
        selector = _in_bounds(selector, stacked, 0, mode)
    else:
        misfit = any_of((selector < 0) | (selector >= len(options)))
        raise_where(misfit, WeftValueError, "invalid entry in choice array")
    chosen = take_along_axis(stacked, expand_dims(selector, 0), axis=0)[0]
    return deliver(chosen, out, casting="unsafe")


def select(condlist: Any, choicelist: Any, default: Any = 0) -> ArrayResult:
    """Elements of the first choice whose condition holds, else the default, as `numpy.select`.

    Shape: the common one. Dtype: the common one of the choices and the default. Raises `TypeError` for conditions
    that are not boolean, `ValueError` for lists that are empty or of different lengths.

    >>> weft.select([np.array([True, False])], [np.array([1, 2])], 9)
    array([1, 9])
    """
    if len(condlist) != len(choicelist):
        raise WeftValueError("list of cases must be same length as list of conditions")
    if not condlist:
        raise WeftValueError("select with an empty condition list is not possible")
    choices = [as_weak_operand(choice) for choice in (*choicelist, default)]
    dtype = common_dtype(*choices)
    *choices, result = [asarray(cast(choice, dtype)) for choice in choices]
    for place, (condition, choice) in reversed(list(enumerate(zip(condlist, choices, strict=True)))):
        if asarray(condition).dtype != BOOL:
            raise WeftTypeError(f"invalid entry {place} in condlist: should be boolean ndarray")
        result = choose_between(condition, choice, result)
    return rank_0_array(result)


def searchsorted(
    a: ArrayLike, v: ArrayLike, side: str = "left", sorter: ArrayLike | None = None
) -> ArrayResult:
    """The places at which values can be inserted into a sorted vector that stays sorted, as `numpy.searchsorted`.

    Shape: that of v. Dtype: int64. Raises `ValueError` for a side other than left and right, and unless a is a
    vector.

    >>> weft.searchsorted(np.array([1, 3, 5]), [2, 3])
    array([1, 1])
    """
    if side not in ("left", "right"):
        raise WeftValueError(f"search side must be 'left' or 'right' (got {side!r})")
    x, values = asarray(a), v if isinstance(v, (bool, int, float, complex)) else asarray(v)
    if x.ndim != 1:
        raise WeftValueError("object too deep for desired array" if x.ndim > 1 else "a must be a 1-d array")
    if sorter is not None:
        places = asarray(sorter)
        raise_where(places.size != x.size, WeftValueError, "sorter.size must equal a.size")
        x = take(x, places)
    dtype = common_dtype(x, asarray(values))
    return apply(Searchsorted, cast(x, dtype), asarray(cast(values, dtype)), side=side)


def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> ArrayResult:
    """The bins that values belong to, as `numpy.digitize`.

    Shape: that of x. Dtype: int64. Raises `ValueError` for bins that are not monotonic, or no vector, `TypeError` for
    complex numbers.

    >>> weft.digitize(np.array([0.5, 2.5]), np.array([1, 2, 3]))
    array([0, 2])
    """
    edges, values = asarray(bins), asarray(x)
    if values.dtype.kind == "c":
        raise WeftTypeError("x may not be complex")
    if edges.ndim != 1:
        raise WeftValueError(
            f"object of too {'small' if edges.ndim == 0 else 'deep'} depth for desired array"
        )
    side = "left" if right else "right"
    if known_shape(edges)[0] == 0:
        return searchsorted(edges, values, side=side)
    left, right_ = edges[:-1], edges[1:]
    falls, rises = any_of(left > right_), any_of(left < right_)
    raise_where(falls & rises, WeftValueError, "bins must be monotonically increasing or decreasing")
    if not is_traced(falls):
        return (
            len(edges) - searchsorted(edges[::-1], values, side=side)
            if falls
            else searchsorted(edges, values, side=side)
        )
    places = searchsorted(blend(falls, edges[::-1], edges), values, side=side)
    return np.add(places, np.multiply(falls, edges.shape[0] - 2 * places))


def interp(x: ArrayLike, xp: ArrayLike, fp: ArrayLike, left: Any = None, right: Any = None) -> ArrayResult:
    """Piecewise linear interpolation of points with increasing abscissas, as `numpy.interp`.

    Shape: that of x. Dtype: float64, or complex128 for complex fp. Raises `ValueError` unless xp and fp are vectors of
    one length.

    >>> weft.interp(np.array([0.5, 9.0]), [0, 1], [10, 20])
    array([15., 20.])
    """
    ordinates = asarray(fp)
    if kind_of(ordinates.dtype) == "c":
        bounds = [[None if b is None else part(b) for b in (left, right)] for part in (np.real, np.imag)]
        parts = [
            interp(x, xp, part(ordinates), *b) for part, b in zip((np.real, np.imag), bounds, strict=True)
        ]
        return apply(Complex, *parts)
    for given in (x, xp):
        require_castable(asarray(given).dtype, FLOAT64, "safe")
    positions, grid, values = (asarray(cast(asarray(e), FLOAT64)) for e in (x, xp, ordinates))
    if grid.ndim != 1 or values.ndim != 1:
        deep = max(grid.ndim, values.ndim) > 1
        raise WeftValueError(
            "object too deep for desired array" if deep else "object of too small depth for desired array"
        )
    misfit = np.not_equal(grid.shape[0], values.shape[0])
    raise_where(misfit, WeftValueError, "fp and xp are not of the same length.")
    raise_where(np.equal(grid.shape[0], 0), WeftValueError, "array of sample points is empty")
    last = grid.shape[0] - 1
    upper = np.minimum(np.maximum(searchsorted(grid, positions, side="right"), 1), last)
    lower = np.maximum(upper - 1, 0)
    (start, end), (low, high) = (
        [take(column, places, mode="clip") for places in (lower, upper)] for column in (grid, values)
    )
    slope = (high - low) / choose_between(end == start, 1.0, end - start)
    result = slope * (positions - start) + low
    # Beside infinite points NumPy starts from the other one, and takes equal ones as they are.
    result = choose_between(np.isnan(result), slope * (positions - end) + high, result)
    result = choose_between(np.isnan(result) & (low == high), low, result)
    result = choose_between(positions == start, low, result)
    result = choose_between(positions >= grid[-1], values[-1] if right is None else right, result)
    result = choose_between(positions == grid[-1], values[-1], result)
    result = choose_between(positions < grid[0], values[0] if left is None else left, result)
    result = choose_between(np.isnan(positions) & np.not_equal(last, 0), positions, result)
    return result[()] if result.ndim == 0 else result
