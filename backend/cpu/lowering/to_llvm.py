"""From scheduled kernels to the LLVM dialect, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import ClassVar, TypeAlias

from ....dialect.mlir import Module, Operation, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.managers import module_pipeline, run_passes
from ...planning.names import ALLOCATE_SCRATCH
from ..codegen.vectors.width import vector_bytes
from .shared_loops import link_shared_loops
from .split_blocks import cut_long_blocks

_CANONICALIZE = "canonicalize{max-iterations=1}"
"""A second round would find that there is nothing left to do."""

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

_Needs: TypeAlias = Callable[[str, str], bool]
"""Whether a pass has something to do where there is an op of this dialect and name."""

_Steps: TypeAlias = "tuple[tuple[str, _Needs | None], ...]"

_TO_LOOPS: _Steps = (
    ("convert-linalg-to-loops", lambda dialect, _: dialect == "linalg"),  # what no schedule took
    (_CANONICALIZE, None),
    ("cse", None),
    ("loop-invariant-code-motion", None),  # masks and addresses out of the inner loops
    ("convert-vector-to-scf{full-unroll=true}", lambda _, op: op.startswith("transfer_")),
)
_TO_LLVM: _Steps = (
    ("convert-scf-to-cf", None),
    # Views become address arithmetic, at first as affine.apply.
    ("expand-strided-metadata", lambda dialect, op: dialect == "memref" and op not in _VIEWS_AS_THEY_ARE),
    ("lower-affine", lambda dialect, op: dialect == "memref" and op not in _VIEWS_AS_THEY_ARE),
    ("convert-complex-to-standard", lambda dialect, _: dialect == "complex"),
    # bfloat16 by integer arithmetic: there is no __truncsfbf2 to call.
    ("arith-expand{include-bf16=true}", lambda dialect, op: dialect == "complex" or op in _EXPANDED),
    ("convert-math-to-llvm", lambda dialect, op: dialect == "math" and op not in _INTRINSICS),
    ("convert-math-to-libm", lambda dialect, op: dialect == "math" and op not in _INTRINSICS),
    ("convert-complex-to-llvm", lambda dialect, _: dialect == "complex"),
    ("convert-vector-to-llvm{force-32bit-vector-indices=true}", lambda dialect, _: dialect == "vector"),
    ("finalize-memref-to-llvm{use-aligned-alloc=true use-generic-functions=true}", None),
    ("convert-to-llvm", None),
    ("reconcile-unrealized-casts", None),
    (_CANONICALIZE, None),
    ("cse", None),
)


def lowering_passes(names: Collection[str] | None = None) -> tuple[str, str]:
    """The pipelines to loops and on to LLVM for a module with ops of these names alone.

    They have all passes where the names are not known, or linalg is among them, which becomes whatever is in its
    bodies. A pass that finds nothing to do costs a look at all ops, of which a module has thousands.
    """
    ops = [tuple(name.split(".", 1)) for name in names or () if "." in name]
    is_unknown = names is None or any(dialect == "linalg" for dialect, _ in ops)

    def needed(steps: _Steps) -> str:
        return module_pipeline(
            step
            for step, needs in steps
            if is_unknown or needs is None or any(needs(dialect, op) for dialect, op in ops)
        )

    return needed(_TO_LOOPS), needed(_TO_LLVM)


@dataclass(frozen=True)
class LowerToLlvm(Pass):
    """Convert scheduled kernels to the LLVM dialect."""

    name: ClassVar[str] = "lower-to-llvm"
    summary: ClassVar[str] = "convert scheduled kernels to the LLVM dialect"

    verify: bool = True

    def run(self, module: Module, statistics: Statistics) -> None:
        lower_to_llvm(module, self.verify)


def lower_to_llvm(module: Module, verify: bool = False, names: Collection[str] | None = None) -> None:
    """Convert the whole module to the LLVM dialect in place; arguments are marked as not aliasing.

    The buffer plan keeps the arguments of kernels apart, and the caller of the function keeps apart what it writes.
    `names` are those of all ops in the module, if they are known.
    """
    to_loops, to_llvm = lowering_passes(names)
    run_passes(module, to_loops, verify)
    cut_long_blocks(module)
    run_passes(module, to_llvm, verify)
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
