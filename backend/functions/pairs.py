"""Sums of two numbers, for what has to be more exact than one; rules of error-free transformations (Dekker 1971)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps

from ...dialect.records import dataclass
from .exponential import LN2_HIGH, LN2_LOW, expm1_rest
from .exponents import rounded
from .number import Number


@dataclass(frozen=True)
class Pair:
    """The sum of two numbers, the second one far smaller."""

    high: Number
    low: Number

    def value(self) -> Number:
        """The sum, rounded once."""
        return self.high + self.low

    def times(self, factor: Number) -> Pair:
        """The product with a number, hardly rounded."""
        product = exact_product(self.high, factor)
        return Pair(product.high, self.low.times_plus(factor, product.low))

    def times_pair(self, factor: Pair) -> Pair:
        """The product with a pair, hardly rounded."""
        product = self.times(factor.high)
        return Pair(product.high, self.high.times_plus(factor.low, product.low))


def exact_sum(x: Number, y: Number) -> Pair:
    """x + y and what rounding it lost."""
    sum = x + y
    other = sum - x
    return Pair(sum, (x - (sum - other)) + (y - other))


def ordered_sum(x: Number, y: Number) -> Pair:
    """The same where y is not larger in magnitude."""
    sum = x + y
    return Pair(sum, (x - sum) + y)


def exact_product(x: Number, y: Number) -> Pair:
    """x * y and what rounding it lost."""
    product = x * y
    return Pair(product, x.fused_times_plus(y, -product))


def quotient(high: float, low: float, divisor: Pair) -> Pair:
    """(high + low) / divisor; where it may not be computed with numbers of the format, the low part is 0."""
    result = high / divisor.high
    usual = abs(result).compare("<", 1e280)
    lost = (-result).fused_times_plus(divisor.high, high) - result.times_plus(divisor.low, -low)
    return Pair(result, (lost / divisor.high).where(usual, 0.0))


def exponential(exponent: Pair) -> tuple[Pair, Number]:
    """exp as a pair and the exponent of a power of two to scale it with."""
    x = exponent.high
    count, _ = rounded(x, 1 / math.log(2))
    rest = exact_sum(count.times_plus(-LN2_HIGH[64], x), count.times_plus(-LN2_LOW[64], exponent.low))
    tail = expm1_rest(rest.high) + rest.low.times_plus(rest.high, rest.low)
    sum = rest.high + 1.0
    return Pair(sum, ((1.0 - sum) + rest.high) + tail), count


def in_double(function: Callable[[Number], Number]) -> Callable[[Number], Number]:
    """Compute a function of f32 numbers in f64, as SciPy does."""

    @wraps(function)
    def widened(x: Number) -> Number:
        return function(x) if x.bits == 64 else function(x.widen()).narrow(x.type)

    return widened
