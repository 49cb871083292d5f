"""Lowerings of the ops that keep the elements in order: they cost nothing but for a source with gaps."""

from __future__ import annotations

from collections.abc import Sequence

from ...dialect.mlir import Value, dialect, ir
from ...dialect.ops.shape import ExpandDims, Reshape, Squeeze
from ..index_arithmetic import Extent
from ..rewriting import reassociation
from .conversion import Conversion, OpInstance, lowers
from .regions import scalar_tensor

tensor = dialect("tensor")

_DYNAMIC = ir.ShapedType.get_dynamic_size()

Groups = Sequence[Sequence[int]]
"""For every axis of the lower rank, the axes of the higher rank that it merges."""


def collapse(x: Value, groups: Groups) -> Value:
    """Merge groups of neighbouring axes."""
    source = ir.RankedTensorType(x.type)
    shape = []
    for group in groups:
        extent = 1
        for axis in group:
            known = not source.is_dynamic_dim(axis)
            extent = extent * source.shape[axis] if known and extent != _DYNAMIC else _DYNAMIC
        shape.append(extent)
    if len(shape) == source.rank:
        return x
    result = ir.RankedTensorType.get(shape, source.element_type)
    attributes = {"reassociation": reassociation(groups)}
    return ir.Operation.create("tensor.collapse_shape", [result], [x], attributes).results[0]


def expand(x: Value, groups: Groups, extents: Sequence[Extent]) -> Value:
    """Split axes into groups of axes with the extents."""
    source = ir.RankedTensorType(x.type)
    if len(extents) == source.rank:
        return x
    static = [extent if isinstance(extent, int) else _DYNAMIC for extent in extents]
    dynamic = [extent for extent in extents if not isinstance(extent, int)]
    result = ir.RankedTensorType.get(static, source.element_type)
    attributes = {
        "reassociation": reassociation(groups),
        "static_output_shape": ir.DenseI64ArrayAttr.get(static),
    }
    return ir.Operation.create("tensor.expand_shape", [result], [x, *dynamic], attributes).results[0]


def _groups_around(unit_axes: Sequence[int], rank: int) -> list[list[int]]:
    """Group the axes of a rank so that every axis of extent 1 goes with a neighbour."""
    groups: list[list[int]] = []
    leading: list[int] = []
    for axis in range(rank):
        if axis not in unit_axes:
            groups.append([*leading, axis])
            leading = []
        elif groups:
            groups[-1].append(axis)
        else:
            leading.append(axis)
    return groups


@lowers(ExpandDims)
def lower_expand_dims(c: Conversion, op: OpInstance) -> Value:
    """Split axes of extent 1 off their neighbours."""
    (x,) = op.operands
    axes = op.attributes["axes"]
    rank = op.result_type.rank
    kept = iter(c.extents(x))
    extents = [1 if axis in axes else next(kept) for axis in range(rank)]
    return expand(x, _groups_around(axes, rank), extents)


@lowers(Squeeze)
def lower_squeeze(c: Conversion, op: OpInstance) -> Value:
    """Merge axes of extent 1 with their neighbours; what has rank 0 then is read as a scalar."""
    (x,) = op.operands
    axes = op.attributes["axes"]
    if axes and op.result_type.rank == 0:
        return scalar_tensor(tensor.ExtractOp(x, [c.index(0)] * len(axes)).result)
    return collapse(x, _groups_around(axes, op.operand_types[0].rank))


@lowers(Reshape)
def lower_reshape(c: Conversion, op: OpInstance) -> Value:
    """Move the axes of extent 1 where that is all, else merge all axes into one and split that."""
    x, *dims = op.operands
    before, after = op.operand_types[0].shape, op.result_type.shape
    told = c.target_extents(op.attributes["shape"], dims)
    extents = [extent if known is None else known for extent, known in zip(told, after, strict=True)]
    if before == after and before.count(None) <= 1:
        return x
    if not after:
        return scalar_tensor(tensor.ExtractOp(x, [c.index(0)] * len(before)).result)
    if not before:
        return expand(x, [], extents)
    unit_before = [axis for axis, extent in enumerate(before) if extent == 1]
    unit_after = [axis for axis, extent in enumerate(after) if extent == 1]
    kept = [extent for extent in before if extent != 1]
    if kept and kept == [extent for extent in after if extent != 1] and kept.count(None) <= 1:
        merged = collapse(x, _groups_around(unit_before, len(before)))
        sizes = iter(c.extents(merged))
        extents = [1 if axis in unit_after else next(sizes) for axis in range(len(after))]
        return expand(merged, _groups_around(unit_after, len(after)), extents)
    flat = collapse(x, [range(len(before))])
    return expand(_with_size(flat, op), [range(len(after))], extents)


def _with_size(flat: Value, op: OpInstance) -> Value:
    """The flat tensor with a static extent exactly where all extents of the result are static."""
    size = op.result_type.size
    flat_type = ir.RankedTensorType(flat.type)
    wanted = ir.RankedTensorType.get([_DYNAMIC if size is None else size], flat_type.element_type)
    return flat if flat_type == wanted else tensor.CastOp(wanted, flat).result
