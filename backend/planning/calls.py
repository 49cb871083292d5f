"""Which calls there are in a program."""

from __future__ import annotations

from ...dialect.mlir import Operation, ir
from .names import is_host_name, is_kernel_name


def is_function_call(op: Operation) -> bool:
    """Whether an op calls a function on arrays, or one of Python: neither a kernel nor a function of the C library."""
    if op.name != "func.call" or is_kernel_name(op.attributes["callee"].value):
        return False
    values = [*op.operands, *op.results]
    return not values or is_host_call(op) or any(isinstance(value.type, ir.ShapedType) for value in values)


def is_host_call(op: Operation) -> bool:
    """Whether an op calls Python."""
    return op.name == "func.call" and is_host_name(op.attributes["callee"].value)
