"""What the CPU backend makes of a module in linalg, for the current target: machine code, or text."""

from __future__ import annotations

from collections.abc import Sequence

from ...dialect.mlir import Module
from ...passes.pipeline import Observer
from ..analysis.requests import is_report
from ..planning.debug_info import is_debugged
from ..planning.plan import MachineCode, plan_of
from ..target import current
from .element_loops import note_element_loops
from .execution.symbols import called_by_instructions
from .machine import llvm
from .pipeline import CPU_PIPELINES as PIPELINES
from .stages import STAGES, Lowering, visit_stages
from .stages import stage_text as _stage_text


def machine_code(module: Module, name: str, verify: bool) -> MachineCode:
    """The machine code of a function; the module is used up."""
    lowering = Lowering(module, verify)
    for _ in lowering.stages():
        pass
    optimised = llvm.optimise(lowering.llvm_text, lowering.scalar_loops)
    note_element_loops(lowering.element_loops, optimised)
    symbols, object_file = llvm.external_symbols(optimised), llvm.object_code(optimised)
    called = (*symbols, *called_by_instructions(object_file))
    code = MachineCode(plan_of(lowering.plans, name), object_file, called, current().name)
    if is_debugged(module):
        from .machine.debuggers import lines_of  # few programs are looked into

        code = code._replace(lines=tuple(lines_of(lowering.llvm_text).items()))
    return code


def text(module: Module, stage: str) -> str:
    """The text of a stage, or of an analysis; the module is used up."""
    if not is_report(stage):
        return _stage_text(module, stage)
    from ..analysis.report import report  # few programs are analysed

    return report(module, stage)


KINDS = ("llvm", "asm", "obj")
"""What `emit` writes."""


def emit(
    module: Module, kind: str, *, is_lowered: bool, verify: bool, observers: Sequence[Observer]
) -> str | bytes:
    """LLVM assembly ("llvm"), machine code as text ("asm") or an object file ("obj"); the module is used up."""
    lowering = Lowering(module, verify, observers)
    if is_lowered:
        lowering.translate()
    else:
        for _ in lowering.stages():
            pass
    if kind == "llvm":
        return lowering.llvm_text
    optimised = llvm.optimise(lowering.llvm_text, lowering.scalar_loops)
    return llvm.assembly(optimised) if kind == "asm" else llvm.object_code(optimised)


__all__ = ["KINDS", "PIPELINES", "STAGES", "emit", "machine_code", "text", "visit_stages"]
