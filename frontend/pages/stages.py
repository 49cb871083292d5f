"""All stages of a program, made again from its trace and watched: the text of each, and what each pass changed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import field

from ...backend.compiler import visit_stages
from ...backend.cpu.machine.throughput import throughput_of
from ...backend.gpu.machine.assembler import Resources
from ...backend.planning.debug_info import mark_debugged
from ...backend.target import current
from ...dialect.mlir import ir
from ...dialect.records import dataclass
from ...dialect.register import context
from ...passes.pipeline import Code, run_pipeline
from ...passes.pipelines import PIPELINES
from ..compiling.program import Recording
from .device_text import device_functions_of, missing_tools, resources_of, with_resources
from .linked_text import Line, linked, linked_assembly
from .machine_text import MachineFunction, functions_of, in_order, is_of_program
from .pass_changes import Change, Watch

SHOWN = {
    "weft": "the trace: what the function did with arrays",
    "optimized": "the same after weft's own rewrites",
    "linalg": "loops over elements, as structured ops",
    "kernels": "cut into kernels",
    "buffers": "every array has its memory",
    "loops": "loops and vectors, as scheduled",
    "placed": "what runs on the device and what on the host",
    "gpu": "device kernels, and their launches",
    "nvvm": "device kernels for NVIDIA",
    "llvm-dialect": "LLVM's instructions, in MLIR",
    "optimized-llvm": "LLVM's, after its optimiser",
}
"""The stages whose text is shown, with what they are."""

MACHINE = {
    "asm": "machine code, one function at a time",
    "ptx": "PTX, one kernel at a time",
    "sass": "instructions of the GPU",
}
"""Those that are cut into functions."""


@dataclass
class Stages:
    """What a program was on its way to machine code."""

    texts: dict[str, list[Line]] = field(default_factory=dict)
    machine: dict[str, list[MachineFunction]] = field(default_factory=dict)
    missing: dict[str, list[str]] = field(default_factory=dict)
    """By stage, what more there would be to see with tools that this machine has not."""
    changes: list[Change] = field(default_factory=list)
    unwatched: list[str] = field(default_factory=list)
    """Which changes are not there, and why."""
    llvm_seconds: list[tuple[str, float]] = field(default_factory=list)
    """What LLVM's passes took, the longest first: all runs of one name together."""


def stages_of(recording: Recording, wanted: Collection[str] | None = None, has_passes: bool = True) -> Stages:
    """Compile a trace once more, with the lines of the program in it, and note what there is to see."""
    found, watch = Stages(), Watch()
    takes: dict[str, Resources] = {}
    reached: set[str] = set()
    observers = [watch] if has_passes else []

    def visit(stage: str, code: Code) -> None:
        watch.reached(stage)
        reached.add(stage)
        if stage == "ptx":
            takes.update(resources_of(str(code)))
        if wanted is not None and stage not in wanted:
            return
        if stage == "asm":
            found.machine[stage] = in_order(functions_of(str(code)))
            found.missing[stage] = with_throughput(found.machine[stage])
        elif stage in MACHINE:
            found.machine[stage] = with_resources(device_functions_of(str(code)), takes)
        elif stage in SHOWN:
            lines = linked_assembly(code) if isinstance(code, str) else linked(code)
            found.texts.setdefault(stage, []).extend(lines)

    with context(), ir.Location.unknown():
        module = ir.Module.parse(recording.module.get_asm(enable_debug_info=True))
        visit("weft", module)
        run_pipeline(module, PIPELINES["weft-optimize"], observers=observers)
        visit("optimized", module)
        run_pipeline(module, PIPELINES["weft-to-linalg"], observers=observers)
        mark_debugged(module, True)
        visit_stages(module.operation, recording.target, visit, observers)
    if "ptx" in reached:
        _note_missing(found, wanted)
    found.changes, found.unwatched = watch.changes, watch.told
    found.llvm_seconds = sorted(watch.llvm_seconds.items(), key=lambda item: -item[1])
    return found


def with_throughput(functions: Sequence[MachineFunction]) -> list[str]:
    """Note how many cycles the loops of some functions take; returns what there is to say about that."""
    loops = {f"{f.name} {loop.label}": loop for f in functions if is_of_program(f) for loop in f.loops}
    if not loops:
        return []
    found, told = throughput_of({name: loop.code for name, loop in loops.items()}, current())
    for name, throughput in found.items():
        loops[name].throughput = throughput
    return [told]


def _note_missing(found: Stages, wanted: Collection[str] | None) -> None:
    """Tell what tools would show more of a GPU; a stage that is not there for want of them has no functions."""
    for stage in ("ptx", "sass"):
        told = missing_tools(stage) if wanted is None or stage in wanted else []
        if told:
            found.machine.setdefault(stage, [])
            found.missing[stage] = told
