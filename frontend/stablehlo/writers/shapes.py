"""Making tensors, and giving them other shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....dialect.dtypes import is_half
from ....dialect.emitter import INT64, Extent, Tensor
from ....dialect.types import TensorType
from .table import Builder, integer, integers, require_known, writer


def extents_of(shape: tuple[int, ...], dims: tuple[Tensor, ...]) -> list[Extent]:
    """The extents of a `shape` attribute, in which -1 stands for the next operand."""
    given = iter(dims)
    return [next(given) if extent == -1 else extent for extent in shape]


@writer("constant")
def constant(b: Builder, value: Any) -> Tensor:
    return b.array(value)


@writer("empty")
def empty(b: Builder, dims: tuple[Tensor, ...], shape: tuple[int, ...], dtype: Any) -> Tensor:
    return b.broadcast(b.number(0, dtype), extents_of(shape, dims))


@writer("arange")
def arange(
    b: Builder, start: Tensor, step: Tensor, dims: tuple[Tensor, ...], shape: tuple[int, ...]
) -> Tensor:
    (extent,) = extents_of(shape, dims)
    if is_half(start.dtype):
        single = np.dtype(np.float32)
        first, wide = b.converted(start, single), b.converted(step, single)
        return b.converted(arange(b, first, wide, dims, shape), start.dtype)
    if isinstance(extent, Tensor):
        numbers = b.make(
            "dynamic_iota",
            [b.shape_of([extent])],
            TensorType((None,), start.dtype),
            iota_dimension=integer(0),
        )
    else:
        numbers = b.make("iota", [], TensorType((extent,), start.dtype), iota_dimension=integer(0))
    return start + numbers * step


@writer("dim")
def dim(b: Builder, x: Tensor, axis: int) -> Tensor:
    known = x.shape[axis]
    if known is not None:
        return b.number(known, INT64)
    size = b.make("get_dimension_size", [x], TensorType((), np.dtype(np.int32)), dimension=integer(axis))
    return b.converted(size, INT64)


@writer("transpose")
def transpose(b: Builder, x: Tensor, permutation: tuple[int, ...]) -> Tensor:
    shape = tuple(x.shape[axis] for axis in permutation)
    return b.make("transpose", [x], x.type.with_shape(shape), permutation=integers(permutation))


@writer("reshape")
def reshape(b: Builder, x: Tensor, dims: tuple[Tensor, ...], shape: tuple[int, ...]) -> Tensor:
    extents = extents_of(shape, dims)
    wanted = x.type.with_shape(tuple(None if isinstance(e, Tensor) else e for e in extents))
    if wanted == x.type and wanted.is_static:
        return x
    if wanted.is_static:
        return b.make("reshape", [x], wanted)
    return b.make("dynamic_reshape", [x, b.shape_of(extents)], wanted)


@writer("expand_dims")
def expand_dims(b: Builder, x: Tensor, axes: tuple[int, ...]) -> Tensor:
    own = iter(b.extents(x))
    return b.reshaped(x, [1 if axis in axes else next(own) for axis in range(x.rank + len(axes))])


@writer("squeeze")
def squeeze(b: Builder, x: Tensor, axes: tuple[int, ...]) -> Tensor:
    return b.reshaped(x, [extent for axis, extent in enumerate(b.extents(x)) if axis not in axes])


@writer("broadcast_to", "stretch")
def broadcast_to(b: Builder, x: Tensor, dims: tuple[Tensor, ...], shape: tuple[int, ...]) -> Tensor:
    added = len(shape) - x.rank
    return b.placed(x, extents_of(shape, dims), range(added, len(shape)))


@writer("concat")
def concat(b: Builder, x: Tensor, y: Tensor, axis: int) -> Tensor:
    return joined(b, [x, y], axis)


def joined(b: Builder, parts: list[Tensor], axis: int) -> Tensor:
    """Tensors one behind the other."""
    axis %= parts[0].rank
    extents = [part.shape[axis] for part in parts]
    shape = [*parts[0].shape]
    shape[axis] = None if None in extents else sum(extents)  # type: ignore[arg-type]
    return b.make("concatenate", parts, parts[0].type.with_shape(tuple(shape)), dimension=integer(axis))


@writer("stack")
def stack(b: Builder, x: tuple[Tensor, ...], axis: int) -> Tensor:
    return joined(
        b, [b.expand_dims(part, axes=(axis % (part.rank + 1),)) for part in x], axis % (x[0].rank + 1)
    )


@writer("pad")
def pad(b: Builder, x: Tensor, value: Tensor, low: tuple[int, ...], high: tuple[int, ...]) -> Tensor:
    return padded(b, x, value, low, high)


def padded(b: Builder, x: Tensor, value: Tensor, low: Any, high: Any) -> Tensor:
    """A tensor with elements before and behind its own."""
    sizes = zip(x.shape, low, high, strict=True)
    shape = tuple(None if extent is None else extent + before + behind for extent, before, behind in sizes)
    return b.make(
        "pad",
        [x, value],
        x.type.with_shape(shape),
        edge_padding_low=integers(low),
        edge_padding_high=integers(high),
        interior_padding=integers([0] * x.rank),
    )


@writer("extend")
def extend(b: Builder, x: Tensor, low: tuple[int, ...], high: tuple[int, ...], mode: str) -> Tensor:
    require_known(x)
    for axis, (before, behind) in enumerate(zip(low, high, strict=True)):
        places = np.pad(np.arange(x.shape[axis] or 0), (before, behind), mode=mode)  # type: ignore[call-overload]
        if before or behind:
            x = b.gather(x, b.array(places), axes=(axis,), position=axis)
    return x


@writer("roll")
def roll(b: Builder, x: Tensor, shift: int, axis: int) -> Tensor:
    require_known(x)
    extent = x.shape[axis]
    if not extent or shift % extent == 0:
        return x
    place = extent - shift % extent
    return b.one("concat", b.along(x, axis, place, extent), b.along(x, axis, 0, place), axis=axis)


@writer("tile")
def tile(b: Builder, x: Tensor, counts: tuple[int, ...]) -> Tensor:
    extents = b.extents(x)
    pairs: list[Extent] = [each for pair in zip(counts, extents, strict=True) for each in pair]
    spread = b.placed(x, pairs, range(1, 2 * x.rank, 2))
    return b.reshaped(
        spread, [_times(b, extent, count) for count, extent in zip(counts, extents, strict=True)]
    )


@writer("repeat")
def repeat(b: Builder, x: Tensor, count: int, axis: int) -> Tensor:
    extents = b.extents(x)
    places = [place for place in range(x.rank + 1) if place != axis + 1]
    spread = b.placed(x, [*extents[: axis + 1], count, *extents[axis + 1 :]], places)
    extents[axis] = _times(b, extents[axis], count)
    return b.reshaped(spread, extents)


def _times(b: Builder, extent: Extent, count: int) -> Extent:
    return extent * count


@writer("triu")
def triu(b: Builder, x: Tensor, k: int) -> Tensor:
    return _triangle(b, x, "greater_equal", k)


@writer("tril")
def tril(b: Builder, x: Tensor, k: int) -> Tensor:
    return _triangle(b, x, "less_equal", k)


def _triangle(b: Builder, x: Tensor, comparison: str, k: int) -> Tensor:
    rows, columns = (b.positions(x, axis) for axis in (x.rank - 2, x.rank - 1))
    return b.one("select", b.one(comparison, columns - rows, k), x, b.zeros_like(x))


@writer("diagonal")
def diagonal(b: Builder, x: Tensor, offset: int) -> Tensor:
    require_known(x)
    rows, columns = np.nonzero(np.eye(*x.shape[-2:], offset, dtype=bool))  # type: ignore[call-overload]
    axes = (x.rank - 2, x.rank - 1)
    return b.one("gather", x, b.array(rows), b.array(columns), axes=axes, position=x.rank - 2)


@writer("diag")
def diag(b: Builder, x: Tensor, offset: int) -> Tensor:
    require_known(x)
    size = (x.shape[0] or 0) + abs(offset)
    before = (max(-offset, 0), abs(offset) - max(-offset, 0))
    column = padded(b, x, b.number(0, x.dtype), before[:1], before[1:])
    whole = b.broadcast(b.expand_dims(column, axes=(1,)), [size, size])
    rows, columns = (b.positions(whole, axis) for axis in (0, 1))
    return b.one("select", b.equal(columns - rows, offset), whole, b.zeros_like(whole))


__all__ = ["extents_of", "joined", "padded"]
