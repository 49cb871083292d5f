"""Inverses of the hyperbolic functions, by logarithms. Polynomials are minimax ones, found by Remez's algorithm."""

from __future__ import annotations

import math

from .exponents import split
from .logarithm import LN2_HIGH, LN2_LOW, log1p_of_sum
from .number import Number
from .registry import expands
from .rows import numbers

_ATANH = {
    32: (0.151187763, 0.067168057, 0.114610024, 0.142602801, 0.200008407, 0.333333254),
    64: numbers("""
        0.15441643414384124 -0.04105955343755784 0.08014486559017184 0.04490470238504764 0.060034672075104704
        0.06653821532522254 0.0769323002311285 0.09090865154147924 0.11111112439078001 0.1428571426224658
        0.200000000002077 0.33333333333332693
    """),
}
"""(atanh(s) / s - 1) / s**2 as a polynomial in s**2, |s| <= 0.4546."""


_LARGE = {32: 2.0**22, 64: 2.0**51}
"""From here, the square roots below are the number itself."""


@expands("asinh")
def asinh(x: Number) -> Number:
    """log1p(a + a**2 / (1 + sqrt(a**2 + 1))) of the magnitude a, with the sign of x."""
    magnitude = abs(x)
    square = magnitude * magnitude
    excess = square / ((square + 1.0).sqrt() + 1.0)
    return _log_of_sum(magnitude, magnitude, excess).with_sign_of(x)


@expands("acosh")
def acosh(x: Number) -> Number:
    """log1p(w + sqrt(w * (w + 2))) of w = x - 1; NaN below 1."""
    w = x - 1.0
    return _log_of_sum(w, w.times_plus(w, w + w).sqrt(), w).where(x.compare(">=", 1.0), math.nan)


def _log_of_sum(x: Number, larger: Number, smaller: Number) -> Number:
    """log(1 + larger + smaller), which is log(2 * x) for large numbers x, whose square may be infinite."""
    large = x.compare(">", _LARGE[x.bits])
    larger, smaller = x.where(large, larger), x.constant(0.0).where(large, smaller)
    sum = larger + smaller
    lost = (larger - sum) + smaller
    return log1p_of_sum(sum, lost, x.constant(1.0).where(large, 0.0))


@expands("atanh")
def atanh(x: Number) -> Number:
    """n * ln(2) / 2 + atanh(s), with 1 - a = m * 2**-n for the magnitude a and s = (1 + a - m) / (1 + a + m).

    For small a, s is a itself: what rounding 1 + a and 1 - a loses is added to the numerator.
    """
    a, bits = abs(x), x.bits
    above, below = a + 1.0, 1.0 - a
    mantissa, exponent = split(below)
    above_lost, below_lost = a - (above - 1.0), (1.0 - below) - a
    # Nothing is lost from 1 - a above 1/2, that is with n > 1; below, 2**n is 1 + n.
    power = 1.0 - exponent.at_least(-2.0)
    s = ((above - mantissa) + (above_lost - below_lost * power)) / (above + mantissa)
    square = s * s
    low = exponent.times_plus(-0.5 * LN2_LOW[bits], s * square * square.polynomial(_ATANH[bits]))
    return (exponent.times_plus(-0.5 * LN2_HIGH[bits], s) + low).with_sign_of(x)
