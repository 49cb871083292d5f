"""The stages of the CPU backend in order: what `backend_text` shows and `machine_code` runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from ...dialect.assembly import assembly
from ...dialect.mlir import Module
from ...dialect.records import NamedTuple, replace
from ...passes.base import TextPass
from ...passes.notes import wanted
from ...passes.pipeline import Code, Observer, Step, run_stage, run_text_passes
from ...passes.timing import phase
from ..llvm_compatibility.translation import translate
from ..planning.debug_info import is_debugged, locate_calls
from ..planning.plan import Plan
from ..planning.plan_attributes import plans_of
from .element_loops import ElementLoop, element_loops
from .lowering.entries import AddEntries
from .lowering.inlining import scalar_loops
from .machine import llvm
from .pipeline import ALL_PASSES, needed_steps, steps_of, text_passes
from .strides import note_strides

STAGES = ("linalg", "kernels", "buffers", "loops", "llvm-dialect", "llvm", "optimized-llvm", "asm")
"""All stages that text can be asked of."""


class Convention(NamedTuple):
    """How machine code is called, and what it may call."""

    options: Mapping[str, str]
    """Of passes, by their names, where they are not the usual ones."""
    entries: Callable[[Module, Sequence[Plan]], TextPass]
    """What adds the functions that are called from outside."""


BY_PYTHON = Convention(MappingProxyType({}), AddEntries.of)
"""Entries take NumPy's arrays, and Python is in the process."""


class Lowering:
    """Takes a module from linalg to LLVM, one stage after the other, in place."""

    def __init__(
        self,
        module: Module,
        verify: bool,
        observers: Sequence[Observer] = (),
        convention: Convention = BY_PYTHON,
    ) -> None:
        self._module = module
        self._verify = verify
        self._observers = observers
        self._convention = convention
        self.plans: list[Plan] = []
        self.llvm_text = ""
        self.scalar_loops: llvm.ScalarLoops | None = None
        """The functions with loops on scalars, once the text is there; None where they are not known."""
        self.element_loops: list[ElementLoop] = []
        """Loops that LLVM may make vector code of, where somebody records notes."""

    def stages(self) -> Iterator[str]:
        """Run the stages up to LLVM assembly; the name of each is given when it is reached."""
        yield "linalg"
        self._run("linalg-to-kernels")
        yield "kernels"
        self._run("kernels-to-buffers")
        yield "buffers"
        self._run("buffers-to-loops")
        yield "loops"
        self.loops_to_llvm()
        yield "llvm-dialect"
        self.translate()
        yield "llvm"

    def loops_to_llvm(self) -> None:
        """From loops to the LLVM dialect."""
        if wanted():
            self.element_loops = element_loops(self._module)
            note_strides(self._module)
        options = self._convention.options
        steps = needed_steps(self._module)
        self._run("loops-to-llvm", [replace(s, options=options.get(s.name, s.options)) for s in steps])

    def translate(self) -> None:
        """From the LLVM dialect to LLVM assembly."""
        if is_debugged(self._module):
            locate_calls(self._module)
            self._run("debug-scopes")
        self.plans = plans_of(self._module)
        self.scalar_loops = scalar_loops(self._module, self.plans)
        with phase("llvm-assembly"):
            text = translate(self._module)
            self.llvm_text = run_text_passes(text, self._text_passes(), self._observers)
            if is_debugged(self._module):
                from .machine.debuggers import with_entry_scopes  # few programs are looked into

                self.llvm_text = with_entry_scopes(self.llvm_text)

    def _text_passes(self) -> Sequence[TextPass]:
        """What happens to the assembly."""
        return text_passes(self._convention.entries(self._module, self.plans))

    def _run(self, pipeline: str, steps: Sequence[Step] = ()) -> None:
        run_stage(
            pipeline,
            self._module,
            steps or steps_of(pipeline),
            passes=ALL_PASSES,
            observers=self._observers,
            verify=self._verify,
        )


def stage_text(module: Module, stage: str) -> str:
    """The text of a module at a stage; the module is used up."""
    lowering = Lowering(module, verify=False)
    for reached in lowering.stages():
        if reached == stage and reached != "llvm":
            return assembly(module.operation, is_debugged(module))
    if stage == "llvm":
        return lowering.llvm_text
    optimised = llvm.optimise(lowering.llvm_text, lowering.scalar_loops)
    return llvm.assembly(optimised) if stage == "asm" else str(optimised)


def visit_stages(
    module: Module, visit: Callable[[str, Code], None], observers: Sequence[Observer] = ()
) -> None:
    """Show each stage to a function, with its name; "asm" has comments. The module is used up."""
    lowering = Lowering(module, False, observers)
    for reached in lowering.stages():
        visit(reached, lowering.llvm_text if reached == "llvm" else module)
    if observers:
        llvm.watch(lowering.llvm_text, lowering.scalar_loops, observers)
    optimised = llvm.optimise(lowering.llvm_text, lowering.scalar_loops)
    visit("optimized-llvm", str(optimised))
    visit("asm", llvm.assembly(optimised, has_comments=True))
