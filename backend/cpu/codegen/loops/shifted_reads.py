"""How wide vectors are in loops that read an array at several places along a row, as stencils do.

Of such reads one at most is aligned; the others lie across two lines of the cache where vectors are as long as lines.
A processor that gets a vector in two halves then gets four, but three where vectors are half as long: only every second
one of them lies across lines.
"""

from __future__ import annotations

from .....dialect.mlir import Value, ir
from ....nests.independence import base
from ....nests.nest import Access, LoopNest
from ....target import processor
from ..vectors.width import vector_bytes


def bytes_along(nest: LoopNest, inner: int) -> int:
    """The size of the vectors for a loop of a nest."""
    shifted = processor().shifted_vector_bytes
    return shifted if shifted < vector_bytes() and _reads_shifted(nest, inner) else vector_bytes()


def _reads_shifted(nest: LoopNest, inner: int) -> bool:
    """Whether two inputs lie in one array, at different places along a loop."""
    places: dict[Value, set[int | Value]] = {}
    for access in nest.inputs:
        if not access.is_scalar and access.mentions(inner):
            places.setdefault(base(access.memref), set()).add(_place(access, inner))
    return any(len(found) > 1 for found in places.values())


def _place(access: Access, inner: int) -> int | Value:
    """Where an input begins along a loop: in the array that it is a part of, if that is known."""
    made = access.memref.owner
    if isinstance(made, ir.Block) or made.operation.name != "memref.subview":
        return 0
    view = made.operation
    loop = ir.AffineExpr.get_dim(inner)
    axes = [axis for axis, expression in enumerate(access.expressions) if expression == loop]
    offsets = list(view.attributes["static_offsets"])
    if len(axes) != 1 or len(offsets) != access.memref.type.rank or view.operands[0] != base(access.memref):
        return access.memref
    known = offsets[axes[0]]
    return access.memref if known == ir.ShapedType.get_dynamic_stride_or_offset() else int(known)
