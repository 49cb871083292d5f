"""Which passes the CPU backend has, by name; their modules are imported when a pass is asked for."""

from __future__ import annotations

from types import MappingProxyType

from ...passes.registry import PassTable

_BACKEND = __package__.rpartition(".")[0]
_CODEGEN, _LOWERING, _PLANNING = f"{__package__}.codegen", f"{__package__}.lowering", f"{_BACKEND}.planning"

CPU_PASSES: PassTable = MappingProxyType(
    {
        "annotate-functions": f"{_LOWERING}.annotate_functions:AnnotateFunctions",
        "branch-at-exits": f"{_LOWERING}.exits:BranchAtExits",
        "check-names": f"{_PLANNING}.check_names:CheckNames",
        "check-scratch": f"{_LOWERING}.check_scratch:CheckScratch",
        "choose-inlining": f"{_LOWERING}.inlining:ChooseInlining",
        "convert-copies": f"{_CODEGEN}.copies:ConvertCopies",
        "decide-comparisons": f"{_BACKEND}.ranges.decide:DecideComparisons",
        "expand-math": f"{_BACKEND}.functions.math_expansion:ExpandMath",
        "fence-streams": f"{_CODEGEN}.loops.streaming:FenceStreams",
        "join-products": f"{_CODEGEN}.contractions.join_products:JoinProducts",
        "join-stages": f"{_CODEGEN}.stages.join_stages:JoinStages",
        "keep-rolled": f"{_LOWERING}.rolled_loops:KeepRolled",
        "link-functions": f"{_LOWERING}.linkage:LinkFunctions",
        "link-runtime": f"{_LOWERING}.runtime:LinkRuntime",
        "link-shared-loops": f"{_LOWERING}.shared_loops:LinkSharedLoops",
        "lower-exits": f"{_LOWERING}.exits:LowerExits",
        "outline-kernels": f"{_PLANNING}.outline:OutlineKernels",
        "pack-operands": f"{_CODEGEN}.contractions.pack_operands:PackOperands",
        "pass-pointers": f"{_LOWERING}.parameters:PassPointers",
        "place-temporaries": f"{_CODEGEN}.deallocation:PlaceTemporaries",
        "plan-buffers": f"{_PLANNING}.buffers:PlanBuffers",
        "read-argument-table": f"{_LOWERING}.argument_table:ReadArgumentTable",
        "schedule-kernels": f"{_CODEGEN}.kernels:ScheduleKernels",
        "separate-updates": f"{_CODEGEN}.stencils:SeparateUpdates",
        "share-kernels": f"{_CODEGEN}.sharing.kernels:ShareKernels",
        "shorten-divisions": f"{_CODEGEN}.chained_divisions:ShortenDivisions",
        "shrink-temporaries": f"{_CODEGEN}.vectors.temporaries:ShrinkTemporaries",
        "split-blocks": f"{_LOWERING}.split_blocks:SplitBlocks",
        "split-parallel-loops": f"{_CODEGEN}.sharing.loops:SplitParallelLoops",
        "vectorize-outer-loops": f"{_CODEGEN}.outer_loop_vectorization.outer_loops:VectorizeOuterLoops",
        "version-stretches": f"{_PLANNING}.stretches:VersionStretches",
        "write-fourier-transforms": f"{_CODEGEN}.fourier.transforms:WriteFourierTransforms",
        "write-loop-calls": f"{_CODEGEN}.loop_calls:WriteLoopCalls",
        "write-random-numbers": f"{_CODEGEN}.random_numbers:WriteRandomNumbers",
        "write-small-matrices": f"{_CODEGEN}.stacks.small_matrices:WriteSmallMatrices",
        "write-sorts": f"{_CODEGEN}.sorting:WriteSorts",
    }
)
