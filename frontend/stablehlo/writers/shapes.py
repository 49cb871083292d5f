"""Making tensors, and giving them other shapes."""

from __future__ import annotations

import numpy as np

from ....dialect.dtypes import is_half
from ....dialect.emitter import INT64, Tensor
from ....dialect.types import TensorType
from ...graph_writers.shapes import extents_of
from .table import Builder, integer, integers, writer


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


@writer("broadcast_to", "stretch")
def broadcast_to(b: Builder, x: Tensor, dims: tuple[Tensor, ...], shape: tuple[int, ...]) -> Tensor:
    added = len(shape) - x.rank
    return b.placed(x, extents_of(shape, dims), range(added, len(shape)))


@writer("concat")
def concat(b: Builder, x: Tensor, y: Tensor, axis: int) -> Tensor:
    return b.joined([x, y], axis)


@writer("pad")
def pad(b: Builder, x: Tensor, value: Tensor, low: tuple[int, ...], high: tuple[int, ...]) -> Tensor:
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
