"""The last steps of a compilation: LLVM assembly becomes optimised code, and that an object file."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

from ....dialect.errors import InternalError
from ....dialect.records import dataclass
from ....passes.pipeline import Observer
from ....passes.timing import phase
from ...llvm_compatibility.watched_passes import watch_passes
from ...target import Target, current, host
from .native_target import binding
from .partition import partition


@dataclass(frozen=True)
class ScalarLoops:
    """The functions that LLVM's optimiser is worth its time for."""

    counted: Collection[str] = ()
    """Those with loops that it may turn into vector code: they get its long pipeline."""
    others: Collection[str] = ()
    """Those with other loops that are not vector code: they get the simplifications of its second level, in a third of
    the time."""


def optimise(text: str, loops: ScalarLoops | None = None) -> Any:
    """Parse LLVM assembly and run LLVM's optimiser for this machine; the result is an llvmlite module.

    What must be inlined is inlined first. Functions without loops on scalars are tidied up only, in a tenth of the
    time of LLVM's first level: vector code is as fast as it was written, without any pass. Where `loops` are not
    known, all functions get the long pipeline.
    """
    with phase("llvm-optimise"):
        return _optimised(text, _run_long_pipeline) if loops is None else _optimise(text, loops)


def _optimise(text: str, loops: ScalarLoops) -> Any:
    long, short = partition(text, loops.counted)
    if not short:
        return _optimised(long, _run_long_pipeline)
    module = _optimised(short, partial(_simplify_functions, loops.others))
    if long:
        module.link_in(_optimised(long, _run_long_pipeline))
    return module


def parsed(text: str) -> Any:
    """A module of LLVM assembly for the current target, as it is."""
    try:
        module = binding().parse_assembly(text)
    except RuntimeError as error:
        raise InternalError(f"LLVM refuses the generated code: {error}") from error
    module.triple, module.data_layout = target_machine().triple, str(target_machine().target_data)
    return module


def _optimised(text: str, run: Callable[[Any], None]) -> Any:
    module = parsed(text)
    with _disposing(binding().create_new_module_pass_manager()) as inliner:
        inliner.add_always_inliner_pass()
        inliner.run(module, _pass_builder(1))
    run(module)
    return module


def _run_long_pipeline(module: Any) -> None:
    builder = _pass_builder(3)
    with _disposing(builder.getModulePassManager()) as passes:
        passes.run(module, builder)


@contextmanager
def _disposing(manager: Any) -> Iterator[Any]:
    """Free a pass manager, which llvmlite's own `close` does not: it finds the `_dispose` of another base class."""
    from llvmlite.binding.newpassmanagers import NewPassManager

    try:
        yield manager
    finally:
        NewPassManager._dispose(manager)
        manager.detach()


MAX_BLOCKS = 1_000
"""In functions of more basic blocks loops are left as they are: to turn one round takes a look at all others."""


def _simplify_functions(names: Collection[str], module: Any) -> None:
    """Simplify the functions of some names, and tidy up all others."""
    with (
        _disposing(_pass_builder(2).getFunctionPassManager()) as simplify,
        _disposing(_tidy_passes()) as tidy,
        _disposing(_few_passes()) as few,
    ):
        for function in module.functions:
            if function.is_declaration:
                continue
            if any(True for _ in itertools.islice(function.blocks, MAX_BLOCKS, None)):
                few.run(function, _pass_builder(1))
                continue
            tidy.run(
                function, _pass_builder(1)
            )  # what the first passes of a level find equal, is so in turned loops
            if function.name in names:
                simplify.run(function, _pass_builder(2))


def _tidy_passes() -> Any:
    passes = binding().create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_loop_rotate_pass()
    return passes


def _few_passes() -> Any:
    passes = binding().create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    return passes


def _pass_builder(level: int) -> Any:
    return _kept_pass_builder(current(), level)


def _make_pass_builder(target: Target, level: int) -> Any:
    options = binding().create_pipeline_tuning_options(speed_level=level)
    options.slp_vectorization = False
    return binding().create_pass_builder(_kept_target_machine(target), options)


_kept_pass_builder: Callable[[Target, int], Any] = cache(_make_pass_builder)


def assembly(module: Any, has_comments: bool = False) -> str:
    """The machine code of an optimised module as text; LLVM's comments tell which instructions spill registers."""
    machine = _make_target_machine(current()) if has_comments else target_machine()
    if has_comments:
        machine.set_asm_verbosity(True)
    text: str = machine.emit_assembly(module)
    return text


def watch(text: str, loops: ScalarLoops | None, observers: Sequence[Observer]) -> None:
    """Tell observers of each pass of LLVM that `optimise` and `assembly` run."""
    for observer in observers:
        observer.after_llvm("optimized-llvm", "", "", str(parsed(text)))
    options = None if loops is None else [[*loops.counted], [*loops.others]]
    watch_passes(text, f"{__name__}:_make_watched", options, "asm", observers)


def _make_watched(text: str, options: Sequence[Sequence[str]] | None) -> None:
    """What is done in a process in which LLVM prints, which it does for the first run of each builder alone."""
    global _kept_pass_builder
    _kept_pass_builder = _make_pass_builder
    assembly(optimise(text, None if options is None else ScalarLoops(*options)), has_comments=True)


LONG_BLOCK = 2_500
"""From so many instructions in a basic block on, LLVM's second level takes quadratic time to choose and order them."""


def object_code(module: Any, level: int | None = None, *, for_linker: bool = False) -> bytes:
    """The machine code of an optimised module as an object file; `level` is that of LLVM's code generation.

    Without one, it is as high as makes sense. What is for a linker may take for granted that all of it, and what it
    calls, are near each other.
    """
    with phase("llvm-codegen"):
        if level is None:
            level = 1 if _has_long_block(module) else 2
        machine = _kept_machine_for_linkers if for_linker else _kept_target_machine
        code: bytes = machine(current(), level).emit_object(module)
    return code


def _has_long_block(module: Any) -> bool:
    """Whether there is a block that LLVM's second level of code generation should not see: that of an unrolled loop."""
    return (
        max(part.count("\n") for part in str(module).split("\n\n")) > LONG_BLOCK
    )  # blank lines divide blocks


def external_symbols(module: Any) -> list[str]:
    """The functions that a module calls but does not define."""
    return [f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")]


def internalize(module: Any, kept: Collection[str]) -> None:
    """Hide all that a module defines but for some functions, and drop what is not used then."""
    for values, linkage in ((module.functions, "internal"), (module.global_variables, "private")):
        for value in values:
            if not value.is_declaration and value.name not in kept and not value.name.startswith("llvm."):
                value.linkage, value.visibility = linkage, "default"
    with _disposing(binding().create_new_module_pass_manager()) as passes:
        passes.add_global_dead_code_eliminate_pass()
        passes.run(module, _pass_builder(1))


def target_machine() -> Any:
    """LLVM's view of the machine that code is being made for."""
    return _kept_target_machine(current())


def _make_target_machine(target: Target, level: int = 2, for_linker: bool = False) -> Any:
    if target != host():
        binding().initialize_all_targets()
        binding().initialize_all_asmprinters()
    return (
        binding()
        .Target.from_triple(target.triple)
        .create_target_machine(
            cpu=target.cpu,
            features=target.features,
            opt=level,
            reloc="static" if target.triple.startswith("wasm") else "pic",
            codemodel="default" if for_linker or target.triple != host().triple else "jitdefault",
        )
    )


_kept_target_machine = cache(_make_target_machine)
_kept_machine_for_linkers = cache(partial(_make_target_machine, for_linker=True))
