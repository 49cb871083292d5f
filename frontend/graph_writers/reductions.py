"""Reductions and searches that are written in others."""

from __future__ import annotations

import numpy as np

from ...dialect.dtypes import is_half, kind
from ...dialect.emitter import INT64, Tensor
from ...dialect.ops.reductions import normalize_axes
from .table import SINGLE, GraphBuilder, require_real, writer


@writer("mean")
def mean(b: GraphBuilder, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    axes = normalize_axes(axes, x.rank)
    wide = b.converted(x, SINGLE) if is_half(x.dtype) else x
    total = b.sum(wide, axes=axes, keepdims=keepdims)
    return b.converted(total / b.as_number(b.count(x, axes), wide.dtype), x.dtype)


writer.rows(
    var=lambda b, x, axes, keepdims, correction: _spread_of(b, x, axes, keepdims, correction),
    std=lambda b, x, axes, keepdims, correction: b.one("sqrt", _spread_of(b, x, axes, keepdims, correction)),
    max_number=lambda b, x, axes, keepdims: _of_numbers(b, x, axes, keepdims, "max", -np.inf),
    min_number=lambda b, x, axes, keepdims: _of_numbers(b, x, axes, keepdims, "min", np.inf),
    argmax=lambda b, x, axis, keepdims: _place(b, x, axis, keepdims, "max"),
    argmin=lambda b, x, axis, keepdims: _place(b, x, axis, keepdims, "min"),
    partition=lambda b, x, axis, places: b.one("sort", x, axis=axis, descending=False),
)


def _spread_of(
    b: GraphBuilder, x: Tensor, axes: tuple[int, ...], keepdims: bool, correction: float
) -> Tensor:
    """The variance."""
    axes = normalize_axes(axes, x.rank)
    dtype = np.zeros((), x.dtype).real.dtype if x.is_complex else x.dtype
    wide = b.converted(x, SINGLE) if is_half(x.dtype) else x
    centred = wide - b.mean(wide, axes=axes, keepdims=True)
    squares = centred * centred
    if x.is_complex:
        parts = b.real(centred), b.imag(centred)
        squares = parts[0] * parts[0] + parts[1] * parts[1]
    left = b.maximum(b.as_number(b.count(x, axes), squares.dtype) - correction, 0)
    return b.converted(b.sum(squares, axes=axes, keepdims=keepdims) / left, dtype)


def _of_numbers(
    b: GraphBuilder, x: Tensor, axes: tuple[int, ...], keepdims: bool, name: str, edge: float
) -> Tensor:
    """The largest or smallest element that is a number; NaN if none is."""
    require_real(x)
    if kind(x.dtype) != "f":
        return b.one(name, x, axes=axes, keepdims=keepdims)
    found = b.one(name, b.select(b.isnan(x), b.number(edge, x.dtype), x), axes=axes, keepdims=keepdims)
    none = b.all(b.isnan(x), axes=axes, keepdims=keepdims)
    return b.one("select", none, b.number(np.nan, x.dtype), found)


def _place(b: GraphBuilder, x: Tensor, axis: int, keepdims: bool, name: str) -> Tensor:
    """The first place of the extreme element, or of a NaN."""
    require_real(x)
    axis %= x.rank
    extreme = b.one(name, x, axes=(axis,), keepdims=True)
    is_it = b.equal(x, extreme)
    if kind(x.dtype) == "f":
        is_it = b.logical_or(is_it, b.isnan(x))
    places = b.select(is_it, b.positions(x, axis), b.number(np.iinfo(np.int64).max, INT64))
    return b.one("min", places, axes=(axis,), keepdims=keepdims)


def before(b: GraphBuilder, x: Tensor, y: Tensor, descending: bool) -> Tensor:
    """Whether an element comes before another one; NaNs are the largest."""
    x, y = (y, x) if descending else (x, y)
    less = b.one("less", x, y)
    if kind(x.dtype) != "f":
        return less
    return b.one("logical_or", less, b.logical_and(b.isnan(y), b.logical_not(b.isnan(x))))


@writer("searchsorted")
def searchsorted(b: GraphBuilder, x: Tensor, values: Tensor, side: str) -> Tensor:
    require_real(x)
    wide = b.expand_dims(values, axes=(values.rank,))
    (wide, line) = b.spread(wide, x)
    is_before = (
        before(b, line, wide, False) if side == "left" else b.logical_not(before(b, wide, line, False))
    )
    found = b.converted(is_before, INT64)
    return b.one("sum", found, axes=(values.rank,), keepdims=False)
