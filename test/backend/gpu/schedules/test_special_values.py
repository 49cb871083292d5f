"""Special functions in device kernels, in the emulator: the bits that the processor computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft


def test_extremes_that_leave_out_what_is_no_number() -> None:
    def program(x: Any, y: Any) -> Any:
        return (
            np.fmin(x, y),
            np.fmax(x, y),
            np.nanmax(x),
            np.sort(x[:0]),
            np.argsort(y[:0]),
            x / (x.sum() * 2),
        )

    with weft.settings.scope(cuda="emulator"):
        for dtype in (np.float64, np.float32, np.float16):
            x = np.array([1, np.nan, np.nan, -np.inf, 3], dtype)
            y = np.array([np.nan, 2, np.nan, 0, np.inf], dtype)
            there = weft.function(program, device="cuda")(x, y)
            for one, other in zip(there, program(x, y), strict=True):
                np.testing.assert_array_equal(one, other, strict=True)


def test_the_same_bits() -> None:
    special = pytest.importorskip("scipy.special")

    def program(x: Any) -> Any:
        return special.gamma(x), special.gammaln(x), special.psi(x)

    x = np.concatenate([np.linspace(-5.3, 9, 20), [0.0, -0.0, np.inf, -np.inf, np.nan, -2.0, 1e300, 5e-324]])
    here = weft.function(program)(x)
    with weft.settings.scope(cuda="emulator"):
        there = weft.function(program, device="cuda")(x)
        for one, other in zip(there, here, strict=True):
            np.testing.assert_array_equal(one, other)
            np.testing.assert_array_equal(np.signbit(one), np.signbit(other))
