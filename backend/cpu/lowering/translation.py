"""From the LLVM dialect to LLVM assembly."""

from __future__ import annotations

from ....dialect.errors import InternalError
from ....dialect.mlir import Module, Operation, ir, translate_to_llvm
from ...llvm_compatibility.bfloats import move_as_integers
from ...llvm_compatibility.literals import rewrite_literals
from ...llvm_compatibility.scalarize_masked_stores import store_lone_lanes
from .branch_weights import weigh_rare_branches


def translate(module: Module) -> str:
    """The LLVM assembly of a module in the LLVM dialect; InternalError when another op is left.

    The check comes first because the translation ends the process on an op it does not know.
    """
    left = _left_over(module.operation)
    if left is not None:
        raise InternalError(f"{left.location}: {left.name} is left after the lowering to LLVM")
    text = move_as_integers(rewrite_literals(translate_to_llvm(module)))
    return weigh_rare_branches(store_lone_lanes(text))


def _left_over(module: Operation) -> Operation | None:
    """The first op in a module that is not of the LLVM dialect."""
    found: Operation | None = None

    def visit(op: Operation) -> ir.WalkResult:
        nonlocal found
        if op.name.startswith("llvm.") or op == module:
            return ir.WalkResult.ADVANCE
        found = op
        return ir.WalkResult.INTERRUPT

    module.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found
