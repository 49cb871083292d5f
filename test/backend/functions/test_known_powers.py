"""Powers with exponents that are known: nearly the best rounding, and C's special cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

EXPONENTS = (3, 4, 5, 7, 16, -2, -3, -4, 1.5, 2.5, -0.5, -1.5, -2.5)


def powers(x: Any) -> Any:
    return tuple(x**exponent for exponent in EXPONENTS)


def special(dtype: type) -> np.ndarray[Any, Any]:
    limits = np.finfo(dtype)
    ends = [limits.max, limits.tiny, limits.smallest_subnormal, np.sqrt(limits.max), np.cbrt(limits.tiny)]
    numbers = [0.0, np.inf, np.nan, 1.0, 2.5, 1e-3, *ends]
    return np.array([*numbers, *(-number for number in numbers)], dtype)


@pytest.mark.parametrize("target", ["native", "x86-64-v3", "x86-64-v2"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_known_powers(dtype: type, target: str) -> None:
    compiled = weft.function(powers, target=target)
    for x in (special(dtype), 2.0 ** np.random.default_rng(0).uniform(-6, 6, 5000)):
        x = np.asarray(x, dtype)
        x[::3] *= -1
        for found, exponent in zip(compiled(x), EXPONENTS, strict=True):
            with np.errstate(all="ignore"):
                exact = np.power(x.astype(np.longdouble), np.longdouble(exponent))
                expected = exact.astype(dtype)
                error = abs(found.astype(np.longdouble) - exact) / np.spacing(abs(expected))
            is_number = np.isfinite(expected) & (expected != 0)
            np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
            others = ~is_number & ~np.isnan(expected)
            np.testing.assert_array_equal(found[others], expected[others])
            np.testing.assert_array_equal(np.signbit(found[others]), np.signbit(expected[others]))
            is_normal = is_number & (abs(expected) > np.finfo(dtype).tiny) & (abs(x) > np.finfo(dtype).tiny)
            most = 2 if target == "x86-64-v2" else 0.51
            if len(x) > 100 and np.finfo(np.longdouble).nmant > 52:
                assert error[is_normal].max() < most, exponent


def test_scalars_and_halves() -> None:
    def total(x: Any) -> Any:
        result = 0.0
        for i in range(len(x)):
            result += x[i] ** -1.5 - x[i] ** 3
        return result

    x = np.random.default_rng(1).random(100) + 0.1
    np.testing.assert_allclose(weft.function(total)(x), total(x), rtol=1e-14)
    half = x.astype(np.float16)
    np.testing.assert_array_equal(
        weft.function(lambda x: x**3)(half), (half.astype(float) ** 3).astype(np.float16)
    )


@pytest.mark.parametrize("dtype", ["int64", "int8", "uint16"])
def test_integers(dtype: str) -> None:
    x = np.arange(-6, 7).astype(dtype)
    compiled = weft.function(lambda x: tuple(x**n for n in (3, 4, 7, 10, 31, 64, 65)))
    for found, exponent in zip(compiled(x), (3, 4, 7, 10, 31, 64, 65), strict=True):
        np.testing.assert_array_equal(found, x**exponent, str(exponent))
