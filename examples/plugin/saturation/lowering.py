"""What `saturate` is in arithmetic of one element; weft makes the loop around it."""

from weft.dialect.mlir import dialect
from weft.passes.lowering.conversion import lowers

from . import Saturate

arith = dialect("arith")


@lowers(Saturate)
def lower_saturate(c, op):
    """Two comparisons and two choices; both comparisons are false for NaN."""
    dtype = op.result_type.dtype

    def body(x):
        zero, one = c.constant(0, dtype), c.constant(1, dtype)
        low = arith.SelectOp(arith.CmpFOp(arith.CmpFPredicate.OLT, x, zero).result, zero, x).result
        return arith.SelectOp(arith.CmpFOp(arith.CmpFPredicate.OGT, x, one).result, one, low).result

    return c.map_elements(op.operands, op.operand_types, op.result_types, body)
