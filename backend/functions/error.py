"""The error function and its complement. Polynomials are minimax ones, found by Remez's algorithm."""

from __future__ import annotations

import math

from ...dialect.records import dataclass
from .exponential import expm1_of_reduced, expm1_polynomial, reduced_sum
from .exponents import power_of_two, scale
from .number import Number
from .reciprocal import reciprocal
from .registry import expands
from .rows import numbers

_NEAR = {
    32: (-0.000597689359, 0.00499098282, -0.0267655719, 0.112818033, -0.376124948, 0.128379151),
    64: numbers("""
        -8.290015562956751e-10 1.3961900304124533e-08 -1.6259572752628957e-07 1.645351969119586e-06
        -1.4925187986325428e-05 0.00012055316322538614 -0.0008548326627395231 0.005223977619464503
        -0.026866170644598456 0.11283791670952671 -0.3761263890318371 0.1283791670955126
    """),
}
"""erf(x) / x - 1 as a polynomial in x**2 for |x| <= 0.93."""
_FAR = {
    32: numbers("""
        0.000194942069 -0.00303364894 0.0221896134 -0.103856049 -0.637266099 -1.12762725 -0.000207054138
    """),
    64: numbers("""
        -6.408511924691377e-12 1.525040670086204e-10 -1.6387970281027992e-09 1.0345823015794352e-08
        -4.029712501314182e-08 7.623859805335198e-08 1.702383714997445e-07 -2.0841522340077034e-06
        9.623088066939166e-06 -2.7163502039220516e-05 2.627766407973913e-05 0.0002373232912943781
        -0.001977902905389181 0.01003382544125613 -0.041561098048133835 -0.843107256358468 -2.6389675142347873
        -1.8496055099332482
    """),
}
"""log(1 - erf(x)) as a polynomial in x - center, from 0.92 to where erf is 1."""
_CENTER = {32: 0.0, 64: 1.0}
_HIGHEST = {32: 4.0, 64: 6.0}

_SCALED = {
    32: numbers("""
        -0.000189492415 9.84531871e-05 0.00155336235 0.00657372456 0.0190938208 0.0435058065 0.0827127621
        0.135213301 0.193302184 0.244137183
    """),
    64: numbers("""
        2.636641536401466e-10 6.837638401817253e-11 -3.849509356633095e-09 -5.818312534154299e-10
        3.094697480434242e-08 1.9418658918055654e-08 -2.1143988472812445e-07 -3.5647972716354013e-07
        1.1735357273826598e-06 4.715431995277621e-06 -9.087668990633053e-07 -4.4203269132600575e-05
        -0.00011376317765090796 7.023972877076371e-05 0.0015280139150692564 0.006592513333649733
        0.01909537872720585 0.043502734310074245 0.08271289696950972 0.13521345782830616 0.19330217556630913
        0.24413718227022052
    """),
}
"""((1 + x / 4) * erfc(x) * exp(x**2) - center) / w as a polynomial in w = 8 / (x + 4) - 1."""
_SCALED_CENTER = {32: (0.273925781, 7.31339533e-05), 64: (0.27399885654449463, 5.870562815133348e-08)}
"""That function at w = 0: a number with so few bits that differences from it are exact, and the rest."""
_VANISHES = {32: 10.5, 64: 28.0}
"""erfc is 0 from here."""


@expands("erf")
def erf(x: Number) -> Number:
    """The error function: an odd polynomial near zero, 1 - exp(a polynomial) elsewhere."""
    magnitude, square = abs(x), x * x
    near = square.polynomial(_NEAR[x.bits]).times_plus(x, x)
    shifted = magnitude.at_most(_HIGHEST[x.bits])
    if _CENTER[x.bits]:
        shifted = shifted - _CENTER[x.bits]
    fraction, parts = expm1_of_reduced(shifted.polynomial(_FAR[x.bits]))
    power = power_of_two(parts.shifted)
    far = (-power).times_plus(fraction, 1.0 - power).with_sign_of(x)
    return far.where(magnitude.compare(">", 0.925), near)


@expands("erfc")
def erfc(x: Number) -> Number:
    """1 - erf(x), for x > 0 as exp(-x**2) / (1 + x / 4) times a polynomial in 1 / (x + 4), which cancels nothing."""
    magnitude = abs(x).at_most(_VANISHES[x.bits])
    value, exponent = tail(magnitude, scaled_tail(magnitude))
    found = scale(value, exponent)
    return (2.0 - found).where(x.compare("<", 0.0), found)


@dataclass(frozen=True)
class ScaledTail:
    """erfc(x) * exp(x**2) as (value + error) * ratio * exp(exponent), the exponent being hardly more than rounding."""

    value: Number
    error: Number
    ratio: Number
    exponent: Number


def scaled_tail(x: Number) -> ScaledTail:
    """For x >= 0 up to where erfc is 0. What rounding the reciprocal loses goes into the exponent."""
    shifted = x + 4.0
    inverse = reciprocal(shifted)
    lost = (-inverse).fused_times_plus(shifted, 1.0) - inverse * (x - (shifted - 4.0))
    ratio = inverse * 4.0
    # The logarithm of the other factors changes by so much for a relative change of the reciprocal, within a tenth.
    slope = (ratio * ratio).times_plus(3.5, 1.0)
    w = inverse.times_plus(8.0, -1.0)
    exponent = lost * slope + (inverse * 8.0 - (w + 1.0)) * 0.6
    # The last two steps of the polynomial, which round most, keep what they lose.
    *first, slope_at_center = _SCALED[x.bits]
    center, rest = _SCALED_CENTER[x.bits]
    inner = w.polynomial(first)
    outer = inner.times_plus(w, slope_at_center)
    value = outer.times_plus(w, center)
    error = outer.times_plus(w, center - value) + inner.times_plus(w, slope_at_center - outer).times_plus(
        w, rest
    )
    return ScaledTail(value, error, ratio, exponent)


def tail(x: Number, scaled: ScaledTail, low: Number | None = None) -> tuple[Number, Number]:
    """erfc(x + low) for x >= 0 and a far smaller number: a number, and the exponent of 2 to scale it with.

    What rounding the square loses goes into the exponent of exp(-x**2), in which it is added.
    """
    square = x * x
    parts = reduced_sum(-square, scaled.exponent - x.fused_times_plus(x, -square))
    fraction = expm1_polynomial(parts.rest)
    added = fraction.times_plus(scaled.value, scaled.error.times_plus(fraction, scaled.error))
    product = scaled.value + added
    error = added - (product - scaled.value)
    result = error * scaled.ratio
    if low is not None:
        # The derivative is -2 / sqrt(pi) * exp(-x**2).
        result = (low * (-2 / math.sqrt(math.pi))).times_plus(fraction + 1.0, result)
    return product.times_plus(scaled.ratio, result), parts.count
