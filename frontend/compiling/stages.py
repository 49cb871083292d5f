"""From a traced module to machine code, and back to the text of any stage on the way."""

from __future__ import annotations

from ...backend.analysis.requests import is_report
from ...backend.compiler import backend_text
from ...backend.planning.debug_info import mark_debugged
from ...dialect.assembly import assembly
from ...dialect.errors import WeftValueError
from ...dialect.mlir import Module, Operation, ir
from ...dialect.register import context
from ...passes.pipeline import run_pipeline
from ...passes.pipelines import PIPELINES
from ...passes.timing import phase
from ..settings import settings

_FRONT: dict[str, tuple[str, ...]] = {
    "weft": (),
    "optimized": ("weft-optimize",),
    "linalg": ("weft-optimize", "weft-to-linalg"),
}
"""The stages before the backend, by the pipelines that lead to them from the trace."""

_CPU = ("kernels", "buffers", "loops", "llvm-dialect", "llvm", "optimized-llvm", "asm")
_GPU = ("placed", "gpu", "nvvm", "ptx", "sass")

STAGES = (*_FRONT, *_CPU, *_GPU)


def optimize(module: Module) -> None:
    """Run the weft-to-weft passes: stage "weft" to stage "optimized"."""
    mark_debugged(module, settings.debug_info)
    with phase("weft-optimize"):
        run_pipeline(module, PIPELINES["weft-optimize"], verify=settings.verify)


def to_linalg(module: Module) -> None:
    """Lower to linalg on tensors: stage "optimized" to stage "linalg"."""
    with phase("weft-to-linalg"):
        run_pipeline(module, PIPELINES["weft-to-linalg"], verify=settings.verify)


def stage_text(traced: Operation, stage: str, target: str = "native") -> str:
    """The text of a stage, or of an analysis, made again from the trace: that costs nothing until it is asked for."""
    if stage not in STAGES and not is_report(stage):
        import difflib  # for messages only

        close = difflib.get_close_matches(stage, STAGES, 1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise WeftValueError(f"there is no stage {stage!r}; {hint}the stages are: {', '.join(STAGES)}")
    with context(), ir.Location.unknown():
        module = ir.Module.parse(traced.get_asm(enable_debug_info=True))
        for name in _FRONT.get(stage, _FRONT["linalg"]):
            run_pipeline(module, PIPELINES[name], verify=settings.verify)
        mark_debugged(module, settings.debug_info)
        if stage in _FRONT:
            return assembly(module.operation, settings.debug_info)
        return backend_text(module.operation, stage, target)
