"""Searches, several vectors at a time: every number of keys, what lies between and beyond them, NaN, unknown sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft


def keys_of(dtype: str, count: int) -> np.ndarray[Any, Any]:
    """Sorted keys, some of them equal; NaN and infinities at the ends."""
    generator = np.random.default_rng(count)
    keys = generator.integers(-count // 2, count // 2 + 1, count).astype(dtype)
    if dtype.startswith("float") and count > 4:
        keys[:4] = np.inf, -np.inf, np.nan, np.nan
    return np.sort(keys)


def values_for(keys: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The keys in some order, and numbers between and beyond them: more than vectors hold, and some left over."""
    generator = np.random.default_rng(len(keys))
    found = generator.permutation(np.concatenate([keys, np.arange(-40, 41).astype(keys.dtype)]))
    return np.concatenate([found, found[:7]]) if keys.dtype.kind != "f" else np.append(found + 0.5, found)


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "uint8"])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("known", [True, False])
def test_searches(dtype: str, side: str, known: bool) -> None:
    spec = None if known else [weft.TensorSpec((None,), dtype)] * 2
    function = weft.function(lambda k, v: np.searchsorted(k, v, side=side), input_signature=spec)
    for count in (0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 100) if known else (*range(20), 63, 64, 65, 1000):
        keys = keys_of(dtype, count)
        values = values_for(keys)
        np.testing.assert_array_equal(function(keys, values), np.searchsorted(keys, values, side=side))


def test_nothing_is_looked_for() -> None:
    function = weft.function(lambda k, v: np.searchsorted(k, v))
    assert function(np.arange(9.0), np.zeros(0)).shape == (0,)
    assert function(np.zeros(0), np.zeros((0, 3))).shape == (0, 3)
    assert function(np.zeros(0), np.ones((2, 3))).tolist() == [[0, 0, 0], [0, 0, 0]]


def test_keys_in_no_order_are_read_within_bounds() -> None:
    """Where they say nothing of use; the places are some between 0 and the number of keys."""
    keys = np.random.default_rng(0).permutation(np.arange(1001.0))
    keys[::7] = np.nan
    found = weft.function(lambda k, v: np.searchsorted(k, v))(keys, np.arange(-5.0, 1005.0))
    assert found.min() >= 0
    assert found.max() <= len(keys)


def test_a_search_in_a_program() -> None:
    """As part of interpolation, of two searches in one loop, and of a strided array."""

    def program(x: Any, k: Any) -> tuple[Any, ...]:
        places = np.searchsorted(k, x), np.searchsorted(k[::2], x, side="right")
        return np.interp(x, k, k * k), places[0] + places[1], np.digitize(x[::3], k)

    x = np.random.default_rng(0).random((37, 29))
    k = np.sort(np.random.default_rng(1).random(513))
    for found, expected in zip(weft.function(program)(x, k), program(x, k), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_several_vectors_are_under_way() -> None:
    """Of one vector and a rest alone there would be two reads for each of the ten steps."""
    function = weft.function(lambda k, v: np.searchsorted(k, v), target="x86-64-v4")
    keys, values = np.arange(1000.0), np.zeros(10_000)
    text = function.get_concrete_function(keys, values).as_text("asm")
    assert text.count("gather") > 40
    assert "interleave" in function.get_concrete_function(keys, values).as_text("llvm")
