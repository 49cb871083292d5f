"""Powers with an exponent that is known: small integers, and halves of odd ones, by products and a square root.

Products are pairs of numbers, so that the result is rounded once, or nearly so: within 0.51 ulp, where logarithms give
one. An inverse comes first, as its powers reach zero and infinity where the result does, and no earlier.
"""

from __future__ import annotations

import math

from ...dialect.mlir import Value, ir
from .. import target
from .number import Number, any_of
from .pairs import Pair, exact_product

MOST = 16
"""With a larger exponent, products take as long as logarithms."""


def known_exponent(y: Number) -> float | None:
    """The exponent that products give, if that is a constant and one of them.

    Machines without a fused multiplication would lose more than two ulp where results are denormal.
    """
    number = _constant(y.value) if target.current().fused_multiply_add else None
    if number is None or not (1 < abs(number) <= MOST or number == -0.5):
        return None
    return number if (2 * number).is_integer() else None


def known_power(x: Number, exponent: float) -> Number:
    """x**exponent with the special cases of C, for what `known_exponent` gives."""
    whole = int(abs(exponent))
    if whole == abs(exponent):
        base = Pair(x, x.constant(0.0)) if exponent > 0 else _inverse(Pair(x, x.constant(0.0)))
        return _rounded(_product(base, whole, exponent > 0))
    # Roots of -0 and of minus infinity are those of their magnitudes.
    x = abs(x).where(any_of(x.compare("==", 0.0), x.compare("==", -math.inf)), x)
    base = Pair(x, x.constant(0.0))
    if exponent == -0.5:
        return _rounded(_inverse(_root(base)))
    base = base if exponent > 0 else _inverse(base)
    return _rounded(_product(base, whole, exponent > 0).times_pair(_root(base)))


def _rounded(power: Pair) -> Number:
    """Its value. At zero, infinity and beyond, what products lost is not a number, and a zero would lose its sign:
    the comparison is false for NaN, and for zeros of both signs."""
    value = power.value()
    return value.where(value.compare("<>", power.high), power.high)


def _inverse(x: Pair) -> Pair:
    inverse = 1.0 / x.high
    rest = (-inverse).fused_times_plus(x.high, 1.0) - inverse * x.low
    return Pair(inverse, rest * inverse)


def _root(x: Pair) -> Pair:
    root = x.high.sqrt()
    rest = (-root).fused_times_plus(root, x.high) + x.low
    return Pair(root, rest / (root + root))


def _product(base: Pair, count: int, is_number: bool) -> Pair:
    """The product of so many times the same; `is_number` says that there is no lower part."""
    result = base
    for place, bit in enumerate(bin(count)[3:]):
        squared_number = is_number and place == 0
        result = exact_product(base.high, base.high) if squared_number else result.times_pair(result)
        if bit == "1":
            result = result.times(base.high) if is_number else result.times_pair(base)
    return result


def _constant(value: Value) -> float | None:
    while not isinstance(value.owner, ir.Block):
        made = value.owner.operation
        if made.name in ("vector.broadcast", "vector.splat", "arith.extf"):
            value = made.operands[0]
            continue
        if made.name != "arith.constant":
            return None
        attribute = made.attributes["value"]
        if isinstance(attribute, ir.DenseElementsAttr):
            if not attribute.is_splat:
                return None
            attribute = attribute.get_splat_value()
        return float(ir.FloatAttr(attribute).value)
    return None
