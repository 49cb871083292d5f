"""The way into the backend: a module in linalg becomes machine code, or text, for a target.

This is all that the rooms above know of how code is made; which backend makes it, the target decides: processors are
`cpu/`'s, GPUs are `gpu/`'s. The latter is imported for GPUs alone: its forty modules would be a tenth of a first call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ..dialect.dtypes import element_type
from ..dialect.errors import WeftValueError
from ..dialect.mlir import Module, ir
from ..passes.pipeline import Code, Observer
from .analysis.requests import is_report
from .cpu import emission as cpu
from .planning.plan import MachineCode
from .target import compiling_for, current


def pipelines() -> list[str]:
    """The names of the pipelines that a module takes for the current target."""
    return [*_backend().PIPELINES]


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
    with compiling_for(target):
        code: MachineCode = _backend().machine_code(module, name, verify)
    if result_dtypes is None:
        return code
    dtypes = [element_type(np.dtype(dtype)).dtype for dtype in result_dtypes]
    results = [type.with_dtype(dtype) for type, dtype in zip(code.plan.results, dtypes, strict=True)]
    return code._replace(plan=code.plan._replace(results=results))


def backend_text(source: Module, stage: str, target: str = "native") -> str:
    """The text of a linalg-stage module at a stage of the target's backend.

    Analyses are text, too (see `analysis.report`). Raises `WeftValueError` for stages and targets that there are not.
    """
    with compiling_for(target) as machine, source.context, ir.Location.unknown():
        backend = _backend()
        if stage not in backend.STAGES and not is_report(stage):
            kind = "CPU" if machine.gpu is None else "GPU"
            stages = ", ".join(backend.STAGES)
            raise WeftValueError(f"{stage!r} is not a stage of the {kind} backend: {stages}")
        text: str = backend.text(source.clone(), stage)
        return text


def visit_stages(
    source: Module, target: str, visit: Callable[[str, Code], None], observers: Sequence[Observer] = ()
) -> None:
    """Show the stages of the target's backend to a function, with their names, in the order in which they are reached.

    Modules are shown as they are at that moment, and go on to the next stage; what comes behind them is text. Observers
    see each pass of the same run. Raises `WeftValueError` for a target that there is not.
    """
    with compiling_for(target), source.context, ir.Location.unknown():
        _backend().visit_stages(source.clone(), visit, observers)


def emit(
    module: Module, kind: str, *, is_lowered: bool, verify: bool = False, observers: Sequence[Observer] = ()
) -> str | bytes:
    """LLVM assembly ("llvm"), machine code as text ("asm") or an object file ("obj"), for the current target.

    Of a GPU: MLIR of the stages "placed", "gpu" and "nvvm", PTX ("ptx") or instructions ("sass"). The module is in
    linalg on tensors, or in the LLVM dialect already (`is_lowered`); it is used up. Raises `WeftValueError` for what
    the target has not.
    """
    backend = _backend()
    if kind not in backend.KINDS:
        raise WeftValueError(f"the target {current().name!r} has no {kind!r}")
    if backend is cpu:
        return cpu.emit(module, kind, is_lowered=is_lowered, verify=verify, observers=observers)
    text: str = backend.emit(module, kind, verify=verify, observers=observers)
    return text


def _backend() -> ModuleType:
    """The backend of the current target."""
    if current().gpu is None:
        return cpu
    from .gpu import emission as gpu

    return gpu
