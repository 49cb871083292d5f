"""The sine of pi times a number, for functions that reflection continues to negative numbers.

Polynomials are minimax ones, found by Remez's algorithm.
"""

from __future__ import annotations

from ....dialect.mlir import Value
from ..number import Number
from ..pairs import Pair, exact_product, ordered_sum
from ..rows import numbers

PI = (3.141592653589793, 1.2246467991473532e-16)

_SINE = numbers("""
    7.699795166778435e-07 -2.190370605483496e-05 0.00046629990741412446 -0.007370430526999994
    0.08214588657586855 -0.5992645293191494 2.550164039877308 -5.167712780049969
""")
"""(sin(pi r) / r - pi) / r**2 as a polynomial in r**2, |r| <= 1/2."""


def distance(x: Number) -> Number:
    """What is above or below the nearest whole number: exact, 0 for numbers without fractions."""
    return x - x.round()


def is_odd(x: Number) -> Value:
    """Whether the nearest whole number is odd."""
    half = x.round() * 0.5
    return half.compare("!=", half.floor())


def sine(r: Number) -> Pair:
    """sin(pi r), |r| <= 1/2."""
    square = exact_product(r, r)
    *first, last = _SINE
    high, low = PI
    factor = exact_product(square.high, r.constant(last))
    rest = square.high * (square.high * square.high.polynomial(first)) + square.low * last
    sum = ordered_sum(r.constant(high), factor.high)
    return ordered_sum(sum.high, sum.low + (factor.low + (rest + low))).times(r)
