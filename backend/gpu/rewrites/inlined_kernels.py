"""Kernels that a kernel calls, as a loop does whose kernels were joined, become a part of it."""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.control_flow.structure import copy_of
from ....passes.rewriting import operations_in, operations_of
from ...planning.boundaries import kernel_functions
from ..placement.kernel_variants import callee_of


@dataclass(frozen=True)
class InlineKernels(Pass):
    """Put kernels that other kernels call in the place of the calls."""

    def run(self, module: Module, statistics: Statistics) -> None:
        kernels = kernel_functions(module)
        inlined: set[str] = set()
        for kernel in kernels.values():
            for op in operations_of(kernel):
                if op.name == "func.call" and callee_of(op) in kernels:
                    inlined.add(callee_of(op))
                    _inline(op, kernels[callee_of(op)])
        statistics["kernels inlined"] += len(inlined)
        calls = [op for op in operations_of(module.operation) if op.name == "func.call"]
        for name in inlined - {callee_of(call) for call in calls}:
            kernels[name].erase()


def _inline(call: Operation, kernel: Operation) -> None:
    block = kernel.regions[0].blocks[0]
    mapping = dict(zip(block.arguments, call.operands, strict=True))
    *ops, end = operations_in(block)
    with ir.InsertionPoint(call):
        for op in ops:
            copy_of(op, mapping)
    for result, value in zip(call.results, end.operands, strict=True):
        result.replace_all_uses_with(mapping.get(value, value))
    call.erase()
