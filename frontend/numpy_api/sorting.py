"""Sorting, and statistics of the order of elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError, WeftValueError
from ...dialect.ops.sorting import Argsort, Sort
from ..staging import ArrayLike, ArrayResult, apply, asarray, cast, trace_of
from .arguments import FLOAT64, axis_index, axis_tuple, deliver, is_inexact
from .extents import known_shape
from .shape import moveaxis, ravel, reshape


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

    >>> sort(np.array([3, 1, 2]), descending=True)
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
    from .indexing import take_along_axis

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
    """The array with the smallest elements in front, up to place `kth`: here, sorted."""
    return sort(a, axis=axis)


def argpartition(
    a: ArrayLike, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None
) -> ArrayResult:
    """The places that partition the array: here, those that sort it."""
    return argsort(a, axis=axis)


def median(
    a: ArrayLike, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> ArrayResult:
    """The middle element, or the mean of the two in the middle; NaN if there is one."""
    return quantile(a, 0.5, axis, out, keepdims=keepdims)


def percentile(
    a: ArrayLike,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> ArrayResult:
    """Quantiles in percent, which are known while tracing."""
    if trace_of((q,)) is not None:
        raise UnsupportedError(
            "the percentages of percentile() must be known while tracing; pass Python numbers"
        )
    return quantile(a, np.true_divide(q, 100), axis, out, overwrite_input, method, keepdims)


def quantile(
    a: ArrayLike,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> ArrayResult:
    """Quantiles over axes by linear interpolation, at places that are known while tracing; NaN if there is one."""
    if trace_of((q,)) is not None:
        raise UnsupportedError("the places of quantile() must be known while tracing; pass Python numbers")
    if method != "linear":
        raise UnsupportedError(f"method {method!r} of quantile is not supported; the method there is: linear")
    x = asarray(a)
    x = x if is_inexact(x.dtype) else cast(x, FLOAT64)
    fractions = np.asarray(q, np.float64)
    if not ((fractions >= 0) & (fractions <= 1)).all():
        raise WeftValueError("Quantiles must be in the range [0, 1]")
    axes = axis_tuple(axis, x.ndim)
    rest = [place for place in range(x.ndim) if place not in axes]
    shape = x.shape
    lined = reshape(moveaxis(x, rest, tuple(range(len(rest)))), (*(shape[place] for place in rest), -1))
    count = known_shape(lined)[-1]
    if count is None:
        raise UnsupportedError("quantile() needs the extent of the reduced axes while tracing")
    if count == 0:
        raise WeftValueError("quantile() of an empty axis is not defined")
    ordered = sort(lined)
    quantiles = [_at(ordered, float(f) * (count - 1)) for f in fractions.reshape(-1)]
    if keepdims:
        kept = tuple(1 if place in axes else extent for place, extent in enumerate(shape))
        quantiles = [reshape(quantile, kept) for quantile in quantiles]
    if fractions.ndim == 0:
        return deliver(quantiles[0], out)
    from .joining import stack

    stacked = stack(quantiles)
    return deliver(reshape(stacked, (*fractions.shape, *stacked.shape[1:])), out)


def _at(ordered: ArrayResult, position: float) -> ArrayResult:
    """The element of a sorted last axis at a fractional place, interpolated; NaN (which comes last) wins."""
    from .elementwise import where

    lower = int(position)
    below, above = ordered[..., lower], ordered[..., min(lower + 1, known_shape(ordered)[-1] - 1)]
    fraction = position - lower
    difference = above - below
    # NumPy starts from the nearer neighbour.
    value = below + difference * fraction if fraction < 0.5 else above - difference * (1 - fraction)
    last = ordered[..., -1]
    return cast(where(np.isnan(last), last, value), ordered.dtype)


def histogram(
    a: ArrayLike, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """Counts of elements in bins, as `numpy.histogram`; traced arrays need the bins or the range as numbers."""
    from .indexing import searchsorted
    from .reductions import sum as sum_of

    x = ravel(a)
    if trace_of((x, weights)) is None:
        return np.histogram(x, bins, range, density, weights)
    if isinstance(bins, str) or (np.ndim(bins) == 0 and range is None):
        raise UnsupportedError(
            "histogram() of a traced array needs its bins while tracing; pass edges, or range=(low, high)"
        )
    edges = np.histogram_bin_edges(np.empty(0), bins, range) if np.ndim(bins) == 0 else np.asarray(bins)
    if (np.diff(edges) < 0).any():
        raise WeftValueError("`bins` must increase monotonically, when an array")
    count = len(edges) - 1
    place = searchsorted(edges, x, side="right") - 1
    place = np.minimum(place, np.add(np.multiply(x == edges[-1], count - 1 - (count + 1)), count + 1))
    member = place[:, None] == np.arange(count)
    totals = sum_of(member, 0) if weights is None else sum_of(np.multiply(member, ravel(weights)[:, None]), 0)
    if density:
        totals = totals / np.diff(edges) / sum_of(totals)
    return totals, edges


__all__ = [
    "argpartition",
    "argsort",
    "histogram",
    "lexsort",
    "median",
    "partition",
    "percentile",
    "quantile",
    "sort",
]
