"""Sums of integers that are kept within bounds, as maps of the number that is handed on.

Their sums may wrap where those of the loop do not, and then nothing is known: what is not near zero is marked, and so
is all that is made of it. Near is so far from where integers wrap that numbers are not there either between the
stretches of iterations of which a sum is put together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...dialect.mlir import Type, Value, ir
from .bounded_sums import Arithmetic, Bounded, Part

_SPARE_BITS = 7
"""Of those of an integer: 64 stretches of numbers that are near end where it does not wrap."""
_UNSIGNED_AT_MOST = 7


class BoundedIntegers(Bounded):
    """A number that is handed on and a term, within bounds."""

    names = ("arith.maxsi", "arith.minsi")

    @property
    def limits(self) -> list[str]:
        """All parts have to be near zero."""
        return ["finite"] * len(self.parts)

    def applied(self, number: Part, type: Type, arithmetic: Arithmetic) -> Value:
        """What it makes of a number; of a bound of a map before it, too."""
        given = [number, self.term, *self._bounds]
        total = arithmetic.value(arithmetic.add(number, self.term, type), type)
        return _marked(given, self._kept(total, type, arithmetic), type, arithmetic)

    def behind(self, first: Bounded, type: Type, arithmetic: Arithmetic) -> Bounded:
        """The form of two maps, this one behind another one."""
        made = super().behind(first, type, arithmetic)
        if 0 in (first.term, self.term):
            return made
        total = arithmetic.value(made.term, type)
        return made.with_parts(
            [1, _marked([first.term, self.term], total, type, arithmetic), *made.parts[2:]]
        )


def may_be_bounded(type: Type) -> bool:
    """Whether sums of a type within bounds, floats or integers, are known for many iterations at once."""
    return isinstance(type, ir.FloatType) or (isinstance(type, ir.IntegerType) and type.width in (32, 64))


def is_near(number: Value, type: Type, make: Callable[..., Any]) -> Value:
    """Whether an integer is near zero."""
    most = 1 << (type.width - _SPARE_BITS)
    truth, word = ir.IntegerType.get_signless(1), ir.IntegerType.get_signless(64)
    limit, twice = (_constant(value, type, make) for value in (most, 2 * most))
    predicate = {"predicate": ir.IntegerAttr.get(word, _UNSIGNED_AT_MOST)}
    found: Value = make(
        "arith.cmpi", [truth], [make("arith.addi", [type], [number, limit]), twice], predicate
    )
    return found


def _marked(given: list[Part], found: Value, type: Type, arithmetic: Arithmetic) -> Value:
    """What is found of some numbers, if all are near; else the lowest of all integers, which is not."""
    make, is_known = arithmetic.make, None
    for part in given:
        if isinstance(part, int):
            continue
        is_one = is_near(part, type, make)
        truth = ir.IntegerType.get_signless(1)
        is_known = is_one if is_known is None else make("arith.andi", [truth], [is_known, is_one])
    if is_known is None:
        return found
    lowest = _constant(-(1 << (type.width - 1)), type, make)
    chosen: Value = make("arith.select", [type], [is_known, found, lowest])
    return chosen


def _constant(value: int, type: Type, make: Callable[..., Any]) -> Value:
    made: Value = make("arith.constant", [type], [], {"value": ir.IntegerAttr.get(type, value)})
    return made
