"""Which passes the CPU backend has, by name; their modules are imported when a pass is asked for."""

from __future__ import annotations

from types import MappingProxyType

from ...passes.registry import Entry, PassTable

_BACKEND = __package__.rpartition(".")[0]
_CODEGEN, _LOWERING, _PLANNING = f"{__package__}.codegen", f"{__package__}.lowering", f"{_BACKEND}.planning"

CPU_PASSES: PassTable = MappingProxyType(
    {
        "annotate-functions": Entry(f"{_LOWERING}.annotate_functions:AnnotateFunctions"),
        "branch-at-exits": Entry(f"{_LOWERING}.exits:BranchAtExits"),
        "check-names": Entry(f"{_PLANNING}.check_names:CheckNames"),
        "check-scratch": Entry(f"{_LOWERING}.check_scratch:CheckScratch"),
        "choose-inlining": Entry(f"{_LOWERING}.inlining:ChooseInlining"),
        "convert-copies": Entry(f"{_CODEGEN}.copies:ConvertCopies", frozenset({"memref.copy"})),
        "decide-comparisons": Entry(
            f"{_BACKEND}.ranges.decide:DecideComparisons", frozenset({"scf.for", "scf.while"})
        ),
        "expand-math": Entry(f"{_BACKEND}.functions.math_expansion:ExpandMath"),
        "fence-streams": Entry(f"{_CODEGEN}.loops.streaming:FenceStreams"),
        "join-products": Entry(
            f"{_CODEGEN}.contractions.join_products:JoinProducts", frozenset({"linalg.contract"})
        ),
        "join-stages": Entry(f"{_CODEGEN}.stages.join_stages:JoinStages"),
        "keep-rolled": Entry(f"{_LOWERING}.rolled_loops:KeepRolled"),
        "link-functions": Entry(f"{_LOWERING}.linkage:LinkFunctions"),
        "link-runtime": Entry(f"{_LOWERING}.runtime:LinkRuntime"),
        "link-shared-loops": Entry(f"{_LOWERING}.shared_loops:LinkSharedLoops"),
        "lower-exits": Entry(f"{_LOWERING}.exits:LowerExits"),
        "outline-kernels": Entry(f"{_PLANNING}.outline:OutlineKernels"),
        "pack-operands": Entry(
            f"{_CODEGEN}.contractions.pack_operands:PackOperands",
            frozenset({"linalg.contract", "linalg.conv_2d_nhwc_hwcf"}),
        ),
        "pass-pointers": Entry(f"{_LOWERING}.parameters:PassPointers"),
        "place-temporaries": Entry(f"{_CODEGEN}.deallocation:PlaceTemporaries"),
        "plan-buffers": Entry(f"{_PLANNING}.buffers:PlanBuffers"),
        "read-argument-table": Entry(f"{_LOWERING}.argument_table:ReadArgumentTable"),
        "schedule-kernels": Entry(f"{_CODEGEN}.kernels:ScheduleKernels"),
        "separate-updates": Entry(f"{_CODEGEN}.stencils:SeparateUpdates", frozenset({"tensor.insert_slice"})),
        "share-kernels": Entry(f"{_CODEGEN}.sharing.kernels:ShareKernels"),
        "shorten-divisions": Entry(
            f"{_CODEGEN}.chained_divisions:ShortenDivisions", frozenset({"arith.divf"})
        ),
        "shrink-temporaries": Entry(f"{_CODEGEN}.vectors.temporaries:ShrinkTemporaries"),
        "split-blocks": Entry(f"{_LOWERING}.split_blocks:SplitBlocks"),
        "split-parallel-loops": Entry(f"{_CODEGEN}.sharing.loops:SplitParallelLoops"),
        "vectorize-outer-loops": Entry(
            f"{_CODEGEN}.outer_loop_vectorization.outer_loops:VectorizeOuterLoops", frozenset({"scf.while"})
        ),
        "version-stretches": Entry(f"{_PLANNING}.stretches:VersionStretches", frozenset({"weft.stretch"})),
        "write-fourier-transforms": Entry(
            f"{_CODEGEN}.fourier.transforms:WriteFourierTransforms", frozenset({"weft.call_loop"})
        ),
        "write-loop-calls": Entry(f"{_CODEGEN}.loop_calls:WriteLoopCalls", frozenset({"weft.call_loop"})),
        "write-random-numbers": Entry(
            f"{_CODEGEN}.random_numbers:WriteRandomNumbers", frozenset({"weft.fill_random"})
        ),
        "write-small-matrices": Entry(
            f"{_CODEGEN}.stacks.small_matrices:WriteSmallMatrices", frozenset({"weft.call_loop"})
        ),
        "write-sorts": Entry(
            f"{_CODEGEN}.sorting:WriteSorts", frozenset({"weft.argsort", "weft.partition", "weft.sort"})
        ),
    }
)
