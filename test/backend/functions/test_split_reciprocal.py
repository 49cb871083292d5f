"""Quotients by two multiplications: those of the division for every number, or refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import weft
from weft.backend.functions import split_reciprocal as module
from weft.backend.functions.split_reciprocal import rounded, split_reciprocal


@pytest.mark.parametrize("precision", [4, 5, 6, 7, 8])
def test_all_numbers_of_few_bits(precision, monkeypatch):
    """The criterion accepts exactly the divisors with which no quotient is wrong."""
    for table, entry in (("PRECISION", precision), ("_LEAST_EXPONENT", -99), ("_LARGEST_EXPONENT", 99)):
        monkeypatch.setitem(getattr(module, table), precision, entry)
    whole, accepted, refused = 1 << (precision - 1), 0, 0
    for significand in range(whole + 1, 2 * whole):
        exact = Fraction(whole, significand)
        high = rounded(exact, precision)
        low = rounded(exact - high, precision)
        dividends = [Fraction(x, whole) for x in range(whole, 2 * whole)]
        computed = [rounded(x * high + rounded(x * low, precision), precision) for x in dividends]
        is_right = low != 0 and computed == [rounded(x * exact, precision) for x in dividends]
        assert (split_reciprocal(significand / whole, precision) is not None) == is_right
        accepted, refused = accepted + is_right, refused + (not is_right)
    assert accepted > refused


def test_divisors():
    assert split_reciprocal(9.0, 64) == (1 / 9, 6.1679056923619804e-18, 2.0**-963, 2.0**1022)
    assert split_reciprocal(8.0, 64) is None  # powers of two have no second part
    assert split_reciprocal(1e300, 64) is None  # the second part of its reciprocal would lose bits


SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -3e-310, 1e-300, 1e-290, 1.7e308, -1.7e308, 1.0, -1.0]


@pytest.mark.parametrize(
    ("divisor", "dtype"), [(9.0, np.float64), (-0.3, np.float64), (7.1e-5, np.float32), (1e4, np.float64)]
)
def test_chains_of_divisions(divisor, dtype):
    """Chains that begin with all kinds of numbers, and numbers along them."""

    def chains(x):
        for i in range(x.shape[0]):
            for j in range(1, x.shape[1]):
                x[i, j] = (x[i, j] + x[i, j - 1]) / divisor

    generator = np.random.default_rng(5)
    drawn = generator.standard_normal((300, 40)) * 10.0 ** generator.integers(-30, 30, (300, 40))
    bits = generator.integers(0, 1 << 63, (100, 40), np.int64).view(np.float64)
    special = np.repeat(SPECIAL, 40).reshape(-1, 40)
    with np.errstate(all="ignore"):
        got = np.concatenate([drawn, bits, special]).astype(dtype)
        got[::3, 1:] = np.where(got[::3, 1:] > 0, 0.0, -0.0)  # the first number alone, smaller and smaller
        expected = got.copy()
        for j in range(1, got.shape[1]):
            expected[:, j] = (expected[:, j] + expected[:, j - 1]) / dtype(divisor)
    weft.function(chains)(got)
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(np.signbit(got)[got == got], np.signbit(expected)[got == got])
