"""The path of the CPU backend, from linalg on tensors to the assembly that LLVM reads, in the order in which it runs.

Each line of a pipeline is one pass, of weft's or of upstream's, and says why it stands where it does. What passes tell
those that follow are attributes of functions: a pass that `weft-opt` runs alone does the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from ...dialect.mlir import Module
from ...passes.base import TextPass
from ...passes.managers import module_pipeline
from ...passes.pipeline import Step, parse_pipeline
from ...passes.registry import PASSES, PassTable
from ...passes.rewriting import names_of_ops
from .registry import CPU_PASSES

_SIMPLIFY = "canonicalize{max-iterations=1}"
"""A second round would find that there is nothing left to do."""

CPU_PIPELINES: Mapping[str, str] = MappingProxyType(
    {
        # linalg on tensors -> calls of kernels: stage "kernels"
        "linalg-to-kernels": module_pipeline(
            [
                "check-names",  # what is refused, is refused first
                "version-stretches",  # the passes that follow know nothing of arrays that may have to be repeated
                "tile-steps",  # while an update is one op
                "pack-operands",  # while loops and constants are still around the contractions
                "join-stages",  # while the ops that read each other's results are in one function
                "fuse-siblings{max-ops=64}",  # stages are scheduled one by one; longer nests spill registers
                "join-sums{widened=false}",  # before it is looked what shares a kernel
                "outline-kernels",  # from here on, each kernel is looked at once
                "join-products",  # of kernels, as these have what follows a product
            ]
        ),
        # tensors between kernels -> memory: stage "buffers"
        "kernels-to-buffers": module_pipeline(
            [
                "vectorize-outer-loops",  # while what iterations carry are values, and not memory
                "plan-buffers",
            ]
        ),
        # kernels -> loops and vector code: stage "loops"
        "buffers-to-loops": module_pipeline(
            [
                "write-sorts",  # on tensors still, as upstream's bufferisation does not know their ops
                "write-random-numbers",  # as sorts
                "write-fourier-transforms",  # as small matrices
                "write-small-matrices",  # some of the calls that the next pass writes
                "write-loop-calls",
                "func.func(linalg-generalize-named-ops)",  # one form to recognise
                "separate-updates",
                "write-chains",  # before upstream's bufferisation, whose time doubles with each branch
                "eliminate-empty-tensors",  # results are computed where they are stored
                "empty-tensor-to-alloc-tensor",
                "one-shot-bufferize{bufferize-function-boundaries=true allow-return-allocs-from-loops=true"
                " function-boundary-type-conversion=identity-layout-map}",
                "canonicalize",
                "cse",
                "convert-copies",  # copies are nests like others
                "schedule-kernels",
                "shrink-temporaries",  # before loops move to functions of their own: what an iteration needs is its own
                "split-parallel-loops",
                "share-kernels",  # kernels whose loops are shared are not
                "place-temporaries",  # behind the two: memory is per thread
                "fence-streams",  # upstream's passes that free memory refuse ops of unknown effects
                "decide-comparisons",
                "shorten-divisions",  # when equal indices are equal values
                "expand-math",  # last, as the passes before know nothing of the intrinsic functions in it
            ]
        ),
        # between the LLVM dialect and its text, where debuggers are to know lines
        "debug-scopes": module_pipeline(
            ["ensure-debug-info-scope-on-llvm-func{emission-kind=LineTablesOnly}"]
        ),
        # loops -> the LLVM dialect: stage "llvm-dialect"
        "loops-to-llvm": module_pipeline(
            [
                "choose-inlining",  # while loops are loops
                "keep-rolled",  # by what is inlined
                "interleave-searches",  # which stay rolled, too
                "pass-pointers",  # upstream's conversion follows it
                "check-scratch",  # functions that share loops are divided by now; what ends them follows
                "branch-at-exits",
                "convert-linalg-to-loops",  # what no schedule took
                _SIMPLIFY,
                "cse",
                "loop-invariant-code-motion",  # masks and addresses out of the inner loops
                "convert-vector-to-scf{full-unroll=true}",
                "split-blocks",  # right before branches become jumps, which takes long in long blocks
                "convert-scf-to-cf",
                "expand-strided-metadata",  # views become address arithmetic, at first as affine.apply
                "lower-affine",
                "convert-complex-to-standard",
                "arith-expand{include-bf16=true}",  # bfloat16 by integers: there is no __truncsfbf2 to call
                "convert-math-to-llvm",
                "convert-math-to-libm",
                "convert-complex-to-llvm",
                "convert-vector-to-llvm{force-32bit-vector-indices=true}",
                "finalize-memref-to-llvm{use-aligned-alloc=true use-generic-functions=true}",
                "convert-to-llvm",
                "reconcile-unrealized-casts",
                _SIMPLIFY,
                "cse",
                "annotate-functions",  # before there are functions whose arguments may overlap
                "link-shared-loops",
                "stamp-kernels",  # when all that calls pieces of loops is there
                "lower-exits",  # kept until here: nothing may move across an exit
                "branch-at-negative-indices",  # as exits are blocks that return
                "link-runtime",
                "read-argument-table",
                "link-functions",  # when all functions are there
            ]
        ),
    }
)


def text_passes(entries: TextPass | None = None) -> Sequence[TextPass]:
    """What happens to the assembly of a module: stage "llvm". LLVM's optimiser gets the result."""
    from ..llvm_compatibility.translation import REPAIRS  # which who only names pipelines need not wait for
    from .lowering.branch_weights import WeighBranches
    from .lowering.entries import AddEntries

    return (
        *REPAIRS,  # MLIR writes for a newer LLVM
        WeighBranches(),  # vector code goes without the passes of LLVM that would
        entries or AddEntries(),  # what Python calls, by the plans of the functions
    )


_Needs: TypeAlias = Callable[[str, str], bool]
"""Whether a pass has something to do where there is an op of this dialect and name."""

_VIEWS_AS_THEY_ARE = {"alloc", "alloca", "dealloc", "dim", "get_global", "load", "prefetch", "store", "view"}
"""What the conversion of memrefs does on its own."""
_INTRINSICS = {
    "absf",
    "absi",
    "ceil",
    "copysign",
    "ctlz",
    "ctpop",
    "cttz",
    "floor",
    "fma",
    "roundeven",
    "sqrt",
    "trunc",
}
"""Functions that the conversion to LLVM does on its own."""
_EXPANDED = {"ceildivsi", "ceildivui", "extf", "floordivsi", "scaling_extf", "scaling_truncf", "truncf"}


def _has_views(dialect: str, op: str) -> bool:
    return dialect == "memref" and op not in _VIEWS_AS_THEY_ARE


def _has_functions(dialect: str, op: str) -> bool:
    return dialect == "math" and op not in _INTRINSICS


_NEEDS: Mapping[str, _Needs] = {
    "convert-linalg-to-loops": lambda dialect, _: dialect == "linalg",
    "convert-vector-to-scf": lambda _, op: op.startswith("transfer_"),
    "expand-strided-metadata": _has_views,
    "lower-affine": _has_views,
    "convert-complex-to-standard": lambda dialect, _: dialect == "complex",
    "arith-expand": lambda dialect, op: dialect == "complex" or op in _EXPANDED,
    "convert-math-to-llvm": _has_functions,
    "convert-math-to-libm": _has_functions,
    "convert-complex-to-llvm": lambda dialect, _: dialect == "complex",
    "convert-vector-to-llvm": lambda dialect, _: dialect == "vector",
}
"""Which passes of "loops-to-llvm" may be left out: one that finds nothing to do costs a look at all ops."""


def needed_steps(module: Module) -> list[Step]:
    """The steps of "loops-to-llvm" for the ops of a module.

    Where linalg is among them it becomes whatever is in its bodies, and no step is left out.
    """
    from .lowering.stamps import StampKernels, is_stamped

    ops = [tuple(name.split(".", 1)) for name in names_of_ops(module.operation) if "." in name]
    all_steps = steps_of("loops-to-llvm")
    if not is_stamped(module):
        all_steps = [step for step in all_steps if step.name != StampKernels.name]
    if any(dialect == "linalg" for dialect, _ in ops):
        return list(all_steps)
    return [
        step
        for step in all_steps
        if step.name not in _NEEDS or any(_NEEDS[step.name](dialect, op) for dialect, op in ops)
    ]


ALL_PASSES: PassTable = MappingProxyType({**PASSES, **CPU_PASSES})
"""The passes that these pipelines may name."""


@lru_cache
def steps_of(pipeline: str) -> Sequence[Step]:
    """The steps of a pipeline."""
    return parse_pipeline(CPU_PIPELINES[pipeline], passes=ALL_PASSES)
