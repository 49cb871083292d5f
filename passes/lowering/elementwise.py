"""Lowering of the elementwise ops: one `linalg.generic` each, around the arithmetic of `scalars.py`."""

from __future__ import annotations

import numpy as np

from ...dialect.mlir import Value
from ...dialect.op import OPS, Op
from .conversion import Conversion, OpInstance, lowers
from .emission import emit
from .scalar_comparisons import compare_mixed_signs
from .scalars import ScalarBuilder

_MIXED_SIGNS = {np.dtype(np.int64), np.dtype(np.uint64)}


def elementwise_ops() -> tuple[type[Op], ...]:
    """The ops of the families of functions of elements."""
    return tuple(
        op_class for op_class in OPS.values() if op_class.family in ("elementwise", "special", "overflow")
    )


@lowers(*elementwise_ops())
def lower_elementwise(c: Conversion, op: OpInstance) -> list[Value]:
    """Map the op's scalar arithmetic over the broadcast operands."""
    operand_dtypes = [t.dtype for t in op.operand_types]
    result_dtypes = [t.dtype for t in op.result_types]

    def body(*scalars: Value) -> list[Value]:
        if set(operand_dtypes) == _MIXED_SIGNS:
            builder = ScalarBuilder(c, operand_dtypes[0])
            return [compare_mixed_signs(builder, op.op_class, *scalars)]
        return emit(c, op.op_class, operand_dtypes, result_dtypes, *scalars)

    return c.map_elements(op.operands, op.operand_types, op.result_types, body)
