"""The way into the backend: a module in linalg becomes machine code, or text, for a target.

This is all that the rooms above know of how code is made; which backend makes it, the target decides: processors are
`cpu/`'s, GPUs are `gpu/`'s.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ..dialect.dtypes import element_type
from ..dialect.errors import InternalError, WeftValueError
from ..dialect.mlir import Module, ir
from ..passes.pipeline import Observer
from .analysis.report import cost_of, is_report, report
from .cpu.execution.symbols import called_by_instructions
from .cpu.machine import llvm
from .cpu.machine.debuggers import lines_of
from .cpu.pipeline import CPU_PIPELINES, text_passes
from .cpu.stages import STAGES as CPU_STAGES
from .cpu.stages import Lowering
from .cpu.stages import stage_text as cpu_text
from .gpu.machine.host_program import HostLowering
from .gpu.pipeline import ALL_PASSES, GPU_PIPELINES
from .gpu.stages import STAGES as GPU_STAGES
from .gpu.stages import Lowering as GpuLowering
from .gpu.stages import ptx_text, sass_text
from .gpu.stages import stage_text as gpu_text
from .gpu.traffic import traffic_of
from .planning.debug_info import is_debugged
from .planning.plan import MachineCode
from .target import compiling_for, current

PIPELINES: Mapping[str, str] = MappingProxyType({**CPU_PIPELINES, **GPU_PIPELINES})
"""The pipelines of all backends."""

STAGES = tuple(dict.fromkeys([*CPU_STAGES, *GPU_STAGES]))
"""The stages of all backends."""


def pipelines() -> list[str]:
    """The names of the pipelines that a module takes for the current target."""
    return [*(CPU_PIPELINES if current().gpu is None else GPU_PIPELINES)]


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
        lowering = Lowering(module, verify) if machine.gpu is None else GpuLowering(module, verify)
        for _ in lowering.stages():
            pass
        plan = next((plan for plan in lowering.plans if plan.name == name), None)
        if plan is None:
            raise InternalError(f"the module to compile has no function {name}")
        if result_dtypes is not None:
            dtypes = [element_type(np.dtype(dtype)).dtype for dtype in result_dtypes]
            results = [type.with_dtype(dtype) for type, dtype in zip(plan.results, dtypes, strict=True)]
            plan = plan._replace(results=results)
        if isinstance(lowering, GpuLowering):
            host = HostLowering(module, verify).lower()
            kernels = host.numbered(lowering.kernels)
            return MachineCode(
                plan,
                host.object_file,
                host.symbols,
                machine.name,
                kernels,
                host.constants,
                host.checks,
                host.graphs,
            )
        optimised = llvm.optimise(lowering.llvm_text, lowering.scalar_loops)
        symbols, object_file = llvm.external_symbols(optimised), llvm.object_code(optimised)
        called = (*symbols, *called_by_instructions(object_file))
        code = MachineCode(plan, object_file, called, machine.name)
        return (
            code._replace(lines=tuple(lines_of(lowering.llvm_text).items())) if is_debugged(module) else code
        )


def backend_text(source: Module, stage: str, target: str = "native") -> str:
    """The text of a linalg-stage module at a stage of the backend, which is one of `STAGES`.

    Analyses are text, too (see `analysis.report`). Raises `WeftValueError` for stages and targets that there are not.
    """
    with compiling_for(target) as machine, source.context, ir.Location.unknown():
        kind, stages = ("CPU", CPU_STAGES) if machine.gpu is None else ("GPU", GPU_STAGES)
        if stage not in stages and not is_report(stage):
            raise WeftValueError(f"{stage!r} is not a stage of the {kind} backend: {', '.join(stages)}")
        module = source.clone()
        if is_report(stage):
            text = report(module, stage)
            return text if machine.gpu is None else _with_traffic(source.clone(), stage, text)
        return cpu_text(module, stage) if machine.gpu is None else gpu_text(module, stage)


def _with_traffic(module: Module, request: str, text: str) -> str:
    """The report of costs with what goes between the host and the device."""
    name = cost_of(request)
    return text if name is None else json.dumps(json.loads(text) | {"device": traffic_of(module, name)})


def emit(
    module: Module, kind: str, *, is_lowered: bool, verify: bool = False, observers: Sequence[Observer] = ()
) -> str | bytes:
    """LLVM assembly ("llvm"), machine code as text ("asm") or an object file ("obj"), for the current target.

    Of a GPU: MLIR of the stages "placed", "gpu" and "nvvm", PTX ("ptx") or instructions ("sass"). The module is in
    linalg on tensors, or in the LLVM dialect already (`is_lowered`); it is used up. Raises `WeftValueError` for what
    the target has not.
    """
    if (kind in DEVICE_KINDS) != (current().gpu is not None):
        raise WeftValueError(f"the target {current().name!r} has no {kind!r}")
    if kind in DEVICE_KINDS:
        return _emit_for_device(module, kind, verify, observers)
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


DEVICE_KINDS = ("placed", "gpu", "nvvm", "ptx", "sass")
"""What `emit` writes for GPUs."""


def _emit_for_device(module: Module, kind: str, verify: bool, observers: Sequence[Observer]) -> str:
    lowering = GpuLowering(module, verify, observers)
    for reached in lowering.stages():
        if reached == kind and kind != "ptx":
            return str(module)
    return ptx_text(lowering.kernels) if kind == "ptx" else sass_text(lowering.kernels)


__all__ = [
    "ALL_PASSES",
    "CPU_PIPELINES",
    "DEVICE_KINDS",
    "PIPELINES",
    "STAGES",
    "backend_text",
    "emit",
    "machine_code",
    "pipelines",
    "text_passes",
]
