"""Functions whose result has as many elements as are found: what is true, what is different, what is in both.

In compiled code the extents are known when the program runs, as those of `x[mask]` are. Eager arrays are NumPy's own
business.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError, WeftValueError
from ...dialect.ops import indexing as ops
from ...dialect.ops.casts import Bitcast
from ...dialect.ops.comparison import NotEqual
from ...dialect.records import NamedTuple
from ..indexing.broadcasting import broadcast_to
from ..indexing.selections import nonzero_places
from ..tracing.learned_sizes import need_all_sizes
from ..tracing.staging import (
    ArrayLike,
    ArrayResult,
    apply,
    asarray,
    cast,
    is_traced,
    raise_if,
    rank_0_array,
    staged,
    trace_of,
)
from .arguments import INT64, NO_VALUE, UINT64, cast_error
from .creation import arange, zeros
from .indexing import searchsorted, take
from .joining import concatenate, stack
from .reductions import max as largest
from .scans import cumsum
from .selection import choose as choose_between
from .shape import ravel, reshape
from .sorting import argsort, sort


def nonzero(a: ArrayLike, /) -> tuple[ArrayResult, ...]:
    """The places of the elements that are not zero, an array for each axis, as `numpy.nonzero`.

    Shape: (n,) each, for n such elements. Dtype: int64. Raises `ValueError` for an array without axes.

    >>> weft.nonzero(np.array([[0, 3], [4, 0]]))
    (array([0, 1]), array([1, 0]))
    """
    x = asarray(a)
    if not is_traced(x):
        return np.nonzero(x)
    if x.ndim == 0:
        raise WeftValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead."
        )
    return nonzero_places(x)


def flatnonzero(a: ArrayLike) -> ArrayResult:
    """The places of the elements of the flattened array that are not zero, as `numpy.flatnonzero`.

    Shape: (n,) for n such elements. Dtype: int64. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.flatnonzero(np.array([[0, 3], [4, 0]]))
    array([1, 2])
    """
    return nonzero(ravel(asarray(a)))[0]


def argwhere(a: ArrayLike) -> ArrayResult:
    """The indices of the elements that are not zero, a row for each, as `numpy.argwhere`.

    Shape: (n, a.ndim) for n such elements. Dtype: int64. Raises `UnsupportedError` for a traced array without axes.

    >>> weft.argwhere(np.array([[0, 3], [4, 0]]))
    array([[0, 1],
           [1, 0]])
    """
    x = asarray(a)
    if not is_traced(x):
        return np.argwhere(x)
    if x.ndim == 0:
        raise UnsupportedError(
            f"argwhere of an array without axes ({x.type}) is not supported in compiled code"
        )
    return stack(nonzero(x), axis=1)


def where(condition: ArrayLike, x: ArrayLike = NO_VALUE, y: ArrayLike = NO_VALUE, /) -> ArrayResult:
    """Elements of x where the condition is not zero, of y elsewhere; without these `nonzero`; as `numpy.where`.

    Shape: the common one. Dtype: the common one of x and y. Raises `ValueError` for x without y, and for shapes that
    do not broadcast.

    >>> weft.where(np.array([True, False]), 1, np.array([5.0, 6.0]))
    array([1., 6.])
    """
    if (x is NO_VALUE) != (y is NO_VALUE):
        raise WeftValueError("either both or neither of x and y should be given")
    return nonzero(condition) if x is NO_VALUE else rank_0_array(choose_between(condition, x, y))


def extract(condition: ArrayLike, arr: ArrayLike) -> ArrayResult:
    """The elements of the flattened array where the flattened condition is not zero, as `numpy.extract`.

    Shape: (n,) for n such elements. Dtype: that of arr. Raises `IndexError` where the condition is longer than the
    array.

    >>> weft.extract([True, False, True], np.array([1, 2, 3]))
    array([1, 3])
    """
    return take(ravel(asarray(arr)), flatnonzero(condition))


def compress(condition: ArrayLike, a: ArrayLike, axis: int | None = None, out: Any = None) -> ArrayResult:
    """The slices along an axis, or the elements of the flattened array, where a condition holds, as `numpy.compress`.

    Shape: that of a with n elements along the axis. Dtype: that of a. Raises `ValueError` unless the condition is a
    vector, `IndexError` where it is longer than the axis.

    >>> weft.compress([False, True], np.array([[1, 2], [3, 4]]), axis=0)
    array([[3, 4]])
    """
    mask = asarray(condition)
    if mask.ndim != 1:
        raise WeftValueError("condition must be a 1-d array")
    return take(asarray(a), flatnonzero(mask), axis, out)


def bincount(x: ArrayLike, /, weights: ArrayLike | None = None, minlength: int = 0) -> ArrayResult:
    """How often each number from 0 to the largest occurs, or the sum of its weights, as `numpy.bincount`.

    Shape: (max(x) + 1,), at least (`minlength`,). Dtype: int64, with weights float64, also of a vector that turns out
    to be empty when the program runs (NumPy's is int64 then). Raises `ValueError` for negative numbers and unless x
    is a vector, `TypeError` unless it holds integers.

    >>> weft.bincount(np.array([0, 2, 2]))
    array([1, 0, 2])
    """
    numbers = asarray(x)
    trace = trace_of((numbers, weights, minlength))
    if trace is None:
        return np.bincount(numbers, weights, minlength)
    numbers = staged(trace, numbers)
    _require_counts(numbers, minlength)
    if numbers.type.shape[0] == 0:
        return zeros(minlength, INT64)  # NumPy does not look at the weights
    places = cast(numbers, INT64)
    # One pass finds both: read without a sign, negative numbers are the largest.
    highest = apply(Bitcast, largest(apply(Bitcast, places, dtype=UINT64), initial=0), dtype=INT64)
    raise_if(highest < 0, "ValueError", "'list' argument must have no negative elements")
    count = choose_between(np.equal(numbers.shape[0], 0), INT64.type(0), highest + 1)
    length = np.maximum(count, minlength)
    if weights is None:
        addend: ArrayResult = broadcast_to(staged(trace, np.int64(1)), numbers.shape)
        start = zeros(length, INT64)
    else:
        if numbers.type.shape[0] is None:
            need_all_sizes("the dtype of bincount() with weights")
        addend = cast(asarray(weights), np.dtype(np.float64))
        if addend.ndim != 1:
            raise WeftValueError("object too deep for desired array")
        lengths = [staged(trace, array.shape[0]) for array in (addend, numbers)]
        message = "The weights and list don't have the same length."
        raise_if(apply(NotEqual, *lengths), "ValueError", message)
        start = zeros(length, np.float64)
    return apply(ops.Scatter, start, addend, places, axes=(0,), position=0, mode="add")


def _require_counts(numbers: Any, minlength: Any) -> None:
    if numbers.ndim != 1:
        raise WeftValueError(
            "object too deep for desired array"
            if numbers.ndim
            else "object of too small depth for desired array"
        )
    if numbers.dtype.kind not in "iub":
        raise cast_error(numbers.dtype, INT64)
    if not is_traced(minlength) and minlength < 0:
        raise WeftValueError("'minlength' must not be negative")


# What is different


def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> ArrayResult:
    """The different elements in ascending order, as `numpy.unique`.

    Shape: (n,) for n different ones; the inverse has the shape of ar. Dtype: that of ar; of places and counts int64.
    Raises `UnsupportedError` for an axis in compiled code.

    >>> weft.unique(np.array([3, 1, 3]), return_counts=True)
    (array([1, 3]), array([1, 2]))
    """
    x = asarray(ar)
    if not is_traced(x):
        return np.unique(  # type: ignore[call-overload]
            x, return_index, return_inverse, return_counts, axis, equal_nan=equal_nan
        )
    if axis is not None:
        raise UnsupportedError(
            "unique(axis=...) is not supported in compiled code; call it outside of the compiled function"
        )
    found = _different(x, equal_nan, with_places=return_index or return_inverse)
    results = [found.values]
    if return_index:
        results.append(found.places())
    if return_inverse:
        results.append(found.inverse(x))
    if return_counts:
        results.append(found.counts())
    return tuple(results) if len(results) > 1 else results[0]


class _Different(NamedTuple):
    """Sorted elements, and which of them differ from the one before."""

    ordered: Any
    is_first: Any
    order: Any

    @property
    def values(self) -> ArrayResult:
        """Each element once."""
        return self.ordered[self.is_first]

    def places(self) -> ArrayResult:
        """Where each element is first."""
        return self.order[self.is_first]

    def inverse(self, x: Any) -> ArrayResult:
        """Which element is where, in the shape of the array."""
        ranks = cumsum(cast(self.is_first, INT64)) - 1
        everywhere = apply(ops.Scatter, ranks, ranks, self.order, axes=(0,), position=0, mode="set")
        return reshape(everywhere, x.shape)

    def counts(self) -> ArrayResult:
        """How often each element occurs: how far apart the first ones are."""
        starts = flatnonzero(self.is_first)
        is_last = arange(starts.shape[0]) == starts.shape[0] - 1
        return choose_between(is_last, self.ordered.shape[0], np.roll(starts, -1)) - starts


def _different(x: Any, equal_nan: bool, with_places: bool = False) -> _Different:
    flat = ravel(x)
    order = argsort(flat) if with_places else None
    ordered = sort(flat) if order is None else apply(ops.Gather, flat, order, axes=(0,), position=0)
    before = np.roll(ordered, 1)
    differs = ordered != before
    if equal_nan and x.dtype.kind in "fc":
        differs = differs & ~(np.isnan(ordered) & np.isnan(before))
    return _Different(ordered, differs | (arange(ordered.shape[0]) == 0), order)


_NOTHING = np.zeros(0)
UniqueAll: Any = type(np.unique_all(_NOTHING))
UniqueCounts: Any = type(np.unique_counts(_NOTHING))
UniqueInverse: Any = type(np.unique_inverse(_NOTHING))
"""NumPy's classes of results."""


def unique_all(x: ArrayLike, /) -> Any:
    """The different elements, where each is first, which is where, and how often, as `numpy.unique_all`.

    Shape: (n,) for n different ones, of the inverse that of x; no NaN equals another. Dtype: that of x, and int64.
    Raises `TypeError` for dtypes that weft does not have.

    >>> weft.unique_all(np.array([3, 1, 3])).indices
    array([1, 0])
    """
    return UniqueAll(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x: ArrayLike, /) -> Any:
    """The different elements, and how often each occurs, as `numpy.unique_counts`.

    Shape: (n,) for n different ones; no NaN equals another. Dtype: that of x, and int64. Raises `TypeError` for
    dtypes that weft does not have.

    >>> weft.unique_counts(np.array([3, 1, 3])).counts
    array([1, 2])
    """
    return UniqueCounts(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x: ArrayLike, /) -> Any:
    """The different elements, and which is where, as `numpy.unique_inverse`.

    Shape: (n,) for n different ones, and that of x; no NaN equals another. Dtype: that of x, and int64. Raises
    `TypeError` for dtypes that weft does not have.

    >>> weft.unique_inverse(np.array([3, 1, 3])).inverse_indices
    array([1, 0, 1])
    """
    return UniqueInverse(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x: ArrayLike, /) -> ArrayResult:
    """The different elements, as `numpy.unique_values`.

    Shape: (n,) for n different ones; no NaN equals another. Dtype: that of x. Raises `TypeError` for dtypes that weft
    does not have.

    >>> weft.unique_values(np.array([3, 1, 3]))
    array([1, 3])
    """
    return unique(x, equal_nan=False)


# Sets


def union1d(ar1: ArrayLike, ar2: ArrayLike) -> ArrayResult:
    """The different elements of both arrays, in ascending order, as `numpy.union1d`.

    Shape: (n,) for n different ones. Dtype: the common one. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.union1d(np.array([1, 3]), np.array([2, 3]))
    array([1, 2, 3])
    """
    return unique(concatenate((ravel(asarray(ar1)), ravel(asarray(ar2)))))


def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False
) -> ArrayResult:
    """The different elements that are in both arrays, in ascending order, as `numpy.intersect1d`.

    Shape: (n,) for n such elements. Dtype: the common one. Raises `UnsupportedError` for `return_indices` in compiled
    code.

    >>> weft.intersect1d(np.array([1, 2, 3]), np.array([2, 3, 4]))
    array([2, 3])
    """
    if trace_of((ar1, ar2)) is None:
        return np.intersect1d(ar1, ar2, assume_unique=assume_unique, return_indices=return_indices)  # type: ignore[call-overload]
    if return_indices:
        raise UnsupportedError(
            "intersect1d(return_indices=True) is not supported in compiled code; find the places with np.searchsorted"
        )
    together = _sorted_together(ar1, ar2, assume_unique)
    return together[1:][together[1:] == together[:-1]]


def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ArrayResult:
    """The different elements that are in one of the arrays only, in ascending order, as `numpy.setxor1d`.

    Shape: (n,) for n such elements. Dtype: the common one. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.setxor1d(np.array([1, 2, 3]), np.array([2, 3, 4]))
    array([1, 4])
    """
    if trace_of((ar1, ar2)) is None:
        return np.setxor1d(ar1, ar2, assume_unique)
    together = _sorted_together(ar1, ar2, assume_unique)
    place = arange(together.shape[0])
    from_before = (together != np.roll(together, 1)) | (place == 0)
    from_next = (together != np.roll(together, -1)) | (place == together.shape[0] - 1)
    return together[from_before & from_next]


def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ArrayResult:
    """The different elements of the first array that are not in the second, as `numpy.setdiff1d`.

    Shape: (n,) for n such elements. Dtype: that of ar1. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.setdiff1d(np.array([1, 2, 3]), np.array([2, 3, 4]))
    array([1])
    """
    if trace_of((ar1, ar2)) is None:
        return np.setdiff1d(ar1, ar2, assume_unique)
    kept = ravel(asarray(ar1)) if assume_unique else unique(ar1)
    others = sort(ravel(asarray(ar2)))
    is_there = (searchsorted(others, kept, "right") > searchsorted(others, kept)) & (kept == kept)
    return kept[~is_there]


def _sorted_together(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool) -> ArrayResult:
    parts = [ravel(asarray(part)) if assume_unique else ravel(asarray(unique(part))) for part in (ar1, ar2)]
    return sort(concatenate(parts))


def trim_zeros(filt: ArrayLike, trim: Any = "fb") -> ArrayResult:
    """A vector without the zeros in front ("f") and at the back ("b"), as `numpy.trim_zeros`.

    Shape: (n,) for n elements left. Dtype: that of filt. Raises `UnsupportedError` for traced arrays of several axes,
    `ValueError` for other letters.

    >>> weft.trim_zeros(np.array([0, 1, 0, 2, 0]))
    array([1, 0, 2])
    """
    if not is_traced(filt):
        return np.trim_zeros(filt, trim)
    x: Any = filt
    sides = trim.lower()
    if x.ndim != 1:
        raise UnsupportedError(
            f"trim_zeros of an array {x.type} is not supported in compiled code; it takes one axis"
        )
    if not sides or set(sides) - set("fb"):
        raise WeftValueError(f"unexpected character(s) in `trim`: {trim!r}")
    places = arange(x.shape[0])
    first = np.min(places, where=x != 0, initial=x.shape[0]) if "f" in sides else 0
    last = np.max(places, where=x != 0, initial=-1) + 1 if "b" in sides else x.shape[0]
    return x[first:last]
