"""What LLVM is told of functions: that arrays do not overlap, and how wide vectors are."""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import symbols_of
from ...planning.names import ALLOCATE_SCRATCH
from ..codegen.vectors.width import vector_bytes

MAX_UNALIASED = 64
"""Of more arrays it is not said that they do not overlap: when their function is inlined, LLVM notes it of each array
at each call. Such functions call kernels, which are told it of their own.
"""


@dataclass(frozen=True)
class AnnotateFunctions(Pass):
    """Say of functions in the LLVM dialect that their arguments do not alias, and how wide vectors are.

    The buffer plan keeps the arguments of kernels apart, and the caller of the function keeps apart what it writes.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in module.body.operations:
            function = view.operation
            if function.name == "llvm.func" and function.regions[0].blocks:
                _annotate(function)
                statistics["functions"] += 1
        allocate = symbols_of(module).get(ALLOCATE_SCRATCH)
        if allocate is not None and not allocate.regions[0].blocks:
            allocate.attributes["res_attrs"] = ir.ArrayAttr.get([_unaliased()])


def _annotate(function: Operation) -> None:
    function.attributes["prefer_vector_width"] = ir.StringAttr.get(str(8 * vector_bytes()))
    pointers = [str(argument.type) == "!llvm.ptr" for argument in function.regions[0].blocks[0].arguments]
    if sum(pointers) > MAX_UNALIASED:
        return
    nothing = ir.DictAttr.get({})
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([_unaliased() if p else nothing for p in pointers])


def _unaliased() -> ir.DictAttr:
    return ir.DictAttr.get({"llvm.noalias": ir.UnitAttr.get()})
