"""Factors of float32 as bfloat16, where that is wanted: tensor cores multiply them many times faster.

    %2 = linalg.contract ins(%x, %y : ...xf32, ...)    ->    %0 = linalg.generic ins(%x) { truncf }
                                                             %2 = linalg.contract ins(%0, %1 : ...xbf16, ...)

What makes a factor rounds it, as all elementwise work is joined; attention multiplies its weights so, too.
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.fusion.fuse_elementwise import FuseElementwise
from ....passes.lowering.conversion import Conversion
from ....passes.notes import note
from ....passes.rewriting import operations_of
from ...nests.emit import create
from ...planning.shapes import static_shape
from ...target import current
from .widened_factors import read_half, take_half, widening

_LEAST = 32
"""Of rows, columns and what is summed: to round more than that once takes less than to multiply it."""


@dataclass(frozen=True)
class ShortenProducts(Pass):
    """Round factors of float32 to bfloat16."""

    def run(self, module: Module, statistics: Statistics) -> None:
        gpu = current().gpu
        if gpu is None or gpu.float32_products != "bf16" or not gpu.asynchronous_copies:
            return
        halves: dict[Value, Value] = {}
        conversion = Conversion(module.body)
        for op in operations_of(module.operation):
            if op.name == "linalg.contract" and _is_large(op):
                for place, value in enumerate(list(op.operands)[:2]):
                    maker = widening(value)
                    if maker is not None and isinstance(maker.operands[0].type.element_type, ir.BF16Type):
                        read_half(op, place, maker)
                        continue
                    if value not in halves:
                        halves[value] = _rounded(value, conversion)
                    take_half(op, place, halves[value], op.attributes["indexing_maps"][place].value)
                note("algorithm", op.location, "is multiplied as bfloat16")
                statistics["products shortened"] += 1
        if halves:
            FuseElementwise().run(module, statistics)


def _is_large(op: Operation) -> bool:
    """Whether factors and sums are of float32, and each number of a factor is multiplied with many."""
    types = [operand.type for operand in op.operands]
    if not all(isinstance(type.element_type, ir.F32Type) for type in types):
        return False
    left, right, result = (
        {ir.AffineDimExpr(expression).position for expression in attribute.value.results}
        for attribute in op.attributes["indexing_maps"]
    )
    extents = {
        ir.AffineDimExpr(expression).position: extent
        for attribute, type in zip(op.attributes["indexing_maps"], types, strict=True)
        for expression, extent in zip(attribute.value.results, static_shape(type), strict=True)
    }
    lines = left - right, right - left, (left & right) - result
    return all(any((extents[dim] or _LEAST) >= _LEAST for dim in dims) for dims in lines)


def _rounded(value: Value, conversion: Conversion) -> Value:
    """A tensor of float32 as one of bfloat16, made where all who read it can use that."""
    owner, half = value.owner, ir.BF16Type.get()
    is_argument = isinstance(owner, ir.Block)
    place = (
        ir.InsertionPoint.at_block_begin(owner) if is_argument else ir.InsertionPoint.after(owner.operation)
    )
    shape = static_shape(value.type)
    with place, ir.Location.unknown() if is_argument else owner.operation.location:
        sizes = [
            create("tensor.dim", [ir.IndexType.get()], [value, conversion.index(axis)])
            for axis, extent in enumerate(shape)
            if extent is None
        ]
        empty = create("tensor.empty", [ir.RankedTensorType.get(value.type.shape, half)], sizes)
        (made,) = conversion.generic(
            [value],
            [empty],
            [ir.AffineMap.get_identity(len(shape))] * 2,
            ["parallel"] * len(shape),
            lambda number, _: [create("arith.truncf", [half], [number])],
        )
    return made
