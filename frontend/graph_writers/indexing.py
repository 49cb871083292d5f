"""Reading at places, in terms of gathers."""

from __future__ import annotations

import numpy as np

from ...dialect.emitter import INT64, Tensor
from .table import GraphBuilder, require_known, writer


def along(b: GraphBuilder, indices: Tensor, axis: int) -> list[Tensor]:
    """The places of elements that indices along one axis mean."""
    return [indices if other == axis else b.positions(indices, other) for other in range(indices.rank)]


@writer("take_along_axis")
def take_along_axis(b: GraphBuilder, x: Tensor, indices: Tensor, axis: int) -> Tensor:
    return b.one("gather", x, *along(b, indices, axis), axes=tuple(range(x.rank)), position=0)


@writer("find_out_of_bounds")
def find_out_of_bounds(b: GraphBuilder, indices: Tensor, extent: Tensor) -> tuple[Tensor, Tensor]:
    require_known(indices)
    outside = b.logical_or(b.less(indices, b.negative(extent)), b.greater_equal(indices, extent))
    axes = tuple(range(indices.rank))
    flat = b.reshaped(outside, [int(np.prod(indices.shape))])  # type: ignore[arg-type]
    if indices.rank == 0 or flat.shape == (0,):
        return b.any(outside, axes=axes, keepdims=False), b.select(
            outside, indices, 0
        ) if not axes else b.number(0, INT64)
    place = b.argmax(flat, axis=0, keepdims=False)
    first = b.gather(b.reshaped(indices, [flat.shape[0]]), place, axes=(0,), position=0)  # type: ignore[list-item]
    found = b.any(outside, axes=axes, keepdims=False)
    return found, b.select(found, first, 0)
