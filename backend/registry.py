"""The passes of the backends by name, for weft-opt; a compilation runs them without looking them up."""

from __future__ import annotations

from types import MappingProxyType

from ..passes.registry import PassTable

PASSES: PassTable = MappingProxyType(
    {
        "outline-kernels": f"{__package__}.cpu.outline:OutlineKernels",
        "plan-buffers": f"{__package__}.cpu.buffers:PlanBuffers",
    }
)
