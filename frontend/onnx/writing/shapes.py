"""Making tensors, and giving them other shapes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....dialect.dtypes import is_half
from ....dialect.emitter import INT64, Extent, Tensor
from ....dialect.types import TensorType
from ...graph_writers.shapes import diagonal as diagonal_by_places
from ...graph_writers.shapes import extend as extend_by_places
from ...graph_writers.shapes import extents_of
from ...graph_writers.shapes import roll as roll_by_places
from ...graph_writers.shapes import tril as any_tril
from ...graph_writers.shapes import triu as any_triu
from ...graph_writers.table import SINGLE
from .table import Builder, moved_as, writer


@writer("arange")
def arange(
    b: Builder, start: Tensor, step: Tensor, dims: tuple[Tensor, ...], shape: tuple[int, ...]
) -> Tensor:
    if is_half(start.dtype):
        found = arange(b, b.converted(start, SINGLE), b.converted(step, SINGLE), dims, shape)
        return b.converted(found, start.dtype)
    (extent,) = extents_of(shape, dims)
    numbers = b.converted(_counted(b, extent), start.dtype)
    if not b.is_number(step, 1):
        numbers = numbers * step
    if not b.is_number(start, 0):
        numbers = start + numbers
    return numbers


def _counted(b: Builder, extent: Extent) -> Tensor:
    """The numbers from 0 on, as i64."""
    known = None if isinstance(extent, Tensor) else extent
    zero, one = b.number(0, INT64), b.number(1, INT64)
    return b.make("Range", [zero, b.as_scalar(extent), one], TensorType((known,), INT64))


@writer("dim")
def dim(b: Builder, x: Tensor, axis: int) -> Tensor:
    known = x.shape[axis]
    if known is not None:
        return b.number(known, INT64)
    vector = b.make("Shape", [x], TensorType((1,), INT64), start=axis, end=axis + 1)
    found = b.make("Squeeze", [vector, b.vector([0])], TensorType((), INT64))
    b.note_extent(found, x, axis)
    return found


writer.rows(
    transpose=lambda b, x, permutation: b.transposed(x, permutation),
    concat=lambda b, x, y, axis: b.joined([x, y], axis),
    pad=lambda b, x, value, low, high: padded(b, x, low, high, value),
)


@writer("reshape")
def reshape(b: Builder, x: Tensor, dims: tuple[Tensor, ...], shape: tuple[int, ...]) -> Tensor:
    extents = extents_of(shape, dims)
    wanted = x.type.with_shape(tuple(None if isinstance(e, Tensor) else e for e in extents))
    if wanted == x.type and wanted.is_static:
        return x
    known = [extent for extent in extents if not isinstance(extent, Tensor)]
    if len(known) >= len(extents) - 1 and 0 not in known:  # the rest follows from the number of elements
        return b.make("Reshape", [x, b.vector(shape)], wanted)
    return b.make("Reshape", [x, b.shape_of(extents)], wanted, allowzero=1)


@writer("expand_dims")
def expand_dims(b: Builder, x: Tensor, axes: tuple[int, ...]) -> Tensor:
    rank = x.rank + len(axes)
    return b.unsqueezed(x, sorted(axis % rank for axis in axes))


@writer("squeeze")
def squeeze(b: Builder, x: Tensor, axes: tuple[int, ...]) -> Tensor:
    if not axes:
        return x
    gone = [axis % x.rank for axis in axes]
    shape = tuple(extent for axis, extent in enumerate(x.shape) if axis not in gone)
    return b.make("Squeeze", [x, b.vector(gone)], x.type.with_shape(shape))


@writer("broadcast_to", "stretch")
def broadcast_to(b: Builder, x: Tensor, dims: tuple[Tensor, ...], shape: tuple[int, ...]) -> Tensor:
    extents = extents_of(shape, dims)
    wanted = tuple(None if isinstance(extent, Tensor) else extent for extent in extents)
    if x.shape == wanted and None not in wanted:
        return x
    return b.make("Expand", [x, b.shape_of(extents)], x.type.with_shape(wanted))


def padded(
    b: Builder,
    x: Tensor,
    low: Sequence[Extent],
    high: Sequence[Extent],
    value: Tensor | None = None,
    mode: str = "constant",
) -> Tensor:
    """A tensor with elements before and behind its own."""
    shape = tuple(
        None if extent is None or isinstance(before, Tensor) or isinstance(behind, Tensor) else extent + before + behind
        for extent, before, behind in zip(x.shape, low, high, strict=True)
    )  # fmt: skip
    if not x.rank:
        return x
    wide = moved_as(x.dtype)
    inputs = [
        b.converted(x, wide),
        b.shape_of([*low, *high]),
        None if value is None else b.converted(value, wide),
    ]
    return b.converted(b.make("Pad", inputs, TensorType(shape, wide), mode=mode), x.dtype)


@writer("extend")
def extend(b: Builder, x: Tensor, low: tuple[int, ...], high: tuple[int, ...], mode: str) -> Tensor:
    sides = zip(x.shape, low, high, strict=True)
    if mode == "edge" and 0 not in x.shape:
        return padded(b, x, low, high, mode="edge")
    if mode == "reflect" and all(extent is not None and max(sizes) < extent for extent, *sizes in sides):
        return padded(b, x, low, high, mode="reflect")
    if None not in x.shape:
        return extend_by_places(b, x, low, high, mode)
    for axis, pads in enumerate(zip(low, high, strict=True)):
        if any(pads):
            x = b.gather(x, _mirrored(b, b.extent(x, axis), *pads, mode), axes=(axis,), position=axis)
    return x


def _mirrored(b: Builder, extent: Extent, low: int, high: int, mode: str) -> Tensor:
    """The places of an axis that are seen if it goes on in front and behind, again and again."""
    size = b.as_scalar(extent)
    places = _counted(b, size + (low + high)) - low
    if mode == "wrap":
        return b.one("remainder", places, size)
    last = size * 2 - (2 if mode == "reflect" else 1)  # before which the way back is as the way there
    there = b.remainder(places, b.maximum(last if mode == "reflect" else last + 1, 1))
    return b.one("minimum", there, last - there)


@writer("diagonal")
def diagonal(b: Builder, x: Tensor, offset: int) -> Tensor:
    if None not in x.shape:
        return diagonal_by_places(b, x, offset)
    rows, columns = (b.as_scalar(b.extent(x, axis)) for axis in (x.rank - 2, x.rank - 1))
    down, right = max(-offset, 0), max(offset, 0)
    line = _counted(b, b.maximum(b.minimum(rows - down, columns - right), 0))
    return b.one("gather", x, line + down, line + right, axes=(x.rank - 2, x.rank - 1), position=x.rank - 2)


@writer("roll")
def roll(b: Builder, x: Tensor, shift: int, axis: int) -> Tensor:
    if None not in x.shape:
        return roll_by_places(b, x, shift, axis)
    extent = b.extent(x, axis)
    place = b.remainder(b.number(-shift, INT64), b.maximum(b.as_scalar(extent), 1))
    return b.one("concat", b.cut(x, axis, place, extent), b.cut(x, axis, 0, place), axis=axis)


@writer("tile")
def tile(b: Builder, x: Tensor, counts: tuple[int, ...]) -> Tensor:
    shape = tuple(None if extent is None else extent * n for extent, n in zip(x.shape, counts, strict=True))
    return b.make("Tile", [x, b.vector(counts)], x.type.with_shape(shape)) if counts else x


@writer("triu")
def triu(b: Builder, x: Tensor, k: int) -> Tensor:
    return _triangle(b, x, k, 1) if x.dtype in _CUT else any_triu(b, x, k)


@writer("tril")
def tril(b: Builder, x: Tensor, k: int) -> Tensor:
    return _triangle(b, x, k, 0) if x.dtype in _CUT else any_tril(b, x, k)


_CUT = tuple(map(np.dtype, (np.float32, np.float64, np.int64, np.bool_)))
"""What runtimes take triangles of."""


def _triangle(b: Builder, x: Tensor, k: int, upper: int) -> Tensor:
    return b.make("Trilu", [x, b.number(k, INT64)], x.type, upper=upper)


@writer("nonzero")
def nonzero(b: Builder, condition: Tensor) -> tuple[Tensor, Tensor]:
    """The places, behind which there are as many zeros as are missing."""
    found = b.make("NonZero", [condition], TensorType((1, None), INT64))
    places = b.squeeze(found, axes=(0,))
    count = b.dim(places, axis=0)
    missing = b.as_scalar(b.extent(condition, 0)) - count
    return b.joined([places, b.full([missing], 0, INT64)], 0), count
