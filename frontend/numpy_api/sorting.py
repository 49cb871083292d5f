"""Sorting, and statistics of the order of elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.errors import WeftTypeError, WeftValueError
from ...dialect.op import Op
from ...dialect.ops.sorting import Argsort, Partition, PartitionAt, Sort
from ..indexing.broadcasting import broadcast_to
from ..tracing.extents import known_shape
from ..tracing.staging import ArrayLike, ArrayResult, apply, asarray, cast, raise_where, trace_of
from .arguments import INT64, flat_or_axis
from .documentation import Family, member
from .indexing import take_along_axis
from .shape import moveaxis, reshape


def _ordering(op_class: type[Op]) -> Family:
    def function(
        a: ArrayLike,
        /,
        axis: int | None = -1,
        kind: Any = None,
        order: Any = None,
        *,
        stable: bool | None = None,
        descending: bool = False,
    ) -> ArrayResult:
        """Shape: that of a; flat when the axis is None. Dtype: that of a for `sort`, int64 for `argsort`.
        Raises `ValueError` for an unknown `kind` and for an `order`, `AxisError` for an axis that a does not have.
        """
        _require_kind(kind)
        if kind is not None and stable is not None:
            raise WeftValueError(
                "`kind` and keyword parameters can't be provided at the same time. Use only one of them."
            )
        if order is not None:
            raise WeftValueError("Cannot specify order when the array has no fields.")
        if op_class is Argsort and axis is not None and np.ndim(a) == 0:
            a = asarray(a).reshape(1)  # NumPy has an order of one, and sorts none
        x, place = flat_or_axis(a, axis)
        return asarray(apply(op_class, x, axis=place, descending=bool(descending)))

    return member(function)


@_ordering(Sort)
def sort() -> None:
    """The elements sorted along an axis, NaN last, as `numpy.sort`; `descending` as in the Array API.

    >>> weft.sort([3, 1, 2], descending=True)
    array([3, 2, 1])
    """


@_ordering(Argsort)
def argsort() -> None:
    """The places that sort along an axis, those of equal elements in their order, as `numpy.argsort`.

    >>> weft.argsort(np.array([3, 1, 2]))
    array([1, 2, 0])
    """


_KINDS = "qhms"
"""The first letters of the algorithms, which is what NumPy reads; all sort stably here."""


def _require_kind(kind: Any) -> None:
    if kind is not None and (not isinstance(kind, str) or kind[:1].lower() not in tuple(_KINDS)):
        error = WeftValueError if isinstance(kind, str) else WeftTypeError
        raise error(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")


_OTHER_SHAPE = "all keys need to be the same shape"


def lexsort(keys: Any, axis: int = -1) -> ArrayResult:
    """The places that sort by several keys, of which the last counts most, as `numpy.lexsort`.

    Shape: that of a key. Dtype: int64. Raises `TypeError` without keys, `ValueError` for keys of several shapes,
    `AxisError` for an axis that they do not have.

    >>> weft.lexsort((np.array([1, 0, 2]), np.array([5, 5, 4])))
    array([2, 1, 0])
    """
    columns = [asarray(key) for key in keys]
    if not columns:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    first, *others = columns
    for column in others:
        if column.ndim != first.ndim:
            raise WeftValueError(_OTHER_SHAPE)
        for left, right in zip(first.shape, column.shape, strict=True):
            raise_where(left != right, WeftValueError, _OTHER_SHAPE)
    order = argsort(first, axis=axis)
    for column in others:
        order = take_along_axis(
            order, argsort(take_along_axis(column, order, axis=axis), axis=axis), axis=axis
        )
    return order


def partition(
    a: ArrayLike, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None
) -> ArrayResult:
    """The array with the elements that belong at places `kth` there, smaller ones in front, as `numpy.partition`.

    Shape: that of a; flat when the axis is None. Dtype: that of a. Raises `ValueError` for a place out of bounds,
    `TypeError` for one that is no integer.

    >>> weft.partition(np.array([2, 0, 1]), 1)[1]
    np.int64(1)
    """
    x, place = _partitioned(a, kth, axis, kind)
    extent = known_shape(x)[place]
    if extent is None or trace_of((kth,)) is not None:
        return _partitioned_at(x, kth, place)
    return asarray(apply(Partition, x, axis=place, places=_places(kth, extent)))


def _partitioned_at(x: ArrayResult, kth: Any, axis: int) -> ArrayResult:
    """The array with the elements at places that are known when the program runs."""
    rows = moveaxis(x, axis, -1)
    wanted = cast(reshape(asarray(kth), (-1,)), INT64)
    wanted = np.where(np.less(wanted, 0), wanted + rows.shape[-1], wanted)
    places = broadcast_to(sort(wanted), (*rows.shape[:-1], wanted.shape[0]))
    return moveaxis(asarray(apply(PartitionAt, rows, places)), -1, axis)


def _partitioned(a: ArrayLike, kth: Any, axis: Any, kind: Any) -> tuple[ArrayResult, int]:
    """The array and the axis to partition along, in which the places must lie."""
    if kind != "introselect":
        raise WeftValueError(f"select kind must be 'introselect' (got {kind!r})")
    x, place = flat_or_axis(a, axis)
    wanted = np.asarray(kth) if trace_of((kth,)) is None else asarray(kth)
    if wanted.dtype.kind not in "iub":
        raise WeftTypeError("Partition index must be integer")
    if 0 in known_shape(x):
        return x, place
    extent: Any = x.shape[place]
    for number in wanted.reshape(-1).tolist() if isinstance(wanted, np.ndarray) else [wanted]:
        outside = np.logical_or(np.less(number, -extent), np.greater_equal(number, extent))
        raise_where(
            np.logical_and(np.any(outside), np.greater(x.size, 0)),
            WeftValueError,
            "kth(={1}) out of bounds ({0})",
            extent,
            _first(outside, np.where(np.less(number, 0), number + extent, number)),  # as NumPy counts it
        )
    return x, place


def _first(wanted: Any, numbers: Any) -> Any:
    """The first number that is wanted; 0 if none is."""
    if np.ndim(numbers) == 0:
        return numbers
    return np.append(numbers, 0)[np.argmax(np.append(wanted, True))]


def _places(kth: Any, extent: int) -> tuple[int, ...]:
    """The places that `kth` says, from zero, in ascending order."""
    wanted = np.atleast_1d(np.asarray(kth))
    if wanted.ndim > 1:
        raise WeftValueError("object of too small depth for desired array")
    found = set()
    for place in wanted.tolist():
        found.add(int(place) % extent if extent else 0)
    return tuple(sorted(found))


def argpartition(
    a: ArrayLike, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None
) -> ArrayResult:
    """The places that partition an array, as `numpy.argpartition`: here those that sort it.

    Shape: that of a; flat when the axis is None. Dtype: int64. Raises what `partition` raises.

    >>> weft.argpartition(np.array([2, 0, 1]), 1)
    array([1, 2, 0])
    """
    x, place = _partitioned(a, kth, axis, kind)
    return argsort(x, axis=place)
