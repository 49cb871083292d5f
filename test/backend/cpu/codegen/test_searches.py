"""Searches that end early, and extremes of what is not NaN, beside NumPy: all lengths, axes, and places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import weft

SHAPES = [(5,), (2049,), (100_000,), (5, 6, 7), (3, 5000), (5000, 3), (2, 0, 3)]
SEARCHES = [np.any, np.all, np.max, np.min, np.argmax, np.argmin]


def truths(shape: tuple[int, ...]) -> Iterator[np.ndarray[Any, Any]]:
    """All false, all true, a mixture, and one that is different: at the begin, in the middle, at the end."""
    generator = np.random.default_rng(len(shape))
    for share in (0, 1, 0.5, 0.001):
        yield generator.random(shape) < share
    size = int(np.prod(shape))
    for place in {0, size // 2, size - 1} if size else ():
        for value in (False, True):
            x = np.full(shape, value)
            x.reshape(-1)[place] = not value
            yield x


@pytest.mark.sampled
@pytest.mark.parametrize("search", SEARCHES, ids=lambda function: function.__name__)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_truths(search: Any, shape: tuple[int, ...]) -> None:
    for axis in (None, *range(len(shape))):
        extents = shape if axis is None else (shape[axis],)
        if 0 in extents and search not in (np.any, np.all):
            continue
        compiled = weft.function(lambda x, axis=axis: search(x, axis=axis))
        for x in truths(shape):
            found, expected = compiled(x), search(x, axis=axis)
            assert np.asarray(found).dtype == np.asarray(expected).dtype
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("target", ["native", "x86-64-v3", "x86-64"])
def test_conditions_and_gaps(target: str) -> None:
    generator = np.random.default_rng(0)
    for threshold in (-9, 1, 3, 9):
        x = generator.standard_normal((300, 70)).astype(np.float32)

        def program(x: Any, threshold: float = threshold) -> Any:
            y = x > threshold
            return (
                np.any(y),
                np.all(y[::2, 3:]),
                np.any(y[:, ::-1], 1),
                np.all(y, (0, 1)),
                np.argmax(y, 1),
                np.all(x),
            )

        for found, expected in zip(weft.function(program, target=target)(x), program(x), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_sizes_that_are_known_at_run_time_alone() -> None:
    spec = [weft.TensorSpec((None,), "bool")]
    compiled = weft.function(lambda x: (np.any(x), np.all(x), np.argmax(x)), input_signature=spec)
    for length in (2, 63, 64, 65, 2047, 2048, 5000):
        for x in truths((length,)):
            found = compiled(x)
            assert [int(each) for each in found] == [np.any(x), np.all(x), np.argmax(x)]


@pytest.mark.sampled
@pytest.mark.filterwarnings("ignore:All-NaN")
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(1,), (7,), (100_000,), (33, 47), (5, 6, 7)], ids=str)
def test_extremes_of_numbers(dtype: str, shape: tuple[int, ...]) -> None:
    generator = np.random.default_rng(0)
    x = generator.standard_normal(shape).astype(dtype)
    nan = np.full(shape, np.nan, dtype)
    some = np.where(generator.random(shape) < 0.3, nan, x)
    edges = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, np.finfo(dtype).max], dtype)
    arrays = [x, nan, some, np.where(generator.random(shape) < 0.7, nan, -np.inf).astype(dtype)]
    arrays += [
        edges[generator.integers(0, 7, shape)],
        np.where(generator.random(shape) < 0.7, nan, np.inf).astype(dtype),
    ]
    for function in (np.nanmax, np.nanmin):
        for axis in (None, *range(len(shape))):
            compiled = weft.function(
                lambda x, axis=axis, f=function: f(x, axis=axis, keepdims=axis is not None)
            )
            for each in arrays:
                expected = function(each, axis=axis, keepdims=axis is not None)
                np.testing.assert_array_equal(compiled(each), expected)


def test_extremes_of_numbers_of_nothing() -> None:
    for function, name in ((np.nanmax, "fmax"), (np.nanmin, "fmin")):
        with pytest.raises(
            ValueError, match=f"zero-size array to reduction operation {name} which has no identity"
        ):
            weft.function(lambda x, f=function: f(x))(np.ones(0))
    assert weft.function(lambda x: np.nanmax(x, initial=3.0))(np.ones(4)) == 3
    assert weft.function(lambda x: np.nanmin(x))(np.array([3, 2])) == 2
    complex_ = np.array([np.nan, 1 + 2j, 3 - 1j])
    assert weft.function(lambda x: np.nanmax(x))(complex_) == np.nanmax(complex_)


@pytest.mark.parametrize("shape", [(0,), (7,), (100_001,), (33, 470), (5, 6, 7)], ids=str)
def test_counts_of_truths(shape: tuple[int, ...]) -> None:
    """They are added up in 32 bits, and are of 64."""
    x = np.random.default_rng(0).random(shape) < 0.6
    for axis in (None, *range(len(shape))):

        def program(x: Any, axis: int | None = axis) -> Any:
            return np.count_nonzero(x, axis), np.sum(x, axis, where=~x), np.sum(x, axis, initial=1 << 40)

        for found, expected in zip(weft.function(program)(x), program(x), strict=True):
            np.testing.assert_array_equal(found, expected)
            assert np.asarray(found).dtype == np.int64


def test_counts_of_unknown_sizes() -> None:
    spec = [weft.TensorSpec((None,), "bool")]
    x = np.ones(1000, bool)
    assert weft.function(lambda x: np.sum(x), input_signature=spec)(x) == 1000
    text = weft.function(lambda x: np.sum(x)).get_concrete_function(x).as_text("linalg")
    assert "arith.addi %out" in text
    assert ": i32" in text
    wide = weft.function(lambda x: np.sum(x), input_signature=spec).get_concrete_function().as_text("linalg")
    assert ": i32" not in wide
