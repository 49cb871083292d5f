"""Which passes the CPU backend has, by name; their modules are imported when a pass is asked for."""

from __future__ import annotations

from types import MappingProxyType

from ...passes.registry import PassTable

_BACKEND = __package__.rpartition(".")[0]

CPU_PASSES: PassTable = MappingProxyType(
    {
        "decide-comparisons": f"{_BACKEND}.ranges.decide:DecideComparisons",
        "expand-math": f"{_BACKEND}.functions.math_expansion:ExpandMath",
        "lower-to-llvm": f"{__package__}.lowering.to_llvm:LowerToLlvm",
        "outline-kernels": f"{_BACKEND}.planning.outline:OutlineKernels",
        "pack-operands": f"{__package__}.codegen.contractions.pack_operands:PackOperands",
        "plan-buffers": f"{_BACKEND}.planning.buffers:PlanBuffers",
        "schedule-kernels": f"{__package__}.codegen.kernels:ScheduleKernels",
        "share-kernels": f"{__package__}.codegen.sharing.kernels:ShareKernels",
        "vectorise-lanes": f"{__package__}.codegen.outer_loop_vectorization.lanes:VectoriseLanes",
        "split-parallel-loops": f"{__package__}.codegen.sharing.loops:SplitParallelLoops",
    }
)
