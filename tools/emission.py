"""What `--emit` writes: the module as MLIR, or what the CPU backend makes of it."""

from __future__ import annotations

from ..backend.cpu.lowering.translation import translate
from ..backend.cpu.machine import llvm
from ..backend.cpu.stages import Lowering
from ..dialect.mlir import Module, ir
from ..passes.pipeline import run_pipeline
from ..passes.pipelines import PIPELINES
from ..passes.timing import phase


def emit(module: Module, kind: str, *, verify: bool) -> str | bytes:
    """Lower a module to LLVM assembly ("llvm"), machine code as text ("asm") or an object file ("obj").

    The module may be in the weft dialect, in linalg on tensors or in the LLVM dialect already; it is used up.
    Raises `WeftError` where it cannot be lowered.
    """
    text, loops = _llvm_text(module, verify)
    if kind == "llvm":
        return text
    optimised = llvm.optimise(text, loops)
    return llvm.assembly(optimised) if kind == "asm" else llvm.object_code(optimised)


def _llvm_text(module: Module, verify: bool) -> tuple[str, llvm.ScalarLoops | None]:
    """The LLVM assembly, and the functions with loops on scalars; None where they are not known."""
    dialects = _dialects(module)
    if dialects <= {"builtin", "llvm"}:
        return translate(module), None
    if "weft" in dialects:
        for name in ("weft-optimize", "weft-to-linalg"):
            with phase(name):
                run_pipeline(module, PIPELINES[name], verify=verify)
    lowering = Lowering(module, verify)
    for _ in lowering.stages():
        pass
    return lowering.llvm_text, lowering.scalar_loops


def _dialects(module: Module) -> set[str]:
    """The dialects of the ops in a module."""
    found: set[str] = set()

    def visit(operation: ir.Operation) -> ir.WalkResult:
        found.add(operation.name.partition(".")[0])
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found
