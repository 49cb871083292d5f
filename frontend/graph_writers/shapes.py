"""Making tensors, and giving them other shapes, in terms of other ops."""

from __future__ import annotations

import numpy as np

from ...dialect.emitter import Extent, Tensor
from .table import GraphBuilder, of, require_known, writer


def extents_of(shape: tuple[int, ...], dims: tuple[Tensor, ...]) -> list[Extent]:
    """The extents of a `shape` attribute, in which -1 stands for the next operand."""
    given = iter(dims)
    return [next(given) if extent == -1 else extent for extent in shape]


writer.rows(
    constant=lambda b, value: b.array(value),
    empty=lambda b, dims, shape, dtype: b.broadcast(b.number(0, dtype), extents_of(shape, dims)),
)


@writer("expand_dims")
def expand_dims(b: GraphBuilder, x: Tensor, axes: tuple[int, ...]) -> Tensor:
    own = iter(b.extents(x))
    return b.reshaped(x, [1 if axis in axes else next(own) for axis in range(x.rank + len(axes))])


@writer("squeeze")
def squeeze(b: GraphBuilder, x: Tensor, axes: tuple[int, ...]) -> Tensor:
    return b.reshaped(x, [extent for axis, extent in enumerate(b.extents(x)) if axis not in axes])


@writer("stack")
def stack(b: GraphBuilder, x: tuple[Tensor, ...], axis: int) -> Tensor:
    axis %= x[0].rank + 1
    return b.joined([b.expand_dims(part, axes=(axis,)) for part in x], axis)


@writer("extend")
def extend(b: GraphBuilder, x: Tensor, low: tuple[int, ...], high: tuple[int, ...], mode: str) -> Tensor:
    require_known(x)
    for axis, (before, behind) in enumerate(zip(low, high, strict=True)):
        places = np.pad(np.arange(x.shape[axis] or 0), (before, behind), mode=mode)  # type: ignore[call-overload]
        if before or behind:
            x = b.gather(x, b.array(places), axes=(axis,), position=axis)
    return x


@writer("roll")
def roll(b: GraphBuilder, x: Tensor, shift: int, axis: int) -> Tensor:
    require_known(x)
    extent = x.shape[axis]
    if not extent or shift % extent == 0:
        return x
    place = extent - shift % extent
    return b.one("concat", b.along(x, axis, place, extent), b.along(x, axis, 0, place), axis=axis)


@writer("tile")
def tile(b: GraphBuilder, x: Tensor, counts: tuple[int, ...]) -> Tensor:
    extents = b.extents(x)
    pairs: list[Extent] = [each for pair in zip(counts, extents, strict=True) for each in pair]
    spread = b.placed(x, pairs, range(1, 2 * x.rank, 2))
    return b.reshaped(spread, [extent * count for count, extent in zip(counts, extents, strict=True)])


@writer("repeat")
def repeat(b: GraphBuilder, x: Tensor, count: int, axis: int) -> Tensor:
    extents = b.extents(x)
    places = [place for place in range(x.rank + 1) if place != axis + 1]
    spread = b.placed(x, [*extents[: axis + 1], count, *extents[axis + 1 :]], places)
    extents[axis] = extents[axis] * count
    return b.reshaped(spread, extents)


@writer("repeat_each")
def repeat_each(
    b: GraphBuilder, x: Tensor, counts: Tensor, dims: tuple[Tensor, ...], shape: tuple[int, ...]
) -> Tensor:
    """Each place looks for the first element whose copies end behind it."""
    (extent,) = extents_of(shape, dims)
    kept = b.minimum(b.maximum(counts, 0), b.as_scalar(extent))
    ends = b.cumulative_sum(kept, axis=0)
    places = b.searchsorted(ends, b.iota(extent), side="right")
    zero = b.expand_dims(of(b, x, 0), axes=(0,))
    return b.one("gather", b.joined([x, zero], 0), places, axes=(0,), position=0)


@writer("triu")
def triu(b: GraphBuilder, x: Tensor, k: int) -> Tensor:
    return _triangle(b, x, "greater_equal", k)


@writer("tril")
def tril(b: GraphBuilder, x: Tensor, k: int) -> Tensor:
    return _triangle(b, x, "less_equal", k)


def _triangle(b: GraphBuilder, x: Tensor, comparison: str, k: int) -> Tensor:
    rows, columns = (b.positions(x, axis) for axis in (x.rank - 2, x.rank - 1))
    return b.one("select", b.one(comparison, columns - rows, k), x, b.zeros_like(x))


@writer("diagonal")
def diagonal(b: GraphBuilder, x: Tensor, offset: int) -> Tensor:
    require_known(x)
    rows, columns = np.nonzero(np.eye(*x.shape[-2:], offset, dtype=bool))  # type: ignore[call-overload]
    axes = (x.rank - 2, x.rank - 1)
    return b.one("gather", x, b.array(rows), b.array(columns), axes=axes, position=x.rank - 2)


@writer("diag")
def diag(b: GraphBuilder, x: Tensor, offset: int) -> Tensor:
    size = b.extent(x, 0) + abs(offset)
    before = (max(-offset, 0), abs(offset) - max(-offset, 0))
    column = b.pad(x, b.number(0, x.dtype), low=before[:1], high=before[1:])
    whole = b.broadcast(b.expand_dims(column, axes=(1,)), [size, size])
    rows, columns = (b.positions(whole, axis) for axis in (0, 1))
    return b.one("select", b.equal(columns - rows, offset), whole, b.zeros_like(whole))
