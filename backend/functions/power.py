"""Powers and cube roots. Polynomials are minimax ones, found by Remez's algorithm."""

from __future__ import annotations

import math

from .double_logarithm import double_log
from .exponential import expm1_polynomial, power_of_fraction, reduced_sum
from .exponents import layout, power_of_two, rounded, scale, split
from .instructions import has_tables
from .known_powers import known_exponent, known_power
from .number import Number, all_of, any_of
from .registry import expands
from .rows import numbers
from .table_cube_root import cbrt_by_table
from .table_power import LARGEST, exponent_and_power

_INVERSE_CUBE_ROOT = numbers("""
    -0.07892478387232071 0.5428651251859212 -1.559766613377749 2.4337228222436966 -2.2982200835235407
    1.9603219679489794
""")
"""m**(-1/3) for m from 3/4 to 3/2, to 17 bits."""


@expands("cbrt")
def cbrt(x: Number) -> Number:
    """The cube root: with m * 2**(3k) = |x|, 2**k times that of m, by a step of Newton's method."""
    if has_tables(x):
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


_LOG2 = numbers("""
    0.03943043999566749 -0.10397824262144095 0.139335102977645 -0.14892888968815926 0.16036543085165134
    -0.18001588720449868 0.2060678265231307 -0.24045827559498584 0.288540039414001 -0.3606736539602455
    0.48089833836253154 -0.7213475207926
""")
"""(log2(1 + f) - f * log2(e)) / f**2 for f from -1/4 to 1/2, to 35 bits."""


@expands("powf")
def pow(x: Number, y: Number) -> Number:
    """x**y with the special cases of C."""
    exponent = known_exponent(y)
    if exponent is not None:
        return known_power(x, exponent)
    if has_tables(x):
        size, power = exponent_and_power(x, y)
        positive = (x.to_bits() - 1).compare("u<", layout(x).infinity - 1)
        usual = all_of(positive, abs(size).compare("<", LARGEST[x.bits]))
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


def _power_of_doubles(x: Number, y: Number) -> Number:
    """exp(y * log(x)) for x >= 0, the logarithm as the sum of two numbers."""
    logarithm = double_log(x)
    product = y * logarithm.high
    lost = y.fused_times_plus(logarithm.high, -product) + y * logarithm.low
    # Beyond the range of exp the product may be infinite, and what it lost not a number.
    inside = abs(product).compare("<", 800.0)
    lost = lost.where(inside, 0.0)
    product = product.at_most(720.0).at_least(-760.0)
    parts = reduced_sum(product, lost)
    return scale(expm1_polynomial(parts.rest) + 1.0, parts.count)
