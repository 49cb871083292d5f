"""The distribution function of the normal distribution, and its logarithm."""

from __future__ import annotations

import math

from ..double_logarithm import double_log
from ..error import scaled_tail, tail
from ..exponents import scale
from ..number import Number
from ..pairs import Pair, exact_product, exact_sum, in_double, ordered_sum
from ..registry import expands

_ROOT_HALF = (0.7071067811865476, -4.833646656726457e-17)
_VANISHES = 39.5
"""ndtr(-x) is 0 from here."""

_FAR = (-816.2, 88.25, -37 / 3, 2.5, -1.0)
"""(log(erfc(z)) + z**2 + log(z * sqrt(pi))) / y as a polynomial in y = 1 / (2 z**2), for z >= 28."""


@expands("ndtr")
@in_double
def ndtr(x: Number) -> Number:
    """The probability of numbers below x: half of erfc(-x / sqrt(2))."""
    z, low = _over_root_two(abs(x).at_most(_VANISHES))
    value, exponent = tail(z, scaled_tail(z), low)
    below = scale(value * 0.5, exponent)
    return below.where(x.compare("<", 0.0), 1.0 - below)


@expands("log_ndtr")
@in_double
def log_ndtr(x: Number) -> Number:
    """The logarithm of ndtr(x): below 0 that of erfc(z) * exp(z**2) / 2, less z**2, with z = -x / sqrt(2)."""
    a = abs(x)
    z, low = _over_root_two(a.at_most(_VANISHES))
    scaled = scaled_tail(z)
    value, exponent = tail(z, scaled, low)
    above = exact_sum(x.constant(1.0), -scale(value * 0.5, exponent))
    product = exact_product(scaled.value, scaled.ratio * 0.5)
    near = ordered_sum(product.high, scaled.error.times_plus(scaled.ratio * 0.5, product.low))
    is_below, is_far = x.compare("<", 0.0), a.compare(">", _VANISHES)
    inverse = 1.0 / a
    # erfc(z) * exp(z**2) is 1 / (z sqrt(pi)) times a series.
    argument = (inverse * (1 / math.sqrt(2 * math.pi))).where(is_far, near.high)
    y = inverse * inverse
    rest = (y * y.polynomial(_FAR)).where(is_far, near.low / near.high + scaled.exponent)
    logarithm = double_log(argument.where(is_below, above.high))
    rest = rest.where(is_below, above.low / above.high) + logarithm.low
    square = exact_product(a, a * -0.5)
    sum = exact_sum(square.high, logarithm.high)
    below = sum.high + (sum.low + (square.low + rest)).where(a.compare("<", 1e150), 0.0)
    above_value = logarithm.high + rest
    above_value = x.constant(-0.0).where(above_value.compare("==", 0.0), above_value)
    return below.where(is_below, above_value)


def _over_root_two(x: Number) -> tuple[Number, Number]:
    """x / sqrt(2) as a number and what it lacks."""
    high, low = _ROOT_HALF
    product = Pair(x.constant(high), x.constant(low)).times(x)
    return product.high, product.low
