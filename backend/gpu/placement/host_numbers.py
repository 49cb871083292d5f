"""Numbers that the host has go to kernels by value.

A scalar argument, or what the host computes of such, is no memory of the device: a kernel that takes it as a rank-0
tensor is given the number instead. Arguments of rank 0 that are only read as numbers then stay on the host
(`weft.on_host` of the function), and no copy is made of them.

    func.func private @kernel_0(%factor: tensor<f64>, ...)     ->     func.func private @kernel_0(%factor: f64, ...)
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, Value, dialect, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import is_unused
from ...planning.boundaries import kernel_functions
from ...planning.plan_attributes import ON_HOST
from .entries import calls_between_kernels, entries_of, is_host_argument
from .kernel_variants import callee_of, change_arguments, take_by_value


@dataclass(frozen=True)
class PassNumbersByValue(Pass):
    """Give numbers that the host has to kernels by value."""

    def run(self, module: Module, statistics: Statistics) -> None:
        entries = entries_of(module)
        kernels = kernel_functions(module)
        places = {
            call: tuple(_numbers_in(call, kernels[callee_of(call)], entries))
            for call in calls_between_kernels(module)
            if callee_of(call) in kernels
        }
        change_arguments(module, places, take_by_value)
        for call, chosen in places.items():
            _give_by_value(call, chosen)
            statistics["numbers by value"] += len(chosen)
        for function in entries:
            _note_host_arguments(function)


def _numbers_in(call: Operation, kernel: Operation, entries: set[Operation]) -> list[int]:
    """Which operands of a kernel are rank-0 tensors whose number the host has."""
    destinations = sum(isinstance(result.type, ir.RankedTensorType) for result in call.results)
    inputs = list(call.operands)[: len(call.operands) - destinations]
    arguments = kernel.regions[0].blocks[0].arguments
    return [
        place
        for place, value in enumerate(inputs)
        if _is_number(value, entries) and isinstance(arguments[place].type, ir.RankedTensorType)
    ]


def _is_number(value: Value, entries: set[Operation]) -> bool:
    if not isinstance(value.type, ir.RankedTensorType) or value.type.rank or _is_complex(value):
        return False
    if isinstance(value.owner, ir.Block):
        return is_host_argument(value, entries)
    return bool(value.owner.operation.name == "tensor.from_elements")


def _is_complex(value: Value) -> bool:
    return isinstance(value.type.element_type, ir.ComplexType)


def _give_by_value(call: Operation, places: tuple[int, ...]) -> None:
    with ir.InsertionPoint(call), call.location:
        for place in places:
            tensor = call.operands[place]
            if isinstance(tensor.owner, ir.Block):
                call.operands[place] = dialect("tensor").extract(tensor, [])
            else:
                maker = tensor.owner.operation
                call.operands[place] = maker.operands[0]
                if is_unused(maker):
                    maker.erase()


def _note_host_arguments(function: Operation) -> None:
    """Say which arguments of rank 0 are only read as numbers."""
    arguments = function.regions[0].blocks[0].arguments
    found = [
        number
        for number, argument in enumerate(arguments)
        if isinstance(argument.type, ir.RankedTensorType)
        and not argument.type.rank
        and all(use.owner.operation.name == "tensor.extract" for use in argument.uses)
    ]
    if found:
        function.attributes[ON_HOST] = ir.DenseI64ArrayAttr.get(found)
