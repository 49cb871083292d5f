"""Histograms of the range that the elements have."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import weft


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint32"])
def test_counts_and_edges(dtype: str) -> None:
    def program(x: Any) -> Any:
        ranged = np.histogram(x, 4, range=(1, 30))  # edges have the dtype of the elements
        return [*(np.histogram(x, bins) for bins in (1, 10, 40)), np.histogram(x, 5, density=True), ranged]

    generator = np.random.default_rng(0)
    compiled = weft.function(program)
    for x in (generator.uniform(0, 50, 200), np.full(200, 3.0), np.arange(200) * 0.25):
        elements = x.astype(dtype)
        for found, expected in zip(compiled(elements), program(elements), strict=True):
            for got, wanted in zip(found, expected, strict=True):
                np.testing.assert_array_equal(got, wanted, strict=True)


@pytest.mark.parametrize("strange", [np.nan, np.inf, -np.inf])
def test_ranges_that_are_not_finite(strange: float) -> None:
    compiled = weft.function(lambda x: np.histogram(x))
    for x in (np.array([1.0, strange, 2.1]), np.array([0.1, 2, strange], np.float32)):
        with pytest.raises(ValueError, match=r"autodetected range .*is not finite") as expected:
            np.histogram(x)
        with pytest.raises(ValueError, match=re.escape(str(expected.value))):
            compiled(x)


def test_no_elements() -> None:
    x = np.zeros(0, np.float32)
    for found, expected in zip(weft.function(lambda x: np.histogram(x))(x), np.histogram(x), strict=True):
        np.testing.assert_array_equal(found, expected, strict=True)
