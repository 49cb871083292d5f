"""Gradients of random programs beside differences of their values: none is silently zero."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.random_gradients import random_program, slope


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", [4, 5])
def test_random_programs_agree_with_differences(seed: int) -> None:
    text, f = random_program(seed)
    rng = np.random.default_rng(seed)
    x, direction, n = rng.random(4) * 0.8 + 0.1, rng.standard_normal(4), np.int64(5)
    expected, is_smooth = slope(f, x, n, direction)
    assert is_smooth
    found = weft.grad(f)(x, n) @ direction
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-5, err_msg=text)
