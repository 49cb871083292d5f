"""Elements that are there several times, and elements that are left out: as often as the program says, too."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.errors import WeftIndexError, WeftValueError
from ...dialect.ops import arrangement
from ...dialect.types import format_shape
from ..indexing.broadcasting import broadcast_to
from ..tracing.extents import known_extent, same_extent, split_shape
from ..tracing.staging import ArrayLike, ArrayResult, apply, asarray, beside, raise_where, trace_of
from .arguments import INT64, along, cast_error, flat_or_axis
from .creation import arange, ones
from .joining import concatenate
from .shape import expand_dims, reshape


def repeat(a: ArrayLike, repeats: Any, axis: int | None = None) -> ArrayResult:
    """Every element repeated along an axis, as `numpy.repeat`.

    Shape: that of a with the axis times `repeats`, or as long as the sum of these; flat without an axis. Dtype: that
    of a. Raises `ValueError` for negative `repeats` and for a number of them that does not fit, `TypeError` for those
    that are not integers.

    >>> weft.repeat(np.array([1, 2]), [2, 1])
    array([1, 1, 2])
    """
    x, place = flat_or_axis(a, axis)
    if trace_of((repeats,)) is not None:
        return _repeated(beside(x, repeats), asarray(repeats), place)
    counts = np.asarray(repeats)
    if counts.dtype.kind not in "iub":
        raise cast_error(counts.dtype, INT64)
    if counts.size == 1 and int(counts.reshape(())) < 0:
        raise WeftValueError("negative dimensions are not allowed")
    if (counts < 0).any():
        raise WeftValueError("repeats may not contain negative values.")
    if counts.size == 1:
        return asarray(apply(arrangement.Repeat, x, count=int(counts.reshape(())), axis=place))
    extent = known_extent(x, place, "repeat")
    if counts.shape != (extent,):
        raise WeftValueError(
            f"operands could not be broadcast together with shape ({extent},) {format_shape(counts.shape)}"
        )
    return asarray(x[along(place, np.repeat(np.arange(extent), counts))])


def _repeated(x: Any, counts: Any, place: int) -> ArrayResult:
    """The elements repeated along an axis by traced counts."""
    extent = x.shape[place]
    if counts.ndim > 1:
        raise WeftValueError("object too deep for desired array")
    if not np.can_cast(counts.dtype, INT64) and (counts.ndim or counts.dtype.kind not in "uf"):
        raise cast_error(counts.dtype, INT64)
    counts = counts.astype(np.int64)
    if counts.ndim == 0 or counts.type.shape[0] == 1:
        count = counts.reshape(())
        raise_where(np.less(count, 0), WeftValueError, "negative dimensions are not allowed")
        shape = list(x.shape)
        copies = broadcast_to(expand_dims(x, place + 1), (*shape[: place + 1], count, *shape[place + 1 :]))
        return reshape(copies, (*shape[:place], extent * count, *shape[place + 1 :]))
    if not same_extent(counts.shape[0], extent):
        message = "operands could not be broadcast together with shape ({0},) ({1},)"
        differ = np.not_equal(counts.shape[0], extent)
        raise_where(differ, WeftValueError, message, extent, counts.shape[0])
    raise_where(np.any(np.less(counts, 0)), WeftValueError, "repeats may not contain negative values.")
    if x.ndim == 1:
        return _each_repeated(x, counts)
    return asarray(x[along(place, _each_repeated(arange(extent), counts))])


def _each_repeated(x: Any, counts: Any) -> ArrayResult:
    shape, dims = split_shape((np.sum(counts),))
    return apply(arrangement.RepeatEach, x, counts, *dims, shape=shape)


def delete(arr: ArrayLike, obj: Any, axis: int | None = None) -> ArrayResult:
    """The array without the elements at indices of an axis, as `numpy.delete`.

    Shape: that of arr without the elements; flat without an axis. Dtype: that of arr. Raises `IndexError` for indices
    out of bounds and those that are not integers, `ValueError` for booleans of another extent than the axis.

    >>> weft.delete(np.array([1, 2, 3]), 1)
    array([1, 3])
    """
    x, place = flat_or_axis(arr, axis)
    if trace_of((obj,)) is not None:
        return _without(beside(x, obj), asarray(obj), place)
    extent = known_extent(x, place, "delete")
    kept = np.delete(np.arange(extent), obj)
    gaps = np.flatnonzero(np.diff(kept) != 1)
    if kept.size == extent or kept.size == 0 or gaps.size > 1:
        return asarray(x[along(place, kept)])
    end = kept[gaps[0]] + 1 if gaps.size else kept[-1] + 1
    runs = [x[along(place, slice(int(kept[0]), int(end)))]]
    if gaps.size:
        runs.append(x[along(place, slice(int(kept[gaps[0] + 1]), int(kept[-1]) + 1))])
    return concatenate(runs, axis=place)


def _without(x: Any, obj: Any, place: int) -> ArrayResult:
    """An array without what traced indices, or the true ones of booleans, say."""
    length = x.shape[place]
    if obj.dtype == np.bool_:
        if obj.ndim != 1 or not same_extent(obj.shape[0], length):
            differ = np.True_ if obj.ndim != 1 else np.not_equal(obj.shape[0], length)
            message = "boolean array argument obj to delete must be one dimensional and match the axis length of {0}"
            raise_where(differ, WeftValueError, message, length)
        return asarray(x[along(place, np.logical_not(obj))])
    if obj.dtype.kind not in "iu":
        raise WeftIndexError("arrays used as indices must be of integer (or boolean) type")
    if obj.ndim == 0 or (obj.ndim == 1 and obj.type.shape[0] == 1):
        index = obj.reshape(()).astype(np.int64)
        outside = np.logical_or(np.less(index, -length), np.greater_equal(index, length))
        message = f"index {{0}} is out of bounds for axis {place} with size {{1}}"
        raise_where(outside, WeftIndexError, message, index, length)
        index = np.where(np.less(index, 0), index + length, index)
        joined = concatenate(
            [x[along(place, slice(None, index))], x[along(place, slice(index + 1, None))]], axis=place
        )
        shape = list(x.shape)
        shape[place] = length - 1
        return asarray(joined.reshape(shape))
    kept = ones(length, np.bool_)
    kept[obj] = False
    return asarray(x[along(place, kept)])
