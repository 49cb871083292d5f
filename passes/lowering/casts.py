"""Lowerings of the conversions between element types."""

from __future__ import annotations

from ...dialect.mlir import Value
from ...dialect.ops.casts import Bitcast, Cast
from .conversion import Conversion, OpInstance, lowers, scalar_type
from .scalar_casts import cast_scalar
from .scalars import ScalarBuilder


@lowers(Cast)
def lower_cast(c: Conversion, op: OpInstance) -> list[Value]:
    """Convert every element; nothing is done where the dtype stays."""
    source, target = op.operand_types[0].dtype, op.result_type.dtype
    if source == target:
        return list(op.operands)

    def body(x: Value) -> Value:
        return cast_scalar(c, x, source, target)

    return c.map_elements(op.operands, op.operand_types, op.result_types, body)


@lowers(Bitcast)
def lower_bitcast(c: Conversion, op: OpInstance) -> list[Value]:
    """Reinterpret every element; booleans are read as the byte they are in memory."""
    source, target = op.operand_types[0].dtype, op.result_type.dtype
    builder = ScalarBuilder(c, source)

    def body(x: Value) -> Value:
        if builder.kind == "b":
            return builder.op("arith.extui", x, result=scalar_type(target))
        return builder.bitcast(x, target)

    return c.map_elements(op.operands, op.operand_types, op.result_types, body)
