"""What the buffer plan takes: functions on tensors whose arrays kernels make, as outline-kernels leaves them."""

from __future__ import annotations

from ...dialect.mlir import Module, Operation, Type, ir
from ...passes.preconditions import is_array, is_tensor, refuse, require_interfaces
from ...passes.rewriting import operations_of, symbols_of, terminator
from .calls import is_function_call, is_host_call
from .names import is_kernel_name
from .outlining.outline import entry_functions
from .plan_attributes import PLAN

_DESTINATIONS = "bufferization.materialize_in_destination"


def require_plannable(module: Module) -> None:
    """Refuse functions, calls and kernels of another form, with a diagnostic at the op."""
    require_interfaces(
        module, _is_planned, is_array, "memory is planned for functions on tensors and memrefs only"
    )
    functions = symbols_of(module)
    for function in entry_functions(module):
        if PLAN in function.attributes:
            refuse(function, "the memory of this function is planned")
        for operation in operations_of(function):
            if operation.name == "func.return":
                _require_tensors(operation)
            elif operation.name == "func.call":
                _require_callee(operation, functions)
    for name, kernel in functions.items():
        if kernel.name == "func.func" and is_kernel_name(name) and kernel.regions[0].blocks:
            _require_destinations(kernel)


def _is_planned(function: Operation) -> bool:
    name = function.attributes["sym_name"].value
    return bool(function.regions[0].blocks) and not is_kernel_name(name)


def _require_tensors(operation: Operation) -> None:
    for value in operation.operands:
        if not is_tensor(value.type):
            refuse(operation, f"a function returns tensors where memory is planned, not {value.type}")


def _require_callee(call: Operation, functions: dict[str, Operation]) -> None:
    name = call.attributes["callee"].value
    callee = functions.get(name)
    if is_function_call(call) and not is_host_call(call) and (callee is None or not callee.regions[0].blocks):
        refuse(call, f"@{name} has no body, so that it is not known how it takes arrays")
    if is_kernel_name(name) and (callee is None or not callee.regions[0].blocks):
        refuse(call, f"the kernel @{name} has no body")


def _require_destinations(kernel: Operation) -> None:
    """A kernel stores each tensor that it returns to one of its last arguments."""
    block = kernel.regions[0].blocks[0]
    results = [value for value in terminator(block).operands if is_tensor(value.type)]
    arguments = list(block.arguments)
    if len(results) > len(arguments):
        refuse(kernel, "a kernel has an argument for each tensor that it returns: run --outline-kernels")
    for value, argument in zip(results, arguments[len(arguments) - len(results) :], strict=True):
        owner = value.owner
        is_stored = not isinstance(owner, ir.Block) and owner.operation.name == _DESTINATIONS
        if not is_stored or not _fits(argument.type, value.type):
            refuse(kernel, "a kernel stores what it returns to its last arguments: run --outline-kernels")


def _fits(destination: Type, result: Type) -> bool:
    return isinstance(destination, ir.RankedTensorType) and destination.element_type == result.element_type
