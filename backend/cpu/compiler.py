"""The way into the backend: a module in linalg becomes machine code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialect.callbacks import Callback
from ...dialect.dtypes import element_type
from ...dialect.errors import InternalError, WeftValueError
from ...dialect.mlir import Module, ir
from ..analysis.report import is_report, report
from ..planning.plan import MachineCode
from ..target import current
from .execution.executable import Executable
from .execution.symbols import called_by_instructions
from .machine import llvm
from .stages import STAGES, Lowering, stage_text


def compile_module(
    module: Module,
    name: str,
    *,
    result_dtypes: Sequence[Any] | None = None,
    callbacks: Sequence[Callback] = (),
    verify: bool = False,
) -> Executable:
    """Compile the function of a linalg-stage module; the module is used up.

    `result_dtypes` are the NumPy dtypes of the results, which MLIR's signless types do not tell; without them
    results are signed integers, floats and complex numbers. `callbacks` is the table of the Python functions that
    the program calls. `verify` checks the IR after every step.
    """
    source = module.operation.clone()
    code = machine_code(module, name, result_dtypes=result_dtypes, verify=verify)
    return Executable(code, callbacks, lambda stage: backend_text(source, stage))


def machine_code(
    module: Module, name: str, *, result_dtypes: Sequence[Any] | None = None, verify: bool = False
) -> MachineCode:
    """The machine code of a function of a linalg-stage module, as `compile_module` runs it; the module is used up."""
    lowering = Lowering(module, verify)
    for _ in lowering.stages():
        pass
    plan = next((plan for plan in lowering.plans if plan.name == name), None)
    if plan is None:
        raise InternalError(f"the module to compile has no function {name}")
    plan = plan._replace(packed=tuple(lowering.packed))
    if result_dtypes is not None:
        dtypes = [element_type(np.dtype(dtype)).dtype for dtype in result_dtypes]
        results = [type.with_dtype(dtype) for type, dtype in zip(plan.results, dtypes, strict=True)]
        plan = plan._replace(results=results)
    optimised = llvm.optimise(lowering.llvm_text, lowering.scalar_loops)
    symbols, object_file = llvm.external_symbols(optimised), llvm.object_code(optimised)
    return MachineCode(plan, object_file, (*symbols, *called_by_instructions(object_file)), current().name)


def backend_text(source: Module, stage: str) -> str:
    """The text of a linalg-stage module at a stage of the backend; those are listed in `stages.STAGES`.

    Analyses are text, too (see `analysis.report`).
    """
    if is_report(stage):
        with source.context, ir.Location.unknown():
            return report(source.clone(), stage)
    if stage not in STAGES:
        raise WeftValueError(f"{stage!r} is not a stage of the CPU backend: {', '.join(STAGES)}")
    with source.context, ir.Location.unknown():
        return stage_text(source.clone(), stage)


__all__ = ["backend_text", "compile_module", "machine_code"]
