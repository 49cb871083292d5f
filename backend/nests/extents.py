"""How long loops are: whether as long as others, and how long at most, as far as is known."""

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


def longest(nest: LoopNest, dim: int) -> int | None:
    """How long a loop dimension is at most, by the arrays that operands are parts of; None if that is not known."""
    extent = nest.extents[dim]
    if isinstance(extent, int):
        return extent
    axes = ((access.memref, access.axis_of(dim)) for access in nest.accesses if not access.is_scalar)
    bounds = [_longest_axis(memref, axis) for memref, axis in axes if axis is not None]
    return min((bound for bound in bounds if bound is not None), default=None)


def _longest_axis(memref: Value, axis: int) -> int | None:
    """How long an axis of a memref is at most."""
    if not memref.type.is_dynamic_dim(axis):
        return int(memref.type.shape[axis])
    owner = memref.owner
    if isinstance(owner, ir.Block) or owner.operation.name not in ("memref.subview", "memref.cast"):
        return None
    view = owner.operation
    source = view.operands[0]
    if view.name == "memref.cast":
        return _longest_axis(source, axis) if isinstance(source.type, ir.MemRefType) else None
    sizes, steps = list(view.attributes["static_sizes"]), list(view.attributes["static_strides"])
    axes = range(len(sizes))
    kept = [a for a in axes if sizes[a] != 1] if memref.type.rank < len(sizes) else list(axes)
    if len(kept) != memref.type.rank or steps[kept[axis]] != 1:
        return None
    return _longest_axis(source, kept[axis])


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
