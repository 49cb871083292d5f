"""Sums, extremes and the like, and what accumulates along an axis."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..namespace import weft
from ..table import ints, rule
from .elementwise import is_float, scalar
from .shapes import part

Axes = Any


def axes_of(x: Any, axes: Any, noop: int = 0) -> tuple[int, ...] | None:
    """The axes that are reduced: all, where none is given; None where nothing is."""
    given = [] if axes is None else ints(axes, "axes")
    if not given:
        return None if noop else tuple(range(x.ndim))
    return tuple(axis % x.ndim if -x.ndim <= axis < x.ndim else axis for axis in given)


def _reduction(
    name: str,
    of: Callable[[Any, tuple[int, ...], bool], Any],
    says: str,
    alone: Callable[[Any], Any] = lambda x: x,
) -> None:
    def reduce(x: Any, axes: Any = None, *, keepdims: int, noop_with_empty_axes: int = 0) -> Any:
        reduced = axes_of(x, axes, noop_with_empty_axes)
        found = alone(x) if reduced is None else of(x, reduced, bool(keepdims))
        return weft.astype(weft.asarray(found), x.dtype)

    rule(name, says=says)(reduce)


def _wide(x: Any) -> Any:
    """Floats of less than 32 bits as such of 32."""
    return weft.astype(x, np.float32) if is_float(x) and x.dtype.itemsize < 4 else x


def _sum(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    return weft.sum(x, axis=axes, keepdims=keepdims, dtype=None if is_float(x) else x.dtype)


def _extreme(name: str, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if x.dtype == np.bool_:
        return getattr(weft, "any" if name == "max" else "all")(x, axis=axes, keepdims=keepdims)
    extents = [x.shape[axis] for axis in axes]
    if any(isinstance(extent, int) and extent == 0 for extent in extents):
        shape = [1 if a in axes else n for a, n in enumerate(x.shape) if keepdims or a not in axes]
        if is_float(x):
            value: Any = -math.inf if name == "max" else math.inf
        else:
            limits = np.iinfo(x.dtype)
            value = limits.min if name == "max" else limits.max
        return weft.full(tuple(shape), scalar(value, x))
    return getattr(weft, name)(x, axis=axes, keepdims=keepdims)


def _log_sum_exp(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if any(isinstance(x.shape[axis], int) and x.shape[axis] == 0 for axis in axes):
        return weft.log(_sum(weft.exp(x), axes, keepdims))
    return weft.logsumexp(x, axis=axes, keepdims=keepdims)


_reduction("ReduceSum", _sum, "`weft.sum`.")
_reduction(
    "ReduceProd",
    lambda x, axes, keep: weft.prod(x, axis=axes, keepdims=keep, dtype=None if is_float(x) else x.dtype),
    "`weft.prod`.",
)
_reduction(
    "ReduceMean",
    lambda x, axes, keep: weft.mean(x, axis=axes, keepdims=keep),
    "`weft.mean`; of integers, rounded towards zero.",
)
_reduction(
    "ReduceMax", partial(_extreme, "max"), "`weft.max`; of no elements, the smallest number that there is."
)
_reduction(
    "ReduceMin", partial(_extreme, "min"), "`weft.min`; of no elements, the largest number that there is."
)
_reduction("ReduceL1", lambda x, *how: _sum(weft.abs(x), *how), "The sum of absolute values.", weft.abs)
_reduction(
    "ReduceL2",
    lambda x, *how: weft.sqrt(_sum(_wide(x) * _wide(x), *how)),
    "The root of the sum of squares.",
    weft.abs,
)
_reduction("ReduceSumSquare", lambda x, *how: _sum(x * x, *how), "The sum of squares.", lambda x: x * x)
_reduction(
    "ReduceLogSum",
    lambda x, *how: weft.log(_sum(_wide(x), *how)),
    "The logarithm of the sum.",
    lambda x: weft.log(x),
)
_reduction("ReduceLogSumExp", _log_sum_exp, "`weft.logsumexp`.")


def _place(name: str) -> None:
    def place(x: Any, *, axis: int, keepdims: int, select_last_index: int = 0) -> Any:
        if select_last_index:
            found = weft.subtract(x.shape[axis] - 1, getattr(weft, name)(weft.flip(x, axis=axis), axis=axis))
        else:
            found = getattr(weft, name)(x, axis=axis)
        found = weft.astype(weft.asarray(found), np.int64)
        return weft.expand_dims(found, axis=axis) if keepdims else found

    place.__doc__ = f"`weft.{name}`; of several, the first or the last."
    rule("ArgMax" if name == "argmax" else "ArgMin")(place)


_place("argmax")
_place("argmin")


def _accumulated(op: str, name: str) -> None:
    def accumulate(x: Any, axis: Any, *, exclusive: int, reverse: int) -> Any:
        (along,) = ints(axis, "axis")
        if reverse:
            x = weft.flip(x, axis=along)
        found = getattr(weft, name)(x, axis=along, dtype=x.dtype)
        if exclusive:
            unit = scalar(0 if name == "cumsum" else 1, x)
            first = part(found, along, slice(None, 1))
            found = weft.concat(
                [weft.full_like(first, unit), part(found, along, slice(None, -1))], axis=along
            )
        return weft.flip(found, axis=along) if reverse else found

    accumulate.__doc__ = f"`weft.{name}`, also without the element itself, and from the end."
    rule(op)(accumulate)


_accumulated("CumSum", "cumsum")
_accumulated("CumProd", "cumprod")


@rule("NonZero")
def non_zero(x: Any) -> Any:
    """`weft.nonzero`, as rows of one array."""
    return weft.stack(list(weft.nonzero(weft.asarray(x)))) if x.ndim else weft.zeros((0, 1), dtype=np.int64)
