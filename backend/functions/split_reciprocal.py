"""Division by a constant as a multiplication and a fused one, where that gives every quotient to the last bit.

With h = 1 / d rounded and l = 1 / d - h rounded,

    q = fma(x, h, x * l)

is x / d rounded to nearest for most divisors d, and for which is decided here (Brisebarre, Muller and Raina,
Accelerating correctly rounded floating-point division when the divisor is known in advance, IEEE Transactions on
Computers, 2004). Let p be the bits of a significand, X and D those of x and d as integers. What is rounded at the end
differs from x / d by e, at most |x| |1/d - h - l| and half a unit in the last place of x * l. The result can be
wrong only if a number halfway between two floats is not further than that from x / d, which is never such a number
itself. With a quotient of p bits, s = p where X >= D, else p + 1, such numbers are (2 M + 1) / 2, and

    2**s X = (2 M + 1) D + r,    |x / d - half| = |r| / (2 D) units in the last place

with an integer r, not 0. So |r| is at most 2 D |e|, a number below 5, and for each r there are few X with
2**s X = r modulo D. For all of them the result is computed exactly; if one is wrong, the divisor is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from ...dialect.records import NamedTuple

PRECISION = {32: 24, 64: 53}
_LEAST_EXPONENT = {32: -126, 64: -1022}
_LARGEST_EXPONENT = {32: 127, 64: 1023}


class SplitReciprocal(NamedTuple):
    """The two parts of a reciprocal, and the dividends for which they give the quotient."""

    high: float
    low: float
    least: float
    """Smaller ones lose bits, of the quotient or on the way."""
    largest: float
    """Larger ones overflow."""


@lru_cache(maxsize=256)
def split_reciprocal(divisor: float, bits: int) -> SplitReciprocal | None:
    """The parts of 1 / divisor for numbers of 32 or 64 bits; None where some quotient would be wrong.

    The divisor is a number of that many bits, finite and not 0.

    >>> parts = split_reciprocal(9.0, 64)
    >>> parts.high, parts.low < 1e-17, split_reciprocal(8.0, 64)
    (0.1111111111111111, True, None)
    """
    precision = PRECISION[bits]
    exact = 1 / Fraction(divisor)
    high = rounded(exact, precision)
    low = rounded(exact - high, precision)
    if not low or any(_is_wrong(x, exact, high, low, precision) for x in candidates(divisor, bits)):
        return None  # powers of two are divided by in another way
    lowest, top = _LEAST_EXPONENT[bits], _LARGEST_EXPONENT[bits]
    size, size_of_low = _exponent(high), _exponent(low)
    least = max(lowest - size_of_low, lowest + precision - size) + 1
    largest = min(top, top - size) - 1
    if not lowest <= least < largest or not lowest <= size_of_low or not lowest <= size <= top:
        return None
    return SplitReciprocal(float(high), float(low), math.ldexp(1.0, least), math.ldexp(1.0, largest))


def candidates(divisor: float, bits: int) -> Iterator[Fraction]:
    """The dividends in [1, 2) whose quotients are so near to the middle between two numbers that they may be wrong.

    The divisor is no power of two.
    """
    precision = PRECISION[bits]
    whole = 1 << (precision - 1)
    d = abs(Fraction(divisor))
    significand = int(d / Fraction(2) ** _exponent(d) * whole)
    exact = 1 / Fraction(divisor)
    high = rounded(exact, precision)
    low = rounded(exact - high, precision)
    for first, stop, shift in ((significand, 2 * whole, precision), (whole, significand, precision + 1)):
        most = _furthest(abs(exact), abs(exact - high - low), abs(low), significand, precision)
        for rest in range(-most, most + 1):
            for x in _solutions(1 << shift, rest, significand, first, stop) if rest else ():
                if ((x << shift) - rest) // significand % 2:
                    yield Fraction(x, whole)


def _furthest(
    reciprocal: Fraction, missing: Fraction, low: Fraction, significand: int, precision: int
) -> int:
    """The largest |r| for which a quotient may be wrong: 2 D |e| in units in the last place of the quotient.

    For x in [1, 2); the unit is the least that quotients of such x have.
    """
    unit = Fraction(2) ** (_exponent(reciprocal) - precision + 1)
    unit_of_product = Fraction(2) ** (_exponent(2 * low) - precision + 1)
    error = 2 * missing + unit_of_product / 2
    return math.ceil(2 * significand * error / unit)


def _solutions(factor: int, rest: int, modulus: int, first: int, stop: int) -> Iterator[int]:
    """The x in range(first, stop) with factor x = rest modulo `modulus`."""
    divisor = math.gcd(factor, modulus)
    if rest % divisor:
        return
    step = modulus // divisor
    x = rest // divisor * pow(factor // divisor, -1, step) % step if step > 1 else 0
    yield from range(first + (x - first) % step, stop, step)


def _is_wrong(x: Fraction, exact: Fraction, high: Fraction, low: Fraction, precision: int) -> bool:
    computed = rounded(x * high + rounded(x * low, precision), precision)
    return computed != rounded(x * exact, precision)


def _exponent(number: Fraction) -> int:
    """The power of two of the leading bit."""
    size = abs(number)
    guess = size.numerator.bit_length() - size.denominator.bit_length()
    return guess if size >= Fraction(2) ** guess else guess - 1


def rounded(number: Fraction, precision: int) -> Fraction:
    """The nearest number of so many bits, of two the even one; exponents have no end."""
    if not number:
        return number
    unit = Fraction(2) ** (_exponent(number) - precision + 1)
    return round(number / unit) * unit
