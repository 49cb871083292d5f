"""The functions between kernels, and which of them are called from outside only."""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, Value, ir
from ....passes.rewriting import defined_functions, operations_of
from ...planning.calls import is_function_call
from ...planning.names import is_kernel_name
from .kernel_variants import callee_of


def functions_between_kernels(module: Module) -> list[Operation]:
    """The functions with a body that are no kernels."""
    return [f.operation for f in defined_functions(module) if not is_kernel_name(f.name.value)]


def calls_between_kernels(module: Module) -> list[Operation]:
    """The calls that they make."""
    functions = functions_between_kernels(module)
    return [op for f in functions for op in operations_of(f) if op.name == "func.call"]


def entries_of(module: Module) -> set[Operation]:
    """Those that no function of the program calls: their rank-0 arguments are numbers that the host has."""
    called = {callee_of(op) for op in calls_between_kernels(module) if is_function_call(op)}
    functions = functions_between_kernels(module)
    return {f for f in functions if f.attributes["sym_name"].value not in called}


def is_host_argument(value: Value, entries: set[Operation]) -> bool:
    """Whether a value is an argument of rank 0 that comes from outside."""
    if not isinstance(value.owner, ir.Block) or not isinstance(value.type, ir.RankedTensorType):
        return False
    function = value.owner.owner.operation
    return bool(function.name == "func.func" and function in entries and value.type.rank == 0)
