"""Operands of extent 1 along a loop of extent 1 are addressed by that loop, as if there were more.

    affine_map<(d0, d1, d2) -> (d0, 0, d2)> of a tensor<8x1x64xf32>
    becomes affine_map<(d0, d1, d2) -> (d0, d1, d2)>

Attention to one row of queries then looks as that of several.
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import indexing_maps, operations_of


@dataclass(frozen=True)
class NameUnitLoops(Pass):
    """Address axes of extent 1 by the loops of extent 1 that they belong to."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in module.body.operations:
            for op in operations_of(function.operation):
                if op.name == "linalg.generic" and len(op.results) == 1:
                    statistics["maps changed"] += _name_loops(op)


def _name_loops(op: Operation) -> bool:
    maps = indexing_maps(op)
    extents = list(ir.RankedTensorType(op.results[0].type).shape)
    if maps[-1] != ir.AffineMap.get_identity(len(extents)):
        return False
    new = [_named(indexing, value, extents) for indexing, value in zip(maps, op.operands, strict=True)]
    if new == maps:
        return False
    op.attributes["indexing_maps"] = ir.ArrayAttr.get([ir.AffineMapAttr.get(indexing) for indexing in new])
    return True


def _named(indexing: ir.AffineMap, value: Value, extents: list[int]) -> ir.AffineMap:
    """The map with loops in the place of constants, where each axis and its loop have one element."""
    used = {e.position for e in indexing.results if isinstance(e, ir.AffineDimExpr)}
    results = []
    for axis, expression in enumerate(indexing.results):
        is_unit = isinstance(expression, ir.AffineConstantExpr) and value.type.shape[axis] == 1
        if is_unit and axis < len(extents) and extents[axis] == 1 and axis not in used:
            expression = ir.AffineDimExpr.get(axis)
        results.append(expression)
    return ir.AffineMap.get(indexing.n_dims, 0, results)
