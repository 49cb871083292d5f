"""From scheduled kernels to the LLVM dialect, and nothing else."""

from __future__ import annotations

from typing import ClassVar

from ....dialect.mlir import Module, Operation, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.managers import module_pipeline, run_passes
from ..codegen.vectors.width import vector_bytes
from ..planning.names import ALLOCATE_SCRATCH
from .long_blocks import cut_long_blocks
from .shared_loops import link_shared_loops

TO_LOOPS = module_pipeline(
    [
        "convert-linalg-to-loops",  # what no schedule took
        "canonicalize",
        "cse",
        "loop-invariant-code-motion",  # masks and addresses out of the inner loops
        "convert-vector-to-scf{full-unroll=true}",
    ]
)
TO_LLVM = module_pipeline(
    [
        "convert-scf-to-cf",
        "expand-strided-metadata",  # views become address arithmetic
        "lower-affine",  # which the step before writes as affine.apply
        "convert-complex-to-standard",
        "arith-expand{include-bf16=true}",  # bfloat16 by integer arithmetic: there is no __truncsfbf2 to call
        "convert-math-to-llvm",
        "convert-math-to-libm",
        "convert-complex-to-llvm",
        "convert-vector-to-llvm{force-32bit-vector-indices=true}",
        "finalize-memref-to-llvm{use-aligned-alloc=true use-generic-functions=true}",
        "convert-func-to-llvm",
        "convert-to-llvm",
        "reconcile-unrealized-casts",
        "canonicalize",
        "cse",
    ]
)


@dataclass(frozen=True)
class LowerToLlvm(Pass):
    """Convert scheduled kernels to the LLVM dialect."""

    name: ClassVar[str] = "lower-to-llvm"
    summary: ClassVar[str] = "convert scheduled kernels to the LLVM dialect"

    verify: bool = True

    def run(self, module: Module, statistics: Statistics) -> None:
        lower_to_llvm(module, self.verify)


def lower_to_llvm(module: Module, verify: bool = False) -> None:
    """Convert the whole module to the LLVM dialect in place; arguments are marked as not aliasing.

    The buffer plan keeps the arguments of kernels apart, and the caller of the function keeps apart what it writes.
    """
    run_passes(module, TO_LOOPS, verify)
    cut_long_blocks(module)
    run_passes(module, TO_LLVM, verify)
    for operation in module.body.operations:
        if operation.operation.name == "llvm.func" and list(operation.operation.regions[0].blocks):
            _annotate(operation.operation)
        elif operation.operation.attributes["sym_name"].value == ALLOCATE_SCRATCH:
            operation.operation.attributes["res_attrs"] = ir.ArrayAttr.get([_unaliased()])
    link_shared_loops(module)


MAX_UNALIASED = 64
"""Of more arrays it is not said that they do not overlap: when their function is inlined, LLVM notes it of each array
at each call. Such functions call kernels, which are told it of their own.
"""


def _annotate(function: Operation) -> None:
    function.attributes["prefer_vector_width"] = ir.StringAttr.get(str(8 * vector_bytes()))
    pointers = [str(argument.type) == "!llvm.ptr" for argument in function.regions[0].blocks[0].arguments]
    if sum(pointers) > MAX_UNALIASED:
        return
    nothing = ir.DictAttr.get({})
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([_unaliased() if p else nothing for p in pointers])


def _unaliased() -> ir.DictAttr:
    return ir.DictAttr.get({"llvm.noalias": ir.UnitAttr.get()})
