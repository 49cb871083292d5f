"""The natural logarithm as the sum of two numbers, to more bits than one has.

Polynomials are minimax ones, found by Remez's algorithm.
"""

from __future__ import annotations

import math

from .exponents import rounded, split
from .lookup import lookup
from .number import Number
from .pairs import Pair
from .rows import numbers

# For i from 12 to 24, at the index i modulo 16: a number near 16 / i, and minus its logarithm in two parts.
_INVERSE = (
    *(1.0, 0.94140625, 0.890625, 0.84375, 0.80078125, 0.76171875, 0.7265625, 0.6953125, 0.66796875),
    *(1.0, 1.0, 1.0, 1.33203125, 1.23046875, 1.14453125, 1.06640625),
)
_LOG_HIGH = tuple(round(-math.log(c) * 2**42) / 2**42 for c in _INVERSE)
_LOG_LOW = numbers("""
    0.0 1.0033424888676119e-13 2.3568822182038756e-14 -1.6376276414097503e-14 1.0970699320566433e-13
    -6.465103064005256e-14 5.834357420090924e-14 -6.120773136055512e-14 -3.935475170804319e-14 0.0 0.0 0.0
    -8.848109604006821e-14 -1.0726867577289733e-13 -1.8996158041578768e-14 9.790518511990216e-14
""")
_LN2 = (0.6931471805598903, 5.497923018708371e-14)
_LOG = numbers("""
    -0.08379581130098153 0.09133827934497382 -0.09999885671756403 0.11111022280138014 -0.1250000013347873
    0.14285714369019822 -0.16666666666594376 0.19999999999966 -0.25000000000000017 0.33333333333333337
""")
"""(log(1 + r) - r + r**2 / 2) / r**3 for |r| <= 1/23."""


def double_log(x: Number) -> Pair:
    """log(x) to 64 bits: that of 2**n / c, from a table, plus that of 1 + r = c * m (Tang 1990)."""
    mantissa, exponent = split(x)
    _, index = rounded(mantissa, 16.0)
    inverse, log_high, log_low = lookup(index.to_bits(), x, _INVERSE, _LOG_HIGH, _LOG_LOW)
    product = mantissa * inverse
    r = product - 1.0
    r_lost = mantissa.fused_times_plus(inverse, -product)
    base = exponent.times_plus(_LN2[0], log_high)
    first = base + r
    first_lost = (base - first) + r
    half = r * -0.5
    square = half * r
    square_lost = half.fused_times_plus(r, -square)
    second = first + square
    second_lost = (first - second) + square
    slope = (r - 1.0).times_plus(r, 1.0)  # of log(1 + r)
    low = exponent.times_plus(_LN2[1], log_low) + r_lost.times_plus(slope, square_lost)
    low = (first_lost + second_lost) + (r * r * r).times_plus(r.polynomial(_LOG), low)
    low = low.where(abs(exponent).compare("<", math.inf), 0.0)
    high = second + low
    return Pair(high, (second - high) + low)
