"""Modified Bessel functions of the first kind, and these times exp(-|x|), as which they are computed from 8.

Polynomials near zero are minimax ones, found by Remez's algorithm, and others are by Chebyshev's points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ....dialect.records import dataclass
from ..exponents import scale
from ..number import Number
from ..pairs import Pair, exact_product, exact_sum, exponential, in_double, ordered_sum
from ..registry import expands
from ..rows import numbers


@dataclass(frozen=True)
class Bessel:
    """The coefficients for one order."""

    near: Sequence[float]
    """((function) / (x / 2)**order - 1) / q as a polynomial in q = x**2 / 4 <= 16."""
    slope: Sequence[float]
    """The derivative of the logarithm of (function) / (x / 2)**order by q, roughly."""
    far: Sequence[float]
    """(function * exp(-x) * sqrt(x) - center) / w as a polynomial in w = 16 / x - 1, for x >= 8."""
    center: tuple[float, float]


_ZERO = Bessel(
    near=numbers("""
        9.190541964404692e-25 1.128138110251811e-22 2.6392968520498117e-20 4.345727500929641e-18
        6.277918346544649e-16 7.593868690883121e-14 7.594072543836563e-12 6.151186570908964e-10
        3.936759917937762e-08 1.9290123449164206e-06 6.944444444579594e-05 0.0017361111111096005
        0.027777777777778744 0.2499999999999997 1.0
    """),
    slope=(-0.000159, 0.00612, -0.0867, 0.701),
    far=numbers("""
        4.005227764863093e-11 1.6645473602872717e-11 -3.210161204221311e-10 -1.2429481430536811e-10
        1.2061857017231527e-09 4.388861044991905e-10 -2.871865993820918e-09 -1.0267340552488217e-09
        4.9905012775902334e-09 1.983359036878627e-09 -6.93899627720982e-09 -3.82099512308995e-09
        7.92317806979789e-09 7.697662019062485e-09 -5.573331421610012e-09 -1.3453822931523271e-08
        -6.709029656225637e-09 7.56377201554603e-09 2.1542697342456025e-08 3.9324708328742363e-08
        8.87226944343699e-08 2.9735993830791437e-07 1.4838475432345007e-06 1.1143033788352455e-05
        0.00013621607439233397 0.0033605519836678865
    """),
    center=(0.4021765094450081, -2.5243382734774258e-17),
)
_ONE = Bessel(
    near=numbers("""
        5.645646697893023e-26 7.631121449431093e-24 1.879688754635988e-21 3.344503690091005e-19
        5.2312799137050173e-17 6.903559927588918e-15 7.594068444016593e-13 6.834652025191974e-11
        4.920949883843119e-09 2.755731921770554e-07 1.1574074074192834e-05 0.0003472222222220791
        0.006944444444444545 0.0833333333333333 0.5
    """),
    slope=(-5.65e-05, 0.00235, -0.0386, 0.452),
    far=numbers("""
        -4.1681089783384256e-11 -1.5626599071977848e-11 3.339867355634982e-10 1.161813630287145e-10
        -1.2547972491973786e-09 -4.086984233473255e-10 2.9887350377570034e-09 9.568523624905203e-10
        -5.2022217601823894e-09 -1.8736450470066097e-09 7.268242563538968e-09 3.7219797447255018e-09
        -8.401102179738338e-09 -7.778592763970399e-09 6.14985231157688e-09 1.4076395500755014e-08
        6.694265612407784e-09 -8.436290430234562e-09 -2.3368016560658254e-08 -4.312811174972107e-08
        -1.0001340021780371e-07 -3.4838565069237384e-07 -1.8349101091858603e-06 -1.503854719814553e-05
        -0.00021923576383430914 -0.00974957719323576
    """),
    center=(0.38939845902587233, -4.658853754884785e-18),
)

_HIGHEST = 800.0
"""The functions are infinite here."""


@expands("i0")
@in_double
def i0(x: Number) -> Number:
    """The function of order 0."""
    return _whole(_ZERO, abs(x), None)


@expands("i1")
@in_double
def i1(x: Number) -> Number:
    """The function of order 1, which is odd; at -0 SciPy has 0."""
    value = _whole(_ONE, abs(x), abs(x) * 0.5)
    return (-value).where(x.compare("<", 0.0), value)


@expands("i0e")
@in_double
def i0e(x: Number) -> Number:
    """That of order 0 times exp(-|x|)."""
    return _scaled(_ZERO, abs(x), None)


@expands("i1e")
@in_double
def i1e(x: Number) -> Number:
    """That of order 1 times exp(-|x|)."""
    value = _scaled(_ONE, abs(x), abs(x) * 0.5)
    return (-value).where(x.compare("<", 0.0), value)


def _whole(bessel: Bessel, x: Number, factor: Number | None) -> Number:
    bounded = x.at_most(_HIGHEST)
    power, exponent = exponential(Pair(bounded, x.constant(0.0)))
    far = scale(_far(bessel, bounded).times_pair(power).value(), exponent)
    return far.where(x.compare(">=", 8.0), _near(bessel, x, factor).value())


def _scaled(bessel: Bessel, x: Number, factor: Number | None) -> Number:
    power, exponent = exponential(Pair(-x.at_most(_HIGHEST), x.constant(0.0)))
    near = scale(_near(bessel, x, factor).times_pair(power).value(), exponent)
    return _far(bessel, x).value().where(x.compare(">=", 8.0), near)


def _near(bessel: Bessel, x: Number, factor: Number | None) -> Pair:
    """The function for x <= 8, the factor being x / 2 to its order."""
    square = exact_product(x, x)
    q = square.high * 0.25
    *first, second, last = bessel.near
    result = Pair(q.polynomial(first), x.constant(0.0))
    for coefficient in (second, last, 1.0):
        product = result.times(q)
        sum = exact_sum(product.high, x.constant(coefficient))
        result = Pair(sum.high, sum.low + product.low)
    lost = square.low * 0.25 * q.polynomial(bessel.slope)
    result = Pair(result.high, lost.times_plus(result.high, result.low))
    return result if factor is None else result.times(factor)


def _far(bessel: Bessel, x: Number) -> Pair:
    """The function times exp(-x) for x >= 8."""
    w = 16.0 / x - 1.0
    start, rest = bessel.center
    value = ordered_sum(x.constant(start), w * w.polynomial(bessel.far))
    root = x.sqrt()
    result = value.high / root
    root_lost = (-root).fused_times_plus(root, x) / (root + root)
    lost = (-result).fused_times_plus(root, value.high) - result.times_plus(root_lost, -(value.low + rest))
    return Pair(result, (lost / root).where(x.compare("<", math.inf), 0.0))
