"""The derivatives of the logarithm of the gamma function: digamma and trigamma.

Both are computed near 3/2, to which recurrences lead, and from 2 by asymptotic series in z = x - 1/2; at negative
numbers by reflection. Polynomials are minimax ones or by Chebyshev's points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ....dialect.mlir import Value
from ..double_logarithm import double_log
from ..number import Number
from ..pairs import exact_sum, in_double, quotient
from ..registry import expands
from ..rows import numbers
from .reflection import PI, distance, sine

_DIGAMMA = numbers("""
    0.00012117074950983246 -0.00017834985270857916 9.32997941309136e-05 -0.00014463477455904108
    0.0003258771957600899 -0.0004860467787793845 0.0006902836207715892 -0.0010364281980067087
    0.0015635030246950346 -0.0023455005719212056 0.003518088764711913 -0.0052799365465260005
    0.007927023321430028 -0.01190822015996442 0.01790724823594765 -0.026975796657315438 0.04076083394337775
    -0.061922133275550455 0.09498872445285002 -0.1484049230538802 0.24054248424078722 -0.4236274212814606
""")
"""digamma(t + 3/2) / (t + 3/2 - root), less its value at t = 0, by t for |t| <= 1/2; root is where it is zero."""
_CENTER = (0.9510558760318328, 4.330743078649653e-17)
"""The value."""
_ROOT = (-0.03836785503163764, -1.5522348162858677e-17)
"""The root, less 3/2."""
_DIGAMMA_FAR = numbers("""
    4.0774972031094895e-11 -4.995008990124664e-11 -1.8223353616654227e-10 2.075464144501678e-10
    4.029418834132229e-10 -4.3898480056674543e-10 -4.819522394867329e-10 4.728774276170936e-10
    4.709769834844296e-10 -4.992034022013282e-10 -3.714008079263581e-12 -2.3925395010145364e-10
    9.632179902079928e-10 -1.944075592118544e-09 4.192561219613075e-09 -9.97598068454836e-09
    2.5356518973264876e-08 -6.984552213557265e-08 2.128834375535e-07 -7.375684263097613e-07
    3.022022608314354e-06 -1.556555529296799e-05 0.00011146749365532875 -0.0013328175329766381
    0.0402027305386305
""")
"""(digamma(z + 1/2) - log(z)) z**2 as a polynomial in w = 9 / (2 z**2) - 1, for z >= 3/2."""
_TRIGAMMA = numbers("""
    0.0014181385246661393 -0.0020845463059482984 0.0007901743585267501 -0.0010704270223666982
    0.0030419937218170434 -0.004387034769191871 0.005654841180382054 -0.008020569393034716
    0.011513723475780568 -0.016259436285091005 0.022842016843150115 -0.03198432109184623 0.04456662807789881
    -0.061740518513501895 0.0849687908240305 -0.11604071827291296 0.15705320188041433 -0.21030987327650894
    0.27808081333056633 -0.36214936502077444 0.46306452510146406 -0.5790416377779066 0.7045455170012188
    -0.8287966442343199 0.9348022005446793
""")
"""trigamma(t + 3/2), |t| <= 1/2."""
_TRIGAMMA_FAR = numbers("""
    5.536341075968883e-10 -6.309322500353873e-10 -3.006639347397254e-09 3.2413587829314772e-09
    7.676077223221486e-09 -7.889624239141187e-09 -1.1499818235999686e-08 1.1118342960418504e-08
    1.1688164466796692e-08 -1.0812765059213651e-08 -7.319474975535533e-09 5.746501469595861e-09
    5.435949599849802e-09 -6.06269341260463e-09 4.700090821346821e-09 -1.0824077560118115e-08
    2.4258747700411003e-08 -5.147472804138778e-08 1.1550116406862576e-07 -2.765286616711754e-07
    7.118484408949305e-07 -2.0025611568634703e-06 6.296217876177686e-06 -2.284454033858609e-05
    0.00010034826155185836 -0.0005754116302024465 0.004885400157284416 -0.07773982601130763
""")
"""(trigamma(z + 1/2) z - 1) z**2 as a polynomial in w."""

_COTANGENT = numbers("""
    -2.8403189981753076 -1.8677137461226363 -2.0114081411461036 -1.9995238982091719 -2.000512212751457
    -2.001988723052295 -2.008154718014652 -2.034686123926508 -2.1646464674224344 -3.289868133696453
""")
"""(pi r cot(pi r) - 1) / r**2 as a polynomial in r**2, |r| <= 1/4."""
_TANGENT = numbers("""
    79401448504.75557 -19932449783.145737 4048470888.900471 -216540899.74402025 57481263.692205004
    7228108.443441749 2137919.179965276 523246.2630528942 131091.22775049997 32767.755421370897
    8192.01770349726 2048.0348875752616 512.0794517064634 128.1852258099607 32.4696970113342
""")
"""(pi tan(pi s) / s - pi**2) / s**2 as a polynomial in s**2, |s| <= 1/4."""


@expands("digamma")
@in_double
def digamma(x: Number) -> Number:
    """The derivative of log(gamma(x)); NaN at negative whole numbers.

    At other negative numbers it is as exact as the terms of the reflection, which cancel near its zeros.
    """
    a = abs(x)
    t, below = _centered(a)
    near = _digamma_near(t)
    inverse = 1.0 / a
    lost = (-inverse).fused_times_plus(a, 1.0) * inverse
    of_small = (near - lost.where(a.compare(">", 1e-290), 0.0)) - inverse
    z, square, series = _far(a, _DIGAMMA_FAR)
    logarithm = double_log(z)
    correction = series.times_plus(square, logarithm.low)
    far = logarithm.high + correction.where(z.compare("<", math.inf), 0.0)
    is_far = a.compare(">=", 2.0)
    positive = far.where(is_far, of_small.where(below, near))

    def anywhere() -> Number:
        # digamma(-a) = digamma(a + 1) + pi cot(pi a), digamma(a + 1) = digamma(a) + 1 / a.
        more = near.where(below, far.where(is_far, near) + inverse)
        r = distance(a)
        reflected = more + _cotangent(r)
        reflected = x.constant(math.nan).where(r.compare("==", 0.0), reflected)
        at_zero = x.constant(math.inf).with_sign_of(-x)
        result = reflected.where(x.compare("<", 0.0), positive)
        return at_zero.where(x.compare("==", 0.0), result)

    return positive.unless_rare(x.compare(">", 0.0), anywhere)


@expands("trigamma")
@in_double
def trigamma(x: Number) -> Number:
    """The derivative of digamma(x); infinite at whole numbers below 1."""
    a = abs(x)
    t, below = _centered(a)
    near = t.polynomial(_TRIGAMMA)
    inverse = 1.0 / a
    of_small = inverse.times_plus(inverse, near)
    z, square, series = _far(a, _TRIGAMMA_FAR)
    far = series.times_plus(square, 1.0) / z
    is_far = a.compare(">=", 2.0)
    positive = far.where(is_far, of_small.where(below, near))

    def anywhere() -> Number:
        # trigamma(-a) = (pi / sin(pi a))**2 - trigamma(a + 1), trigamma(a + 1) = trigamma(a) - 1 / a**2.
        more = near.where(below, (-inverse).times_plus(inverse, far.where(is_far, near)))
        ratio = quotient(*PI, sine(distance(a)))
        square = ratio.times_pair(ratio)
        low = square.low.where(square.high.compare("<", 1e290), 0.0) - more
        reflected = (square.high + low).where(a.compare("<", math.inf), math.inf)
        return reflected.where(x.compare("<", 0.0), positive)

    return positive.unless_rare(x.compare(">", 0.0), anywhere)


def _digamma_near(t: Number) -> Number:
    """digamma(t + 3/2), |t| <= 1/2."""
    (start, start_low), (center, center_low) = _ROOT, _CENTER
    distance = exact_sum(t, t.constant(-start))
    rest = t.times_plus(t.polynomial(_DIGAMMA), center_low)
    low = (distance.low - start_low).times_plus(rest + center, distance.high * rest)
    return distance.high.times_plus(center, low)


def _centered(a: Number) -> tuple[Number, Value]:
    """The distance to 3/2 of a number in [1, 2), or of one less than it, and which of them it is."""
    below = a.compare("<", 1.0)
    return a - a.constant(0.5).where(below, 1.5), below


def _far(a: Number, series: Sequence[float]) -> tuple[Number, Number, Number]:
    """z, its inverse square, and a series."""
    z = a - 0.5
    square = 1.0 / (z * z)
    return z, square, square.times_plus(4.5, -1.0).polynomial(series)


def _cotangent(r: Number) -> Number:
    """pi cot(pi r), |r| <= 1/2."""
    square = r * r
    near = square.polynomial(_COTANGENT).times_plus(square, 1.0) / r
    s = 0.5 - abs(r)
    square = s * s
    far = s * square.polynomial(_TANGENT).times_plus(square, math.pi**2)
    return far.with_sign_of(r).where(s.compare("<", 0.25), near)
