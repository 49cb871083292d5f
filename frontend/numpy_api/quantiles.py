"""Quantiles: elements at places of the order along axes, and what lies between them.

Only the elements that are asked for are put into their places. Where these are known while tracing, constants say so;
an extent that is known when the program runs, or how many elements of a row are not NaN, is computed with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.errors import UnsupportedError, WeftIndexError, WeftTypeError, WeftValueError
from ...dialect.ops.sorting import PartitionAt
from ..indexing.broadcasting import broadcast_to
from ..tracing.extents import known_shape, product
from ..tracing.staging import (
    ArrayLike,
    ArrayResult,
    apply,
    asarray,
    cast,
    is_traced,
    raise_where,
    rank_0_array,
    trace_of,
)
from .arguments import FLOAT64, INT64, as_inexact, axis_tuple, deliver
from .creation import full
from .indexing import take_along_axis
from .joining import concatenate, stack
from .reductions import any as any_of
from .reductions import max as max_of
from .reductions import mean
from .reductions import sum as sum_of
from .selection import choose
from .shape import moveaxis, reshape
from .sorting import partition, sort

_EMPTY = "index -1 is out of bounds for axis 0 with size 0"


def median(
    a: ArrayLike, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> ArrayResult:
    """The middle element over axes, or the mean of the two in the middle, as `numpy.median`.

    Shape: that of a without the axes, which `keepdims` leaves with extent 1. Dtype: that of a; of integers float64.
    NaN where there is one, and where there are no elements. Raises `AxisError` for an axis that a does not have.

    >>> weft.median(np.array([3, 1, 2]))
    np.float64(2.0)
    """
    x = as_inexact(asarray(a))
    lined, axes = _in_one_axis(x, axis)
    count = known_shape(lined)[-1]
    if count == 0:
        middle: ArrayResult = full(known_shape(lined)[:-1], np.nan, x.dtype)[()]
    else:
        middle = _middle(lined, lined.shape[-1]) if count is None else _known_middle(lined, count)
        middle = cast(choose(_has_nan(lined), np.nan, middle), x.dtype)
    return deliver(_with_axes(middle, x, axes) if keepdims else middle, out, "unsafe")


def nanmedian(
    a: ArrayLike, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> ArrayResult:
    """The median over axes of what is not NaN, as `numpy.nanmedian`.

    Shape and dtype: those of `median`. NaN where all elements are, and where there are none. Raises what
    `median` raises.

    >>> weft.nanmedian(np.array([3, np.nan, 2]))
    np.float64(2.5)
    """
    x = as_inexact(asarray(a))
    lined, axes = _in_one_axis(x, axis)
    middle = cast(_middle(lined, _numbers_in(lined)), x.dtype)
    return deliver(_with_axes(middle, x, axes) if keepdims else middle, out, "unsafe")


def percentile(
    a: ArrayLike,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> ArrayResult:
    """Quantiles in percent, as `numpy.percentile`.

    Shape and dtype: those of `quantile`. Raises what `quantile` raises.

    >>> weft.percentile(np.array([1, 2, 3]), 50)
    np.float64(2.0)
    """
    return quantile(a, _parts_of_one(q), axis, out, overwrite_input, method, keepdims)


def nanpercentile(
    a: ArrayLike,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> ArrayResult:
    """Quantiles in percent of what is not NaN, as `numpy.nanpercentile`.

    Shape and dtype: those of `quantile`. Raises what `nanquantile` raises.

    >>> weft.nanpercentile(np.array([1, np.nan, 3]), 50)
    np.float64(2.0)
    """
    return nanquantile(a, _parts_of_one(q), axis, out, overwrite_input, method, keepdims)


def quantile(
    a: ArrayLike,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> ArrayResult:
    """Quantiles over axes, by linear interpolation or another method, as `numpy.quantile`.

    Shape: that of q, and of a without the axes. Dtype: that of a where one of its elements is chosen, by `lower`,
    `higher` and `nearest`; else the common one of a and q, which Python's numbers leave as it is. NaN where there is
    one. Raises `UnsupportedError` for methods but these, `linear` and `midpoint`, `ValueError` for a q outside of
    [0, 1], `IndexError` for empty axes.

    >>> weft.quantile(np.array([1, 2, 3]), [0.5, 1])
    array([2., 3.])
    """
    x, places, rule = _elements_and_places(a, q, method)
    lined, axes = _in_one_axis(x, axis)
    count = known_shape(lined)[-1]
    raise_where(np.equal(lined.shape[-1], 0), WeftIndexError, _EMPTY)
    if count is None or is_traced(places):
        found = _at_places(lined, places, lined.shape[-1], rule)
    else:
        found = _at_known_places(lined, places, count, rule)
    if kind(x.dtype) == "f":
        has_nan = _has_nan(lined)
        found = [choose(has_nan, value.dtype.type(np.nan), value) for value in found]
    return _delivered(found, places, x, axes, keepdims, out)


def nanquantile(
    a: ArrayLike,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> ArrayResult:
    """Quantiles over axes of what is not NaN, as `numpy.nanquantile`.

    Shape and dtype: those of `quantile`. NaN where all elements are, and where there are none. Raises
    `UnsupportedError` for the methods that `quantile` has not, `ValueError` for a q outside of [0, 1].

    >>> weft.nanquantile(np.array([1, np.nan, 3]), 0.5)
    np.float64(2.0)
    """
    x, places, rule = _elements_and_places(a, q, method)
    if kind(x.dtype) != "f":
        return quantile(a, q, axis, out, overwrite_input, method, keepdims)
    lined, axes = _in_one_axis(x, axis)
    found = _at_places(lined, places, _numbers_in(lined), rule)
    return _delivered(found, places, x, axes, keepdims, out)


_METHODS: dict[str, Callable[[Any], Any]] = {
    "linear": lambda position: position,
    "lower": np.floor,
    "higher": np.ceil,
    "midpoint": lambda position: (np.floor(position) + np.ceil(position)) * 0.5,
    "nearest": np.rint,
}
"""Where each method looks, for a place between two elements in the order."""


class _Rule(NamedTuple):
    """How an element is found at a part of the order."""

    place: Callable[[Any], Any]
    dtype: np.dtype[Any]
    """That of places."""
    within: np.dtype[Any] | None
    """The dtype in which one interpolates; None where places are integers, with nothing between them."""


def _parts_of_one(q: Any) -> Any:
    """Percents as parts; Python's numbers stay such."""
    return q / 100 if type(q) in (int, float) else np.true_divide(q, 100)


def _elements_and_places(a: ArrayLike, q: Any, method: str) -> tuple[ArrayResult, Any, _Rule]:
    """The array, inexact where the places may lie between elements, and the places, of float64."""
    if method not in _METHODS:
        raise UnsupportedError(
            f"method {method!r} of quantile is not supported; the methods there are: {', '.join(_METHODS)}"
        )
    x, given = asarray(a), asarray(q) if trace_of((q,)) is not None else np.asarray(q)
    if kind(x.dtype) == "c":
        raise WeftTypeError("a must be an array of real numbers")
    if kind(given.dtype) not in "biuf":
        raise WeftTypeError(f"the places of quantile() are real numbers, not {given.dtype}")
    within: np.dtype[Any] | None = None
    if method == "midpoint" or (method == "linear" and kind(given.dtype) == "f"):
        if kind(x.dtype) == "b":
            raise WeftTypeError("numpy boolean subtract, the `-` operator, is not supported, use ints")
        strong = given.dtype if kind(given.dtype) == "f" else FLOAT64
        within = as_inexact(x).dtype if type(q) in (int, float) else np.result_type(x.dtype, strong)
        x = as_inexact(x)
    places = cast(given, FLOAT64)
    is_outside = np.logical_not(np.logical_and(np.greater_equal(places, 0), np.less_equal(places, 1)))
    raise_where(any_of(is_outside), WeftValueError, "Quantiles must be in the range [0, 1]")
    dtype = given.dtype if kind(given.dtype) == "f" and method != "linear" else FLOAT64
    return x, places, _Rule(_METHODS[method], dtype, within)


def _in_one_axis(x: ArrayResult, axis: Any) -> tuple[ArrayResult, tuple[int, ...]]:
    """The array with axes flattened to a last one, and which they are."""
    axes = axis_tuple(axis, x.ndim)
    rest = [place for place in range(x.ndim) if place not in axes]
    extents = [x.shape[place] for place in rest]
    reduced = product([x.shape[place] for place in axes])
    return reshape(moveaxis(x, rest, tuple(range(len(rest)))), (*extents, reduced)), axes


def _with_axes(result: ArrayResult, x: ArrayResult, axes: tuple[int, ...]) -> ArrayResult:
    """A result for each of the other axes, with the axes that were reduced at extent 1."""
    kept = tuple(1 if place in axes else extent for place, extent in enumerate(x.shape))
    return rank_0_array(reshape(result, kept))


def _delivered(
    found: Sequence[Any], places: Any, x: ArrayResult, axes: tuple[int, ...], keepdims: bool, out: Any
) -> ArrayResult:
    """What was found at each place, in the shape of the places."""
    if keepdims:
        found = [_with_axes(each, x, axes) for each in found]
    if places.ndim == 0:
        return deliver(found[0], out)
    if not found:
        rest = [extent for place, extent in enumerate(x.shape) if place not in axes]
        return deliver(full((*places.shape, *rest), 0, x.dtype), out)
    stacked = stack(found)
    return deliver(reshape(stacked, (*places.shape, *stacked.shape[1:])), out)


def _numbers_in(lined: ArrayResult) -> ArrayResult:
    """How many elements of each row are not NaN, which come first in its order."""
    return sum_of(np.logical_not(np.isnan(lined)), -1)


def _has_nan(lined: ArrayResult) -> ArrayResult:
    if known_shape(lined)[-1] is None:
        return any_of(np.isnan(lined), -1)
    return np.isnan(max_of(lined, -1))


# Places that are known while tracing


def _known_middle(lined: ArrayResult, count: int) -> ArrayResult:
    low, high = (count - 1) // 2, count // 2
    return mean(partition(lined, [low, high])[..., low : high + 1], -1)


def _at_known_places(lined: ArrayResult, fractions: Any, count: int, rule: _Rule) -> list[ArrayResult]:
    parts = fractions.reshape(-1).astype(rule.dtype)
    positions = [float(rule.place(part * rule.dtype.type(count - 1))) for part in parts]
    places = {min(int(position) + step, count - 1) for position in positions for step in (0, 1)}
    ordered = partition(lined, sorted(places)) if places else lined
    found = []
    for position in positions:
        lower = int(position)
        below, above = ordered[..., lower], ordered[..., min(lower + 1, count - 1)]
        found.append(_between(below, above, position - lower, rule.within))
    return found


# Places that are known when the program runs


def _middle(lined: ArrayResult, count: Any) -> ArrayResult:
    """The middle element of the first ones of each row in its order, or the mean of two; NaN where there are none."""
    low, high = np.maximum((count - 1) // 2, 0), count // 2
    first, second = _elements_at(lined, [low, high])
    return choose(np.equal(low, high), first, mean(stack([first, second], -1), -1))


def _at_places(lined: ArrayResult, fractions: Any, count: Any, rule: _Rule) -> list[ArrayResult]:
    """What lies at fractions of the first elements of each row in its order; NaN where there are none."""
    last = cast(np.maximum(count - 1, 0), FLOAT64)
    flat = cast(reshape(fractions, (-1,)), rule.dtype)
    if known_shape(flat)[0] is None:
        raise UnsupportedError("how many quantiles are asked for must be known while tracing")
    numbers = range(known_shape(flat)[0] or 0)
    positions = [cast(rule.place(flat[number] * cast(last, rule.dtype)), FLOAT64) for number in numbers]
    lower = [np.floor(position) for position in positions]
    wanted = [np.minimum(place + step, last) for place in lower for step in (0, 1)]
    elements = _elements_at(lined, [cast(place, INT64) for place in wanted])
    return [
        _between(below, above, position - low, rule.within)
        for below, above, position, low in zip(elements[::2], elements[1::2], positions, lower, strict=True)
    ]


def _elements_at(lined: ArrayResult, places: Sequence[Any]) -> list[ArrayResult]:
    """The elements at places of each row in its order; behind its end, what sorts last."""
    if not places:
        return []
    rest = lined.shape[:-1]
    largest: Any = {"f": np.nan, "b": True}.get(kind(lined.dtype))
    if largest is None:
        largest = np.iinfo(lined.dtype).max
    longer = concatenate([lined, full((*rest, 1), largest, lined.dtype)], -1)
    wanted = stack([broadcast_to(asarray(place), rest) for place in places], -1)
    ordered = apply(PartitionAt, longer, sort(wanted, axis=-1) if len(places) > 2 else wanted)
    found = take_along_axis(ordered, wanted, axis=-1)
    return [found[..., number] for number in range(len(places))]


def _between(
    below: ArrayResult, above: ArrayResult, fraction: Any, within: np.dtype[Any] | None
) -> ArrayResult:
    """What lies between two elements; the first one where there is nothing between."""
    if within is None:
        return below if below.ndim else below[()]
    difference = above - below
    forth = cast(below + difference * cast(fraction, within), within)
    back = cast(above - difference * cast(1 - fraction, within), within)
    return choose(np.less(fraction, 0.5), forth, back)  # NumPy starts from the nearer neighbour
