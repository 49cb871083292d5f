"""The way into the backend: a module in linalg becomes machine code, or text, for a target.

This is all that the rooms above know of how code is made; which backend makes it, the target decides. There is one kind
of target so far: processors, which are `cpu/`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dialect.dtypes import element_type
from ..dialect.errors import InternalError, WeftValueError
from ..dialect.mlir import Module, ir
from ..passes.pipeline import Observer
from .analysis.report import is_report, report
from .cpu.execution.symbols import called_by_instructions
from .cpu.machine import llvm
from .cpu.pipeline import ALL_PASSES, text_passes
from .cpu.pipeline import CPU_PIPELINES as PIPELINES
from .cpu.stages import STAGES, Lowering, stage_text
from .planning.plan import MachineCode
from .target import compiling_for


def machine_code(
    module: Module,
    name: str,
    target: str = "native",
    *,
    result_dtypes: Sequence[Any] | None = None,
    verify: bool = False,
) -> MachineCode:
    """The machine code of a function of a linalg-stage module for a target; the module is used up.

    `result_dtypes` are the NumPy dtypes of the results, which MLIR's signless types do not tell; without them
    results are signed integers, floats and complex numbers. `verify` checks the IR after every step. Raises
    `WeftValueError` for a target that there is not.
    """
    with compiling_for(target) as machine:
        lowering = Lowering(module, verify)
        for _ in lowering.stages():
            pass
        plan = next((plan for plan in lowering.plans if plan.name == name), None)
        if plan is None:
            raise InternalError(f"the module to compile has no function {name}")
        if result_dtypes is not None:
            dtypes = [element_type(np.dtype(dtype)).dtype for dtype in result_dtypes]
            results = [type.with_dtype(dtype) for type, dtype in zip(plan.results, dtypes, strict=True)]
            plan = plan._replace(results=results)
        optimised = llvm.optimise(lowering.llvm_text, lowering.scalar_loops)
        symbols, object_file = llvm.external_symbols(optimised), llvm.object_code(optimised)
        return MachineCode(plan, object_file, (*symbols, *called_by_instructions(object_file)), machine.name)


def backend_text(source: Module, stage: str, target: str = "native") -> str:
    """The text of a linalg-stage module at a stage of the backend, which is one of `STAGES`.

    Analyses are text, too (see `analysis.report`). Raises `WeftValueError` for stages and targets that there are not.
    """
    if stage not in STAGES and not is_report(stage):
        raise WeftValueError(f"{stage!r} is not a stage of the CPU backend: {', '.join(STAGES)}")
    with compiling_for(target), source.context, ir.Location.unknown():
        module = source.clone()
        return report(module, stage) if is_report(stage) else stage_text(module, stage)


def emit(
    module: Module, kind: str, *, is_lowered: bool, verify: bool = False, observers: Sequence[Observer] = ()
) -> str | bytes:
    """LLVM assembly ("llvm"), machine code as text ("asm") or an object file ("obj"), for the current target.

    The module is in linalg on tensors, or in the LLVM dialect already (`is_lowered`); it is used up.
    """
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


__all__ = ["ALL_PASSES", "PIPELINES", "STAGES", "backend_text", "emit", "machine_code", "text_passes"]
