"""Exponentials, and the hyperbolic functions that are made of them.

x is n * ln(2) + r with a whole n, and exp(x) is 2**n times a polynomial in r, |r| <= ln(2) / 2 (Cody and Waite,
Software Manual for the Elementary Functions, 1980). Polynomials are minimax ones, found by Remez's algorithm.
"""

from __future__ import annotations

import math

from ...dialect.records import dataclass
from .exponents import layout, power_of_two, rounded, scale
from .instructions import has_tables
from .number import Number
from .reciprocal import reciprocal
from .registry import expands
from .rows import numbers
from .table_tangent import tanh_by_table

LN2_HIGH = {32: 0.693359375, 64: 6.93147180369123816490e-01}
"""ln(2) with so few bits that its product with an exponent is exact."""
LN2_LOW = {32: -2.12194440054690583e-4, 64: 1.90821492927058770002e-10}

_EXPM1 = {
    32: (0.00139515637, 0.00836953055, 0.0416661911, 0.166665137, 0.5),
    64: numbers("""
        2.5118816286378765e-08 2.7632328969838745e-07 2.755721341500245e-06 2.480148737333865e-05
        0.00019841269920429063 0.001388888894905359 0.008333333333305909 0.04166666666650985
        0.16666666666666702 0.5000000000000013
    """),
}
"""(exp(r) - 1 - r) / r**2, highest coefficient first."""
_EXP2 = {
    32: (0.000154777445, 0.00134012732, 0.0096179992, 0.0555032566, 0.240226507, 0.693147182),
    64: numbers("""
        4.4575689029075597e-10 7.074183437233362e-09 1.0178045198795612e-07 1.321543308623717e-06
        1.5252733870684964e-05 0.0001540353046118774 0.0013333558146375747 0.009618129107591225
        0.05550410866482176 0.24022650695910136 0.6931471805599453
    """),
}
"""(2**r - 1) / r for |r| <= 1/2."""
_SINH = {
    32: (0.000199062313, 0.0083332872, 0.166666672),
    64: (
        2.5110176733040922e-08,
        2.7557241174322962e-06,
        0.000198412698888778,
        0.008333333333320663,
        0.16666666666666677,
    ),
}
"""(sinh(r) / r - 1) / r**2 as a polynomial in r**2."""
_COSH = {
    32: (0.00139473763, 0.0416662507, 0.5),
    64: numbers("""
        2.0925373881892053e-09 2.7557238719543067e-07 2.4801587367145155e-05 0.0013888888888861904
        0.04166666666666672 0.5
    """),
}
"""(cosh(r) - 1) / r**2 as a polynomial in r**2."""
_TANH = {
    32: (-0.00568395015, 0.0206229221, -0.0537357442, 0.133314088, -0.333332807),
    64: numbers("""
        -1.592317915139992e-05 7.68468544293462e-05 -0.00022831081701482034 0.0005861960958799563
        -0.0014549239236891958 0.003591982811681181 -0.008863220285696227 0.021869487528768286
        -0.05396825392966069 0.13333333333260147 -0.3333333333333286
    """),
}
"""(tanh(x) / x - 1) / x**2 as a polynomial in x**2 for |x| <= 0.63."""

_LOWEST = {32: -104.5, 64: -746.0}
_HIGHEST = {32: 89.0, 64: 710.0}
"""Bounds between which exp is neither 0 nor infinite."""
_HYPERBOLIC_HIGHEST = {32: 89.5, 64: 710.6}
"""sinh and cosh are infinite here, and 2**n is not yet beyond 4 times the largest power of two."""
_TANH_HIGHEST = {32: 30.0, 64: 60.0}
"""tanh is 1 from here, divided by ln(2) / 2."""


@dataclass(frozen=True)
class Reduced:
    """A number as count * ln(2) + rest."""

    rest: Number
    count: Number
    shifted: Number
    """Has the count in its low bits."""


def reduce(x: Number) -> Reduced:
    """Take multiples of ln(2) off a number within the bounds of exp."""
    count, shifted = rounded(x, 1 / math.log(2))
    rest = count.times_plus(-LN2_HIGH[x.bits], x)
    return Reduced(count.times_plus(-LN2_LOW[x.bits], rest), count, shifted)


def reduced_sum(x: Number, low: Number) -> Reduced:
    """The same for the sum of two numbers, the second one far smaller."""
    count, shifted = rounded(x, 1 / math.log(2))
    rest = count.times_plus(-LN2_HIGH[x.bits], x) + count.times_plus(-LN2_LOW[x.bits], low)
    return Reduced(rest, count, shifted)


def expm1_of_reduced(x: Number) -> tuple[Number, Reduced]:
    """exp(x) as (1 + fraction) * 2**count: the fraction and the parts of x."""
    parts = reduce(x)
    return expm1_polynomial(parts.rest), parts


def expm1_polynomial(r: Number) -> Number:
    """exp(r) - 1 for |r| <= ln(2) / 2."""
    return r.polynomial(_EXPM1[r.bits]).times_plus(r * r, r)


def expm1_rest(r: Number) -> Number:
    """exp(r) - 1 - r for |r| <= ln(2) / 2."""
    return r.polynomial(_EXPM1[r.bits]) * (r * r)


@expands("exp")
def exp(x: Number) -> Number:
    """e**x."""
    parts = reduce(x.at_most(_HIGHEST[x.bits]).at_least(_LOWEST[x.bits]))
    return scale(expm1_polynomial(parts.rest) + 1.0, parts.count)


@expands("exp2")
def exp2(x: Number) -> Number:
    """2**x."""
    bound = layout(x).bias + 2.0
    clamped = x.at_most(bound).at_least(-1.2 * bound)
    count, _ = rounded(clamped, 1.0)
    return power_of_fraction(clamped - count, count)


def power_of_fraction(rest: Number, count: Number) -> Number:
    """2**(count + rest), |rest| <= 1/2."""
    return scale(rest.polynomial(_EXP2[rest.bits]).times_plus(rest, 1.0), count)


@expands("expm1")
def expm1(x: Number) -> Number:
    """e**x - 1, exact for small x too; computed as a half of it, which overflows later."""
    parts = reduce(x.at_most(_HIGHEST[x.bits]).at_least(-40.0))
    power = power_of_two(parts.shifted, -1)
    half = _times_exp_plus(power, parts.rest, power - 0.5)
    return (half + half).with_sign_of(x)


def _times_exp_plus(power: Number, r: Number, addend: Number) -> Number:
    """power * (exp(r) - 1) + addend: what is large first, as it may cancel."""
    tail = r * r * r.polynomial(_EXPM1[r.bits])
    return power.times_plus(tail, power.times_plus(r, addend))


@expands("sinh")
def sinh(x: Number) -> Number:
    """The hyperbolic sine: sinh(n ln(2)) cosh(r) + cosh(n ln(2)) sinh(r), exact for small x as n is 0."""
    sum, difference, even, odd, r = _hyperbolic_parts(x)
    half = sum.times_plus(r, difference) + difference.times_plus(even, sum * odd)
    return (half + half).with_sign_of(x)


@expands("cosh")
def cosh(x: Number) -> Number:
    """The hyperbolic cosine: cosh(n ln(2)) cosh(r) + sinh(n ln(2)) sinh(r)."""
    sum, difference, even, odd, r = _hyperbolic_parts(x)
    half = sum + sum.times_plus(even, difference * (r + odd))
    return half + half


def _hyperbolic_parts(x: Number) -> tuple[Number, Number, Number, Number, Number]:
    """Halves of cosh and sinh of n * ln(2), cosh(r) - 1, sinh(r) - r, and r."""
    form, bits = layout(x), x.bits
    parts = reduce(abs(x).at_most(_HYPERBOLIC_HIGHEST[bits]))
    r, square = parts.rest, parts.rest * parts.rest
    up = power_of_two(parts.shifted, -2)
    # Beyond 64, the reciprocal does not count.
    down = power_of_two(form.whole - parts.count.at_most(64.0), -2)
    odd = r * square * square.polynomial(_SINH[bits])
    return up + down, up - down, square * square.polynomial(_COSH[bits]), odd, r


@expands("tanh")
def tanh(x: Number) -> Number:
    """The hyperbolic tangent: an odd polynomial for small x, 1 - 2 / (exp(2|x|) + 1) for others."""
    if x.bits == 32 and has_tables(x):
        return tanh_by_table(x)
    magnitude, square = abs(x), x * x
    near = (magnitude * square).times_plus(square.polynomial(_TANH[x.bits]), magnitude)
    # The quotient is below 1/2, so that exp may be computed in a simpler way.
    power = (magnitude * (2 / math.log(2))).at_most(_TANH_HIGHEST[x.bits])
    count, shifted = rounded(power, 1.0)
    rest = power - count
    fraction = rest.polynomial(_EXP2[x.bits]).times_plus(rest, 1.0)
    exponential = (fraction.to_bits() + (shifted.to_bits() << layout(x).mantissa)).as_number(x.type)
    far = reciprocal(exponential + 1.0).times_plus(-2.0, 1.0)
    return far.where(magnitude.compare(">=", 0.625), near).with_sign_of(x)
