"""Lowerings of complex numbers from and to their parts."""

from __future__ import annotations

from ...dialect.mlir import Value
from ...dialect.op import Op
from ...dialect.ops.complex_parts import Complex, Imag, Real
from .conversion import Conversion, OpInstance, lowers, scalar_type

_OPS: dict[type[Op], str] = {Complex: "complex.create", Real: "complex.re", Imag: "complex.im"}


@lowers(*_OPS)
def lower_parts(c: Conversion, op: OpInstance) -> list[Value]:
    """One op of the `complex` dialect for every element."""

    def body(*scalars: Value) -> Value:
        return c.operation(_OPS[op.op_class], scalars, [scalar_type(op.result_type.dtype)])

    return c.map_elements(op.operands, op.operand_types, op.result_types, body)
