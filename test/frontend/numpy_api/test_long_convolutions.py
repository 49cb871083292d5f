"""Kernels with numbers that show what is multiplied: infinities and NaN, in short kernels and in long ones."""

from __future__ import annotations

import numpy as np
import pytest

import weft


def test_long_kernels():
    modes = ("full", "same", "valid")
    x, kernel = np.random.default_rng(0).normal(size=(2, 90))
    x[40] = np.nan

    @weft.function
    def f(x, kernel):
        return [(np.convolve(x, kernel, mode), np.correlate(x, kernel, mode)) for mode in modes]

    for mode, (convolved, correlated) in zip(modes, f(x, kernel[:40]), strict=True):
        np.testing.assert_allclose(convolved, np.convolve(x, kernel[:40], mode), rtol=1e-12)
        np.testing.assert_allclose(correlated, np.correlate(x, kernel[:40], mode), rtol=1e-12)
    z = (x + 1j)[:30].astype("complex64")
    result = weft.function(lambda a, b: np.correlate(a, b, "full"))(z, z[:20])
    np.testing.assert_allclose(result, np.correlate(z, z[:20], "full"), rtol=1e-4)


MODES = ("full", "same", "valid")


@pytest.mark.parametrize("dtype", ["float64", "complex64", "int32"])
def test_short_kernels(dtype):
    @weft.function
    def f(x, kernel):
        return [(np.convolve(x, kernel, mode), np.correlate(kernel, x, mode)) for mode in MODES]

    x = np.arange(1, 8).astype(dtype)
    for values in ([2], [np.inf, 1], [1, -np.inf, 0, 2], [np.nan, 1, 1, 1, 1, 1, np.inf]):
        if dtype == "int32":
            values = [value if np.isfinite(value) else 9 for value in values]
        kernel = np.array(values).astype(dtype)
        with np.errstate(invalid="ignore"):
            expected = [(np.convolve(x, kernel, mode), np.correlate(kernel, x, mode)) for mode in MODES]
        for got, wanted in zip(f(x, kernel), expected, strict=True):
            for one, other in zip(got, wanted, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-6, strict=True)


def test_long_kernels_of_infinities():
    x, kernel = np.ones(40), np.ones(20)
    kernel[3] = np.inf
    full = weft.function(lambda x, kernel: np.convolve(x, kernel))
    valid = weft.function(lambda x, kernel: np.convolve(x, kernel, "valid"))
    np.testing.assert_array_equal(valid(x, kernel), np.convolve(x, kernel, "valid"))
    with pytest.raises(
        ValueError, match="some numbers of the kernel are infinite or NaN: kernels of more than 16"
    ):
        full(x, kernel)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "uint64"])
def test_integers(dtype: str) -> None:
    generator = np.random.default_rng(0)
    x, kernel = (
        generator.integers(0, 200, size).astype(dtype) * (generator.uniform(size=size) > 0.7)
        for size in (60, 30)
    )
    x, kernel = x.astype(dtype), kernel.astype(dtype)
    program = weft.function(lambda x, kernel: [np.convolve(x, kernel, mode) for mode in MODES])
    for mode, found in zip(MODES, program(x, kernel), strict=True):
        np.testing.assert_array_equal(found, np.convolve(x, kernel, mode), strict=True)
