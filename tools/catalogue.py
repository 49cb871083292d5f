"""All passes and named pipelines there are: the tables of the rooms below, joined; and what weft-opt lists."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ..backend.cpu.pipeline import CPU_PIPELINES, text_passes
from ..backend.gpu.pipeline import ALL_PASSES, GPU_PIPELINES
from ..dialect.mlir import ir
from ..dialect.op import OPS
from ..dialect.register import context
from ..passes.managers import module_pipeline
from ..passes.pipeline import Pipelines
from ..passes.pipelines import PIPELINES
from ..passes.registry import PassTable
from .plugins import OUTSIDE, loaded_pass
from .upstream_passes import UPSTREAM

if TYPE_CHECKING:
    from ..backend.schedules.schedule import Schedule

WEFT_TO_LLVM = module_pipeline(["weft-optimize", "weft-to-linalg", *CPU_PIPELINES])
"""The whole way, as one pipeline; `--emit=llvm` adds what a Python caller enters through."""


def all_passes() -> PassTable:
    """Every weft pass by name, and those that were loaded from outside."""
    return {**ALL_PASSES, **OUTSIDE} if OUTSIDE else ALL_PASSES


def all_text_passes() -> Mapping[str, str]:
    """What the passes on LLVM assembly do, by their names; `--emit` runs them."""
    from ..backend.gpu.machine.driver_functions import LinkDriverFunctions

    passes = (LinkDriverFunctions(), *text_passes())
    return {text_pass.name: text_pass.summary for text_pass in passes}


@cache
def all_pipelines() -> Pipelines:
    """Every named pipeline."""
    return {**PIPELINES, **CPU_PIPELINES, **GPU_PIPELINES, "weft-to-llvm": WEFT_TO_LLVM}


@cache
def all_schedules() -> Mapping[str, Sequence[type[Schedule[Any, Any]]]]:
    """The tables of schedules, by what they are for."""
    from ..backend.cpu.codegen.schedule import SCHEDULES as OF_PROCESSORS
    from ..backend.gpu.kernels.schedule import SCHEDULES as OF_GPUS

    return {"processors": OF_PROCESSORS, "GPUs": OF_GPUS}


def upstream_passes() -> tuple[str, ...]:
    """The names of upstream's passes and pipelines."""
    return UPSTREAM


def dialects() -> list[str]:
    """The dialects that can be parsed; MLIR tells them only in a complaint about an unknown one."""
    notes: list[str] = []

    def receive(diagnostic: ir.Diagnostic) -> bool:
        notes.extend(note.message for note in diagnostic.notes)
        return True

    handler = context().attach_diagnostic_handler(receive)
    before = context().emit_error_diagnostics
    context().emit_error_diagnostics = True
    try:
        ir.Module.parse("nothing.nothing", context())
    except ir.MLIRError:
        listing = re.search(r"Available dialects: ([^;]*)", " ".join(notes))
        names = re.findall(r"[a-z]\w*", listing[1].partition("(* ")[0]) if listing else []
        return sorted(names)
    finally:
        context().emit_error_diagnostics = before
        handler.detach()
    return []


def dialects_text() -> str:
    """What --show-dialects prints: all dialects, and the ops of weft by family."""
    lines = [f"Available Dialects: {','.join(dialects())}", "", "Ops of the weft dialect:"]
    for family in dict.fromkeys(op.family for op in OPS.values()):
        lines.append(f"  {family}")
        lines += [f"    weft.{op.name:22} {op.summary()}" for op in OPS.values() if op.family == family]
    return "\n".join(lines) + "\n"


def passes_text() -> str:
    """What --list-passes prints: every weft pass with its options, and every named pipeline."""
    lines = ["Passes of weft:"]
    for name in sorted(all_passes()):
        pass_class = loaded_pass(name, all_passes())
        where = f" (of {pass_class.__module__})" if name in OUTSIDE else ""
        lines.append(f"  --{name:24} {pass_class.summary}{where}")
        for field in dataclasses.fields(pass_class):
            lines.append(f"      {field.name.replace('_', '-')}=<{field.type}> (default {field.default})")
    lines += ["", "Passes on LLVM assembly, which --emit runs:"]
    lines += [f"    {name:24} {summary}" for name, summary in all_text_passes().items()]
    lines += ["", "Named pipelines:"]
    lines += [f"  --{name:24} {text}" for name, text in all_pipelines().items()]
    lines += ["", "Upstream's passes and pipelines are flags, too:"]
    lines += [f"  --{name}" for name in upstream_passes()]
    return "\n".join(lines) + "\n"
