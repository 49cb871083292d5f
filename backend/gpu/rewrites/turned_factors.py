"""Bytes that are multiplied, in lines of what is summed: tensor cores take no others, and `ldmatrix` turns only halves.

    linalg.contract ins(%x, %y : (i, k), (k, j))    ->    %0 = linalg.generic ins(%y) : (k, j) to (j, k)
                                                          linalg.contract ins(%x, %0 : (i, k), (j, k))

What makes a factor turns it, as all elementwise work is joined.
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.fusion.fuse_elementwise import FuseElementwise
from ....passes.lowering.conversion import Conversion
from ....passes.notes import note
from ....passes.rewriting import indexing_maps, operations_of
from ...nests.emit import create
from ...planning.shapes import static_shape
from ...target import current
from .attention import positions

_LEAST = 64
"""Of rows, columns and what is summed: to turn more than that once takes less than to multiply it."""


@dataclass(frozen=True)
class TurnFactors(Pass):
    """Turn factors of bytes, so that what is summed lies side by side."""

    def run(self, module: Module, statistics: Statistics) -> None:
        gpu = current().gpu
        if gpu is None or not gpu.asynchronous_copies:
            return
        conversion = Conversion(module.body)
        before = statistics["factors turned"]
        for op in operations_of(module.operation):
            if _is_large_product(op):
                for place in range(2):
                    statistics["factors turned"] += _turn(op, place, conversion)
        if statistics["factors turned"] > before:
            FuseElementwise().run(module, statistics)


def _is_large_product(op: Operation) -> bool:
    """Whether an operation multiplies many bytes with many."""
    if op.name not in ("linalg.contract", "linalg.generic") or len(op.operands) != 3:
        return False
    byte = ir.IntegerType.get_signless(8)
    if any(value.type.element_type != byte for value in list(op.operands)[:2]):
        return False
    maps = indexing_maps(op)
    if not all(isinstance(each, ir.AffineDimExpr) for map in maps for each in map.results):
        return False
    left, right, result = map(set, positions(op))
    extents = {
        dim: extent
        for dims, value in zip(positions(op), op.operands, strict=True)
        for dim, extent in zip(dims, static_shape(value.type), strict=True)
    }
    lines = left - right, right - left, (left & right) - result
    return all(any((extents[dim] or _LEAST) >= _LEAST for dim in dims) for dims in lines)


def _turn(op: Operation, place: int, conversion: Conversion) -> bool:
    """Let a product read a factor in lines of what is summed."""
    dims, result = positions(op)[place], set(positions(op)[2])
    if dims[-1] not in result:
        return False
    value: Value = op.operands[place]
    order = sorted(range(len(dims)), key=lambda axis: (dims[axis] not in result, dims[axis], axis))
    shape = [value.type.shape[axis] for axis in order]
    with ir.InsertionPoint(op), op.location:
        sizes = [
            create("tensor.dim", [ir.IndexType.get()], [value, conversion.index(axis)])
            for axis in order
            if value.type.is_dynamic_dim(axis)
        ]
        type = ir.RankedTensorType.get(shape, value.type.element_type)
        of_value = ir.AffineMap.get(
            len(dims), 0, [ir.AffineDimExpr.get(order.index(a)) for a in range(len(dims))]
        )
        (turned,) = conversion.generic(
            [value],
            [create("tensor.empty", [type], sizes)],
            [of_value, ir.AffineMap.get_identity(len(dims))],
            ["parallel"] * len(dims),
            lambda byte, _: [byte],
        )
    op.operands[place] = turned
    maps = list(op.attributes["indexing_maps"])
    n_dims = indexing_maps(op)[place].n_dims
    turned_map = ir.AffineMap.get(n_dims, 0, [ir.AffineDimExpr.get(dims[axis]) for axis in order])
    maps[place] = ir.AffineMapAttr.get(turned_map)
    op.attributes["indexing_maps"] = ir.ArrayAttr.get(maps)
    note("algorithm", op.location, "reads bytes that are turned before")
    return True
