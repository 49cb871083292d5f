"""What `--emit` writes: the module as MLIR, or what the backend makes of it."""

from __future__ import annotations

import io
from collections.abc import Sequence

from ..backend import compiler
from ..dialect.mlir import Module, ir
from ..passes.pipeline import Observer, run_pipeline
from ..passes.pipelines import PIPELINES
from ..passes.timing import phase


def emission_pipelines(module: Module) -> list[str]:
    """The names of the pipelines that lead to the LLVM dialect.

    The module may be in the weft dialect, in linalg on tensors or in the LLVM dialect already.
    """
    dialects = _dialects(module)
    if dialects <= {"builtin", "llvm"}:
        return []
    return [*(("weft-optimize", "weft-to-linalg") if "weft" in dialects else ()), *compiler.pipelines()]


def emit(
    module: Module, kind: str, pipelines: Sequence[str], *, verify: bool, observers: Sequence[Observer]
) -> str | bytes:
    """Lower a module to LLVM assembly ("llvm"), machine code as text ("asm") or an object file ("obj"), or to what
    the backend of GPUs writes (`compiler.emit`).

    `pipelines` are its `emission_pipelines`; the module is used up. Raises `WeftError` where it cannot be lowered.
    """
    for name in pipelines:
        if name in PIPELINES:
            with phase(name):
                run_pipeline(module, PIPELINES[name], observers=observers, verify=verify)
    return compiler.emit(module, kind, is_lowered=not pipelines, verify=verify, observers=observers)


def bytecode_of(module: Module) -> bytes:
    """A module in MLIR's bytecode."""
    content = io.BytesIO()
    module.operation.write_bytecode(content)
    return content.getvalue()


def _dialects(module: Module) -> set[str]:
    """The dialects of the ops in a module."""
    found: set[str] = set()

    def visit(operation: ir.Operation) -> ir.WalkResult:
        found.add(operation.name.partition(".")[0])
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found
