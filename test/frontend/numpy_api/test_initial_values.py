"""Extrema with `initial=`, of arrays that may be empty; and what takes them without a copy of the array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.staged import run_staged


def extremes(x: Any) -> Any:
    return (
        np.max(x, initial=3),
        np.min(x, axis=0, initial=3),
        np.max(x, axis=1, initial=3, keepdims=True),
        np.min(x, axis=1, initial=3, where=x > x.dtype.type(1)),
        np.nanmax(x, initial=3),
    )


@pytest.mark.sampled
@pytest.mark.filterwarnings("ignore:All-NaN")
@pytest.mark.parametrize("unknown", [False, True], ids=["known sizes", "unknown sizes"])
@pytest.mark.parametrize("dtype", ["float64", "float16", "int8", "uint64"])
def test_extremes_from_a_start(dtype: str, unknown: bool) -> None:
    spec = [weft.TensorSpec((None, None), dtype)] if unknown else None
    compiled = weft.function(extremes, input_signature=spec)
    for shape in ((3, 4), (0, 4), (4, 0), (0, 0), (1, 1), (70, 33)):
        x = np.random.default_rng(1).integers(0, 7, shape).astype(dtype)
        if x.size > 3 and dtype != "uint64":
            x.flat[1] = -np.inf if dtype.startswith("f") else -128
            x.flat[2] = np.nan if dtype.startswith("f") else 127
        for value, wanted in zip(compiled(x), extremes(x), strict=True):
            np.testing.assert_array_equal(value, wanted)
            assert np.asarray(value).dtype == wanted.dtype


@pytest.mark.parametrize("start", [np.nan, np.inf, -np.inf])
def test_starts_that_are_not_finite(start: float) -> None:
    x = np.array([1.0, -2.0])
    found = weft.function(lambda x: (np.max(x, initial=start), np.min(x, initial=start)))(x)
    np.testing.assert_array_equal(found, [np.max(x, initial=start), np.min(x, initial=start)])


@pytest.mark.parametrize(
    "function", [lambda x: np.max(x, initial=3), lambda x: np.bincount(x)], ids=["max", "bincount"]
)
def test_the_array_is_read_as_it_is(function: Any) -> None:
    text = weft.function(function).get_concrete_function(np.arange(5000)).as_text("optimized")
    assert "weft.max" in text
    assert "concatenate" not in text
    assert text.count("tensor<5001xi64>") == 0


@pytest.mark.parametrize("unknown", [False, True], ids=["known sizes", "unknown sizes"])
def test_counts(unknown: bool) -> None:
    def counts(x: Any) -> Any:
        return np.bincount(x), np.bincount(x, minlength=5)

    spec = [weft.TensorSpec((None,), "int64")] if unknown else None
    compiled = weft.function(counts, input_signature=spec)
    for x in (np.array([3, 1, 1]), np.zeros(0, int), np.array([0]), np.arange(1000) % 37):
        for value, wanted in zip(compiled(x), counts(x), strict=True):
            np.testing.assert_array_equal(value, wanted, strict=True)
    for bad in ([1, -1, 5], [np.iinfo(np.int64).min, 3], [-1]):
        with pytest.raises(ValueError, match="'list' argument must have no negative elements"):
            compiled(np.array(bad))


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["float64", "float16", "int8", "uint32", "bool"])
@pytest.mark.parametrize("extremum", [np.max, np.min])
def test_extrema_of_nothing_are_the_initial_value_when_interpreted(extremum: Any, dtype: str) -> None:
    empty = np.zeros((0, 3), dtype)
    found = run_staged(lambda x: extremum(x, axis=0, initial=1), empty, dynamic=True)
    np.testing.assert_array_equal(found, extremum(empty, axis=0, initial=1), strict=True)


def test_weights_of_nothing_where_sizes_change() -> None:
    """NumPy counts with int64 where there is nothing to count, weights or not."""
    compiled = weft.function(lambda x, weights: np.bincount(x, weights))
    for count in (3, 4, 5, 0, 2, 0):
        x, weights = np.arange(count), np.ones(count)
        found, wanted = compiled(x, weights), np.bincount(x, weights)
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)
