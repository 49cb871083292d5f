"""The gamma function and the logarithm of its magnitude. Polynomials are minimax ones, found by Remez's algorithm.

Both are computed near 3/2, to which recurrences lead, and by the series of Stirling from 3; at negative numbers by
reflection. Sums of two numbers keep the error of all steps but the last small, so that factorials are exact.
"""

from __future__ import annotations

import math

from ....dialect.mlir import Value
from ..double_logarithm import double_log
from ..exponents import scale
from ..number import Number
from ..pairs import Pair, exact_product, exact_sum, exponential, in_double, ordered_sum, quotient
from ..registry import expands
from ..rows import numbers
from .reflection import PI, distance, is_odd, sine

_GAMMA = numbers("""
    0.00018388417285811705 -0.00025993241848647506 0.000127091282740542 -0.00021238089852974106
    0.00048173955078474335 -0.0007097411748752935 0.00100684541942698 -0.0015143761389083967
    0.002283933102917115 -0.003423933246536935 0.00513149286330748 -0.007690102509861901 0.011522526464103646
    -0.017222449796719216 0.025837605942371174 -0.03800193530596307 0.05861030383109595 -0.07752305230495478
    0.14464535904443124 -0.10729480456472483 0.4148134536883021 0.03233839744888489
""")
"""(gamma(t + 3/2) - gamma(3/2)) / t, |t| <= 1/2."""
_GAMMA_AT_CENTER = (0.886226925452758, -3.8332932499128993e-17)

_STIRLING = numbers("""
    0.23580679490354792 -0.19180416048858093 0.0774741781445777 -0.022478340291131032 0.006045071626774327
    -0.0019042334640452059 0.0008414269249428704 -0.0005952331532753494 0.0007936507511406303
    -0.002777777777607613 0.08333333333333313
""")
"""(log(gamma(a)) - (a - 1/2) log(a) + a - log(2 pi) / 2) a as a polynomial in 1 / a**2, for a >= 3."""
_STIRLING_CONSTANT = {
    -0.5: (0.4189385332046727, 1.6728209650585413e-17),
    0.5: (1.4189385332046727, 7.223936088184323e-17),
}
"""log(2 pi) / 2 + h for h = -1/2 and 1/2."""

_LOG_GAMMA_AT_1 = numbers("""
    -0.03559234058222301 0.036975101346492255 -0.029137445143197594 0.031186980826616348 -0.034523822463457435
    0.03705685721059244 -0.039939610333213096 0.0434083670369878 -0.04754321670379987 0.052556379618862066
    -0.05877794005861382 0.06673172756214364 -0.07731816854234394 0.09223900846896996 -0.11514654256379814
    0.15543426586394135 -0.2452513685225804
""")
"""R(z) = log(gamma(z)) / ((z - 1) (z - 2)) is R(1) + t times a polynomial in t = z - 1, |t| <= 1/4."""
_LOG_GAMMA_TO_2 = numbers("""
    -8.483404748158553e-06 1.4336895684071224e-05 -1.9241674576459163e-05 3.330533209519322e-05
    -5.9096604916270955e-05 0.00010273962020703838 -0.000179383311887231 0.00031548489801349667
    -0.0005589500342416072 0.0009992732194315452 -0.0018070640111839975 0.003317270846806052
    -0.006215450413779689 0.01199191595717164 -0.024194436430698536 0.052579426220432976 -0.13157899128683392
""")
"""The same for t = z - 1.625, z from 1.25 to 2."""
_LOG_GAMMA_TO_3 = numbers("""
    1.29643454099237e-08 -3.386191522003797e-08 7.574084327187139e-08 -2.0150553947994425e-07
    5.436554072570282e-07 -1.4575554738528444e-06 3.930576134387772e-06 -1.0682258875781804e-05
    2.9299284285233932e-05 -8.130229410569026e-05 0.00022905363740104642 -0.0006586397065636771
    0.0019490574889486452 -0.006018768527036945 0.01990515430474318 -0.07466357415449941
""")
"""The same for t = z - 2.5, z from 2 to 3."""
_CENTERS = (
    (0.5772156649015329, -4.942915152430645e-18),
    (0.46580963736232694, -2.231012453713763e-17),
    (0.37957716063055885, 2.7592977120495525e-17),
)
"""R(1), R(1.625) and R(2.5)."""
_LOG_PI = (1.1447298858494002, 1.0265951162707826e-17)


@expands("gamma")
@in_double
def gamma(x: Number) -> Number:
    """The gamma function; NaN at negative whole numbers."""
    magnitude = abs(x)
    near, factor, _ = _near(magnitude)
    below = magnitude.compare("<", 1.0)
    near_value = near.times(factor).value() / magnitude.where(below, 1.0)
    logarithm = double_log(magnitude)
    far = _exponential(_stirling(magnitude, logarithm, -0.5))
    positive = _scaled(*far).where(magnitude.compare(">=", 3.0), near_value)

    def anywhere() -> Number:
        at_zero = x.constant(math.inf).with_sign_of(x)
        reflected = _reflected_gamma(magnitude, logarithm).where(x.compare("<", 0.0), positive)
        return at_zero.where(x.compare("==", 0.0), reflected)

    return positive.unless_rare(x.compare(">", 0.0), anywhere)


def _near(a: Number) -> tuple[Pair, Number, Value]:
    """gamma(z) for the z in [1, 2) that a in [0, 3) is next to, a factor, and whether a is below 1.

    gamma(a) is their product, divided by a where it is below 1.
    """
    below, above = a.compare("<", 1.0), a.compare(">=", 2.0)
    t = a - a.constant(0.5).where(below, a.constant(2.5).where(above, 1.5))
    start, rest = _GAMMA_AT_CENTER
    value = ordered_sum(a.constant(start), t * t.polynomial(_GAMMA))
    return Pair(value.high, value.low + rest), (a - 1.0).where(above, 1.0), below


def _stirling(a: Number, logarithm: Pair, h: float) -> Pair:
    """log(gamma(a)) for h = -1/2, log(gamma(a + 1)) for h = 1/2, where a >= 3, from log(a)."""
    less = ordered_sum(logarithm.high, a.constant(-1.0))
    product = Pair(less.high, less.low + logarithm.low).times_pair(ordered_sum(a, a.constant(h)))
    inverse = 1.0 / a
    series = inverse * (inverse * inverse).polynomial(_STIRLING)
    start, rest = _STIRLING_CONSTANT[h]
    sum = exact_sum(product.high, a.constant(start))
    low = sum.low + (product.low + (series + rest))
    # Of large numbers, the low part does not count, and may be no number.
    return Pair(sum.high, low.where(abs(sum.high).compare("<", 1e150), 0.0))


def _exponential(exponent: Pair) -> tuple[Pair, Number]:
    """exp of a pair of any size."""
    low = exponent.low.where(abs(exponent.high).compare("<", 1e3), 0.0)
    return exponential(Pair(exponent.high.at_most(720.0).at_least(-800.0), low))


def _scaled(number: Pair, exponent: Number) -> Number:
    return scale(number.value(), exponent)


def _reflected_gamma(a: Number, logarithm: Pair) -> Number:
    """gamma(-a) = -pi / (sin(pi a) gamma(a + 1)), from log(a)."""
    r = distance(a)
    sines = sine(r)
    near, factor, below = _near(a)
    # gamma(a + 1) is gamma(a) * a.
    more = exact_product(a, factor)
    product = near.times_pair(
        Pair(a.constant(1.0).where(below, more.high), a.constant(0.0).where(below, more.low))
    )
    near_value = quotient(*PI, sines.times_pair(product)).value()
    of_gamma = _stirling(a, logarithm, 0.5)
    power, exponent = _exponential(Pair(-of_gamma.high, -of_gamma.low))
    far = _scaled(quotient(*PI, sines).times_pair(power), exponent)
    value = far.where(a.compare(">=", 3.0), near_value)
    value = value.where(is_odd(a), -value)
    return value.constant(math.nan).where(r.compare("==", 0.0), value)


@expands("gammaln")
@in_double
def gammaln(x: Number) -> Number:
    """The logarithm of the magnitude of the gamma function.

    At negative numbers it is as exact as the terms of the reflection, which cancel near its zeros.
    """
    a = abs(x)
    logarithm = double_log(a)
    near, below = _log_near(a), a.compare("<", 0.75)
    of_small = (near - logarithm.low) - logarithm.high
    of_small = of_small.where(a.compare(">", 0.0), math.inf)
    is_far = a.compare(">=", 3.0)
    positive = _stirling(a, logarithm, -0.5).value().where(is_far, of_small.where(below, near))

    def anywhere() -> Number:
        zero = a.constant(0.0)
        more = Pair(zero.where(below, logarithm.high), zero.where(below, logarithm.low))
        sum = exact_sum(near, more.high)
        far = _stirling(a, logarithm, 0.5)
        high = far.high.where(is_far, sum.high)
        low = far.low.where(is_far, sum.low + more.low)
        reflected = _reflected_logarithm(a, Pair(high, low))
        reflected = x.where(x.compare("==", -math.inf), reflected)
        return reflected.where(x.compare("<", 0.0), positive)

    return positive.unless_rare(x.compare(">", 0.0), anywhere)


def _log_near(a: Number) -> Number:
    """log(gamma(a)) for a in [3/4, 3), log(gamma(a + 1)) below."""
    below = a.compare("<", 0.75)
    s = a.where(below, a - 1.0)
    arguments = (s, s - 0.625, a - 2.5)
    polynomials = (_LOG_GAMMA_AT_1, _LOG_GAMMA_TO_2, _LOG_GAMMA_TO_3)
    rests = [
        t.times_plus(t.polynomial(polynomial), low)
        for t, polynomial, (_, low) in zip(arguments, polynomials, _CENTERS, strict=True)
    ]
    is_first, is_third = s.compare("<", 0.25), a.compare(">=", 2.0)
    center, rest = (
        third.where(is_third, first.where(is_first, second))
        for first, second, third in ([a.constant(high) for high, _ in _CENTERS], rests)
    )
    square = exact_product(s, s)
    product = exact_sum(square.high, -s)
    low = (product.low + square.low).times_plus(center + rest, product.high * rest)
    return product.high.times_plus(center, low)


def _reflected_logarithm(a: Number, logarithm: Pair) -> Number:
    """log(pi / |sin(pi a)| / gamma(a + 1)), from the logarithm of the last."""
    r = distance(a)
    sines = sine(abs(r))
    of_sine = double_log(sines.high)
    start, rest = _LOG_PI
    first = exact_sum(a.constant(start), -of_sine.high)
    second = exact_sum(first.high, -logarithm.high)
    low = (first.low - of_sine.low) + (second.low - logarithm.low) + (rest - sines.low / sines.high)
    return a.constant(math.inf).where(r.compare("==", 0.0), second.high + low)
