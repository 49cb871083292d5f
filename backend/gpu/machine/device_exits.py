"""How threads of device kernels end early: `weft_exit`, which nobody defines, becomes a return, as on the host."""

from __future__ import annotations

from ....dialect.mlir import Module
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ...cpu.lowering.exits import return_at_exits


@dataclass(frozen=True)
class ExitDeviceKernels(Pass):
    """Turn every exit call of device kernels in the LLVM dialect into a return."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in module.body.operations:
            if view.operation.name == "gpu.module":
                statistics["exits"] += return_at_exits(view.operation.regions[0].blocks[0])
