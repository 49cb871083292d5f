"""Merging neighbouring dimensions of loop nests: one long loop has a shorter tail than many short ones."""

from __future__ import annotations

from collections.abc import Sequence

from ...dialect.mlir import Value, ir
from ...passes.rewriting import reassociation
from .emit import Emitter, create
from .nest import Access, LoopNest, memref_size


def collapse_dims(nests: Sequence[LoopNest], emitter: Emitter) -> None:
    """Merge the dimensions that all nests run over contiguously, in all of them.

    Views of the operands go to the insertion point. Nothing happens to nests that ask for their position. Single
    elements, such as what a reduction of a whole array starts from, have no dimensions to share.
    """
    nests = [nest for nest in nests if nest.parallel]
    if not nests or any(nest.uses_index() for nest in nests):
        return
    views: dict[tuple[Value, int], Value] = {}
    dim = 0
    while dim + 1 < min(len(nest.parallel) for nest in nests):
        if all(_collapsible(nest, dim) for nest in nests):
            for nest in nests:
                _collapse(nest, dim, emitter, views)
        else:
            dim += 1


def _collapsible(nest: LoopNest, dim: int) -> bool:
    if nest.parallel[dim] != nest.parallel[dim + 1]:
        return False
    return all(_access_collapsible(access, dim) for access in nest.accesses)


def _access_collapsible(access: Access, dim: int) -> bool:
    if access.is_scalar or not (access.mentions(dim) or access.mentions(dim + 1)):
        return True
    axis = access.axis_of(dim)
    if axis is None or access.axis_of(dim + 1) != axis + 1:
        return False
    return is_identity_layout(access.memref.type)


def is_identity_layout(type: ir.MemRefType) -> bool:
    """Whether the elements lie in row-major order without gaps."""
    return bool(type.affine_map == ir.AffineMap.get_identity(type.rank))


def _collapse(nest: LoopNest, dim: int, emitter: Emitter, views: dict[tuple[Value, int], Value]) -> None:
    for access in nest.accesses:
        axis = access.axis_of(dim)
        if axis is not None:
            key = (access.memref, axis)
            if key not in views:
                views[key] = _collapsed_memref(access.memref, axis, emitter)
            access.memref = views[key]
            del access.expressions[axis + 1]
        access.expressions = [_without(expression, dim + 1) for expression in access.expressions]
    nest.extents[dim] = emitter.multiply(nest.extents[dim], nest.extents[dim + 1])
    del nest.extents[dim + 1], nest.parallel[dim + 1]


def _without(expression: ir.AffineExpr, gone: int) -> ir.AffineExpr:
    """An expression in the dimensions that remain after `gone`, which it does not use."""
    if isinstance(expression, ir.AffineDimExpr):
        return ir.AffineExpr.get_dim(expression.position - int(expression.position > gone))
    if isinstance(expression, ir.AffineConstantExpr):
        return expression
    return type(expression).get(_without(expression.lhs, gone), _without(expression.rhs, gone))


def _collapsed_memref(memref: Value, axis: int, emitter: Emitter) -> Value:
    """A view of the memref with two axes merged."""
    type = memref.type
    sizes = [
        memref_size(memref, a) if type.is_dynamic_dim(a) else int(type.shape[a]) for a in range(type.rank)
    ]
    sizes[axis : axis + 2] = [emitter.multiply(sizes[axis], sizes[axis + 1])]
    dynamic = ir.ShapedType.get_dynamic_size()
    shape = [size if isinstance(size, int) else dynamic for size in sizes]
    merged = ir.MemRefType.get(shape, type.element_type, memory_space=type.memory_space)
    groups = [[a + (a > axis)] for a in range(type.rank - 1)]
    groups[axis] = [axis, axis + 1]
    return create("memref.collapse_shape", [merged], [memref], {"reassociation": reassociation(groups)})
