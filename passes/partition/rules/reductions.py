"""Reductions: over axes that are split each rank reduces what it has, and the results are combined."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from ....dialect.dtypes import is_half
from ....dialect.emitter import INT64, Tensor
from ....dialect.op import Op
from ....dialect.ops.reductions import (
    AllOf,
    AnyOf,
    Argmax,
    ExtremeNumber,
    Extremum,
    Max,
    MaxNumber,
    Mean,
    Min,
    MinNumber,
    Prod,
    Spread,
    Std,
    Sum,
    extremum_of_nothing,
    normalize_axes,
    real_dtype,
    reduced_shape,
)
from ....dialect.register import decode_attributes, op_class_of
from ....dialect.types import normalize_axis
from ..layouts import Layout, Split, axes_of
from ..messages import GATHERED
from ..parts import Part, Site

COMBINED: Mapping[type[Op], str] = MappingProxyType(
    {
        Sum: "sum",
        Prod: "prod",
        Max: "max",
        Min: "min",
        MaxNumber: "max",
        MinNumber: "min",
        AnyOf: "max",
        AllOf: "min",
    }
)
"""How partial results become the result."""


def _kept(layout: Layout, axes: Sequence[int], keepdims: bool) -> Layout:
    """The layout of what a reduction leaves."""
    if keepdims:
        return tuple(None if axis in axes else split for axis, split in enumerate(layout))
    return tuple(split for axis, split in enumerate(layout) if axis not in axes)


def _over(site: Site, part: Part, axes: Sequence[int]) -> list[str]:
    """The axes of the mesh over which something is reduced, those of several ranks."""
    found = axes_of(tuple(part.layout[axis] for axis in axes))
    return [axis for axis in found if site.grid.extent(axis) > 1]


def reduction(site: Site, parts: Sequence[Part]) -> list[Part]:
    """Partial results are combined in the way of the op."""
    (part,) = parts
    axes, keepdims = normalize_axes(site.attributes["axes"], part.rank), site.attributes["keepdims"]
    over = _over(site, part, axes)
    layout = _kept(part.layout, axes, keepdims)
    how = COMBINED[site.op_class]
    if not over:
        return [Part(site.emitted([part.value])[0], site.shapes[0], layout)]
    b, x = site.b, part.value
    wide = is_half(x.dtype) and how in ("sum", "prod")
    if wide:  # rounded once
        x = b.cast(x, dtype=np.dtype(np.float32))
    value = _partial(site, x, axes)
    for axis in over:
        if issubclass(site.op_class, ExtremeNumber):
            value = _without_nans(site, value, how, axis)
        else:
            value = site.messages.reduced(b, value, how, axis)
    if wide:
        value = b.cast(value, dtype=part.value.dtype)
    return [Part(value, site.shapes[0], layout)]


def _partial(site: Site, x: Tensor, axes: Sequence[int]) -> Tensor:
    """What a rank adds; one that has nothing adds what does not count."""
    how = COMBINED[site.op_class]
    if issubclass(site.op_class, Extremum) and any(x.shape[axis] == 0 for axis in axes):
        b, keepdims = site.b, site.attributes["keepdims"]
        extents = [
            1 if axis in axes else b.extent(x, axis) for axis in range(x.rank) if keepdims or axis not in axes
        ]
        is_number = issubclass(site.op_class, ExtremeNumber)
        nothing = np.nan if is_number else extremum_of_nothing(x.dtype, smallest=how == "min")
        return b.full(extents, nothing, x.dtype)
    return site.emitted([x])[0]


def _without_nans(site: Site, value: Tensor, how: str, axis: str) -> Tensor:
    """NaN counts where all ranks have it."""
    b = site.b
    missing = b.isnan(value)
    worst = extremum_of_nothing(value.dtype, smallest=how == "min")
    best = site.messages.reduced(b, b.select(missing, worst, value), how, axis)
    nowhere = site.messages.reduced(b, missing, "min", axis)
    found: Tensor = b.select(nowhere, np.nan, best)
    return found


# Mean, variance and standard deviation


def moments(site: Site, parts: Sequence[Part]) -> list[Part]:
    """Mean, variance and standard deviation, in one round where several are asked of an array."""
    (part,) = parts
    axes, keepdims = normalize_axes(site.attributes["axes"], part.rank), site.attributes["keepdims"]
    layout = _kept(part.layout, axes, keepdims)
    over = _over(site, part, axes)
    if over and any(part.shape[axis] is None for axis in axes):
        part = site.laid_out(
            part,
            tuple(None if axis in axes else split for axis, split in enumerate(part.layout)),
            "how many elements a mean is of is known only at run time",
        )
        over = []
    if not over:
        return [Part(site.emitted([part.value])[0], site.shapes[0], layout)]
    b, dtype = site.b, part.value.dtype
    x = b.cast(part.value, dtype=np.dtype(np.float32)) if is_half(dtype) else part.value
    count = math.prod(part.extent(axis) for axis in axes)
    if site.op_class is Mean and not _spread_is_asked(site, axes):
        total = b.sum(x, axes=axes, keepdims=True)
        for axis in over:
            total = site.messages.reduced(b, total, "sum", axis)
        found = b.divide(total, b.number(count, total.dtype))
    else:
        mean, squares = _mean_and_squares(site, part, x, axes, over, count)
        found = mean if site.op_class is Mean else _spread(site, squares, count)
    if not keepdims and axes:
        found = b.squeeze(found, axes=axes)
    wanted = dtype if site.op_class is Mean else real_dtype(dtype)
    return [Part(b.converted(found, wanted), site.shapes[0], layout)]


def _spread(site: Site, squares: Tensor, count: int) -> Tensor:
    left = max(count - site.attributes["correction"], 0.0)
    b = site.b
    variance = b.divide(squares, b.number(left, squares.dtype))
    found: Tensor = b.sqrt(variance) if site.op_class is Std else variance
    return found


def _spread_is_asked(site: Site, axes: tuple[int, ...]) -> bool:
    """Whether the mean is one of several things that are asked of an array, and comes with the others."""
    source = site.operation.operands[0]
    for use in source.uses:
        user = use.owner.operation
        op_class = op_class_of(user)
        if op_class is not None and issubclass(op_class, Spread) and user.block == site.operation.block:
            given = normalize_axes(decode_attributes(op_class, user)["axes"], len(source.type.shape))
            if given == axes:
                return True
    return False


def _mean_and_squares(
    site: Site, part: Part, x: Tensor, axes: tuple[int, ...], over: Sequence[str], count: int
) -> tuple[Tensor, Tensor]:
    """The mean and the sum of squared distances from it: those of the ranks, combined as Chan, Golub and LeVeque do."""
    key = (site.operation.operands[0], axes)
    if key in site.moments:
        return site.moments[key]
    b, grid = site.b, site.grid
    ranks = math.prod(grid.extent(axis) for axis in over)
    count_of_result = math.prod(extent or 0 for extent in reduced_shape(x.shape, axes, True))
    if len(over) > 1 or ranks * count_of_result * x.dtype.itemsize * 2 > GATHERED:
        total = b.sum(x, axes=axes, keepdims=True)
        for axis in over:
            total = site.messages.reduced(b, total, "sum", axis)
        mean = b.divide(total, b.number(count, total.dtype))
        squares = squares_about(site, x, mean, axes)
        for axis in over:
            squares = site.messages.reduced(b, squares, "sum", axis)
    else:
        own = math.prod(x.shape[axis] or 0 for axis in axes)
        mean = b.mean(x, axes=axes, keepdims=True)
        squares = b.var(x, axes=axes, keepdims=True, correction=0.0) * own
        mean, squares = _combined(site, part, axes, mean, squares, over[0], count)
    site.moments[key] = mean, squares
    return mean, squares


def squares_about(site: Site, x: Tensor, mean: Tensor, axes: tuple[int, ...]) -> Tensor:
    b = site.b
    distance = x - mean
    if distance.is_complex:
        squares = b.square(b.real(distance)) + b.square(b.imag(distance))
    else:
        squares = b.square(distance)
    found: Tensor = b.sum(squares, axes=axes, keepdims=True)
    return found


def _combined(
    site: Site, part: Part, axes: tuple[int, ...], mean: Tensor, squares: Tensor, axis: str, count: int
) -> tuple[Tensor, Tensor]:
    """The moments of all from the moments of the ranks, which are gathered."""
    b = site.b
    split = next(split for split in part.layout if split is not None and split.axis == axis)
    others = math.prod(part.extent(a) for a in axes if part.layout[a] is not split)
    ranks = site.grid.extent(axis)
    layer = Split(axis, tuple(range(ranks + 1)))
    both = b.stack(mean, b.converted(squares, mean.dtype), axis=0)
    gathered = site.messages.gathered(b, b.expand_dims(both, axes=(0,)), 0, layer)
    means = b.squeeze(b.along(gathered, 1, 0, 1), axes=(1,))
    dtype = squares.dtype
    spreads = b.squeeze(b.along(gathered, 1, 1, 2), axes=(1,))
    spreads = b.real(spreads) if mean.is_complex else spreads
    shape = (ranks, *(1,) * mean.rank)
    counts = np.asarray([length * others for length in split.lengths()], float).reshape(shape)
    weights = b.constant(value=np.asarray(counts / max(count, 1), mean.dtype))
    number = b.constant(value=np.asarray(counts, dtype))
    weighted = means * weights
    if not count:
        weighted = weighted * b.number(np.nan, mean.dtype)
    if 0 in split.lengths():  # whose mean is no number
        has = b.constant(value=np.asarray(counts > 0))
        weighted = b.select(has, weighted, 0)
    whole = b.sum(weighted, axes=(0,), keepdims=False)
    distance = means - b.expand_dims(whole, axes=(0,))
    if distance.is_complex:
        apart = b.square(b.real(distance)) + b.square(b.imag(distance))
    else:
        apart = b.square(distance)
    parts = spreads + apart * number
    if 0 in split.lengths():
        parts = b.select(has, parts, 0)
    return whole, b.sum(parts, axes=(0,), keepdims=False)


# Positions


def arg_reduction(site: Site, parts: Sequence[Part]) -> list[Part]:
    """The extreme elements of the ranks, and their places, are gathered; of equal ones the first rank's is taken."""
    (part,) = parts
    axis, keepdims = normalize_axis(site.attributes["axis"], part.rank), site.attributes["keepdims"]
    split = part.layout[axis]
    layout = _kept(part.layout, (axis,), keepdims)
    if split is None or site.grid.extent(split.axis) == 1:
        return [Part(site.emitted([part.value])[0], site.shapes[0], layout)]
    b, block = site.b, site.block(split)
    there = Split(split.axis, (0, *np.cumsum([length > 0 for length in split.lengths()]).tolist()))
    if len(block):
        place = b.argmax if site.op_class is Argmax else b.argmin
        where = place(part.value, axis=axis, keepdims=True)
        best = b.take_along_axis(part.value, where, axis=axis)
        where = where + b.number(block.start, INT64)
    else:
        best = b.along(part.value, axis, 0, 0)
        where = b.full(b.extents(best), 0, INT64)
    bests = site.messages.gathered(b, best, axis, there)
    places = site.messages.gathered(b, where, axis, there)
    winner = site.emitted([bests], axis=axis, keepdims=True)[0]
    found = b.take_along_axis(places, winner, axis=axis)
    found = found if keepdims else b.squeeze(found, axes=(axis,))
    return [Part(found, site.shapes[0], layout)]
