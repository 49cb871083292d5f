"""Powers by a table in registers, for machines with AVX-512: exp(y * log(x)), the logarithm being a sum of two numbers.

x is split as in `table_logarithm`, f32 into intervals of 1/32 of an octave.
"""

from __future__ import annotations

import math

from .exponential import expm1_polynomial, reduced_sum
from .exponents import exponent_of, layout, mantissa_of
from .lookup import permute
from .number import Number
from .rows import numbers

_INVERSE = {
    32: numbers("""
        1.0 0.953125 0.921875 0.90625 0.875 0.859375 0.828125 0.8125 0.796875 0.765625 0.75 0.734375 0.71875
        0.703125 0.6875 0.671875 1.3125 1.28125 1.28125 1.25 1.21875 1.1875 1.1875 1.15625 1.125 1.125 1.09375
        1.0625 1.0625 1.03125 1.03125 1.0
    """),
    64: (
        *(1.0, 0.90625, 0.875, 0.8125, 0.78125, 0.75, 0.71875, 0.6875),
        *(1.3125, 1.25, 1.1875, 1.1875, 1.125, 1.0625, 1.0625, 1.0),
    ),
}
"""c with so few bits that m * c - 1 is exact."""
_LOG_HIGH = {
    32: numbers("""
        0.0 0.0480041504 0.0813446045 0.0984344482 0.133529663 0.151550293 0.188598633 0.207641602 0.227050781
        0.267059326 0.287689209 0.308731079 0.330245972 0.352218628 0.374694824 0.397689819 0.421218872
        0.4453125 0.4453125 0.470001221 0.495315552 0.52130127 0.52130127 0.547958374 0.575363159 0.575363159
        0.603530884 0.632522583 0.632522583 0.662368774 0.662368774 0.693145752
    """),
    64: numbers("""
        0.0 0.09844007281321865 0.13353139262449076 0.20763936477828793 0.2468600779316148 0.28768207245184385
        0.33024168687052224 0.3746934494413381 0.4212134650763346 0.4700036292456389 0.5212969236331446
        0.5212969236331446 0.5753641449034603 0.6325225587434034 0.6325225587434034 0.6931471805598903
    """),
}
"""log(1 / c), or log(2 / c), in so few bits that adding multiples of the high part of log(2) is exact."""
_LOG_LOW = {
    32: numbers("""
        0.0 5.06879587e-06 1.03496177e-06 5.62457126e-06 1.72953855e-06 -3.9484155e-07 -7.46300475e-06
        -2.23678421e-06 6.66938513e-06 3.45907711e-06 -7.13653253e-06 4.40254826e-06 -4.28480917e-06
        1.96565975e-06 -1.3747773e-06 -6.8516697e-06 -5.40699421e-06 -1.48334459e-06 -1.48334459e-06
        2.40854251e-06 5.88547209e-06 -4.34589811e-06 -4.34589811e-06 6.79669211e-06 9.85723887e-07
        9.85723887e-07 4.13808129e-06 -2.42643026e-08 -2.42643026e-08 6.74747935e-06 6.74747935e-06
        1.42860677e-06
    """),
    64: numbers("""
        0.0 3.3871241029241416e-14 3.1859736349078334e-14 -4.3425422595242564e-14 -8.899851356560444e-14
        -6.292357389008195e-14 5.4612144489920215e-14 7.260466149925637e-14 -3.1063837541003616e-14
        9.667719603235566e-14 1.4147162625920442e-13 1.4147162625920442e-13 1.0152652766306816e-13
        1.0711543657844876e-13 1.0711543657844876e-13 5.497923018708371e-14
    """),
}
"""What the high part lacks."""
_LOG_2 = {32: (0.693145751953125, 1.4286068203094173e-06), 64: (0.6931471805598903, 5.497923018708371e-14)}
_POLYNOMIAL = {
    32: (0.327107668, -0.400198549, 0.500002682, -0.666666627),
    64: numbers("""
        0.14620780247473789 -0.1814742132537077 0.20006549642407703 -0.2222246501585368 0.24999993055115652
        -0.28571428228537377 0.33333333336119825 -0.4000000000017481 0.49999999999999656 -0.6666666666666664
    """),
}
"""-2 * (log(1 + r) - r + r**2 / 2) / r**3 from -1/24 to 1/16 (1/32), highest coefficient first."""

LARGEST = {32: 87.0, 64: 700.0}
"""Up to here in magnitude, exponents of e have results in the range of normal numbers."""


def exponent_and_power(x: Number, y: Number) -> tuple[Number, Number]:
    """y * log(x), and x**y where that is below `LARGEST` in magnitude; x is positive and finite."""
    high, low = _logarithm(x)
    product = y * high
    parts = reduced_sum(product, y.times_plus(low, y.times_plus(high, -product)))
    fraction = (expm1_polynomial(parts.rest) + 1.0).to_bits()
    return product, (fraction + (parts.shifted.to_bits() << layout(x).mantissa)).as_number(x.type)


def _logarithm(x: Number) -> tuple[Number, Number]:
    mantissa, exponent, bits = mantissa_of(x), exponent_of(x), x.bits
    interval = mantissa.to_bits() >> (layout(x).mantissa - int(math.log2(len(_INVERSE[bits]))))
    inverse, log_high, log_low = (
        permute(interval, x, table[bits]) for table in (_INVERSE, _LOG_HIGH, _LOG_LOW)
    )
    r = mantissa.times_plus(inverse, -1.0)
    half = r * -0.5
    square = half * r  # -r**2 / 2
    square_lost = half.times_plus(r, -square)
    first = r + square
    first_lost = (r - first) + square
    tail = (square * r).times_plus(r.polynomial(_POLYNOMIAL[bits]), first_lost + square_lost)
    two_high, two_low = _LOG_2[bits]
    whole = exponent.times_plus(two_high, log_high)
    high = whole + first
    high_lost = (whole - high) + first
    return high, (exponent.times_plus(two_low, log_low) + high_lost) + tail
