"""One `gpu.module` for all device kernels: what is done once for a module is most of a short kernel's cost.

gpu.module @kernel_0_device { gpu.func @kernel_0 }      gpu.module @kernel_0_device {
gpu.module @kernel_1_device { gpu.func @kernel_1 }        gpu.func @kernel_0
                                                          gpu.func @kernel_1 }
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import operations_of


@dataclass(frozen=True)
class JoinDeviceModules(Pass):
    """Move all device kernels into the first `gpu.module`, and let launches name it."""

    def run(self, module: Module, statistics: Statistics) -> None:
        first, *others = _device_modules(module) or [None]
        if not others:
            return
        assert first is not None
        for other in others:
            _move_into(first, other)
            other.erase()
        name = first.attributes["sym_name"].value
        for op in operations_of(module.operation):
            if op.name == "gpu.launch_func":
                kernel = ir.SymbolRefAttr(op.attributes["kernel"]).value[-1]
                op.attributes["kernel"] = ir.SymbolRefAttr.get([name, kernel])
        statistics["modules joined"] += len(others)


def _device_modules(module: Module) -> list[Operation]:
    return [view.operation for view in module.body.operations if view.operation.name == "gpu.module"]


def _move_into(first: Operation, other: Operation) -> None:
    """Move what a module has; tables and functions that kernels call are named by what they are, and kept once."""
    block = first.regions[0].blocks[0]
    known = {_name(view.operation) for view in block.operations}
    for view in list(other.regions[0].blocks[0].operations):
        op = view.operation
        if op.name == "gpu.func" or _name(op) not in known:
            block.append(op)


def _name(op: Operation) -> str:
    name: str = op.attributes["sym_name"].value
    return name
