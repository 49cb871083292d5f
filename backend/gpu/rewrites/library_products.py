"""Products of large matrices by cuBLAS, where it is wanted: those that no other kernel takes as a part of itself.

    %1 = linalg.contract ins(%a, %b : tensor<512x512xf16>, ...) outs(%zeros : tensor<512x512xf32>)
    %2 = linalg.generic ins(%1) { truncf }

becomes a `weft.call_library` of "cublas.product_nn" that gives float16 at once. Transposes are read as they are.
"""

from __future__ import annotations

import numpy as np

from ....dialect.dtypes import element_type
from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.records import dataclass
from ....dialect.types import TensorType
from ....passes.base import Pass, Statistics
from ....passes.lowering.lowered_emitter import LoweredEmitter
from ....passes.notes import note
from ....passes.rewriting import is_unused, operations_in, operations_of
from ...planning.outlining.clusters import JOINS
from ...planning.shapes import static_shape
from ...target import current

LEAST = 256
"""Of rows, columns and what is added up: smaller products are done before a library has begun."""
_DTYPES = {element_type(np.dtype(name)).mlir: np.dtype(name) for name in ("float16", "float32", "float64")}


@dataclass(frozen=True)
class CallProducts(Pass):
    """Turn products of large matrices into calls of cuBLAS, where that is wanted."""

    def run(self, module: Module, statistics: Statistics) -> None:
        gpu = current().gpu
        if gpu is None or "cublas" not in gpu.libraries:
            return
        for op in operations_of(module.operation):
            if op.name == "linalg.contract" and JOINS not in op.attributes:
                turns = _turns(op, gpu.float32_products)
                if turns is not None:
                    _rewrite(module, op, turns)
                    statistics["products by a library"] += 1


def _turns(op: Operation, float32: str) -> str | None:
    """Whether each factor is a matrix (n) or its transpose (t); None for what is left to kernels of our own."""
    a, b, result = (operand.type for operand in op.operands)
    kinds = [str(type.element_type) for type in (a, b, result)]
    if kinds == ["f32"] * 3 and float32 == "tf32":
        return None  # tensor cores are faster than all digits of cuBLAS
    if kinds not in (["f16", "f16", "f32"], ["f32"] * 3, ["f64"] * 3) or not _is_zero(op.operands[2]):
        return None
    left, right, whole = (
        [ir.AffineDimExpr(expression).position for expression in attribute.value.results]
        for attribute in op.attributes["indexing_maps"]
    )
    extents = dict(zip([*left, *right], [*static_shape(a), *static_shape(b)], strict=True))
    if len(whole) not in (2, 3) or len(extents) != len(whole) + 1:
        return None
    *stack, row, column = whole
    (added,) = extents.keys() - set(whole)
    if None in extents.values() or any((extents[dim] or 0) < LEAST for dim in (row, column, added)):
        return None
    ways = {
        "n": ([*stack, row, added], [*stack, added, column]),
        "t": ([*stack, added, row], [*stack, column, added]),
    }
    found = [
        turn
        for place, factor in enumerate((left, right))
        for turn, ordered in ways.items()
        if ordered[place] == factor
    ]
    return "".join(found) if len(found) == 2 else None


def _is_zero(value: Value) -> bool:
    """Whether a product begins with zeros."""
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != "linalg.fill":
        return False
    filled = value.owner.operation.operands[0]
    if isinstance(filled.owner, ir.Block) or filled.owner.operation.name != "arith.constant":
        return False
    return bool(ir.FloatAttr(filled.owner.operation.attributes["value"]).value == 0)


def _rewrite(module: Module, op: Operation, turns: str) -> None:
    """Replace a product, and what rounds it to halves."""
    rounding = _rounding(op)
    end = op if rounding is None else rounding
    result, emitter = end.results[0], LoweredEmitter(module)
    with ir.InsertionPoint(end), end.location:
        empty = ir.Operation.create("tensor.empty", results=[result.type]).results[0]
        a, b, made = (
            emitter.value(
                value, TensorType(tuple(static_shape(value.type)), _DTYPES[str(value.type.element_type)])
            )
            for value in (*list(op.operands)[:2], empty)
        )
        found, _ = emitter.call_library(a, b, made, updated=1, routine=f"cublas.product_{turns}")
    note("algorithm", op.location, "is multiplied by cublas")
    result.replace_all_uses_with(found.handle)
    for gone in dict.fromkeys((end, op)):
        gone.erase()


def _rounding(op: Operation) -> Operation | None:
    """What makes halves of a product, if that is all that becomes of it."""
    users = [use.owner.operation for use in op.results[0].uses]
    if len(users) != 1 or users[0].name != "linalg.generic":
        return None
    user = users[0]
    body = operations_in(user.regions[0].blocks[0])
    identity = ir.AffineMapAttr.get(ir.AffineMap.get_identity(op.results[0].type.rank))
    if [inner.name for inner in body] != ["arith.truncf", "linalg.yield"] or len(user.results) != 1:
        return None
    is_plain = all(attribute == identity for attribute in user.attributes["indexing_maps"])
    is_half = str(user.results[0].type.element_type) == str(op.operands[0].type.element_type)
    return user if is_plain and is_half and not is_unused(user) else None
