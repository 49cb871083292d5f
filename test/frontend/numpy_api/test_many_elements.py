"""Functions that go another way where there are many elements."""

from __future__ import annotations

import numpy as np
import pytest

import weft

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, np.float64])
def test_isin_among_sorted_elements(dtype: type) -> None:
    x, tests = RANDOM.integers(0, 250, (20, 3)).astype(dtype), RANDOM.integers(0, 250, (12, 25)).astype(dtype)
    if np.dtype(dtype).kind == "f":
        x[:4, 0], tests[:3, 0] = [np.nan, -0.0, np.inf, 0.5], [np.nan, 0.0, np.inf]

    def both(x, tests):
        return np.isin(x, tests), np.isin(x, tests, invert=True), np.isin(x[0, 0], tests)

    expected = both(x, tests)
    assert 0 < expected[0].sum() < x.size
    for found in (weft.function(both)(x, tests), [weft.isin(x, tests), weft.isin(x, tests, invert=True)]):
        for one, other in zip(found, expected, strict=False):
            np.testing.assert_array_equal(one, other, strict=True)


def test_isin_of_integers_that_no_float_tells_apart() -> None:
    x, tests = np.array([2**63 + 1], np.uint64), np.full(300, 2**62, np.int64)
    tests[5] = 7
    np.testing.assert_array_equal(weft.function(np.isin)(x, tests), [False])
