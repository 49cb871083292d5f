"""Which passes the CPU backend has, by name; their modules are imported when a pass is asked for."""

from __future__ import annotations

from types import MappingProxyType

from ...passes.registry import PassTable

CPU_PASSES: PassTable = MappingProxyType(
    {
        "decide-comparisons": f"{__package__}.codegen.ranges.decide:DecideComparisons",
        "expand-math": f"{__package__}.codegen.vectors.math_expansion:ExpandMath",
        "lower-to-llvm": f"{__package__}.machine.to_llvm:LowerToLlvm",
        "outline-kernels": f"{__package__}.planning.outline:OutlineKernels",
        "pack-operands": f"{__package__}.codegen.contractions.pack_operands:PackOperands",
        "plan-buffers": f"{__package__}.planning.buffers:PlanBuffers",
        "schedule-kernels": f"{__package__}.codegen.kernels:ScheduleKernels",
        "share-kernels": f"{__package__}.codegen.sharing.kernels:ShareKernels",
        "vectorise-lanes": f"{__package__}.codegen.lanes.lanes:VectoriseLanes",
        "split-parallel-loops": f"{__package__}.codegen.sharing.loops:SplitParallelLoops",
    }
)
