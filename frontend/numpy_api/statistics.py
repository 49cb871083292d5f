"""Statistics made of counting and products: histograms, covariances."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ...dialect.ops.indexing import Scatter
from ..indexing.broadcasting import broadcast_to
from ..tracing.extents import known_shape
from ..tracing.staging import (
    ArrayLike,
    ArrayResult,
    apply,
    asarray,
    cast,
    is_traced,
    raise_where,
    staged,
    trace_of,
)
from .arguments import FLOAT64, INT64, common_dtype
from .contraction import matmul
from .creation import linspace, zeros
from .diagonals import diagonal
from .elementwise import clip
from .indexing import searchsorted, take
from .joining import concatenate
from .reductions import max as max_of
from .reductions import mean
from .reductions import min as min_of
from .reductions import sum as sum_of
from .shape import atleast_2d, ravel, reshape, transpose

MOST_COMPARED = 16
"""Elements are compared with the edges of so many bins; with more, each is counted where it belongs."""

MOST_COUNTED = 1 << 22
"""So many bins are counted in floats, which hold their numbers, and in integers of 32 bits."""


def histogram(
    a: ArrayLike, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """Counts of elements in bins, and the edges of these, as `numpy.histogram`.

    Shape: (bins,) and (bins + 1,). Dtype: int64, or that of the weights, which are summed in order; float64 for a
    density. Raises `ValueError` for edges that decrease, for a range that is not finite or turned round, and for
    weights of another shape, `UnsupportedError` for edges that are known only when the function runs, and for numbers
    of bins by a rule.

    >>> weft.histogram(np.array([1, 2, 2]), bins=2, range=(1, 3))
    (array([1, 2]), array([1., 2., 3.]))
    """
    if trace_of((a, weights, bins, *(range or ()))) is None:
        return np.histogram(a, bins, range, density, weights)
    if weights is not None:
        _require_shape(weights, np.shape(a))
    x, spacing = ravel(a), None
    if isinstance(bins, str) or (np.ndim(bins) > 0 and trace_of((bins,)) is not None):
        raise UnsupportedError("histogram() needs its bins while tracing, or their number")
    if np.ndim(bins) > 0:
        edges = np.asarray(bins)
        if (np.diff(edges) < 0).any():
            raise WeftValueError("`bins` must increase monotonically, when an array")
    elif trace_of((bins, *(range or ()))) is None and (range is not None or known_shape(x)[0] == 0):
        # Edges have the dtype of the elements.
        none = np.empty(0, np.uint8 if kind(x.dtype) == "b" else x.dtype)
        edges = np.histogram_bin_edges(none, bins, range)
        spacing = _spacing(edges)
    elif kind(x.dtype) in "iu" or x.dtype in (np.float32, np.float64):
        edges, spacing = _equal_edges(x, bins, range)
    else:
        raise UnsupportedError(f"histogram() of an array of {x.dtype} needs its edges, or range=(low, high)")
    count = edges.shape[0] - 1
    if weights is None and isinstance(count, int) and count <= MOST_COMPARED:
        totals = _counted(x, edges)
    else:
        equal = np.ndim(bins) == 0
        place = _place_of_equal_bins(x, edges, count, spacing) if equal else _place(x, edges, count)
        totals = _summed(place, count, weights)
    if density:
        totals = totals / np.diff(edges) / sum_of(totals)
    return totals, edges


def _require_shape(weights: Any, shape: tuple[Any, ...]) -> None:
    message = "weights should have the same shape as a."
    if np.ndim(weights) != len(shape):
        raise WeftValueError(message)
    for extent, expected in zip(np.shape(weights), shape, strict=True):
        raise_where(np.not_equal(extent, expected), WeftValueError, message)


def _counted(x: Any, edges: Any) -> ArrayResult:
    """How many elements are in each bin: those that reach its edge less those that reach the next one."""
    reach = sum_of(x[:, None] >= edges[:-1], 0)
    beyond = sum_of(x > edges[-1], 0)
    return reach - concatenate([reach[1:], reshape(beyond, (1,))])


def _place(x: Any, edges: Any, count: int) -> Any:
    """Which bin each element is in, from 1; 0 in front of them, `count + 1` behind them."""
    return np.where(np.equal(x, edges[-1]), count, searchsorted(edges, x, side="right"))


def _place_of_equal_bins(x: Any, edges: Any, count: Any, spacing: tuple[Any, Any] | None) -> Any:
    """As `_place`, for bins of equal width: computed, and corrected by one where it was rounded, as NumPy does.

    Edges are computed from the first one and the step between them, if that is given, and read where it is not.
    """
    low, high = edges[0], edges[-1]
    is_inside = np.logical_and(np.greater_equal(x, low), np.less_equal(x, high))
    scaled = np.where(is_inside, (x - low) / (high - low) * count, 0)
    guess = np.minimum(scaled, count - 1)
    guess = guess.astype(np.int64) if spacing is None else np.floor(guess)

    def edge(number: Any) -> Any:
        if spacing is None:
            return take(edges, number, mode="clip")
        first, step = spacing
        return cast(cast(number, step.dtype) * step + first, edges.dtype)

    is_below = np.less(x, edge(guess))
    is_beyond = np.logical_and(np.greater_equal(x, edge(guess + 1)), guess != count - 1)
    place = np.where(is_below, guess, np.where(is_beyond, guess + 2, guess + 1))
    outside = np.where(np.less(x, low), place.dtype.type(0), cast(count + 1, place.dtype))
    place = np.where(is_inside, place, outside)
    return place if spacing is None else place.astype(np.int32)


def _spacing(edges: np.ndarray[Any, Any]) -> tuple[Any, Any] | None:
    """The first of some edges and the step between them, where these give all of them, but for the last."""
    count = len(edges) - 1
    if count > MOST_COUNTED or edges.dtype not in (np.float32, np.float64):
        return None
    first, last = np.float64(edges[0]), np.float64(edges[-1])
    step = (last - first) / count
    given = (np.arange(count) * step + first).astype(edges.dtype)
    return (first, step) if np.array_equal(given, edges[:-1]) else None


def _summed(place: Any, count: Any, weights: Any) -> ArrayResult:
    """The weights in each bin, or how many elements there are, by the bin of each element, which is one of them."""
    trace = trace_of((place,))
    assert trace is not None
    added = broadcast_to(staged(trace, np.int64(1)), place.shape) if weights is None else ravel(weights)
    start = staged(trace, zeros(count + 2, added.dtype))
    totals = apply(Scatter, start, added, cast(place, INT64), axes=(0,), position=0, mode="add")
    return asarray(totals[1 : count + 1])


def _equal_edges(x: Any, bins: Any, range: Any) -> tuple[ArrayResult, tuple[Any, Any] | None]:
    """Edges of bins of equal width over a range, or from the smallest element to the largest; and their spacing.

    Around them where these are equal, and from 0 to 1 where there is no element.
    """
    if trace_of((bins,)) is None:
        bins = operator.index(bins)
    elif kind(bins.dtype) not in "iu":
        raise WeftTypeError("`bins` must be an integer, a string, or an array")
    raise_where(np.less(bins, 1), WeftValueError, "`bins` must be positive, when an integer")
    low, high = _ends(x) if range is None else range
    source = "autodetected" if range is None else "supplied"
    if range is not None:
        raise_where(np.greater(low, high), WeftValueError, "max must be larger than min in range parameter.")
    raise_where(
        np.logical_not(np.logical_and(np.isfinite(low), np.isfinite(high))),
        WeftValueError,
        f"{source} range of [{_shown(low, 0)}, {_shown(high, 1)}] is not finite",
        low,
        high,
    )
    dtype = common_dtype(low, high, x)
    dtype = dtype if kind(dtype) == "f" else np.result_type(dtype, np.float64)
    margin = np.where(np.equal(low, high), dtype.type(0.5), dtype.type(0))
    edges, step = linspace(low - margin, high + margin, bins + 1, retstep=True, dtype=dtype)
    raise_where(
        np.any(np.greater_equal(edges[:-1], edges[1:])),
        WeftValueError,
        f"Too many bins for data range. Cannot create {_shown(bins, 0)} finite-sized bins.",
        bins,
    )
    # Where the step is 0, there is a difference between the ends that is too small for so many edges.
    is_small = isinstance(bins, int) and bins <= MOST_COUNTED
    return edges, (cast(low - margin, step.dtype), step) if is_small else None


def _ends(x: Any) -> tuple[Any, Any]:
    """The smallest and the largest element; 0 and 1 where there is none."""
    extent = x.shape[0]
    if isinstance(extent, int) and extent > 0:
        return min_of(x), max_of(x)
    is_float, is_empty, one = kind(x.dtype) == "f", np.equal(extent, 0), x.dtype.type(1)
    least, most = (-np.inf, np.inf) if is_float else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)
    low, high = min_of(x, initial=most), max_of(x, initial=least)
    return np.where(is_empty, one - one, low), np.where(is_empty, one, high)


def _shown(number: Any, place: int) -> str:
    """How a message of `raise_where` shows a number: itself, or the one of a place."""
    if trace_of((number,)) is None:
        return str(number)
    return f"{{{place}:{number.dtype}}}" if kind(number.dtype) == "f" else f"{{{place}}}"


def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    *,
    dtype: Any = None,
) -> ArrayResult:
    """The covariances of variables, which are rows unless `rowvar` is false, as `numpy.cov` without its weights.

    Shape: (n, n) for n variables, () for one. Dtype: `dtype`, or a floating-point one. Raises `ValueError` for more
    than two axes.

    >>> weft.cov(np.array([[0, 2], [2, 0]]))
    array([[ 2., -2.],
           [-2.,  2.]])
    """
    if ddof is not None and not is_traced(ddof) and ddof != int(ddof):
        raise WeftValueError("ddof must be integer")
    x = _variables(m, rowvar)
    if y is not None:
        x = concatenate([x, _variables(y, rowvar)], axis=0)
    wanted = np.dtype(dtype) if dtype is not None else common_dtype(x, FLOAT64)
    x = cast(x, wanted)
    freedom = np.maximum(x.shape[1] - ((0 if bias else 1) if ddof is None else ddof), 0)
    centred = x - mean(x, 1, keepdims=True)
    products = matmul(centred, np.conjugate(transpose(centred)))
    result = cast(products * np.true_divide(1, freedom), products.dtype)
    return reshape(result, ()) if known_shape(result) == (1, 1) else result


def _variables(m: ArrayLike, rowvar: bool) -> ArrayResult:
    x = asarray(m)
    if x.ndim > 2:
        raise WeftValueError("m has more than 2 dimensions")
    rows = atleast_2d(x)
    return transpose(rows) if not rowvar and x.ndim == 2 else rows


def corrcoef(
    x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, *, dtype: Any = None
) -> ArrayResult:
    """The correlations of variables, which are rows unless `rowvar` is false, as `numpy.corrcoef`.

    Shape and dtype: those of `cov`. Raises what `cov` raises.

    >>> weft.corrcoef(np.array([[0, 2], [2, 0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    covariances = cov(x, y, rowvar, dtype=dtype)
    if covariances.ndim == 0:
        return covariances / covariances
    deviation = np.sqrt(np.real(diagonal(covariances)))
    scaled = covariances / deviation[:, None] / deviation[None, :]

    return clip(scaled, -1, 1) if scaled.dtype.kind == "f" else scaled
