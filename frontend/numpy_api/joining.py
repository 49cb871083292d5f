"""Functions that join arrays and take them apart."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...dialect.dtypes import DTypeLike, as_dtype
from ...dialect.errors import UnsupportedError, WeftValueError
from ...dialect.ops.arrangement import Concat, Stack
from ...dialect.ops.shape import Reshape
from ..indexing.broadcasting import broadcast_to
from ..tracing.array import TracedArray
from ..tracing.element_stores import cast_elements
from ..tracing.extents import extents_text, known_extent, known_shape, require_equal, total_extent
from ..tracing.staging import ArrayLike, ArrayResult, apply, asarray, beside, cast, raise_where, trace_of
from .arguments import along, axis_index, common_dtype, deliver, flat_or_axis, require_castable
from .memory_order import copied
from .shape import atleast_1d, atleast_2d, atleast_3d, expand_dims, ravel


def concatenate(
    arrays: Sequence[ArrayLike],
    /,
    axis: int | None = 0,
    out: Any = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> ArrayResult:
    """Arrays joined along an axis, or flattened when the axis is None, as `numpy.concatenate`.

    Shape: that of the first with the sum of the extents along the axis. Dtype: `dtype`, or the common one. Raises
    `ValueError` without arrays and where other extents differ, `AxisError` for an axis that they do not have.

    >>> weft.concatenate([np.array([1, 2]), np.array([3])])
    array([1, 2, 3])
    """
    pieces = [asarray(piece) for piece in _pieces(arrays)]
    if not pieces:
        raise WeftValueError("need at least one array to concatenate")
    if axis is None:
        pieces, axis = [ravel(piece) for piece in pieces], 0
    rank = pieces[0].ndim
    if rank == 0:
        raise WeftValueError("zero-dimensional arrays cannot be concatenated")
    place = axis_index(axis, rank)
    for index, piece in enumerate(pieces):
        if piece.ndim != rank:
            raise WeftValueError(
                "all the input arrays must have same number of dimensions, but the array at index 0 has "
                f"{rank} dimension(s) and the array at index {index} has {piece.ndim} dimension(s)"
            )
        _require_same_extents(pieces[0], piece, index, place)
    wanted = as_dtype(dtype) if dtype is not None else common_dtype(*pieces)
    for piece in pieces:
        require_castable(piece.dtype, wanted, casting)
    joined = _joined([asarray(cast(piece, wanted)) for piece in pieces], place)
    total = total_extent(pieces, place)
    return deliver(joined if total is None else _of_extent(joined, place, total), out)


def _of_extent(joined: Any, axis: int, extent: int) -> ArrayResult:
    """An array whose extent turns out to be a number, as that of `x[i:]` behind `x[:i]`."""
    shape = [*known_shape(joined)]
    shape[axis] = extent
    if None in shape:
        return joined
    return asarray(apply(Reshape, joined, shape=tuple(shape)))


def _joined(pieces: Sequence[ArrayResult], axis: int) -> ArrayResult:
    """Join arrays of one dtype, halves first, so that no element is moved more often than need be."""
    if len(pieces) == 1:
        return pieces[0].copy()
    middle = len(pieces) // 2
    left, right = (
        _joined(half, axis) if len(half) > 1 else half[0] for half in (pieces[:middle], pieces[middle:])
    )
    return asarray(apply(Concat, left, right, axis=axis))


def _pieces(arrays: Any) -> Sequence[ArrayLike]:
    """The arrays of a sequence, or the rows of an array."""
    if isinstance(arrays, (TracedArray, np.ndarray)):
        return [arrays[row] for row in range(len(arrays))]
    return tuple(arrays)


def _require_same_extents(first: Any, other: Any, index: int, place: int) -> None:
    """The extents but for one axis must agree: now where they are known, else when the function runs."""
    trace = trace_of((first, other))
    for axis, (left, right) in enumerate(zip(known_shape(first), known_shape(other), strict=True)):
        if axis == place or (left == right and left is not None):
            continue
        (left_text, right_text), shown = extents_text(first.shape[axis], other.shape[axis])
        message = (
            "all the input array dimensions except for the concatenation axis must match exactly, but along "
            f"dimension {axis}, the array at index 0 has size {left_text} and the array at index {index} has size "
            f"{right_text}"
        )
        if trace is None or not shown:
            raise WeftValueError(message)
        require_equal(trace, [(first, axis, other, axis)], message, *shown)


def concat(arrays: Sequence[ArrayLike], /, *, axis: int | None = 0) -> ArrayResult:
    """Arrays joined along an axis: `concatenate` in the Array API, `numpy.concat`.

    Shape and dtype: those of `concatenate`. Raises what `concatenate` raises.

    >>> weft.concat([np.array([1, 2]), np.array([3])])
    array([1, 2, 3])
    """
    return concatenate(arrays, axis=axis)


def stack(
    arrays: Sequence[ArrayLike],
    /,
    axis: int = 0,
    out: Any = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> ArrayResult:
    """Arrays of one shape joined along a new axis, as `numpy.stack`.

    Shape: that of the arrays with their number at `axis`. Dtype: `dtype`, or the common one. Raises `ValueError`
    without arrays and for different shapes, `AxisError` for an axis that the result does not have.

    >>> weft.stack([np.array([1, 2]), np.array([3, 4])])
    array([[1, 2],
           [3, 4]])
    """
    pieces = [asarray(piece) for piece in _pieces(arrays)]
    if not pieces:
        raise WeftValueError("need at least one array to stack")
    shapes = [known_shape(piece) for piece in pieces]
    for other in shapes[1:]:
        if len(other) != len(shapes[0]) or any(
            None not in (m, n) and m != n for m, n in zip(shapes[0], other, strict=True)
        ):
            raise WeftValueError("all input arrays must have the same shape")
    place = axis_index(axis, pieces[0].ndim + 1)
    wanted = as_dtype(dtype) if dtype is not None else common_dtype(*pieces)
    castable = all(np.can_cast(piece.dtype, wanted, casting) for piece in pieces)  # type: ignore[arg-type]
    if castable and set(shapes) == {shapes[0]} and None not in shapes[0]:
        return deliver(asarray(apply(Stack, *(cast(piece, wanted) for piece in pieces), axis=place)), out)
    return concatenate(
        [expand_dims(piece, place) for piece in pieces], place, out, dtype=dtype, casting=casting
    )


def hstack(
    tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: str = "same_kind"
) -> ArrayResult:
    """Arrays joined along the second axis, or along the first of vectors, as `numpy.hstack`.

    Shape: that of the first with the sum of the extents. Dtype: `dtype`, or the common one. Raises what `concatenate`
    raises.

    >>> weft.hstack([np.array([1, 2]), np.array([3])])
    array([1, 2, 3])
    """
    pieces = [atleast_1d(piece) for piece in _pieces(tup)]
    axis = 0 if pieces and pieces[0].ndim == 1 else 1
    return concatenate(pieces, axis, dtype=dtype, casting=casting)


def vstack(
    tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: str = "same_kind"
) -> ArrayResult:
    """Arrays joined along the first axis, vectors as rows, as `numpy.vstack`.

    Shape: that of the first with the sum of the extents. Dtype: `dtype`, or the common one. Raises what `concatenate`
    raises.

    >>> weft.vstack([np.array([1, 2]), np.array([3, 4])])
    array([[1, 2],
           [3, 4]])
    """
    return concatenate([atleast_2d(piece) for piece in _pieces(tup)], 0, dtype=dtype, casting=casting)


def dstack(tup: Sequence[ArrayLike]) -> ArrayResult:
    """Arrays joined along the third axis, as `numpy.dstack`.

    Shape: that of `atleast_3d` with the sum of the extents. Dtype: the common one. Raises what `concatenate` raises.

    >>> weft.dstack([np.array([1, 2]), np.array([3, 4])])
    array([[[1, 3],
            [2, 4]]])
    """
    return concatenate([atleast_3d(piece) for piece in _pieces(tup)], 2)


def column_stack(tup: Sequence[ArrayLike]) -> ArrayResult:
    """Vectors joined as the columns of a matrix, as `numpy.column_stack`.

    Shape: (m, n) for n vectors (m,); matrices count as many columns. Dtype: the common one. Raises what `concatenate`
    raises.

    >>> weft.column_stack([np.array([1, 2]), np.array([3, 4])])
    array([[1, 3],
           [2, 4]])
    """
    pieces = [asarray(piece) for piece in _pieces(tup)]
    columns = [expand_dims(atleast_1d(piece), 1) if piece.ndim < 2 else piece for piece in pieces]
    return concatenate(columns, 1)


def block(arrays: Any) -> ArrayResult:
    """An array assembled from nested lists of blocks, as `numpy.block`.

    Shape: the innermost lists join along the last axis, outer ones along those before. Dtype: the common one. Raises
    what `concatenate` raises.

    >>> weft.block([[np.eye(2), np.zeros((2, 1))]])
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """

    def depth(entry: Any) -> int:
        return 1 + max(map(depth, entry)) if isinstance(entry, list) else 0

    def rank_of(entry: Any) -> int:
        return max(map(rank_of, entry)) if isinstance(entry, list) else int(asarray(entry).ndim)

    levels = depth(arrays)
    rank = max(levels, rank_of(arrays))

    def join(entry: Any, level: int) -> ArrayResult:
        if not isinstance(entry, list):
            piece = asarray(entry)
            return expand_dims(piece, tuple(range(rank - piece.ndim))) if piece.ndim < rank else piece
        return concatenate([join(inner, level + 1) for inner in entry], axis=rank - levels + level)

    joined = join(arrays, 0)
    return joined if levels else copied(joined)


def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> ArrayResult:
    """Values joined to the end of an array, both flattened without an axis, as `numpy.append`.

    Shape and dtype: those of `concatenate`. Raises what `concatenate` raises.

    >>> weft.append(np.array([1, 2]), [3])
    array([1, 2, 3])
    """
    return concatenate((asarray(arr), asarray(values)), axis)


def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[ArrayResult, ...]:
    """Views of the arrays along an axis, as `numpy.unstack`.

    Shape: that of x without the axis. Dtype: that of x. Raises `ValueError` for an array without axes,
    `UnsupportedError` where the extent is known only when the function runs.

    >>> weft.unstack(np.array([[1, 2], [3, 4]]))
    (array([1, 2]), array([3, 4]))
    """
    array = asarray(x)
    if array.ndim == 0:
        raise WeftValueError("Input array must be at least 1-d.")
    place = axis_index(axis, array.ndim)
    return tuple(array[along(place, i)] for i in range(known_extent(array, place, "unstack")))


def array_split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[ArrayResult]:
    """Views of nearly equal parts along an axis, or of the parts between indices, as `numpy.array_split`.

    Shape: that of ary with the length of each part. Dtype: that of ary. Raises `UnsupportedError` for traced indices
    in code that is not converted, `ValueError` for less than one part, `AxisError` for an axis that ary does not have.

    >>> weft.array_split(np.array([1, 2, 3]), 2)
    [array([1, 2]), array([3])]
    """
    x = asarray(ary)
    place = axis_index(axis, x.ndim)
    if isinstance(indices_or_sections, TracedArray):
        raise UnsupportedError(
            "the places at which split() cuts must be known while tracing; pass Python ints"
        )
    if _are_cuts(indices_or_sections):
        cuts = [cut if isinstance(cut, TracedArray) else operator.index(cut) for cut in indices_or_sections]
        x = beside(x, *cuts)
        bounds = list(zip([0, *cuts], [*cuts, None], strict=True))
    else:
        count = operator.index(indices_or_sections)
        if count <= 0:
            raise WeftValueError("number sections must be larger than 0.")
        each, longer = divmod(x.shape[place], count)
        bounds = list(pairwise([each * part + np.minimum(part, longer) for part in range(count + 1)]))
    return [x[along(place, slice(start, stop))] for start, stop in bounds]


def _are_cuts(indices_or_sections: Any) -> bool:
    """Whether places are given, of which the program may compute some, and not a number of parts."""
    return isinstance(indices_or_sections, (list, tuple)) or bool(np.ndim(indices_or_sections))


def split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[ArrayResult]:
    """Views of equal parts along an axis, or of the parts between indices, as `numpy.split`.

    Shape and dtype: those of `array_split`. Raises `ValueError` where the parts are not equal, and what `array_split`
    raises.

    >>> weft.split(np.array([1, 2, 3]), [1])
    [array([1]), array([2, 3])]
    """
    x = asarray(ary)
    if not _are_cuts(indices_or_sections):
        rest = x.shape[axis_index(axis, x.ndim)] % operator.index(indices_or_sections)
        raise_where(rest != 0, WeftValueError, "array split does not result in an equal division")
    return array_split(x, indices_or_sections, axis)


def hsplit(ary: ArrayLike, indices_or_sections: Any) -> list[ArrayResult]:
    """Views of the parts along the second axis, or along the first of a vector, as `numpy.hsplit`.

    Shape and dtype: those of `array_split`. Raises `ValueError` for an array without axes, and what `split` raises.

    >>> weft.hsplit(np.array([[1, 2], [3, 4]]), 2)
    [array([[1],
           [3]]), array([[2],
           [4]])]
    """
    x = asarray(ary)
    if x.ndim == 0:
        raise WeftValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(x, indices_or_sections, 1 if x.ndim > 1 else 0)


def vsplit(ary: ArrayLike, indices_or_sections: Any) -> list[ArrayResult]:
    """Views of the parts along the first axis, as `numpy.vsplit`.

    Shape and dtype: those of `array_split`. Raises `ValueError` for less than two axes, and what `split` raises.

    >>> weft.vsplit(np.array([[1, 2], [3, 4]]), 2)
    [array([[1, 2]]), array([[3, 4]])]
    """
    if asarray(ary).ndim < 2:
        raise WeftValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def dsplit(ary: ArrayLike, indices_or_sections: Any) -> list[ArrayResult]:
    """Views of the parts along the third axis, as `numpy.dsplit`.

    Shape and dtype: those of `array_split`. Raises `ValueError` for less than three axes, and what `split` raises.

    >>> weft.dsplit(np.zeros((1, 1, 2)), 2)
    [array([[[0.]]]), array([[[0.]]])]
    """
    if asarray(ary).ndim < 3:
        raise WeftValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


def insert(arr: ArrayLike, obj: Any, values: ArrayLike, axis: int | None = None) -> ArrayResult:
    """The array with values inserted in front of one index of an axis, as `numpy.insert`.

    Shape: that of arr with the values' extent more; flat without an axis. Dtype: that of arr. Raises
    `UnsupportedError` for slices, several indices, and an index that is not known while tracing.

    >>> weft.insert(np.array([1, 3]), 1, 2)
    array([1, 2, 3])
    """
    x, place = flat_or_axis(arr, axis)
    if isinstance(obj, (TracedArray, slice)) or np.ndim(obj):
        raise UnsupportedError("insert() takes one place that is known while tracing, as a Python int")
    where = operator.index(obj)
    message = f"index {where} is out of bounds for axis {place} with size {{}}"
    raise_where(abs(where) > x.shape[place], IndexError, message, x.shape[place])
    piece = asarray(cast_elements(values, x.dtype))
    if piece.ndim < x.ndim:
        piece = expand_dims(piece, place) if piece.ndim == x.ndim - 1 else piece
        wanted = tuple(1 if a == place else extent for a, extent in enumerate(x.shape))
        piece = broadcast_to(piece, wanted)
    before = along(place, slice(None, where))
    behind = along(place, slice(where, None))
    return concatenate([x[before], piece, x[behind]], axis=place)
