"""Which passes the CPU backend has, by name; their modules are imported when a pass is asked for."""

from __future__ import annotations

from types import MappingProxyType

from ...dialect.ops.random import FillRandom
from ...dialect.ops.shape import Stretch
from ...dialect.ops.sorting import Argsort, Partition, PartitionAt, Sort
from ...dialect.ops.ufunc_loops import CallLoop
from ...passes.registry import PassTable, entry

_BACKEND = __package__.rpartition(".")[0]
_CODEGEN, _LOWERING, _PLANNING = f"{__package__}.codegen", f"{__package__}.lowering", f"{_BACKEND}.planning"

CPU_PASSES: PassTable = MappingProxyType(
    {
        "annotate-functions": entry(f"{_LOWERING}.annotate_functions:AnnotateFunctions"),
        "branch-at-exits": entry(f"{_LOWERING}.exits:BranchAtExits"),
        "branch-at-negative-indices": entry(
            f"{_LOWERING}.negative_indices:BranchAtNegativeIndices", "llvm.select"
        ),
        "check-names": entry(f"{_PLANNING}.check_names:CheckNames"),
        "check-scratch": entry(f"{_LOWERING}.check_scratch:CheckScratch"),
        "choose-inlining": entry(f"{_LOWERING}.inlining:ChooseInlining"),
        "convert-copies": entry(f"{_CODEGEN}.copies:ConvertCopies", "memref.copy"),
        "decide-comparisons": entry(f"{_BACKEND}.ranges.decide:DecideComparisons", "scf.for", "scf.while"),
        "expand-math": entry(f"{_BACKEND}.functions.math_expansion:ExpandMath"),
        "fence-streams": entry(f"{_CODEGEN}.loops.streaming:FenceStreams"),
        "interleave-searches": entry(f"{_LOWERING}.interleaved_searches:InterleaveSearches", "scf.for"),
        "join-products": entry(f"{_CODEGEN}.contractions.join_products:JoinProducts", "linalg.contract"),
        "join-stages": entry(f"{_CODEGEN}.stages.join_stages:JoinStages"),
        "join-sums": entry(f"{_BACKEND}.nests.joined_sums:JoinSums", "linalg.generic"),
        "keep-rolled": entry(f"{_LOWERING}.rolled_loops:KeepRolled"),
        "link-functions": entry(f"{_LOWERING}.linkage:LinkFunctions"),
        "link-runtime": entry(f"{_LOWERING}.runtime:LinkRuntime"),
        "link-shared-loops": entry(f"{_LOWERING}.shared_loops:LinkSharedLoops"),
        "lower-exits": entry(f"{_LOWERING}.exits:LowerExits"),
        "outline-kernels": entry(f"{_PLANNING}.outlining.outline:OutlineKernels"),
        "pack-operands": entry(
            f"{_CODEGEN}.contractions.pack_operands:PackOperands",
            "linalg.contract",
            "linalg.conv_1d_nwc_wcf",
            "linalg.conv_2d_nhwc_hwcf",
            "linalg.conv_3d_ndhwc_dhwcf",
        ),
        "pass-pointers": entry(f"{_LOWERING}.parameters:PassPointers"),
        "place-temporaries": entry(f"{_CODEGEN}.deallocation:PlaceTemporaries"),
        "plan-buffers": entry(f"{_PLANNING}.buffers:PlanBuffers"),
        "read-argument-table": entry(f"{_LOWERING}.argument_table:ReadArgumentTable"),
        "schedule-kernels": entry(f"{_CODEGEN}.kernels:ScheduleKernels"),
        "separate-updates": entry(f"{_CODEGEN}.stencils:SeparateUpdates", "tensor.insert_slice"),
        "share-kernels": entry(f"{_CODEGEN}.sharing.kernels:ShareKernels"),
        "shorten-divisions": entry(f"{_CODEGEN}.chained_divisions:ShortenDivisions", "arith.divf"),
        "shrink-temporaries": entry(f"{_CODEGEN}.vectors.temporaries:ShrinkTemporaries"),
        "split-blocks": entry(f"{_LOWERING}.split_blocks:SplitBlocks"),
        "split-parallel-loops": entry(f"{_CODEGEN}.sharing.loops:SplitParallelLoops"),
        "stamp-kernels": entry(f"{_LOWERING}.stamps:StampKernels"),
        "tile-steps": entry(f"{_CODEGEN}.stages.tile_steps:TileSteps", "scf.for"),
        "vectorize-outer-loops": entry(
            f"{_CODEGEN}.outer_loop_vectorization.outer_loops:VectorizeOuterLoops", "scf.while"
        ),
        "version-stretches": entry(f"{_PLANNING}.outlining.stretches:VersionStretches", Stretch),
        "write-chains": entry(f"{_BACKEND}.nests.chained_writes:WriteChains", "scf.if"),
        "write-fourier-transforms": entry(f"{_CODEGEN}.fourier.transforms:WriteFourierTransforms", CallLoop),
        "write-loop-calls": entry(f"{_CODEGEN}.loop_calls:WriteLoopCalls", CallLoop),
        "write-random-numbers": entry(f"{_CODEGEN}.random_numbers:WriteRandomNumbers", FillRandom),
        "write-small-matrices": entry(f"{_CODEGEN}.stacks.small_matrices:WriteSmallMatrices", CallLoop),
        "write-sorts": entry(f"{_CODEGEN}.sorting:WriteSorts", Argsort, Partition, PartitionAt, Sort),
    }
)
