"""Loops around long loops stay loops.

LLVM decides by the length of the code in a loop whether to write out all its rounds, and code in an inner loop counts
once. Then it makes vector code of each copy of the inner loop, and may write that out as well: 16 rounds of 256
elements become thousands of instructions without a branch, which take seconds to choose and to order, and run no
faster.
"""

from __future__ import annotations

import math
from dataclasses import field

from ....dialect.mlir import Module, Operation
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import operations_directly_in, symbols_of
from ...nests.emit import keep_rolled
from .inlining import INLINE, LOOPS
from .steps import in_rounds, trips_of

MAX_STEPS = 1000
"""A loop around loops may be written out if all its rounds together execute no more operations."""


@dataclass(frozen=True)
class KeepRolled(Pass):
    """Keep LLVM from unrolling loops around long loops."""

    def run(self, module: Module, statistics: Statistics) -> None:
        functions = symbols_of(module)
        nests = _Nests(functions)
        for name, function in functions.items():
            if function.name == "func.func" and (
                LOOPS in function.attributes or INLINE not in function.attributes
            ):
                nests.of_function(name)
        statistics["loops kept rolled"] += nests.kept


@dataclass
class _Nests:
    """Looks into loops, and into the functions that become part of them."""

    functions: dict[str, Operation]
    kept: int = 0
    _seen: dict[str, tuple[float, bool]] = field(default_factory=dict)

    def of_function(self, name: str) -> tuple[float, bool]:
        """How many operations a function executes, and whether there is a loop among them."""
        if name not in self._seen:
            self._seen[name] = math.inf, True  # what a function that calls itself finds
            self._seen[name] = self._inside(self.functions[name])
        return self._seen[name]

    def _inside(self, op: Operation) -> tuple[float, bool]:
        """The same for what is in the regions of an op, once."""
        steps, has_loop = 0.0, False
        for inner in operations_directly_in(op):
            more, is_loop = self._of(inner)
            steps, has_loop = steps + more, has_loop or is_loop
        return steps, has_loop

    def _of(self, op: Operation) -> tuple[float, bool]:
        if op.name == "func.call":
            callee = op.attributes["callee"].value
            attributes = self.functions[callee].attributes
            in_line = INLINE in attributes and attributes[INLINE].value
            return self.of_function(callee) if in_line else (1, False)
        if not len(op.regions):
            return 1, False
        inside, has_loop = self._inside(op)
        rounds = trips_of(op)
        steps = 1 + in_rounds(rounds, inside)
        if op.name == "scf.for" and has_loop and rounds < math.inf and steps > MAX_STEPS:
            keep_rolled(op)
            self.kept += 1
        return steps, has_loop or op.name in ("scf.for", "scf.while")
