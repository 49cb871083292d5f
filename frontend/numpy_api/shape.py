"""Functions that rearrange elements. Where NumPy returns a view, so do these: writes through it reach the base."""

from __future__ import annotations

import operator
from math import prod
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ...dialect.ops import shape as ops
from ...dialect.ops.indexing import INT64_MAX, INT64_MIN, Slice
from ...dialect.types import format_shape
from ..indexing.broadcasting import broadcast_to
from ..tracing.array import TracedArray
from ..tracing.extents import (
    Extent,
    known_extent,
    known_shape,
    product,
    same_extent,
    split_shape,
)
from ..tracing.staging import (
    ArrayLike,
    ArrayResult,
    apply,
    asarray,
    cast,
    raise_if,
    staged,
    trace_of,
    view_of,
)
from ..tracing.view_steps import reshape_is_view
from .arguments import along, axis_index, axis_tuple

# Reshaping


def reshape(
    a: ArrayLike, /, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: bool | None = None
) -> ArrayResult:
    """Give the elements, in row-major order, another shape; one extent may be -1, as in `numpy.reshape`.

    >>> reshape(np.arange(6), (2, -1))
    array([[0, 1, 2],
           [3, 4, 5]])
    """
    x = asarray(a)
    wanted = newshape if shape is None else shape
    if wanted is None:
        raise TypeError("reshape() missing 1 required positional argument: 'shape'")
    if order == "F":
        return transpose(reshape(transpose(x), tuple(wanted)[::-1] if np.ndim(wanted) else wanted, copy=copy))
    if order not in ("C", "A", "K"):
        raise WeftValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    extents = wanted if isinstance(wanted, (tuple, list)) or np.ndim(wanted) else (wanted,)
    target = _completed(x, tuple(extents))
    attribute, dims = split_shape(target)
    is_view = _is_view(x, attribute)
    if copy is False and not is_view:
        raise WeftValueError("Unable to avoid creating a copy while reshaping.")
    if isinstance(x, TracedArray) and (copy or not is_view):
        return apply(ops.Reshape, x, *dims, shape=attribute)
    viewed = view_of(x, ops.Reshape, *dims, shape=attribute)
    return viewed.copy() if copy else viewed


def _is_view(x: ArrayResult, attribute: tuple[int, ...]) -> bool:
    if isinstance(x, TracedArray):
        return reshape_is_view(x._storage.type, x._path, attribute)
    return bool(np.shares_memory(x, np.reshape(x, attribute))) if x.size else True


def _completed(x: ArrayResult, extents: tuple[Extent, ...]) -> tuple[Extent, ...]:
    """The target shape with -1 replaced; run-time extents are checked to fit when the function runs."""
    extents = tuple(e if isinstance(e, TracedArray) else operator.index(e) for e in extents)
    unknown = [
        place for place, extent in enumerate(extents) if not isinstance(extent, TracedArray) and extent < 0
    ]
    if len(unknown) > 1:
        raise WeftValueError("can only specify one unknown dimension")
    sizes = [extent for place, extent in enumerate(extents) if place not in unknown]
    if all(isinstance(e, int) for e in (*sizes, *known_shape(x))):
        count, rest = product(x.shape), product(sizes)
        if count % rest if unknown and rest else count != rest if not unknown else count or not rest:
            raise WeftValueError(f"cannot reshape array of size {count} into shape {_asked(extents)}")
        missing: Extent = count // rest if rest else 0
    else:
        missing = _run_time_extent(x, sizes, bool(unknown), extents)
    return tuple(missing if place in unknown else extent for place, extent in enumerate(extents))


def _run_time_extent(x: Any, sizes: list[Extent], one_unknown: bool, extents: tuple[Extent, ...]) -> Extent:
    """The extent that -1 stands for, where it depends on run-time extents; common factors are cancelled."""
    own, wanted = list(x.shape), list(sizes)
    for extent in tuple(own):
        match = next((place for place, w in enumerate(wanted) if same_extent(w, extent)), None)
        if match is not None and not (isinstance(extent, int) and extent == 0):
            wanted.pop(match)
            own.pop(next(place for place, o in enumerate(own) if o is extent))
    own_known, wanted_known = (prod(e for e in side if isinstance(e, int)) for side in (own, wanted))
    if one_unknown and wanted_known and own_known % wanted_known == 0:
        own = [own_known // wanted_known, *(e for e in own if isinstance(e, TracedArray))]
        wanted = [e for e in wanted if isinstance(e, TracedArray)]
    count, rest = product(own), product(wanted)
    trace = trace_of((x, *extents))
    message = f"cannot reshape array of size {{0}} into shape {_asked(extents)}"
    if trace is not None and not (isinstance(rest, int) and rest == 1 and one_unknown):
        differs = np.not_equal(np.remainder(count, rest) if one_unknown else count - rest, 0)
        if isinstance(differs, TracedArray):
            raise_if(differs, "ValueError", message, staged(trace, asarray(count, np.int64)))
        elif differs:
            raise WeftValueError(message.format(count))
    return np.floor_divide(count, rest) if not isinstance(rest, int) or rest != 1 else count


def _asked(extents: tuple[Extent, ...]) -> str:
    """The target shape of a reshape, as NumPy shows it."""
    texts = ["?" if isinstance(e, TracedArray) else "newaxis" if e < 0 else str(e) for e in extents]
    return f"({','.join(texts)}{',' if len(texts) == 1 else ''})"


def ravel(a: ArrayLike, order: str = "C") -> ArrayResult:
    """The elements in one axis; a view where NumPy makes one."""
    return reshape(a, (-1,), order)


def squeeze(a: ArrayLike, axis: Any = None) -> ArrayResult:
    """Remove axes of extent 1: all, or those given."""
    x = asarray(a)
    shape = known_shape(x)
    if axis is None:
        axes = tuple(place for place, extent in enumerate(shape) if extent == 1)
    else:
        axes = tuple(sorted(axis_tuple(axis, x.ndim)))
        if any(shape[place] != 1 for place in axes):
            raise WeftValueError("cannot select an axis to squeeze out which has size not equal to one")
    return view_of(x, ops.Squeeze, axes=axes) if axes else x


def expand_dims(a: ArrayLike, axis: Any = 0) -> ArrayResult:
    """Insert axes of extent 1 at the given places of the result."""
    x = asarray(a)
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    return view_of(x, ops.ExpandDims, axes=tuple(sorted(axis_tuple(axis, x.ndim + count))))


def atleast_1d(*arys: ArrayLike) -> ArrayResult:
    """The arrays with at least one axis."""
    return _each(arys, lambda x: reshape(x, (1,)) if x.ndim == 0 else x)


def atleast_2d(*arys: ArrayLike) -> ArrayResult:
    """The arrays with at least two axes; new ones come first."""
    return _each(arys, lambda x: expand_dims(x, tuple(range(2 - x.ndim))) if x.ndim < 2 else x)


def atleast_3d(*arys: ArrayLike) -> ArrayResult:
    """The arrays with at least three axes, as NumPy places them."""
    places = {0: (0, 1, 2), 1: (0, 2), 2: (2,)}
    return _each(arys, lambda x: expand_dims(x, places[x.ndim]) if x.ndim < 3 else x)


def _each(arrays: tuple[ArrayLike, ...], function: Any) -> ArrayResult:
    results = tuple(function(asarray(array)) for array in arrays)
    return results[0] if len(results) == 1 else results


# Permuting axes


def transpose(a: ArrayLike, axes: Any = None) -> ArrayResult:
    """Permute the axes, or reverse them."""
    x = asarray(a)
    if axes is None:
        return view_of(x, ops.Transpose, permutation=tuple(range(x.ndim))[::-1])
    given = axes if isinstance(axes, (tuple, list)) else (axes,)
    if len(given) != x.ndim:
        raise WeftValueError("axes don't match array")
    permutation = tuple(axis_index(axis, x.ndim) for axis in given)
    if len(set(permutation)) != len(permutation):
        raise WeftValueError("repeated axis in transpose")
    return view_of(x, ops.Transpose, permutation=permutation)


def permute_dims(x: ArrayLike, /, axes: Any = None) -> ArrayResult:
    """Permute the axes (Array API)."""
    return transpose(x, axes)


def matrix_transpose(x: ArrayLike, /) -> ArrayResult:
    """Exchange the last two axes."""
    array = asarray(x)
    if array.ndim < 2:
        raise WeftValueError(f"Input array must be at least 2-dimensional, but it is {array.ndim}")
    return swapaxes(array, -1, -2)


def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> ArrayResult:
    """Exchange two axes."""
    x = asarray(a)
    first, second = axis_index(axis1, x.ndim, "axis1"), axis_index(axis2, x.ndim, "axis2")
    order = list(range(x.ndim))
    order[first], order[second] = second, first
    return transpose(x, tuple(order))


def moveaxis(a: ArrayLike, source: Any, destination: Any) -> ArrayResult:
    """Move axes to new places; the others keep their order."""
    x = asarray(a)
    sources = axis_tuple(source, x.ndim, "source")
    destinations = axis_tuple(destination, x.ndim, "destination")
    if len(sources) != len(destinations):
        raise WeftValueError("`source` and `destination` arguments must have the same number of elements")
    order = [axis for axis in range(x.ndim) if axis not in sources]
    for place, axis in sorted(zip(destinations, sources, strict=True)):
        order.insert(place, axis)
    return transpose(x, tuple(order))


def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> ArrayResult:
    """Move an axis backwards until it lies in front of `start`."""
    x = asarray(a)
    place = axis_index(axis, x.ndim)
    before = start + x.ndim if start < 0 else start
    if not 0 <= before <= x.ndim:
        axis_index(start, x.ndim + 1)
    return moveaxis(x, place, before - 1 if place < before else before)


# Reversing and turning


def flip(m: ArrayLike, axis: Any = None) -> ArrayResult:
    """Reverse the order along axes; a view."""
    x = asarray(m)
    axes = axis_tuple(axis, x.ndim)
    flipped = [axis in axes for axis in range(x.ndim)]
    return view_of(
        x,
        Slice,
        start=tuple(INT64_MAX if f else 0 for f in flipped),
        stop=tuple(INT64_MIN if f else INT64_MAX for f in flipped),
        step=tuple(-1 if f else 1 for f in flipped),
    )


def fliplr(m: ArrayLike) -> ArrayResult:
    """Reverse the second axis."""
    if asarray(m).ndim < 2:
        raise WeftValueError("Input must be >= 2-d.")
    return flip(m, 1)


def flipud(m: ArrayLike) -> ArrayResult:
    """Reverse the first axis."""
    if asarray(m).ndim < 1:
        raise WeftValueError("Input must be >= 1-d.")
    return flip(m, 0)


def rot90(m: ArrayLike, k: int = 1, axes: tuple[int, int] = (0, 1)) -> ArrayResult:
    """Turn by 90 degrees, k times, in the plane of two axes."""
    x = asarray(m)
    if len(axes) != 2:
        raise WeftValueError("len(axes) must be 2.")
    first, second = (axis_index(axis, x.ndim) for axis in axes)
    if first == second:
        raise WeftValueError("Axes must be different.")
    turns = k % 4
    if turns == 0:
        return x
    if turns == 2:
        return flip(x, (first, second))
    exchanged = list(range(x.ndim))
    exchanged[first], exchanged[second] = second, first
    return transpose(flip(x, second), exchanged) if turns == 1 else flip(transpose(x, exchanged), second)


def roll(a: ArrayLike, shift: Any, axis: Any = None) -> ArrayResult:
    """Shift the elements along axes; what leaves at the end comes in at the front."""
    x = asarray(a)
    if axis is None:
        return reshape(roll(ravel(x), int(np.sum(shift)), 0), x.shape)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,)
    if len(axes) != len(shifts):
        broadcast = max(len(axes), len(shifts))
        if 1 not in (len(axes), len(shifts)):
            raise WeftValueError("'shift' and 'axis' should be scalars or 1D sequences")
        axes, shifts = (tuple(e) * (broadcast if len(e) == 1 else 1) for e in (axes, shifts))
    result = x if axes else x.copy()
    for one_shift, one_axis in zip(shifts, axes, strict=True):
        result = apply(ops.Roll, result, shift=operator.index(one_shift), axis=axis_index(one_axis, x.ndim))
    return asarray(result)


# Repeating


def tile(A: ArrayLike, reps: Any) -> ArrayResult:
    """Lay copies side by side, as `numpy.tile`."""
    x = asarray(A)
    counts = tuple(reps) if np.ndim(reps) else (reps,)
    rank = max(x.ndim, len(counts))
    counts = (1,) * (rank - len(counts)) + tuple(operator.index(c) for c in counts)
    if x.ndim < rank:
        x = reshape(x, (1,) * (rank - x.ndim) + tuple(x.shape))
    return asarray(apply(ops.Tile, x, counts=counts))


def repeat(a: ArrayLike, repeats: Any, axis: int | None = None) -> ArrayResult:
    """Repeat every element along an axis; counts per element must be known while tracing."""
    x = asarray(a)
    if axis is None:
        x, axis = ravel(x), 0
    place = axis_index(axis, x.ndim)
    if isinstance(repeats, TracedArray):
        raise UnsupportedError(
            "the shape of repeat() depends on the values of the counts; pass them as Python ints or as a NumPy array"
        )
    counts = np.asarray(repeats)
    if counts.dtype.kind not in "iub":
        raise WeftTypeError(
            f"Cannot cast array data from {counts.dtype!r} to dtype('int64') according to the rule 'safe'"
        )
    if counts.size == 1 and int(counts.reshape(())) < 0:
        raise WeftValueError("negative dimensions are not allowed")
    if (counts < 0).any():
        raise WeftValueError("repeats may not contain negative values.")
    if counts.size == 1:
        return asarray(apply(ops.Repeat, x, count=int(counts.reshape(())), axis=place))
    extent = known_extent(x, place, "repeat")
    if counts.shape != (extent,):
        raise WeftValueError(
            f"operands could not be broadcast together with shape ({extent},) {format_shape(counts.shape)}"
        )
    return asarray(x[along(place, np.repeat(np.arange(extent), counts))])


# Triangles and diagonals


def tril(m: ArrayLike, /, k: int = 0) -> ArrayResult:
    """The matrices with zeros above diagonal k."""
    return _triangle(ops.Tril, m, k)


def triu(m: ArrayLike, /, k: int = 0) -> ArrayResult:
    """The matrices with zeros below diagonal k."""
    return _triangle(ops.Triu, m, k)


def _triangle(op_class: Any, m: ArrayLike, k: int) -> ArrayResult:
    x = asarray(m)
    if x.ndim == 0:
        raise WeftTypeError("tri() takes arrays of rank 1 or more")
    if x.ndim == 1:
        x = broadcast_to(x, (x.shape[0], x.shape[0]))
    return asarray(apply(op_class, x, k=operator.index(k)))


def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ArrayResult:
    """The diagonals of the matrices that two axes span, as a new last axis; a read-only view."""
    x = asarray(a)
    if x.ndim < 2:
        raise WeftValueError("diag requires an array of at least two dimensions")
    first, second = axis_index(axis1, x.ndim, "axis1"), axis_index(axis2, x.ndim, "axis2")
    if first == second:
        raise WeftValueError("axis1 and axis2 cannot be the same")
    rest = tuple(axis for axis in range(x.ndim) if axis not in (first, second))
    order = (*rest, first, second)
    arranged = x if order == tuple(range(x.ndim)) else transpose(x, order)
    return view_of(arranged, ops.Diagonal, writable=False, offset=operator.index(offset))


def diag(v: ArrayLike, k: int = 0) -> ArrayResult:
    """The diagonal of a matrix, or the matrix with a vector on its diagonal."""
    x = asarray(v)
    if x.ndim == 1:
        return asarray(apply(ops.Diag, x, offset=operator.index(k)))
    if x.ndim != 2:
        raise WeftValueError("Input must be 1- or 2-d.")
    return diagonal(x, k)


def diagflat(v: ArrayLike, k: int = 0) -> ArrayResult:
    """The matrix with all elements of an array on its diagonal."""
    return diag(ravel(v), k)


# Borders

_PAD_KEYWORDS = {
    "constant": {"constant_values"},
    "edge": set(),
    "empty": set(),
    "reflect": {"reflect_type"},
    "symmetric": {"reflect_type"},
    "wrap": set(),
}


def pad(array: ArrayLike, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> ArrayResult:
    """Add a border, as `numpy.pad`: modes constant, edge, empty, reflect, symmetric and wrap.

    >>> pad(np.array([1, 2]), 1)
    array([0, 1, 2, 0])
    """
    x = asarray(array)
    if mode not in _PAD_KEYWORDS:
        raise UnsupportedError(
            f"mode {mode!r} of pad is not supported; the modes there are: {', '.join(_PAD_KEYWORDS)}"
        )
    unknown = set(kwargs) - _PAD_KEYWORDS[mode]
    if unknown:
        raise WeftValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    if kwargs.get("reflect_type", "even") != "even":
        raise UnsupportedError("reflect_type='odd' of pad is not supported")
    low, high = _pairs(pad_width, x.ndim, "pad_width")
    if min((*low, *high), default=0) < 0:
        raise WeftValueError("index can't contain negative values")
    if mode not in ("constant", "empty"):
        _require_elements_to_extend(x, low, high)
        return asarray(apply(ops.Extend, x, low=low, high=high, mode=mode))
    values = kwargs.get("constant_values", 0)
    if isinstance(values, TracedArray) or np.ndim(values) == 0:
        return asarray(apply(ops.Pad, x, cast(asarray(values), x.dtype), low=low, high=high))
    before, after = _value_pairs(values, x.ndim)
    for axis in range(x.ndim):
        for widths, value, at_front in ((low, before[axis], True), (high, after[axis], False)):
            one = tuple(widths[axis] if a == axis else 0 for a in range(x.ndim))
            zeros = (0,) * x.ndim
            fill = cast(asarray(value), x.dtype)
            x = asarray(
                apply(ops.Pad, x, fill, low=one if at_front else zeros, high=zeros if at_front else one)
            )
    return x


def _require_elements_to_extend(x: ArrayResult, low: tuple[int, ...], high: tuple[int, ...]) -> None:
    """What a border repeats must be there: checked at run time where the extent is not known before."""
    for axis, extent in enumerate(x.shape):
        if isinstance(extent, TracedArray) and (low[axis] or high[axis]):
            message = f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
            is_empty: Any = np.equal(extent, 0)
            raise_if(is_empty, "ValueError", message)


def _pairs(width: Any, rank: int, what: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Widths before and behind every axis from the forms that NumPy takes: n, (a, b), ((a, b), ...), {axis: ...}."""
    if isinstance(width, dict):
        entries = [(0, 0)] * rank
        for axis, entry in width.items():
            entries[axis_index(axis, rank)] = tuple(entry) if np.ndim(entry) else (entry, entry)
        width = entries
    array = np.asarray(width)
    if array.dtype.kind not in "iu":
        raise WeftTypeError(f"`{what}` must be of integral type.")
    both = np.broadcast_to(array, (rank, 2))
    return tuple(int(n) for n in both[:, 0]), tuple(int(n) for n in both[:, 1])


def _value_pairs(values: Any, rank: int) -> tuple[list[Any], list[Any]]:
    both = np.broadcast_to(np.asarray(values), (rank, 2))
    return list(both[:, 0]), list(both[:, 1])
