"""What the GPU backend makes of a module in linalg for the current target: code of host and kernels, or text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import takewhile

from ...dialect.mlir import Module
from ...passes.pipeline import Observer, run_pipeline
from ..analysis.report import report
from ..analysis.requests import cost_of, is_report
from ..planning.outlining.outline import OutlineKernels
from ..planning.plan import MachineCode, plan_of
from ..target import current
from .machine.host_program import HostLowering
from .pipeline import ALL_PASSES, steps_of
from .pipeline import GPU_PIPELINES as PIPELINES
from .stages import STAGES, Lowering, ptx_text, sass_text, visit_stages
from .stages import stage_text as _stage_text
from .traffic import traffic_of


def machine_code(module: Module, name: str, verify: bool) -> MachineCode:
    """The machine code of a function; the module is used up."""
    lowering = Lowering(module, verify)
    for _ in lowering.stages():
        pass
    host = HostLowering(module, verify).lower()
    return MachineCode(
        plan_of(lowering.plans, name),
        host.object_file,
        host.symbols,
        current().name,
        host.needs.numbered(lowering.kernels),
        host.needs.constants,
        host.needs.checks,
        host.needs.graphs,
        host.needs.host_kernels,
    )


def text(module: Module, stage: str) -> str:
    """The text of a stage, or of an analysis; the module is used up."""
    if not is_report(stage):
        return _stage_text(module, stage)
    name = cost_of(stage)
    if name is None:
        _join_work(module)
        return report(module, stage)
    counted = module.clone()
    _join_work(counted)
    costs = json.loads(report(counted, stage))
    return json.dumps(costs | {"device": traffic_of(module, name)})


def _join_work(module: Module) -> None:
    """Let what shares a kernel on a device do so, before kernels are outlined: what they read is counted once."""
    before = takewhile(lambda step: step.name != OutlineKernels.name, steps_of("linalg-to-device-kernels"))
    run_pipeline(module, list(before), passes=ALL_PASSES)


KINDS = ("placed", "gpu", "nvvm", "ptx", "sass")
"""What `emit` writes."""


def emit(module: Module, kind: str, *, verify: bool, observers: Sequence[Observer]) -> str:
    """MLIR of the stages "placed", "gpu" and "nvvm", PTX ("ptx") or instructions ("sass"); the module is used up."""
    lowering = Lowering(module, verify, observers)
    for reached in lowering.stages():
        if reached == kind and kind != "ptx":
            return str(module)
    return ptx_text(lowering.kernels) if kind == "ptx" else sass_text(lowering.kernels)


__all__ = ["KINDS", "PIPELINES", "STAGES", "emit", "machine_code", "text", "visit_stages"]
