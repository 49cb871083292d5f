"""From the LLVM dialect to LLVM assembly."""

from __future__ import annotations

from ....dialect.errors import InternalError
from ....dialect.mlir import Module, Operation, translate_to_llvm
from .literals import rewrite_literals
from .lone_lanes import store_lone_lanes
from .rare_branches import weigh_rare_branches


def translate(module: Module) -> str:
    """The LLVM assembly of a module in the LLVM dialect; InternalError when another op is left.

    The check comes first because the translation ends the process on an op it does not know.
    """
    for view in module.body.operations:
        left = _left_over(view.operation)
        if left is not None:
            raise InternalError(f"{left.location}: {left.name} is left after the lowering to LLVM")
    text = rewrite_literals(translate_to_llvm(module))
    return weigh_rare_branches(store_lone_lanes(text))


def _left_over(operation: Operation) -> Operation | None:
    """The first op in an op, or itself, that is not of the LLVM dialect."""
    if not operation.name.startswith("llvm."):
        return operation
    for region in operation.regions:
        for block in region:
            for view in block.operations:
                inner = view.operation
                if not inner.name.startswith("llvm."):
                    return inner
    return None
