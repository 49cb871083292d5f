"""Reading ahead: while the last nest over a row computes, the row that the first nest reads next comes to the cache.

The nests after the first work on a row that is in the cache, and memory would be idle meanwhile: the machine's own
prefetching does not go beyond a page, which is a row of 1024 floats.
"""

from __future__ import annotations

from .....dialect.mlir import ir
from ..emit import Emitter, Index
from .nest import Access, LoopNest, ReadAhead
from .temporaries import element_bytes

SMALLEST_BYTES = 1 << 19
"""Arrays up to this size are in the second-level cache, if anywhere."""


def read_ahead(group: list[LoopNest], dims: list[int], position: Index, emitter: Emitter) -> None:
    """Let the last nest that shares a loop ask for what the first reader of arguments reads in the next iteration."""
    last = group[-1]
    if all(all(nest.parallel) for nest in group) or not all(last.parallel) or len(last.free_dims()) != 1:
        return
    for first, rows in zip(group, dims, strict=True):
        found = _streams(first, last, rows)
        if found:
            extent = emitter.subtract(first.extents[rows], 1)
            points: list[Index] = [first.fixed.get(dim, 0) for dim in range(len(first.parallel))]
            points[rows] = emitter.minimum(emitter.add(position, 1), extent)
            (along,) = first.free_dims()
            last.ahead = [ReadAhead(access, points, along, first.extents[along]) for access in found]
            return


def _streams(first: LoopNest, last: LoopNest, rows: int) -> list[Access]:
    """The large arguments that a nest reads along rows of the length, as far as is known, of another nest's."""
    if len(first.free_dims()) != 1:
        return []
    (along,), (last_along,) = first.free_dims(), last.free_dims()
    lengths = first.extents[along], last.extents[last_along]
    if lengths[0] != lengths[1] and any(isinstance(length, int) for length in lengths):
        return []
    return [access for access in first.inputs if _is_long_stream(access, rows, along)]


def _is_long_stream(access: Access, rows: int, along: int) -> bool:
    """Whether an access reads a large argument of the kernel row by row."""
    if access.is_scalar or not isinstance(access.memref.owner, ir.Block):
        return False
    if access.axis_of(rows) is None or not access.is_contiguous_in(along):
        return False
    type = access.memref.type
    if not type.has_static_shape:
        return True
    elements = 1
    for size in type.shape:
        elements *= size
    return elements * element_bytes(type.element_type) > SMALLEST_BYTES
