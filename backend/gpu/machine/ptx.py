"""A `gpu.module` in the dialects of LLVM becomes PTX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from ....dialect.errors import InternalError
from ....dialect.mlir import Operation
from ....passes.pipeline import Observer, run_text_passes
from ....passes.timing import phase
from ...llvm_compatibility.translation import REPAIRS, translate
from ...llvm_compatibility.watched_passes import watch_passes
from ...target import Target, current

_UNKNOWN_FUNCTION = re.compile(r"^\s*\.extern \.func\s+(?:\([^)]*\)\s*)?(?P<name>[\w$]+)", re.MULTILINE)


def assembly_of(module: Operation) -> str:
    """The LLVM assembly of the kernels of a `gpu.module`."""
    return run_text_passes(translate(module), REPAIRS)


def ptx_of(text: str) -> str:
    """The PTX of LLVM assembly, for the current target.

    Raises `InternalError` where an op is not lowered, or a function is called that there is not.
    """
    module = optimised(text)
    with phase("llvm-codegen"):
        ptx: str = _target_machine(current()).emit_assembly(module)
    unknown = _UNKNOWN_FUNCTION.search(ptx)
    if unknown is not None:
        raise InternalError(f"a device kernel calls {unknown['name']}, which there is not on a GPU")
    return ptx


def optimised(text: str) -> Any:
    """LLVM assembly after LLVM's optimiser, as a module of llvmlite."""
    module = _parsed(text)
    with phase("llvm-optimise"):
        _optimise(module, current())
    return module


def _parsed(text: str) -> Any:
    machine = _target_machine(current())
    try:
        module = _binding().parse_assembly(text)
    except RuntimeError as error:
        raise InternalError(f"LLVM refuses the code of a device kernel: {error}") from error
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    return module


def watch(text: str, observers: Sequence[Observer]) -> None:
    """Tell observers of each pass of LLVM that `ptx_of` runs."""
    for observer in observers:
        observer.after_llvm("optimized-llvm", "", "", str(_parsed(text)))
    watch_passes(text, f"{__name__}:_make_watched", None, "ptx", observers)


def _make_watched(text: str, options: None) -> None:
    ptx_of(text)


def _optimise(module: Any, target: Target) -> None:
    from llvmlite.binding.newpassmanagers import NewPassManager

    binding = _binding()
    options = binding.create_pipeline_tuning_options(speed_level=3)
    builder = binding.create_pass_builder(_target_machine(target), options)
    passes = builder.getModulePassManager()
    try:
        passes.run(module, builder)
    finally:
        NewPassManager._dispose(passes)  # llvmlite's own `close` finds the `_dispose` of another base class
        passes.detach()


@cache
def _binding() -> Any:
    import llvmlite.binding as binding

    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    return binding


@cache
def _target_machine(target: Target) -> Any:
    # Level 3 would number values once more, which changes nothing in code that was optimised: a sixth of the time.
    return (
        _binding()
        .Target.from_triple(target.triple)
        .create_target_machine(cpu=target.cpu, features=target.features, opt=2)
    )
