"""Which kernels become part of the code that calls them, and whether LLVM has loops to vectorise.

A call takes a few nanoseconds and passes what it computes through memory: nothing beside a large array, but much in
a loop around rows of three numbers. Large kernels are better off alone: their arguments are known not to overlap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field

from ....dialect.mlir import Block, Module, Operation, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import blocks_of, defined_functions, operations_in, operations_of
from ...nests.emit import SHORT_ROWS
from ...planning.names import EXIT, POLL
from ...planning.plan import Plan
from ..machine.llvm import ScalarLoops
from .steps import steps_of, trips_of

MAX_CALLS = 2
"""With so few calls in a module, all are inlined: that takes no longer to compile."""

MAX_STEPS = 300
"""A kernel that a loop calls, in one place, is inlined if it executes so few operations."""

MAX_TOTAL_STEPS = 3000
"""All kernels that are inlined into loops together: one long function takes long to compile."""

MAX_PLACES = 2
"""Kernels that a few steps may be all of are inlined in so many places: a loop, and the same one without checks."""

_CHECKS = {POLL: "polls", EXIT: "checks"}
_ACCESSES = {"memref.load": 0, "memref.store": 1}
_COUNTED = "scf.for"
_LOOPS = (_COUNTED, "scf.while")


INLINE, LOOPS = "weft.inline", "weft.loops"
"""The attributes of functions that tell whether a kernel becomes part of its callers, and which loops on scalars there
are: "counted", or "other" ones alone."""


@dataclass(frozen=True)
class ChooseInlining(Pass):
    """Choose the kernels to inline, and note where LLVM has loops to look at."""

    def run(self, module: Module, statistics: Statistics) -> None:
        graph = CallGraph.of(module)
        in_line = graph.in_line()
        for view in defined_functions(module):
            attributes, name = view.operation.attributes, view.operation.attributes["sym_name"].value
            if SHORT_ROWS in attributes:
                del attributes[SHORT_ROWS]
            if name in graph.kernels:
                attributes[INLINE] = ir.BoolAttr.get(name in in_line)
            if name in graph.with_scalar_loops:
                attributes[LOOPS] = ir.StringAttr.get("counted")
            elif name in graph.with_other_loops:
                attributes[LOOPS] = ir.StringAttr.get("other")
        statistics["kernels inlined"] += len(in_line)


def scalar_loops(module: Module, plans: Sequence[Plan]) -> ScalarLoops | None:
    """The functions of a planned module in the LLVM dialect with loops on scalars; None where it was not planned.

    Those are kernels on their own, and if one is none, all that is inlined into each other.
    """
    if not plans:
        return None
    functions = {
        view.operation.attributes["sym_name"].value: view.operation for view in module.body.operations
    }
    noted = {
        name: op.attributes
        for name, op in functions.items()
        if INLINE in op.attributes or LOOPS in op.attributes
    }
    outlined = {
        name for name, attributes in noted.items() if INLINE in attributes and not attributes[INLINE].value
    }
    others = functions.keys() - outlined | {entry for plan in plans for entry in plan.entries}

    def with_loops(kind: str) -> set[str]:
        names = {
            name
            for name, attributes in noted.items()
            if LOOPS in attributes and attributes[LOOPS].value == kind
        }
        return names & outlined | (others if names - outlined else set())

    return ScalarLoops(with_loops("counted"), with_loops("other"))


@dataclass
class CallGraph:
    """What the functions of a module call, and what of that LLVM should look at closely."""

    kernels: dict[str, Operation] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    in_loops: set[str] = field(default_factory=set)
    with_scalar_loops: set[str] = field(default_factory=set)
    """Functions with a counted loop that LLVM may turn into vector code: an innermost one on scalars."""
    with_other_loops: set[str] = field(default_factory=set)
    """Functions with any other loop that has no vector code in it, nor in the functions that it calls."""
    _with_vectors: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, module: Module) -> CallGraph:
        """Look at all functions of a module of structured loops, once."""
        graph = cls()
        called_in_loops: list[tuple[str, str]] = []
        for view in defined_functions(module):
            function = view.operation
            name = function.attributes["sym_name"].value
            if "sym_visibility" in function.attributes:
                graph.kernels[name] = function
            for block in function.regions[0]:
                if "vectors" in graph._look_into(block, name, called_in_loops, False):
                    graph._with_vectors.add(name)
        for caller, callee in called_in_loops:
            graph.in_loops.add(callee)
            if callee not in graph._with_vectors and callee not in _CHECKS:
                graph.with_other_loops.add(caller)
        return graph

    def _look_into(
        self, block: Block, function: str, called_in_loops: list[tuple[str, str]], in_loop: bool
    ) -> set[str]:
        """Note what a block of a function calls; what there is in it but operations on scalars.

        That may be "loops", "vectors", "calls", or "checks" and "polls", which are calls that hardly ever do
        anything; and "elements", where scalars are read from memory and written to it.
        """
        found = set()
        for op in operations_in(block):
            name = op.name
            if name == "func.call":
                callee = op.attributes["callee"].value
                self.calls[callee] += 1
                if in_loop:
                    called_in_loops.append((function, callee))
                found.add(_CHECKS.get(callee, "calls"))
            elif name.startswith("vector."):
                found.add("vectors")
            elif name in _ACCESSES:
                memref = op.operands[_ACCESSES[name]]
                if isinstance(memref.owner, ir.Block) or memref.owner.name != "memref.alloca":
                    found.add("elements")
            else:
                is_loop = name in _LOOPS
                inside: set[str] = set()
                for inner in blocks_of(op):
                    inside |= self._look_into(inner, function, called_in_loops, in_loop or is_loop)
                if is_loop:
                    self._note_loop(op, function, inside)
                    inside = inside - {"polls"} | {"loops"}
                elif "polls" in inside:
                    inside = {"checks"}  # the branch in which a loop looks for signals
                found |= inside
        return found

    def _note_loop(self, loop: Operation, function: str, inside: set[str]) -> None:
        if loop.name == _COUNTED and inside <= {"elements"}:
            if trips_of(loop) > 0:  # else it is what vectors leave of a round number
                self.with_scalar_loops.add(function)
        elif "vectors" not in inside and ("calls" not in inside or "elements" in inside):
            self.with_other_loops.add(function)

    def in_line(self) -> set[str]:
        """The names of the kernels to inline."""
        kernels = self.kernels
        if sum(self.calls[name] for name in kernels) <= MAX_CALLS:
            return set(kernels)
        chosen: set[str] = set()
        total = 0.0
        for name, function in kernels.items():
            short = SHORT_ROWS in function.attributes
            if name in self.in_loops and self.calls[name] <= (MAX_PLACES if short else 1):
                steps = self.calls[name] * len(operations_of(function)) if short else steps_of(function)
                if steps <= MAX_STEPS and total + steps <= MAX_TOTAL_STEPS:
                    chosen.add(name)
                    total += steps
        return chosen
