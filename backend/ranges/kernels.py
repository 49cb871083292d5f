"""Walks over the functions of a module: kernels are called with what their callers know of the integers."""

from __future__ import annotations

from ...dialect.mlir import Operation
from ..planning.names import is_kernel_name
from .interval import WIDEST, Interval, everything, joined
from .program import NOTHING, Numbering
from .walk import Steps, TooLongError, Walk


class Kernels:
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
