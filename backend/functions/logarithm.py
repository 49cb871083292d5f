"""Logarithms: of x = 2**n * (1 + f), n times that of 2 plus a polynomial in f, -1/4 <= f < 1/2.

Polynomials are minimax ones, found by Remez's algorithm.
"""

from __future__ import annotations

import math

from ...dialect.records import dataclass
from . import logarithm_tables as tables
from . import table_logarithm as by_table
from .exponents import scale, split
from .instructions import has_tables
from .number import Number
from .registry import expands
from .rows import numbers

LN2_HIGH = {32: 0.693145751953125, 64: 6.93147180369123816490e-01}
"""ln(2) with so few bits that its product with an exponent is exact; what is left is positive."""
LN2_LOW = {32: 1.4286068203094173e-06, 64: 1.90821492927058770002e-10}
_LOG10_2_HIGH = {32: 0.301025390625, 64: 0.30102999566361177}
_LOG10_2_LOW = {32: 4.605038981195214e-06, 64: 3.694239077158931e-13}

_LOG = {
    32: numbers("""
        0.0389168449 -0.0926280916 0.117356896 -0.12712501 0.142702207 -0.166557223 0.199998692 -0.250001639
        0.333333373 -0.5
    """),
    64: numbers("""
        0.008374296472977431 -0.030067619986941897 0.051266703225918184 -0.05980356307807665
        0.06073500937294624 -0.06244317291393564 0.06643401879797539 -0.07139218001063753 0.07693474083208161
        -0.08333669463791966 0.09090885374794652 -0.09999986571281598 0.1111111107373088 -0.12500000274079356
        0.14285714293866608 -0.16666666663946017 0.1999999999990826 -0.25000000000009925 0.3333333333333356
        -0.5
    """),
}
"""(log(1 + f) - f) / f**2, highest coefficient first."""
_LOG2 = {
    32: numbers("""
        0.0554378629 -0.133625627 0.170113981 -0.18375425 0.205814525 -0.240245491 0.288537502 -0.360677987
        0.48089841 -0.721347511
    """),
    64: numbers("""
        0.012002797691765113 -0.04327621036894532 0.07401710637762138 -0.08643459533842097 0.08770051443854938
        -0.09007687416208068 0.09582533366881177 -0.10299413745198163 0.11099494663982169 -0.12022991997418256
        0.13115369624548187 -0.14426927983583832 0.16029944888203201 -0.18033688505942072 0.2060992916956893
        -0.2404491734251064 0.2885390081759479 -0.3606737602225249 0.48089834696299394 -0.7213475204444814
    """),
}
"""(log2(1 + f) - f * log2(e)) / f**2."""
_LOG10 = {
    32: numbers("""
        0.0166884586 -0.0402253233 0.0512094125 -0.0553155392 0.061956346 -0.072321102 0.0868584439
        -0.10857489 0.144764856 -0.217147231
    """),
    64: numbers("""
        0.0036132021371076957 -0.013027437419717148 0.022281369211915796 -0.026019405859942835
        0.026400485481165442 -0.027115841038436127 0.028846299778821957 -0.031004324750585514
        0.03341280830570935 -0.036192812288508985 0.03948119661209251 -0.043429380683428095
        0.04825494240189668 -0.0542868117274933 0.06204206888550295 -0.07238241363356765 0.08685889638009503
        -0.10857362047589846 0.1447648273010858 -0.2171472409516258
    """),
}
"""(log10(1 + f) - f * log10(e)) / f**2."""
# log2(e) and log10(e) as a factor that is exact to multiply with, and what that lacks.
_LOG2_E = (1.0, 0.4426950408889634)
_LOG10_E = (0.5, -0.06570551809674817)


@dataclass(frozen=True)
class Logarithm:
    """log(2**exponent * (1 + fraction)), `exponent` being whole."""

    fraction: Number
    exponent: Number

    def value(self) -> Number:
        """The natural logarithm."""
        return self.exponent.times_plus(LN2_HIGH[self.fraction.bits], self.fraction) + self._low()

    def accurate_value(self, rest: Number | None) -> Number:
        """The natural logarithm, `rest` being added to the fraction, with hardly more than one rounding error.

        It is NaN for infinite exponents.
        """
        high = self.exponent * LN2_HIGH[self.fraction.bits]
        sum = high + self.fraction
        low = self._low() if rest is None else self._low() + rest
        return sum + (((high - sum) + self.fraction) + low)

    def _low(self) -> Number:
        f, bits = self.fraction, self.fraction.bits
        return self.exponent.times_plus(LN2_LOW[bits], f * f * f.polynomial(_LOG[bits]))


@expands("log")
def log(x: Number) -> Number:
    """The natural logarithm."""
    if has_tables(x):
        return by_table.logarithm(x, tables.NATURAL)
    mantissa, exponent = split(x)
    return Logarithm(mantissa - 1.0, exponent).value()


@expands("log1p")
def log1p(x: Number) -> Number:
    """log(1 + x), exact for small x too."""
    return log1p_of_sum(x).with_sign_of(x)


def log1p_of_sum(x: Number, rest: Number | None = None, doublings: Number | None = None) -> Number:
    """log((1 + x + rest) * 2**doublings) for a rest that is small against x.

    What rounding 1 + x loses goes to the fraction.
    """
    one_plus = x + 1.0
    other = one_plus - x
    lost = (x - (one_plus - other)) + (1.0 - other)
    if has_tables(x):
        return by_table.log1p_of_sum(x, lost, rest, doublings)
    if rest is not None:
        lost = lost + rest
    mantissa, exponent = split(one_plus)
    start, correction = mantissa - 1.0, scale(lost, -exponent)
    fraction = start + correction
    rounded_off = None
    if rest is not None:
        other = fraction - start
        rounded_off = (start - (fraction - other)) + (correction - other)
    total = exponent if doublings is None else exponent + doublings
    finite = abs(exponent).compare("<", math.inf)
    return Logarithm(fraction, total).accurate_value(rounded_off).where(finite, exponent * mantissa)


@expands("log2")
def log2(x: Number) -> Number:
    """The base-2 logarithm."""
    if has_tables(x):
        return by_table.logarithm(x, tables.BINARY)
    mantissa, exponent = split(x)
    high, low = _in_base(mantissa - 1.0, exponent, _LOG2[x.bits], *_LOG2_E)
    return high + low


@expands("log10")
def log10(x: Number) -> Number:
    """The base-10 logarithm."""
    if has_tables(x):
        return by_table.logarithm(x, tables.DECIMAL)
    mantissa, exponent = split(x)
    whole = exponent * _LOG10_2_HIGH[x.bits]
    high, low = _in_base(mantissa - 1.0, whole, _LOG10[x.bits], *_LOG10_E)
    return high + exponent.times_plus(_LOG10_2_LOW[x.bits], low)


def _in_base(
    f: Number, whole: Number, polynomial: tuple[float, ...], factor: float, rest: float
) -> tuple[Number, Number]:
    """whole + f * (factor + rest + f * polynomial) as the sum of two numbers, the first one hardly rounded."""
    return f.times_plus(factor, whole), f * f.polynomial(polynomial).times_plus(f, rest)
