"""Values that loops count, which are constants where the loop is unrolled."""

from __future__ import annotations

from typing import Any

from ...dialect.mlir import ir
from ...dialect.ops.creation import Constant
from ...dialect.ops.elementwise import Add, Multiply

_COUNTING = {
    "arith.index_cast",
    "arith.constant",
    "tensor.from_elements",
    *(op_class.mlir_name() for op_class in (Constant, Add, Multiply)),
}


def is_counted(value: Any) -> bool:
    """Whether a value is computed of counters and constants."""
    if isinstance(value, ir.BlockArgument):
        return str(value.type) == "index"
    operation = value.owner
    return operation.name in _COUNTING and all(map(is_counted, operation.operands))
