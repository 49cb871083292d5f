"""Whether loops have the same length, as far as is known."""

from __future__ import annotations

from ...dialect.mlir import Value, ir
from ...passes.rewriting import constant_integer
from .emit import Index
from .nest import LoopNest


def same_extent(left: LoopNest, left_dim: int, right: LoopNest, right_dim: int) -> bool:
    """Whether two loop dimensions have the same size, as far as is known."""
    if _same(left.extents[left_dim], right.extents[right_dim]):
        return True
    return any(
        a.memref == b.memref and a.axis_of(left_dim) == b.axis_of(right_dim) is not None
        for a in left.accesses
        for b in right.accesses
        if not a.is_scalar and not b.is_scalar
    )


def _same(left: Index, right: Index) -> bool:
    if isinstance(left, int) or isinstance(right, int):
        return isinstance(left, int) and isinstance(right, int) and left == right
    if left == right:
        return True
    sources = [_size_source(value) for value in (left, right)]
    return sources[0] is not None and sources[0] == sources[1]


def _size_source(value: Value) -> tuple[Value, int] | None:
    """The memref and axis that a `memref.dim` reads."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "memref.dim":
        return None
    memref, axis = owner.operation.operands
    number = constant_integer(axis)
    return None if number is None else (memref, number)
