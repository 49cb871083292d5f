"""Numbers in kernels, which planned functions keep in tensors of rank 0, as numbers again.

    %1 = tensor.from_elements %0 : tensor<f32>                     %1 = linalg.fill ins(%0 : f32) ...
    %2 = linalg.generic ... ins(%1, %x : tensor<f32>, ...)   ->    %2 = linalg.generic ... ins(%0, %x : f32, ...)

A tensor of elements becomes memory, stores to it, and a copy to where the result belongs: three launches for a number.
What is filled is filled where it belongs, and what a nest takes as number needs no memory at all.
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, dialect, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import is_unused, operations_of
from ...planning.boundaries import kernel_functions


@dataclass(frozen=True)
class UnwrapNumbers(Pass):
    """Use numbers of kernels as numbers, not as tensors of rank 0."""

    def run(self, module: Module, statistics: Statistics) -> None:
        module.context.get_dialect_descriptor("linalg")
        for function in kernel_functions(module).values():
            made = [op for op in operations_of(function) if op.name == "tensor.from_elements"]
            for op in made:
                if len(op.operands) != 1:
                    continue
                statistics["numbers given to nests"] += _give_to_nests(op)
                statistics["numbers read"] += _give_to_reads(op)
                if is_unused(op):
                    op.erase()
                elif not isinstance(op.operands[0].type, ir.ComplexType):  # which upstream does not fill with
                    _fill(op)
                    statistics["numbers filled"] += 1


def _give_to_nests(op: Operation) -> int:
    """Replace what nests read of the tensor by its only element."""
    found = [
        (use.owner.operation, use.operand_number)
        for use in op.results[0].uses
        if use.owner.operation.name == "linalg.generic"
        and _is_number_of(use.owner.operation, use.operand_number)
    ]
    for nest, place in found:
        nest.operands[place] = op.operands[0]
    return len(found)


def _give_to_reads(op: Operation) -> int:
    """Replace what is read of the tensor by its only element: a loop that reads memory before it is no loop alone."""
    found = [
        use.owner.operation for use in op.results[0].uses if use.owner.operation.name == "tensor.extract"
    ]
    for read in found:
        read.results[0].replace_all_uses_with(op.operands[0])
        read.erase()
    return len(found)


def _is_number_of(nest: Operation, place: int) -> bool:
    """Whether an operand of a nest is an input of rank 0."""
    inputs = next(iter(nest.attributes["operandSegmentSizes"]))
    return place < inputs and not nest.attributes["indexing_maps"][place].value.results


def _fill(op: Operation) -> None:
    with ir.InsertionPoint(op), op.location:
        type = op.results[0].type
        empty = dialect("tensor").empty(list(type.shape), type.element_type)
        fill = dialect("linalg").fill(op.operands[0], outs=[empty])
    op.results[0].replace_all_uses_with(fill)
    op.erase()
