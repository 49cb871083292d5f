"""The path of the GPU backend, from linalg on tensors to device kernels in the dialects that PTX is made of.

Each line of a pipeline is one pass, of weft's or of upstream's, and says why it stands where it does. The function
between the kernels takes the path of the CPU backend, once its kernels are launches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from ...passes.managers import module_pipeline
from ...passes.pipeline import Step, parse_pipeline
from ...passes.registry import PassTable
from ..cpu.pipeline import ALL_PASSES as CPU_AND_SHARED
from .registry import GPU_PASSES


def _inside_modules(passes: Sequence[str]) -> str:
    return f"gpu.module({','.join(passes)})"


GPU_PIPELINES: Mapping[str, str] = MappingProxyType(
    {
        # linalg on tensors -> calls of kernels: stage "kernels"
        "linalg-to-device-kernels": module_pipeline(
            [
                "check-names",  # what is refused, is refused first
                "call-libraries",  # while what they need done before and after can be fused
                "draw-by-place",  # before it is looked what is computed where
                "widen-in-products",  # while what makes wider is no kernel of its own
                "turn-factors",  # bytes among these
                "shorten-products",  # what are halves already stays what it is
                "lift-attention",
                "name-unit-loops",  # as attention is told by how rows are addressed
                "recompute-products",  # so that nobody else asks for the scores of attention
                "join-attention",  # which reads the halves of products, too
                "call-products",  # of which attention is made no more
                "split-products",  # that are left
                "version-stretches",  # the passes that follow know nothing of arrays that may have to be repeated
                "join-searches",  # so that they read what is read before them together with it
                "fuse-siblings{mixed=true}",  # behind attention, whose scores nobody else may ask for
                "join-sums",  # before it is looked who follows them
                "join-followers",  # what siblings have become, too
                "outline-kernels{device=true}",  # from here on, each kernel is looked at once
                "store-number-results",  # of which the next pass keeps what it can
                "keep-numbers-on-device",  # while what is between kernels are values, and not memory
                "pass-numbers-by-value",  # what is left is the host's
            ]
        ),
        # tensors between kernels -> memory: stage "buffers"
        "kernels-to-device-buffers": module_pipeline(["plan-buffers{device=true}"]),
        # which kernel runs where: stage "placed"
        "buffers-to-placed": module_pipeline(
            [
                "place-kernels",
                "join-number-kernels",  # while only those take the record that raise
                "guard-kernels",  # where kernels of the device may raise
                "join-loops",  # while it can be seen what each kernel does
            ]
        ),
        # kernels -> launches of device kernels: stage "gpu"
        "placed-to-gpu": module_pipeline(
            [
                "lower-device-memory",  # what the host does itself, while its copies are copies
                "write-library-calls",  # on tensors, as sorts
                "write-device-sorts",  # those that become launches
                "write-sorts",  # on tensors still, as upstream's bufferisation does not know their ops
                "write-random-numbers",  # as sorts
                "write-loop-calls",
                "unwrap-numbers",  # which would be memory otherwise
                "func.func(linalg-generalize-named-ops)",  # one form to recognise
                "eliminate-empty-tensors",  # results are computed where they are stored
                "empty-tensor-to-alloc-tensor",
                "one-shot-bufferize{bufferize-function-boundaries=true allow-return-allocs-from-loops=true"
                " function-boundary-type-conversion=identity-layout-map}",
                "inline-kernels",  # behind bufferization, which would not see that they share memory
                "canonicalize",
                "cse",
                "convert-copies",  # copies are nests like others
                "decide-comparisons",  # indices that wrap or are clamped hide where iterations write
                "canonicalize",
                "join-stores",  # while it is not decided how loops are written that hand numbers on
                "schedule-device-kernels",
                _inside_modules(["convert-complex-to-standard"]),  # which asks for roots and magnitudes
                "expand-device-math",  # last, as schedules look for the functions that they know
                "canonicalize",  # sizes that nobody asks for
                "cse",
            ]
        ),
        # functions of the host -> calls of the driver, for the CPU backend to go on with
        "gpu-to-host": module_pipeline(
            [
                "copy-for-host-kernels",  # what launches nothing
                "lower-launches",
            ]
        ),
        # device kernels -> dialects of LLVM: stage "nvvm"
        "gpu-to-nvvm": module_pipeline(
            [
                "join-device-modules",  # so that what follows is begun once, and not for each kernel
                _inside_modules(
                    [
                        "convert-linalg-to-loops",  # what one thread does
                        "canonicalize",
                        "cse",
                        "loop-invariant-code-motion",
                        "convert-vector-to-scf{full-unroll=true}",
                        "convert-scf-to-cf",
                        "expand-strided-metadata",  # views become address arithmetic, at first as affine.apply
                        "lower-affine",
                        "arith-expand{include-bf16=true}",  # bfloat16 by integers, as on processors
                        "convert-math-to-llvm",  # roots and roundings are instructions; nothing else is left
                        "convert-complex-to-llvm",
                        "convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1}",
                        "canonicalize",
                        "cse",
                        "reconcile-unrealized-casts",
                    ]
                ),
                "pass-tensor-maps",
                _inside_modules(
                    ["convert-nvvm-to-llvm", "reconcile-unrealized-casts"]
                ),  # what is text of PTX
                "exit-device-kernels",
            ]
        ),
    }
)

ALL_PASSES: PassTable = MappingProxyType({**CPU_AND_SHARED, **GPU_PASSES})
"""The passes that these pipelines may name."""


@lru_cache
def steps_of(pipeline: str) -> Sequence[Step]:
    """The steps of a pipeline."""
    return parse_pipeline(GPU_PIPELINES[pipeline], passes=ALL_PASSES)
