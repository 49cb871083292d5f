"""Steps of plain Python that are compiled: functions of arrays that are no Python, with their compiled derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...dialect.derivatives import has_numbers
from ..autograph.marks import do_not_convert
from ..calls.eager_calls import always_compiled
from ..function import Function
from .eager import EagerRecorder, Node
from .independent import has_derivative
from .products import jvp, vjp

ArrayFunction: TypeAlias = Callable[..., Sequence[Any]]
"""From arrays to new arrays, without effects."""


class CompiledStep:
    """A function of arrays that a recorder of plain Python runs compiled; so it does its derivatives, of any order."""

    def __init__(self, function: ArrayFunction, name: str) -> None:
        self._function = function
        self._name = name
        self._compiled: Function[..., Sequence[Any]] = Function(do_not_convert(function), None, name)
        self._derivatives: dict[tuple[bool, tuple[int, ...]], CompiledStep] = {}

    def run(self, recorder: EagerRecorder, operands: Sequence[Node]) -> list[Node]:
        """The values for those of the operands, with the step that gave them."""
        with always_compiled():
            found = self._compiled(*(operand.array for operand in operands))
        values = [Node(np.asarray(array)) for array in found]
        is_real = [has_numbers(value.type) for value in values]

        def derivative(is_reverse: bool, wanted: list[int], given: Sequence[Node]) -> list[Node]:
            step = self._derivative(is_reverse, len(operands), tuple(wanted))
            return step.run(recorder, [*operands, *given])

        def pull(cotangents: Sequence[Node]) -> list[tuple[Node, Node]]:
            wanted = [n for n, operand in enumerate(operands) if operand.is_active]
            given = [cotangent for cotangent, real in zip(cotangents, is_real, strict=True) if real]
            found = derivative(True, wanted, given)
            return [(operands[n], cotangent) for n, cotangent in zip(wanted, found, strict=True)]

        def push(tangents: Sequence[Node | None]) -> list[Node | None]:
            moving = [n for n, tangent in enumerate(tangents) if tangent is not None]
            given = [tangent for tangent in tangents if tangent is not None]
            found = iter(derivative(False, moving, given) if moving else ())
            return [next(found, None) if real else None for real in is_real]

        return recorder.with_rule(values, operands, pull, self._name, push)

    def _derivative(self, is_reverse: bool, count: int, wanted: tuple[int, ...]) -> CompiledStep:
        """The function of so many operands, and of cotangents or tangents, that gives the others of these."""
        key = is_reverse, wanted
        if key not in self._derivatives:
            made = self._pulled(count, wanted) if is_reverse else self._pushed(count, wanted)
            self._derivatives[key] = CompiledStep(made, f"{'vjp' if is_reverse else 'jvp'}({self._name})")
        return self._derivatives[key]

    def _pulled(self, count: int, wanted: tuple[int, ...]) -> ArrayFunction:
        def pulled(*given: Any) -> Sequence[Any]:
            operands, cotangents = given[:count], list(given[count:])
            _, pullback = vjp(self._of_some(operands, wanted), *(operands[n] for n in wanted))
            found: Sequence[Any] = pullback(cotangents)
            return found

        return pulled

    def _pushed(self, count: int, wanted: tuple[int, ...]) -> ArrayFunction:
        def pushed(*given: Any) -> Sequence[Any]:
            operands, tangents = given[:count], given[count:]
            chosen = tuple(operands[n] for n in wanted)
            found: Sequence[Any] = jvp(self._of_some(operands, wanted), chosen, tangents)[1]
            return found

        return pushed

    def _of_some(self, operands: Sequence[Any], wanted: tuple[int, ...]) -> Callable[..., list[Any]]:
        """The results that have derivatives, as a function of some of the operands."""

        def of_some(*chosen: Any) -> list[Any]:
            given = list(operands)
            for position, operand in zip(wanted, chosen, strict=True):
                given[position] = operand
            return [value for value in self._function(*given) if has_derivative(value)]

        return do_not_convert(of_some)
