"""From the LLVM dialect to assembly that llvmlite reads: the way into this room."""

from __future__ import annotations

from ...dialect.errors import InternalError
from ...dialect.mlir import Module, Operation, ir, translate_to_llvm
from ...passes.base import TextPass
from ...passes.timing import phase
from .bfloats import MoveBfloatsAsIntegers
from .literals import RewriteLiterals
from .scalarize_masked_stores import ScalarizeMaskedStores

REPAIRS: tuple[TextPass, ...] = (
    RewriteLiterals(),  # what LLVM 22 would not read
    MoveBfloatsAsIntegers(),  # what it would make calls of, of functions that few systems have
    ScalarizeMaskedStores(),  # what it compiles wrongly
)
"""What separates the assembly of MLIR's LLVM from that of llvmlite's."""


def translate(module: Module) -> str:
    """The LLVM assembly of a module in the LLVM dialect, or of a `gpu.module` in that and nvvm, before repairs.

    InternalError when another op is left. The check comes first because the translation ends the process on an op it
    does not know.
    """
    with phase("translate"):
        left = _left_over(module.operation)
        if left is not None:
            raise InternalError(f"{left.name} is left after the lowering to LLVM", at=str(left.location))
        text: str = translate_to_llvm(module)
    return text


def _left_over(module: Operation) -> Operation | None:
    """The first op in a module that is not of the LLVM dialects."""
    found: Operation | None = None

    def visit(op: Operation) -> ir.WalkResult:
        nonlocal found
        if op.name.startswith(("llvm.", "nvvm.")) or op == module:
            return ir.WalkResult.ADVANCE
        found = op
        return ir.WalkResult.INTERRUPT

    module.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found
