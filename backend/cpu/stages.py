"""The stages of the CPU backend in order: what `backend_text` shows and `machine_code` runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ...dialect.errors import UnsupportedError
from ...dialect.mlir import Module
from ...passes.expand_sorts import ExpandSorts
from ...passes.timing import phase
from ..planning.buffers import plan_buffers
from ..planning.failures import branch_at_exits, lower_exits
from ..planning.names import is_taken
from ..planning.outline import OutlineKernels
from ..planning.packed_layout import PackedArgument
from ..planning.plan import Plan
from ..target import current
from .codegen.contractions.pack_operands import PackOperands, packed_arguments
from .codegen.kernels import lower_kernels
from .codegen.outer_loop_vectorization.lanes import vectorise_lanes
from .lowering.argument_table import read_when_used
from .lowering.entry import entry_text
from .lowering.inlining import CallGraph
from .lowering.linkage import link_functions
from .lowering.parameters import pass_pointers
from .lowering.runtime import link_runtime
from .lowering.to_llvm import lower_to_llvm
from .lowering.translation import translate
from .machine import llvm

STAGES = ("linalg", "kernels", "buffers", "loops", "llvm-dialect", "llvm", "optimized-llvm", "asm")
"""All stages that text can be asked of."""


class Lowering:
    """Takes a module from linalg to LLVM, one stage after the other, in place."""

    def __init__(self, module: Module, verify: bool) -> None:
        self._module = module
        self._verify = verify
        self.plans: list[Plan] = []
        self.packed: list[PackedArgument] = []
        """The further arguments of the function that is called from outside."""
        self._by_pointer: set[str] = set()
        self._by_table: set[str] = set()
        self.llvm_text = ""
        self.scalar_loops = llvm.ScalarLoops()
        """The functions with loops on scalars, once the text is there."""

    def stages(self) -> Iterator[str]:
        """Run the stages up to LLVM assembly; the name of each is given when it is reached."""
        module = self._module
        _require_free_names(module)
        yield "linalg"
        with phase("pack-operands"):
            PackOperands().run(module, Counter())
            self.packed = packed_arguments(module)
        with phase("outline-kernels"):
            if not current().compresses:
                ExpandSorts().run(module, Counter())
            OutlineKernels().run(module, Counter())
        yield "kernels"
        with phase("vectorise-lanes"):
            vectorise_lanes(module)
        with phase("plan-buffers"):
            self.plans = plan_buffers(module)
            self._check()
        yield "buffers"
        with phase("schedule-kernels"):
            lower_kernels(module, self._verify)
        yield "loops"
        with phase("lower-to-llvm"):
            self._to_llvm_dialect()
            self._check()
        yield "llvm-dialect"
        with phase("translate"):
            entries = (entry_text(plan, self._by_pointer, self._by_table) for plan in self.plans)
            self.llvm_text = translate(module) + "".join(entries)
        yield "llvm"

    def _to_llvm_dialect(self) -> None:
        module = self._module
        graph = CallGraph.of(module)
        in_line = graph.in_line()
        self._by_pointer = pass_pointers(module)
        branch_at_exits(module)
        lower_to_llvm(module, self._verify, graph.names)
        lower_exits(module)
        link_runtime(module)
        called_once = _called_once(self.plans)
        by_pointer = called_once & self._by_pointer
        self._by_table = {p.name for p in self.plans if p.name in by_pointer and read_when_used(module, p)}
        link_functions(module, in_line | called_once)
        self.scalar_loops = llvm.ScalarLoops(
            self._with_what_is_inlined(graph.with_scalar_loops, graph, in_line),
            self._with_what_is_inlined(graph.with_other_loops, graph, in_line),
        )

    def _with_what_is_inlined(self, names: set[str], graph: CallGraph, in_line: set[str]) -> set[str]:
        """Kernels on their own, and if one is none, all that is inlined into each other."""
        outlined = graph.kernels.keys() - in_line
        chosen = names & outlined
        if names - outlined:
            functions = {view.operation.attributes["sym_name"].value for view in self._module.body.operations}
            chosen |= functions.union(*(plan.entries for plan in self.plans)) - outlined
        return chosen

    def _check(self) -> None:
        if self._verify:
            self._module.operation.verify()


def _called_once(plans: list[Plan]) -> set[str]:
    """The functions that their entries alone call; what functions of the program call has a plan of its own."""
    if len(plans) != 1 or plans[0].calls:
        return set()
    return {name for name in (plans[0].name, plans[0].sizes) if name is not None}


def _require_free_names(module: Module) -> None:
    """Raise `UnsupportedError` when a function has the name of one that compiled code calls."""
    for op in module.body.operations:
        if op.operation.name == "func.func" and op.regions[0].blocks and is_taken(op.name.value):
            raise UnsupportedError(
                f"a function cannot be called {op.name.value}, which is the name of a function that compiled code "
                "calls; rename it"
            )


def stage_text(module: Module, stage: str) -> str:
    """The text of a module at a stage; the module is used up."""
    lowering = Lowering(module, verify=False)
    for reached in lowering.stages():
        if reached == stage and reached != "llvm":
            return str(module)
    if stage == "llvm":
        return lowering.llvm_text
    optimised = llvm.optimise(lowering.llvm_text, lowering.scalar_loops)
    return llvm.assembly(optimised) if stage == "asm" else str(optimised)
