"""Sums of floats that are kept within bounds, as maps of the number that is handed on: CUSUM, levels, saturation.

    s = max(0, s + x[i] - k)

is `min(upper, max(lower, factor * s + term))`, and so are two of them behind each other, if no factor is negative: a
bound goes through the second map as a number does. What a factor that turns out negative makes is NaN, and tells so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol

from ...dialect.mlir import Operation, Type, Value, ir
from ...dialect.records import dataclass
from ...passes.rewriting import operations_in

Part = int | Value
SIDES = {
    "arith.maximumf": "lower",
    "arith.maxnumf": "lower",
    "arith.minimumf": "upper",
    "arith.minnumf": "upper",
    "arith.maxsi": "lower",
    "arith.minsi": "upper",
}
"""Which bound an operation sets."""
_LESS, _MORE = (4, 5, 11, 12), (2, 3, 9, 10)
"""Predicates of `arith.cmpf`, whatever they say of NaN, which nothing is found of."""
_NOT_LESS = 3
_NOT_EQUAL = 1
_LESS_INTEGERS, _MORE_INTEGERS = (2, 3), (4, 5)
"""Predicates of `arith.cmpi` with signs."""


class Arithmetic(Protocol):
    """Computes with numbers of which some are known to be 0 or 1."""

    make: Callable[..., Any]

    def value(self, part: Part, type: Type) -> Value:
        """The value of a number."""

    def add(self, left: Part, right: Part, type: Type) -> Part:
        """The sum of two numbers."""

    def multiply(self, left: Part, right: Part, type: Type) -> Part:
        """The product of two numbers."""


@dataclass(frozen=True)
class Bounded:
    """A multiple of a number that is handed on and a term, not less than one bound, and then not more than another."""

    number: int
    factor: Part
    term: Part
    lower: Value | None = None
    upper: Value | None = None
    names: ClassVar[tuple[str, str]] = ("arith.maximumf", "arith.minimumf")
    """What keeps a number from being less, or more."""

    @property
    def parts(self) -> list[Part]:
        """What is known of it, or computed."""
        return [self.factor, self.term, *self._bounds]

    @property
    def _bounds(self) -> list[Value]:
        return [bound for bound in (self.lower, self.upper) if bound is not None]

    @property
    def limits(self) -> list[str]:
        """What holds of each part unless something has overflowed, or is no number."""
        names = ["lower"] * (self.lower is not None) + ["upper"] * (self.upper is not None)
        return ["finite", "finite", *names]

    def with_parts(self, parts: list[Part]) -> Bounded:
        """The same form of other parts."""
        factor, term, *bounds = parts
        given = iter(bounds)
        lower = None if self.lower is None else next(given)
        return type(self)(self.number, factor, term, lower, None if self.upper is None else next(given))

    def within(self, side: str, bound: Value, make: Callable[..., Any]) -> Bounded:
        """The form of its number within another bound."""
        name = self.names[side == "upper"]
        lower, upper = (
            None if own is None else make(name, [bound.type], [own, bound])
            for own in (self.lower, self.upper)
        )
        if side == "lower":
            lower = bound if lower is None else lower
        else:
            upper = bound if upper is None else upper
        return type(self)(self.number, self.factor, self.term, lower, upper)

    def applied(self, number: Part, type: Type, arithmetic: Arithmetic) -> Value:
        """What it makes of a number; of a bound of a map before it, too."""
        total = arithmetic.add(arithmetic.multiply(self.factor, number, type), self.term, type)
        return self._kept(arithmetic.value(total, type), type, arithmetic)

    def _kept(self, number: Value, type: Type, arithmetic: Arithmetic) -> Value:
        """A number within the bounds."""
        for bound, name in zip((self.lower, self.upper), self.names, strict=True):
            if bound is not None:
                number = arithmetic.make(name, [type], [number, bound])
        return number

    def behind(self, first: Bounded, type: Type, arithmetic: Arithmetic) -> Bounded:
        """The form of two maps, this one behind another one."""
        term = arithmetic.add(arithmetic.multiply(self.factor, first.term, type), self.term, type)
        factor = arithmetic.multiply(self.factor, first.factor, type)
        lower, upper = (
            own if before is None else self.applied(before, type, arithmetic)
            for before, own in ((first.lower, self.lower), (first.upper, self.upper))
        )
        return self.__class__(self.number, factor, term, lower, upper)


def bounded(
    op: Operation, number: int, depends: Callable[[Value], bool]
) -> tuple[str, Value, Value, Value] | None:
    """What an operation keeps within a bound: the side, the bound, what is compared with it, and the result else.

    Of an `arith.select` or an `scf.if`, the result of this number. A bound does not depend on what is handed on.
    """
    if op.name in SIDES:
        free = [operand for operand in op.operands if not depends(operand)]
        others = [operand for operand in op.operands if depends(operand)]
        return (SIDES[op.name], free[0], others[0], others[0]) if len(free) == len(others) == 1 else None
    compare = _comparison(op.operands[0])
    if compare is None:
        return None
    ways = list(op.operands)[1:]
    if op.name == "scf.if":
        ends = [operations_in(region.blocks[0])[-1] for region in op.regions]
        ways = [end.operands[number] for end in ends]
    predicate = compare.attributes["predicate"].value
    less, more = (_LESS, _MORE) if compare.name == "arith.cmpf" else (_LESS_INTEGERS, _MORE_INTEGERS)
    if predicate not in less + more:
        return None
    left, right = compare.operands
    for bound, other, is_chosen in ((ways[0], ways[1], True), (ways[1], ways[0], False)):
        for one, against, is_first in ((left, right, True), (right, left, False)):
            if not depends(bound) and depends(one) and is_same(against, bound):
                is_less = (predicate in less) == is_first
                return ("lower" if is_less == is_chosen else "upper"), bound, one, other
    return None


def _comparison(condition: Value) -> Operation | None:
    """The comparison of numbers that a condition is, which may have been a byte."""
    op = None if isinstance(condition.owner, ir.Block) else condition.owner.operation
    if op is not None and op.name == "arith.cmpi" and op.attributes["predicate"].value == _NOT_EQUAL:
        byte, zero = op.operands
        inner = None if isinstance(byte.owner, ir.Block) else byte.owner.operation
        if inner is not None and inner.name == "arith.extui" and constant_float(zero) == 0:
            return _comparison(inner.operands[0])
    return op if op is not None and op.name in ("arith.cmpf", "arith.cmpi") else None


def constant_float(value: Value) -> float | int | None:
    """The number that a constant is."""
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != "arith.constant":
        return None
    attribute = value.owner.operation.attributes["value"]
    if isinstance(attribute, ir.FloatAttr):
        return float(attribute.value)
    return int(attribute.value) if isinstance(attribute, ir.IntegerAttr) else None


def is_same(one: Value, other: Value) -> bool:
    """Whether values are one, or constants of one number."""
    number = constant_float(one)
    return one == other or (number is not None and number == constant_float(other))


def factor_unless_negative(factor: Value, make: Callable[..., Any]) -> Value:
    """A factor, or NaN if it is negative."""
    number = constant_float(factor)
    if number is not None and number >= 0:
        return factor
    type = factor.type
    zero, nan = (
        make("arith.constant", [type], [], {"value": ir.FloatAttr.get(type, value)})
        for value in (0.0, float("nan"))
    )
    predicate = {"predicate": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _NOT_LESS)}
    is_positive = make("arith.cmpf", [ir.IntegerType.get_signless(1)], [factor, zero], predicate)
    chosen: Value = make("arith.select", [type], [is_positive, factor, nan])
    return chosen
