"""Counts at computed places, in loops over arrays of any length: what may fail is compared, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft


def counted(b: Any, n: Any) -> Any:
    h = np.zeros(n, np.int64)
    for i in range(len(b)):
        h[b[i]] += 1
    return h


def weighed(b: Any, w: Any, h: Any) -> Any:
    for i in range(len(b) - 1):
        h[b[i + 1]] += w[i] * w[i - 1]
    return h


def binned(x: Any, y: Any, n: Any) -> Any:
    h = np.zeros((n, n), np.int64)
    for k in range(len(x)):
        h[int(x[k] * n), int(y[k] * n)] += 1
    return h


COUNTED, WEIGHED, BINNED = map(weft.function, (counted, weighed, binned))


@pytest.mark.sampled
@pytest.mark.parametrize("length", [0, 1, 5, 70_000, 7])
@pytest.mark.parametrize("dtype", ["int64", "uint8", "int32"])
def test_counts(length: int, dtype: str) -> None:
    b = np.random.default_rng(length).integers(0, 9, length).astype(dtype)
    if dtype != "uint8":
        b[::3] -= 9
    found = COUNTED(b, np.int64(9))
    np.testing.assert_array_equal(found, np.bincount(b.astype(int) % 9, minlength=9))
    assert found.dtype == np.int64
    if length == 5:
        for bad in (9, -10, 100):
            b = b.astype(np.int64)
            b[3] = bad
            message = f"index {bad} is out of bounds for axis 0 with size 9"
            with pytest.raises(IndexError, match=message):
                COUNTED(b, np.int64(9))


@pytest.mark.parametrize("length", [0, 1, 2, 300])
def test_weights(length: int) -> None:
    random = np.random.default_rng(length)
    b, w = random.integers(-5, 5, length), random.normal(size=length)
    h = np.zeros(5)
    np.testing.assert_array_equal(WEIGHED(b, w, h.copy()), weighed(b, w, h.copy()))
    if length == 300:
        with pytest.raises(IndexError, match="index 100 is out of bounds for axis 0 with size 100"):
            WEIGHED(b, w[:100].copy(), h.copy())


def test_places_that_are_computed() -> None:
    random = np.random.default_rng(0)
    x, y = random.random(1000), random.random(1000)
    np.testing.assert_array_equal(BINNED(x, y, np.int64(7)), binned(x, y, 7))


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (np.nan, ValueError, "cannot convert float NaN to integer"),
        (-np.inf, OverflowError, "cannot convert float infinity to integer"),
        (np.inf, OverflowError, "cannot convert float infinity to integer"),
        (1e300, OverflowError, "a float is too large for an int"),
        (-1e300, OverflowError, "a float is too large for an int"),
        (1.0, IndexError, "index 7 is out of bounds for axis 1 with size 7"),
        (-1.2, IndexError, "index -8 is out of bounds for axis 1 with size 7"),
    ],
)
def test_places_that_are_none(value: float, error: type[Exception], message: str) -> None:
    x, y = np.full(9, 0.5), np.full(9, 0.5)
    y[6] = value
    with pytest.raises(error, match=message):
        BINNED(x, y, np.int64(7))
    if "too large" not in message:
        with pytest.raises(error, match=message):
            binned(x, y, 7)
