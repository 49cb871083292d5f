"""Functions that rearrange elements. Where NumPy returns a view, so do these: writes through it reach the base."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...dialect.dtypes import kind
from ...dialect.errors import LayoutError, WeftTypeError, WeftValueError
from ...dialect.ops import arrangement
from ...dialect.ops import shape as ops
from ...dialect.ops.arrangement import Concat
from ...dialect.ops.slicing import INT64_MAX, INT64_MIN, Slice
from ..tracing.array import TracedArray
from ..tracing.element_stores import whole_number
from ..tracing.extents import (
    Extent,
    known_shape,
    split_shape,
)
from ..tracing.layouts import is_contiguous, order_letter, reshape_is_view
from ..tracing.learned_sizes import need_all_sizes
from ..tracing.staging import (
    ArrayLike,
    ArrayResult,
    apply,
    asarray,
    beside,
    raise_where,
    rank_0_array,
    trace_of,
    view_of,
)
from .arguments import (
    along,
    axis_index,
    axis_tuple,
    numpy_errors,
)
from .memory_order import NOT_KNOWN, plain_order, use_layout, view_or_copy
from .reshaped_extents import completed

# Reshaping


def reshape(
    a: ArrayLike, /, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: bool | None = None
) -> ArrayResult:
    """The elements, in row-major order, in another shape, as `numpy.reshape`; a view where NumPy makes one.

    Shape: `shape`, one extent of which may be -1. Dtype: that of a. Raises `ValueError` for a shape of another size,
    with `copy=False` also where a copy is needed.

    >>> weft.reshape(np.arange(6), (2, -1))
    array([[0, 1, 2],
           [3, 4, 5]])
    """
    x = asarray(a)
    wanted = newshape if shape is None else shape
    if wanted is None:
        raise TypeError("reshape() missing 1 required positional argument: 'shape'")
    if plain_order(x, order) == "F":
        return transpose(reshape(transpose(x), tuple(wanted)[::-1] if np.ndim(wanted) else wanted, copy=copy))
    extents = wanted if isinstance(wanted, (tuple, list)) or np.ndim(wanted) else (wanted,)
    x = beside(x, *extents)
    target = completed(x, tuple(extents))
    attribute, dims = split_shape(target)
    if not isinstance(x, TracedArray):
        with numpy_errors():
            return np.reshape(x, attribute, copy=copy)
    if copy:
        return apply(ops.Reshape, x, *dims, shape=attribute)
    is_view = None if _keeps_axes(x, attribute) else reshape_is_view(x._layout(), x.type, attribute)
    if copy is False and not _keeps_axes(x, attribute):
        use_layout(x)
        if not is_view:
            raise WeftValueError("Unable to avoid creating a copy while reshaping.")
    if _keeps_axes(x, attribute):
        return view_of(x, ops.Reshape, *dims, shape=attribute)
    return view_or_copy(
        x,
        is_view,
        lambda: view_of(x, ops.Reshape, *dims, shape=attribute),
        lambda: apply(ops.Reshape, x, *dims, shape=attribute),
    )


def _keeps_axes(x: TracedArray, attribute: tuple[int, ...]) -> bool:
    """Whether a shape has the axes of an array but for those of extent 1: then it is a view of whatever layout."""
    own, wanted = ([e for e in shape if e != 1] for shape in (x.type.shape, attribute))
    return len(own) < 2 or (own == wanted and None not in own)


def ravel(a: ArrayLike, order: str = "C") -> ArrayResult:
    """The elements in one axis, as `numpy.ravel`; a view where NumPy makes one.

    Shape: (a.size,). Dtype: that of a. Raises `ValueError` for an unknown `order`.

    >>> weft.ravel(np.array([[1, 2], [3, 4]]))
    array([1, 2, 3, 4])
    """
    x = asarray(a)
    if not isinstance(x, TracedArray):
        return np.ravel(x, order)  # type: ignore[call-overload]
    if order_letter(order) == "K":
        return _raveled(_in_memory_order(x))
    return _raveled(transpose(x) if plain_order(x, order) == "F" else x)


def _raveled(x: TracedArray) -> ArrayResult:
    """The elements in row-major order: NumPy copies them unless they lie so, also along one axis."""
    if x.ndim == 0:
        return view_of(x, ops.Reshape, shape=(1,))
    attribute, dims = split_shape(completed(x, (-1,)))
    return view_or_copy(
        x,
        is_contiguous(x._layout(), x.type),
        lambda: view_of(x, ops.Reshape, *dims, shape=attribute),
        lambda: apply(ops.Reshape, x, *dims, shape=attribute),
    )


def _in_memory_order(x: TracedArray) -> TracedArray:
    """The array with its axes in the order in which they lie in memory, which is what `order="K"` means."""
    if x.ndim < 2:
        return x
    use_layout(x)
    layout = x._layout()
    examples = layout.examples_of(x.type)
    if not examples:
        raise LayoutError(
            f"how this array ({x.type}) lies in memory, on which order='K' depends, {NOT_KNOWN}"
        )
    strides = np.abs(examples[0].strides)
    order = tuple(sorted(range(x.ndim), key=lambda axis: -strides[axis]))
    return x if order == tuple(range(x.ndim)) else transpose(x, order)


def flatten(a: ArrayLike, order: str = "C") -> ArrayResult:
    """The elements in one axis, as a copy: `numpy.ndarray.flatten`.

    Shape: (a.size,). Dtype: that of a. Raises `ValueError` for an unknown `order`.

    >>> weft.flatten(np.array([[1, 2], [3, 4]]), "F")
    array([1, 3, 2, 4])
    """
    x = asarray(a)
    if not isinstance(x, TracedArray):
        return x.flatten(order)
    return ravel(x, order).copy()


def squeeze(a: ArrayLike, axis: Any = None) -> ArrayResult:
    """A view without axes of extent 1, all or those given, as `numpy.squeeze`.

    Shape: that of a without the axes. Dtype: that of a. Raises `ValueError` for an axis whose extent is not 1; without
    axes, when the function runs, for one of unknown extent that turns out to be.

    >>> weft.squeeze(np.array([[1, 2]]))
    array([1, 2])
    """
    x = asarray(a)
    shape = known_shape(x)
    if axis is None:
        axes = tuple(place for place, extent in enumerate(shape) if extent == 1)
        for place in (place for place, extent in enumerate(shape) if extent is None):
            need_all_sizes("squeeze() without axes")
            message = (
                f"squeeze() would take away axis {place}, whose extent is 1 in this call, but how many axes there are "
                "must not depend on what is known when the program runs: name the axes (axis=)"
            )
            raise_where(np.equal(x.shape[place], 1), WeftValueError, message)
    else:
        axes = tuple(sorted(axis_tuple(axis, x.ndim)))
        for place in axes:
            message = "cannot select an axis to squeeze out which has size not equal to one"
            raise_where(np.not_equal(x.shape[place], 1), WeftValueError, message)
        if unknown := [place for place in axes if shape[place] is None]:
            index: list[Any] = [0 if place in unknown else slice(None) for place in range(x.ndim)]
            index.append(...)  # an array also where no axis is left
            x = x[tuple(index)]
            axes = tuple(place - sum(u < place for u in unknown) for place in axes if place not in unknown)
    return view_of(x, ops.Squeeze, axes=axes) if axes else x


def expand_dims(a: ArrayLike, axis: Any = 0) -> ArrayResult:
    """A view with axes of extent 1 at the given places of the result, as `numpy.expand_dims`.

    Shape: that of a with a 1 at each axis. Dtype: that of a. Raises `AxisError` for an axis that the result does not
    have.

    >>> weft.expand_dims(np.array([1, 2]), 0).shape
    (1, 2)
    """
    x = asarray(a)
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    return rank_0_array(view_of(x, ops.ExpandDims, axes=tuple(sorted(axis_tuple(axis, x.ndim + count)))))


def atleast_1d(*arys: ArrayLike) -> ArrayResult:
    """The arrays with at least one axis, as `numpy.atleast_1d`; views.

    Shape: that of each, (1,) for (). Dtype: that of each. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.atleast_1d(5)
    array([5])
    """
    return _each(arys, lambda x: reshape(x, (1,)) if x.ndim == 0 else x)


def atleast_2d(*arys: ArrayLike) -> ArrayResult:
    """The arrays with at least two axes, new ones in front, as `numpy.atleast_2d`; views.

    Shape: (1, 1) for (), (1, n) for (n,). Dtype: that of each. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.atleast_2d(np.array([1, 2]))
    array([[1, 2]])
    """
    return _each(arys, lambda x: expand_dims(x, tuple(range(2 - x.ndim))) if x.ndim < 2 else x)


def atleast_3d(*arys: ArrayLike) -> ArrayResult:
    """The arrays with at least three axes, as `numpy.atleast_3d`; views.

    Shape: (1, n, 1) for (n,), (m, n, 1) for (m, n). Dtype: that of each. Raises `TypeError` for dtypes that weft does
    not have.

    >>> weft.atleast_3d(np.array([1, 2])).shape
    (1, 2, 1)
    """
    places = {0: (0, 1, 2), 1: (0, 2), 2: (2,)}
    return _each(arys, lambda x: expand_dims(x, places[x.ndim]) if x.ndim < 3 else x)


def _each(arrays: tuple[ArrayLike, ...], function: Any) -> ArrayResult:
    results = tuple(function(asarray(array)) for array in arrays)
    return results[0] if len(results) == 1 else results


# Permuting axes


def _rearranged(numpy_function: Callable[..., Any], a: ArrayLike, *arguments: Any) -> ArrayResult:
    """The view of an array that a function of NumPy makes by permuting and reversing axes.

    Which axis goes where is read off the strides of what it makes of an array whose strides number its axes.
    """
    x = asarray(a)
    with numpy_errors():
        if not isinstance(x, TracedArray):
            return numpy_function(x, *arguments)
        strides = numpy_function(_numbered(x.ndim), *arguments).strides
    if numpy_function is np.flip and x.ndim == 0:
        return x[()]
    permutation = tuple(abs(stride) - 1 for stride in strides)
    is_reversed = [stride < 0 for stride in strides]
    if True not in is_reversed:
        return view_of(x, ops.Transpose, permutation=permutation)
    permuted = x if permutation == tuple(range(x.ndim)) else transpose(x, permutation)
    return view_of(
        permuted,
        Slice,
        start=tuple(INT64_MAX if reverse else 0 for reverse in is_reversed),
        stop=tuple(INT64_MIN if reverse else INT64_MAX for reverse in is_reversed),
        step=tuple(-1 if reverse else 1 for reverse in is_reversed),
    )


@cache
def _numbered(rank: int) -> Any:
    """An array whose axes have the strides 1, 2, ...; one element, so that it may have any rank."""
    return as_strided(np.empty(1), (1,) * rank, tuple(range(1, rank + 1)))


def transpose(a: ArrayLike, axes: Any = None) -> ArrayResult:
    """A view with the axes permuted, or reversed, as `numpy.transpose`.

    Shape: the extents of a in the order of `axes`. Dtype: that of a. Raises `ValueError` where `axes` are not a
    permutation, `AxisError` for an axis that a does not have.

    >>> weft.transpose(np.array([[1, 2], [3, 4]]))
    array([[1, 3],
           [2, 4]])
    """
    return _rearranged(np.transpose, a, axes)


def permute_dims(x: ArrayLike, /, axes: Any = None) -> ArrayResult:
    """A view with the axes permuted: `transpose` in the Array API, `numpy.permute_dims`.

    Shape: the extents of x in the order of `axes`. Dtype: that of x. Raises what `transpose` raises.

    >>> weft.permute_dims(np.zeros((2, 3)), (1, 0)).shape
    (3, 2)
    """
    return transpose(x, axes)


def matrix_transpose(x: ArrayLike, /) -> ArrayResult:
    """A view with the last two axes exchanged, as `numpy.matrix_transpose`.

    Shape: (..., n, m) for (..., m, n). Dtype: that of x. Raises `ValueError` for less than two axes.

    >>> weft.matrix_transpose(np.array([[1, 2], [3, 4]]))
    array([[1, 3],
           [2, 4]])
    """
    return _rearranged(np.matrix_transpose, x)


def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> ArrayResult:
    """A view with two axes exchanged, as `numpy.swapaxes`.

    Shape: that of a with two extents exchanged. Dtype: that of a. Raises `AxisError` for an axis that a does not
    have.

    >>> weft.swapaxes(np.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    return _rearranged(np.swapaxes, a, axis1, axis2)


def moveaxis(a: ArrayLike, source: Any, destination: Any) -> ArrayResult:
    """A view with axes moved to new places, the others in their order, as `numpy.moveaxis`.

    Shape: the extents in the new order. Dtype: that of a. Raises `AxisError` for an axis that a does not have,
    `ValueError` for axes named twice or unequal numbers of them.

    >>> weft.moveaxis(np.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    return _rearranged(np.moveaxis, a, source, destination)


def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> ArrayResult:
    """A view with an axis moved in front of the axis `start`, as `numpy.rollaxis`.

    Shape: the extents in the new order. Dtype: that of a. Raises `AxisError` for an axis that a does not have.

    >>> weft.rollaxis(np.zeros((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    return _rearranged(np.rollaxis, a, axis, start)


def flip(m: ArrayLike, axis: Any = None) -> ArrayResult:
    """A view with the order along axes reversed, along all unless given, as `numpy.flip`.

    Shape and dtype: those of m. Raises `AxisError` for an axis that m does not have.

    >>> weft.flip(np.array([1, 2, 3]))
    array([3, 2, 1])
    """
    return _rearranged(np.flip, m, axis)


def fliplr(m: ArrayLike) -> ArrayResult:
    """A view with the second axis reversed, as `numpy.fliplr`.

    Shape and dtype: those of m. Raises `ValueError` for less than two axes.

    >>> weft.fliplr(np.array([[1, 2], [3, 4]]))
    array([[2, 1],
           [4, 3]])
    """
    return _rearranged(np.fliplr, m)


def flipud(m: ArrayLike) -> ArrayResult:
    """A view with the first axis reversed, as `numpy.flipud`.

    Shape and dtype: those of m. Raises `ValueError` for an array without axes.

    >>> weft.flipud(np.array([[1, 2], [3, 4]]))
    array([[3, 4],
           [1, 2]])
    """
    return _rearranged(np.flipud, m)


def rot90(m: ArrayLike, k: int = 1, axes: tuple[int, int] = (0, 1)) -> ArrayResult:
    """A view turned by 90 degrees, k times, in the plane of two axes, as `numpy.rot90`.

    Shape: that of m, with the two extents exchanged for odd k. Dtype: that of m. Raises `ValueError` unless there are
    two different axes, `AxisError` for an axis that m does not have.

    >>> weft.rot90(np.array([[1, 2], [3, 4]]))
    array([[2, 4],
           [1, 3]])
    """
    return _rearranged(np.rot90, m, k, axes)


def roll(a: ArrayLike, shift: Any, axis: Any = None) -> ArrayResult:
    """The elements shifted along axes, those that leave at the end in front again, as `numpy.roll`.

    Shape and dtype: those of a. Raises `AxisError` for an axis that a does not have, `ValueError` for unequal numbers
    of shifts and axes, and for axes of an array that has none. Shifts are rounded towards zero, and NaN and infinity
    raise what `int` raises.

    >>> weft.roll(np.array([1, 2, 3]), 1)
    array([3, 1, 2])
    """
    x = asarray(a)
    if axis is None:
        return reshape(roll(ravel(x), shift, 0), x.shape)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = tuple(axis_index(one_axis, x.ndim) for one_axis in axes)
    if x.ndim == 0:
        raise WeftValueError("an array without axes is rolled along none (leave out axis)")
    x = beside(x, shift)
    shifts: Any = _shifts(_total(shift, x.shape[axes[0]]) if len(axes) == 1 else shift)
    if not axes or not shifts:
        return x.copy()
    if len(axes) != len(shifts):
        broadcast = max(len(axes), len(shifts))
        if 1 not in (len(axes), len(shifts)):
            raise WeftValueError("'shift' and 'axis' should be scalars or 1D sequences")
        axes, shifts = (tuple(e) * (broadcast if len(e) == 1 else 1) for e in (axes, shifts))
    result = x
    for one_shift, one_axis in zip(shifts, axes, strict=True):
        result = _rolled(result, one_shift, one_axis)
    return asarray(result)


def _total(shift: Any, length: Extent) -> Any:
    """The shift that several traced ones of one axis make together."""
    if not isinstance(shift, TracedArray) or shift.ndim != 1 or shift.dtype.kind not in "iub":
        return shift
    single = np.remainder(shift.astype(np.int64), np.maximum(length, 1))  # the sum of these does not overflow
    return np.sum(single)


def _shifts(shift: Any) -> list[Any]:
    """The shifts, one for each axis, as integers."""
    if isinstance(shift, (tuple, list)) and all(np.ndim(entry) == 0 for entry in shift):
        entries = list(shift)
    elif np.ndim(shift) > 1 or (np.ndim(shift) and not isinstance(shift.shape[0], int)):
        raise WeftValueError("'shift' and 'axis' should be scalars or 1D sequences")
    else:
        entries = [shift[place] for place in range(shift.shape[0])] if np.ndim(shift) else [shift]
    return [_whole(entry) for entry in entries]


def _whole(shift: Any) -> Any:
    if not isinstance(shift, TracedArray):
        number: Any = np.asarray(shift)[()]
        return int(number.real if isinstance(number, np.complexfloating) else number)
    if kind(shift.dtype) == "c":
        shift = shift.real
    if kind(shift.dtype) == "f":
        return whole_number(shift, "roll() by more than 64 bits hold")
    if shift.ndim:
        raise WeftTypeError("roll() takes a number as the shift of an axis")
    return shift.astype(np.int64)


def _rolled(x: ArrayResult, shift: Any, axis: int) -> ArrayResult:
    """The elements shifted along one axis: joined from two parts where the shift is known at run time."""
    extent = known_shape(x)[axis]
    if trace_of((shift,)) is None:
        places = shift
        if extent is not None:
            places = places % extent if extent else 0
        elif not INT64_MIN <= places <= INT64_MAX:
            raise OverflowError("roll() by more than 64 bits hold needs the extent of the axis while tracing")
        return apply(arrangement.Roll, x, shift=places, axis=axis)
    if extent == 0:
        return x.copy()
    length = x.shape[axis]
    first = length - np.remainder(shift, np.maximum(length, 1))  # of those that come to the front
    parts = x[along(axis, slice(first, None))], x[along(axis, slice(None, first))]
    return reshape(apply(Concat, *parts, axis=axis), x.shape)


# Repeating


def tile(A: ArrayLike, reps: Any) -> ArrayResult:
    """Copies of an array side by side, as `numpy.tile`.

    Shape: the extents of A, with ones in front where `reps` is longer, times `reps`. Dtype: that of A. Raises
    `TypeError` for repetitions that are no integers known while tracing.

    >>> weft.tile(np.array([1, 2]), 2)
    array([1, 2, 1, 2])
    """
    x = asarray(A)
    counts = tuple(reps) if np.ndim(reps) else (reps,)
    rank = max(x.ndim, len(counts))
    counts = (1,) * (rank - len(counts)) + tuple(operator.index(c) for c in counts)
    if x.ndim < rank:
        x = reshape(x, (1,) * (rank - x.ndim) + tuple(x.shape))
    return rank_0_array(asarray(apply(arrangement.Tile, x, counts=counts)))
