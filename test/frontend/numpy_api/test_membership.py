"""Integers among those of another array: tables and searches, between which data decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft


@pytest.mark.sampled
@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
def test_tables_and_searches(dtype: str, invert: bool) -> None:
    compiled = weft.function(lambda x, tests: np.isin(x, tests, invert=invert))
    generator, limits = np.random.default_rng(0), np.iinfo(dtype)
    ranges = [(0, 60), (limits.min, limits.max), (max(limits.min, -50), 50), (limits.max - 20, limits.max)]
    for low, high in ranges:
        x, tests = (generator.integers(low, high, n, dtype, endpoint=True) for n in (300, 150))
        x[:2], x[2:9] = (limits.min, limits.max), tests[:7]
        one = np.full_like(tests, tests[0])
        for among in (tests, np.where(tests == tests[0], tests[0], limits.min).astype(dtype), one):
            value, wanted = compiled(x, among), np.isin(x, among, invert=invert)
            np.testing.assert_array_equal(value, wanted, strict=True)


def test_shapes_and_dtypes() -> None:
    generator = np.random.default_rng(0)
    x, tests = generator.integers(0, 99, (7, 30)), generator.integers(0, 999, 500).astype(np.int32)
    np.testing.assert_array_equal(weft.function(lambda x, t: np.isin(x, t))(x, tests), np.isin(x, tests))
    threes = np.arange(0, 1000, 3)
    np.testing.assert_array_equal(weft.function(lambda x: np.isin(x, threes))(x), np.isin(x, threes))
    none = np.zeros((0, 3), int)
    assert weft.function(lambda x, t: np.isin(x, t))(none, tests).shape == (0, 3)


def test_tables_are_not_for_floats_nor_for_few() -> None:
    def text(tests: Any, dtype: str) -> str:
        x = np.arange(1000).astype(dtype)
        return weft.function(lambda x, t: np.isin(x, t)).get_concrete_function(x, tests).as_text("optimized")

    assert "weft.scatter" in text(np.arange(500), "int64")
    assert "weft.scatter" not in text(np.arange(500) * 0.5, "float64")
    assert "weft.scatter" not in text(np.arange(5), "int64")
