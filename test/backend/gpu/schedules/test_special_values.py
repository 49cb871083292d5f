"""Special functions in device kernels, in the emulator: the bits that the processor computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

special = pytest.importorskip("scipy.special")


def test_the_same_bits() -> None:
    def program(x: Any) -> Any:
        return special.gamma(x), special.gammaln(x), special.psi(x)

    x = np.concatenate([np.linspace(-5.3, 9, 20), [0.0, -0.0, np.inf, -np.inf, np.nan, -2.0, 1e300, 5e-324]])
    here = weft.function(program)(x)
    with weft.settings.scope(cuda="emulator"):
        there = weft.function(program, device="cuda")(x)
        for one, other in zip(there, here, strict=True):
            np.testing.assert_array_equal(one, other)
            np.testing.assert_array_equal(np.signbit(one), np.signbit(other))
