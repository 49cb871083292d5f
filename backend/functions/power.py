"""Powers and cube roots. Polynomials are minimax ones, found by Remez's algorithm."""

from __future__ import annotations

import math

from .exponential import expm1_polynomial, power_of_fraction, reduced_sum
from .exponents import layout, power_of_two, rounded, scale, split
from .instructions import has_instructions
from .lookup import lookup
from .number import Number, all_of, any_of
from .registry import expands
from .table_cube_root import cbrt_by_table
from .table_power import LARGEST, exponent_and_power

_INVERSE_CUBE_ROOT = (
    -0.07892478387232071,
    0.5428651251859212,
    -1.559766613377749,
    2.4337228222436966,
    -2.2982200835235407,
    1.9603219679489794,
)
"""m**(-1/3) for m from 3/4 to 3/2, to 17 bits."""


@expands("cbrt")
def cbrt(x: Number) -> Number:
    """The cube root: with m * 2**(3k) = |x|, 2**k times that of m, by a step of Newton's method."""
    if has_instructions(x):
        return cbrt_by_table(x)
    magnitude = abs(x)
    mantissa, exponent = split(magnitude)
    third, shifted = rounded(exponent - 1.0, 1 / 3)
    rest = third.times_plus(-3.0, exponent)
    one, two = rest.compare("==", 1.0), rest.compare("==", 2.0)
    m = mantissa * x.constant(2.0).where(one, x.constant(4.0).where(two, 1.0))
    factor = x.constant(2.0 ** (-1 / 3)).where(one, x.constant(2.0 ** (-2 / 3)).where(two, 1.0))
    inverse = mantissa.polynomial(_INVERSE_CUBE_ROOT) * factor
    if x.bits == 64:
        error = 1.0 - m * inverse * (inverse * inverse)
        inverse = (inverse * error).times_plus(error.times_plus(2 / 9, 1 / 3), inverse)
    inverse_square = inverse * inverse
    root = m * inverse_square
    square = root * root
    lost = root.fused_times_plus(root, -square)
    excess = lost.times_plus(root, square.fused_times_plus(root, -m))
    root = (excess * (-1 / 3)).times_plus(inverse_square, root) * power_of_two(shifted)
    special = any_of(magnitude.compare("==", 0.0), magnitude.compare("==", math.inf))
    return magnitude.where(special, root).with_sign_of(x)


# -- Powers


_LOG2 = (
    0.03943043999566749,
    -0.10397824262144095,
    0.139335102977645,
    -0.14892888968815926,
    0.16036543085165134,
    -0.18001588720449868,
    0.2060678265231307,
    -0.24045827559498584,
    0.288540039414001,
    -0.3606736539602455,
    0.48089833836253154,
    -0.7213475207926,
)
"""(log2(1 + f) - f * log2(e)) / f**2 for f from -1/4 to 1/2, to 35 bits."""


@expands("powf")
def pow(x: Number, y: Number) -> Number:
    """x**y with the special cases of C."""
    if has_instructions(x):
        exponent, power = exponent_and_power(x, y)
        positive = (x.to_bits() - 1).compare("u<", layout(x).infinity - 1)
        usual = all_of(positive, abs(exponent).compare("<", LARGEST[x.bits]))
        return power.unless_rare(usual, lambda: power.where(usual, _general_power(x, y)))
    magnitude = _magnitude(x, y)
    usual = all_of(x.compare(">", 0.0), x.compare("<", math.inf), abs(y).compare("<", math.inf))
    return magnitude.unless_rare(usual, lambda: _with_sign(x, y, magnitude))


def _general_power(x: Number, y: Number) -> Number:
    return _with_sign(x, y, _magnitude(x, y))


def _magnitude(x: Number, y: Number) -> Number:
    return (_power_of_singles if x.bits == 32 else _power_of_doubles)(abs(x), y)


def _with_sign(x: Number, y: Number, magnitude: Number) -> Number:
    """The sign of odd powers of negative numbers, and what does not follow from logarithms."""
    whole = y.compare("==", y.floor())
    half = y * 0.5
    odd = all_of(whole, half.compare("!=", half.floor()))
    negative = all_of(x.to_bits().compare("<", 0), odd)
    result = (-magnitude).where(negative, magnitude)
    finite_negative = all_of(x.compare("<", 0.0), x.compare(">", -math.inf))
    invalid = all_of(finite_negative, y.compare("!=", y.floor()))
    result = x.constant(math.nan).where(invalid, result)
    one = any_of(y.compare("==", 0.0), x.compare("==", 1.0))
    one = any_of(one, all_of(x.compare("==", -1.0), abs(y).compare("==", math.inf)))
    return x.constant(1.0).where(one, result)


def _power_of_singles(x: Number, y: Number) -> Number:
    """2**(y * log2(x)) for f32 operands, x >= 0: the logarithm and the product in f64, as 150 * 2**-24 is no ulp."""
    mantissa, exponent = split(x)
    f = mantissa.widen() - 1.0
    logarithm = f.polynomial(_LOG2).times_plus(f, 1 / math.log(2)).times_plus(f, exponent.widen())
    product = (logarithm * y.widen()).at_most(180.0).at_least(-180.0)
    count, _ = rounded(product, 1.0)
    return power_of_fraction((product - count).narrow(x.type), count.narrow(x.type))


# For i from 12 to 24, at the index i modulo 16: a number near 16 / i, and minus its logarithm in two parts.
_INVERSE = (
    *(1.0, 0.94140625, 0.890625, 0.84375, 0.80078125, 0.76171875, 0.7265625, 0.6953125, 0.66796875),
    *(1.0, 1.0, 1.0, 1.33203125, 1.23046875, 1.14453125, 1.06640625),
)
_LOG_HIGH = tuple(round(-math.log(c) * 2**42) / 2**42 for c in _INVERSE)
_LOG_LOW = (
    *(0.0, 1.0033424888676119e-13, 2.3568822182038756e-14, -1.6376276414097503e-14, 1.0970699320566433e-13),
    *(-6.465103064005256e-14, 5.834357420090924e-14, -6.120773136055512e-14, -3.935475170804319e-14),
    *(0.0, 0.0, 0.0),
    *(-8.848109604006821e-14, -1.0726867577289733e-13, -1.8996158041578768e-14, 9.790518511990216e-14),
)
_LN2 = (0.6931471805598903, 5.497923018708371e-14)
_LOG = (
    -0.08379581130098153,
    0.09133827934497382,
    -0.09999885671756403,
    0.11111022280138014,
    -0.1250000013347873,
    0.14285714369019822,
    -0.16666666666594376,
    0.19999999999966,
    -0.25000000000000017,
    0.33333333333333337,
)
"""(log(1 + r) - r + r**2 / 2) / r**3 for |r| <= 1/23."""


def _power_of_doubles(x: Number, y: Number) -> Number:
    """exp(y * log(x)) for x >= 0, the logarithm as the sum of two numbers."""
    high, low = _double_log(x)
    product = y * high
    lost = y.fused_times_plus(high, -product) + y * low
    # Beyond the range of exp the product may be infinite, and what it lost not a number.
    inside = abs(product).compare("<", 800.0)
    lost = lost.where(inside, 0.0)
    product = product.at_most(720.0).at_least(-760.0)
    parts = reduced_sum(product, lost)
    return scale(expm1_polynomial(parts.rest) + 1.0, parts.count)


def _double_log(x: Number) -> tuple[Number, Number]:
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
    return high, (second - high) + low
