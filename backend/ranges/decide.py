"""Comparisons whose truth the ranges of integers tell, among them checks that an index is inside of its array.

An index is kept inside of its array wherever it is read or written: `i < 0` chooses `i + n`, and `0 <= place < n`
chooses `place` or 0. What makes machine code slow is not needed where loops and conditions around keep the index there:

    while i < 100: x[i]; i = i + 1        begins with i = 0: in the body, i is from 0 to 99

Nothing relies on anything else than on what the module itself computes: extents are those of the memrefs, and the
integers that a caller passes may be any, except for those that the module passes to its own kernels.
"""

from __future__ import annotations

from typing import ClassVar

from ...dialect.loops import INTERRUPTIBLE
from ...dialect.mlir import Block, Module, Operation, ir
from ...dialect.records import dataclass
from ...passes.base import Pass, Statistics
from ..nests.emit import create
from ..planning.names import is_kernel_name
from .interval import WIDEST, Interval, everything, joined
from .program import NOTHING, Numbering
from .walk import Steps, TooLongError, Walk

_LOOPS = ("scf.for", "scf.while")


@dataclass(frozen=True)
class DecideComparisons(Pass):
    """Replace comparisons of integers by their truth where ranges tell it, in functions with loops of the program."""

    name: ClassVar[str] = "decide-comparisons"
    summary: ClassVar[str] = "decide comparisons of integers by their ranges, such as checks of indices"

    def run(self, module: Module, statistics: Statistics) -> None:
        statistics["comparisons decided"] += decide_comparisons(module)


def decide_comparisons(module: Module) -> int:
    """Decide what can be decided in a module of structured loops on memrefs; returns how many comparisons that were."""
    functions = {
        view.operation.attributes["sym_name"].value: view.operation
        for view in module.body.operations
        if view.operation.name == "func.func" and len(view.regions[0].blocks) == 1
    }
    if not any(_has_loops(function.regions[0].blocks[0]) for function in functions.values()):
        return 0
    if any(
        view.operation.name == "func.func" and len(view.regions[0].blocks) > 1
        for view in module.body.operations
    ):
        return 0  # it may call kernels with anything
    found = _Module(functions).decided()
    for operation, holds in found.items():
        with ir.InsertionPoint(operation), operation.location:
            truth = create(
                "arith.constant", [operation.results[0].type], [], {"value": ir.BoolAttr.get(holds)}
            )
        operation.results[0].replace_all_uses_with(truth)
        operation.erase()
    return len(found)


def _has_loops(block: Block) -> bool:
    """Whether there are loops of the program, which are not inside of others."""
    return any(
        view.operation.name in _LOOPS and INTERRUPTIBLE in view.operation.attributes
        for view in block.operations
    ) or any(
        _has_loops(inner)
        for view in block.operations
        if view.operation.name == "scf.if"
        for region in view.operation.regions
        for inner in region.blocks
    )


class _Module:
    """Walks over the functions of a module, callers before the kernels that they call."""

    def __init__(self, functions: dict[str, Operation]) -> None:
        self._functions = functions
        self._programs: dict[str, Numbering] = {}
        self._passed: dict[str, list[Interval]] = {}
        """What kernels are called with."""
        self._returned: dict[tuple[str, tuple[Interval, ...]], list[Interval]] = {}
        self._found: dict[Operation, bool] = {}
        self._steps = Steps()

    def decided(self) -> dict[Operation, bool]:
        """The comparisons whose truth is known."""
        kernels = [name for name in self._functions if is_kernel_name(name)]
        try:
            for name in self._functions:
                if name not in kernels:
                    self._walk(name, None)
            for name in kernels:
                if name in self._passed:
                    self._walk(name, self._passed[name])
        except TooLongError:
            pass  # what was found until then holds
        return self._found

    def _program(self, name: str) -> Numbering:
        if name not in self._programs:
            self._programs[name] = Numbering(self._functions[name])
        return self._programs[name]

    def _walk(self, name: str, arguments: list[Interval] | None) -> None:
        program = self._program(name)
        Walk(program, self._steps, self._call, self._found.__setitem__).over(
            arguments or _anything(program), is_last=True
        )

    def _call(self, operation: Operation, arguments: list[Interval], is_last: bool) -> list[Interval] | None:
        """What a kernel returns; the last time it also counts what it is called with."""
        name = operation.attributes["callee"].value
        if not is_kernel_name(name) or name not in self._functions:
            return None
        if is_last:
            others = self._passed.get(name, arguments)
            self._passed[name] = [joined(*pair) for pair in zip(others, arguments, strict=True)]
        program = self._program(name)
        if all(number == NOTHING for number in program.body.passed):
            return None
        key = (name, tuple(arguments))
        if key not in self._returned:
            walk = Walk(program, self._steps, _unknown, self._found.__setitem__)
            self._returned[key] = walk.over(arguments, is_last=False)
        return self._returned[key]


def _unknown(operation: Operation, arguments: list[Interval], is_last: bool) -> None:
    """Kernels call no kernels."""


def _anything(program: Numbering) -> list[Interval]:
    return [everything(program.widths[n] if n != NOTHING else WIDEST) for n in program.body.arguments]


__all__ = ["DecideComparisons", "decide_comparisons"]
