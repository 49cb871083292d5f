"""From the LLVM dialect to LLVM assembly."""

from __future__ import annotations

from typing import Any

from ....dialect.errors import InternalError
from ....dialect.mlir import Module, translate_to_llvm
from .literals import rewrite_literals


def translate(module: Module) -> str:
    """The LLVM assembly of a module in the LLVM dialect; InternalError when another op is left.

    The check comes first because the translation ends the process on an op it does not know.
    """
    for op in module.body.operations:
        _check_dialect(op.operation)
    return rewrite_literals(translate_to_llvm(module))


def _check_dialect(function: Any) -> None:
    if not function.name.startswith("llvm."):
        raise InternalError(f"{function.location}: {function.name} is left after the lowering to LLVM")
    for region in function.regions:
        for block in region:
            for op in block.operations:
                _check_dialect(op.operation)
