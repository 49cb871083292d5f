"""Sorting, and statistics of the order of elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.errors import WeftTypeError, WeftValueError
from ...dialect.ops.sorting import Argsort, Partition, Sort
from ..tracing.extents import known_shape
from ..tracing.staging import ArrayLike, ArrayResult, apply, asarray, trace_of
from .arguments import axis_index
from .indexing import take_along_axis
from .shape import ravel


def sort(
    a: ArrayLike,
    /,
    axis: int | None = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> ArrayResult:
    """The array sorted along an axis, or flattened when the axis is None; NaN comes last.

    >>> sort([3, 1, 2], descending=True)
    array([3, 2, 1])
    """
    return _ordered(Sort, a, axis, kind, order, descending)


def argsort(
    a: ArrayLike,
    /,
    axis: int | None = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> ArrayResult:
    """The places that sort the array along an axis; those of equal elements stay in order."""
    return _ordered(Argsort, a, axis, kind, order, descending)


_KINDS = (None, "quicksort", "heapsort", "mergesort", "stable")


def _ordered(
    op_class: Any, a: ArrayLike, axis: int | None, kind: Any, order: Any, descending: bool
) -> ArrayResult:
    if kind not in _KINDS:
        raise WeftValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")
    if order is not None:
        raise WeftValueError("Cannot specify order when the array has no fields.")
    x = asarray(a)
    if axis is None:
        x, axis = ravel(x), 0
    place = axis_index(axis, x.ndim)
    return asarray(apply(op_class, x, axis=place, descending=bool(descending)))


def lexsort(keys: Any, axis: int = -1) -> ArrayResult:
    """The places that sort by several keys, of which the last counts most."""

    columns = [asarray(key) for key in keys]
    if not columns:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    order = argsort(columns[0], axis=axis)
    for column in columns[1:]:
        order = take_along_axis(
            order, argsort(take_along_axis(column, order, axis=axis), axis=axis), axis=axis
        )
    return order


def partition(
    a: ArrayLike, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None
) -> ArrayResult:
    """The array with what belongs at place `kth`, or several, there: smaller elements in front, larger ones behind."""
    x = asarray(a)
    if axis is None:
        x, axis = ravel(x), 0
    place = axis_index(axis, x.ndim)
    extent = known_shape(x)[place]
    if extent is None or trace_of((kth,)) is not None:
        return sort(x, axis=place)
    return asarray(apply(Partition, x, axis=place, places=_places(kth, extent)))


def _places(kth: Any, extent: int) -> tuple[int, ...]:
    """The places that `kth` says, from zero, in ascending order."""
    wanted = np.atleast_1d(np.asarray(kth))
    if wanted.dtype.kind not in "iub":
        raise WeftTypeError("Partition index must be integer")
    if wanted.ndim > 1:
        raise WeftValueError("object of too small depth for desired array")
    found = set()
    for place in wanted.tolist():
        if not -extent <= place < extent:
            raise WeftValueError(f"kth(={place}) out of bounds ({extent})")
        found.add(int(place) % extent)
    return tuple(sorted(found))


def argpartition(
    a: ArrayLike, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None
) -> ArrayResult:
    """The places that partition the array: here, those that sort it."""
    return argsort(a, axis=axis)
