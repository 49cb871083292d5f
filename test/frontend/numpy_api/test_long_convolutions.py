"""Kernels that are too long to be written out, with numbers that show what is multiplied."""

from __future__ import annotations

import numpy as np

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
