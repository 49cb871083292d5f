"""How kernels get tensor maps: as parameters that the driver copies, of which the kernel takes the address."""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ..code.kernel import TENSOR_MAPS

MAP_BYTES, MAP_ALIGNMENT = 128, 128
"""Of CUtensorMap as cuda.h has it since CUDA 13; before, its alignment was 64."""


@dataclass(frozen=True)
class PassTensorMaps(Pass):
    """Let device kernels in the LLVM dialect take tensor maps by value."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in module.body.operations:
            if view.operation.name != "gpu.module":
                continue
            for inner in view.operation.regions[0].blocks[0].operations:
                if TENSOR_MAPS in inner.operation.attributes:
                    statistics["tensor maps"] += _pass_by_value(inner.operation)


def _pass_by_value(function: Operation) -> int:
    maps = list(ir.DenseI64ArrayAttr(function.attributes[TENSOR_MAPS]))
    attributes = list(ir.ArrayAttr(function.attributes["arg_attrs"]))
    for number in maps:
        attributes[number] = ir.Attribute.parse(
            f"{{llvm.align = {MAP_ALIGNMENT} : i64, llvm.byval = !llvm.array<{MAP_BYTES} x i8>,"
            " nvvm.grid_constant}"
        )
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)
    return len(maps)
