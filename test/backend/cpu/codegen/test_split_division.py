"""Arrays divided by constants: NumPy's quotients, bit for bit, whatever the dividends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.target import compiling_as_if

DIVISORS = (3.0, -3.0, 9.0, 0.1, 1 / 900, 7.3, -0.7, 2.0, 1e-3, 1e30, 1e-30, np.inf, 0.0, np.nan, 1e-310)
ALWAYS = {"beside_reciprocals": (1 << 30, 1 << 30)}
"""Divisions by one number are multiplications."""


def dividends(dtype: Any) -> Any:
    """Numbers of all sizes, each special one between usual ones and alone in its vector."""
    generator = np.random.default_rng(0)
    info = np.finfo(dtype)
    exponents = generator.integers(info.minexp - 20, info.maxexp, 2000)
    found = np.ldexp(generator.uniform(-2, 2, 2000), exponents).astype(dtype)
    usual = generator.standard_normal(3000).astype(dtype)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, info.max, info.tiny, info.smallest_subnormal, -info.tiny]
    usual[: 16 * len(special) : 16] = special
    return np.concatenate([usual, found, np.array(special, dtype), np.zeros(33, dtype), -np.zeros(34, dtype)])


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("group", [0, 1, 2])
def test_values(group: int, dtype: Any) -> None:
    x = dividends(dtype)
    with np.errstate(all="ignore"):
        numbers = [dtype(divisor) for divisor in DIVISORS[group::3]]

        def quotients(x: Any) -> list[Any]:
            return [quotient for number in numbers for quotient in (x / number, (x * x + 1) / number)]

        expected = quotients(x)
        with compiling_as_if(**ALWAYS):
            found = weft.function(quotients)(x)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
        known = ~np.isnan(other)
        np.testing.assert_array_equal(np.signbit(one[known]), np.signbit(other[known]))


@pytest.mark.parametrize("extent", [0, 1, 2, 7, 9, 33])
def test_short_arrays(extent: int) -> None:
    x = np.arange(extent) - 3.0
    with compiling_as_if(**ALWAYS):
        np.testing.assert_array_equal(weft.function(lambda x: x / 3)(x), x / 3)
