"""Elementary functions inside of device kernels: weft's own, which have the same bits on every machine."""

from __future__ import annotations

from typing import ClassVar

from ...dialect.mlir import Module
from ...dialect.records import dataclass
from ...passes.base import Pass, Statistics
from ..functions.math_expansion import expand_math


@dataclass(frozen=True)
class ExpandDeviceMath(Pass):
    """Replace elementary functions in the modules of device kernels by arithmetic."""

    name: ClassVar[str] = "expand-device-math"
    summary: ClassVar[str] = "replace elementary functions in device kernels by arithmetic"

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in module.body.operations:
            if view.operation.name == "gpu.module":
                statistics["functions expanded"] += expand_math(view.operation)
