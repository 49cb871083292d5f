"""Long rows sorted by digits, in the emulator: the order of NumPy's stable sorts, and the bits of keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import weft


@pytest.fixture(autouse=True)
def emulator() -> Iterator[None]:
    """Let the emulator stand for a GPU."""
    with weft.settings.scope(cuda="emulator"):
        yield


def _keys(dtype: str, *shape: int) -> Any:
    """Keys of which many are equal: of floats also NaN of both signs, both zeros and infinities."""
    random, kind = np.random.default_rng(0), np.dtype(dtype)
    if kind.kind == "f":
        keys = (random.integers(-900, 900, shape) / 4).astype(kind)
        for special in (np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0):
            keys[random.random(shape) < 0.1] = special
        return keys
    info = np.iinfo(kind)
    keys = random.integers(info.min, info.max, shape, kind, endpoint=True)
    return np.where(random.random(shape) < 0.5, keys, keys % 100).astype(kind)


def _is_by_digits(function: Any, keys: Any) -> bool:
    text = weft.function(function, target="sm_90a").get_concrete_function(keys).as_text("gpu")
    return "by digits of 8 bits" in text


LONG = [
    pytest.param("int16", (131073,), marks=pytest.mark.soak),
    pytest.param("int32", (131072,), marks=pytest.mark.soak),
    pytest.param("uint32", (133333,), marks=pytest.mark.soak),
    ("float32", (2, 131073)),
    pytest.param("float64", (262147,), marks=pytest.mark.soak),
]
"""The shortest that are, sizes that are no multiple of a tile, and rows."""


@pytest.mark.parametrize(("dtype", "shape"), LONG, ids=str)
def test_keys_and_places_are_numpys(dtype, shape):
    keys = _keys(dtype, *shape)
    assert _is_by_digits(np.sort, keys)
    found, places = weft.function(
        lambda x: (np.sort(x, kind="stable"), np.argsort(x, kind="stable")), device="cuda"
    )(keys)
    expected = np.argsort(keys, kind="stable")
    assert np.array_equal(np.asarray(places), expected)
    moved = np.take_along_axis(keys, expected, -1)
    assert np.array_equal(np.asarray(found), moved, equal_nan=keys.dtype.kind == "f")
    is_number = moved == moved
    assert np.asarray(found)[is_number].tobytes() == moved[is_number].tobytes()


def test_the_largest_and_the_median_are_of_digits():
    keys = _keys("int32", 140000).astype(np.float32)
    for function in (lambda x: np.sort(x)[-10:], np.median):
        assert _is_by_digits(function, keys)
        found = np.asarray(weft.function(function, device="cuda")(keys))
        assert np.array_equal(found, function(keys))


def test_others_are_merged():
    for keys in (_keys("int32", 100000), _keys("int64", 200000)):
        assert not _is_by_digits(np.sort, keys)
