"""Lowerings of complex numbers from and to their parts."""

from __future__ import annotations

from ...dialect.mlir import Value
from ...dialect.ops.complex_parts import Complex, Imag, Real
from .conversion import Conversion, OpInstance, lowers, scalar_type


@lowers(Complex, Real, Imag)
def lower_parts(c: Conversion, op: OpInstance) -> list[Value]:
    """One op of the `complex` dialect for every element."""
    mlir_name = {Complex: "complex.create", Real: "complex.re", Imag: "complex.im"}[op.op_class]

    def body(*scalars: Value) -> Value:
        return c.operation(mlir_name, scalars, [scalar_type(op.result_type.dtype)])

    return c.map_elements(op.operands, op.operand_types, op.result_types, body)
