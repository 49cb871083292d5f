"""argmax and argmin, compiled: ties, NaN, lengths with and without rows, axes, dtypes."""

from __future__ import annotations

import numpy as np
import pytest

import weft


@pytest.mark.sampled
@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"]
)
@pytest.mark.parametrize("length", [1, 17, 100, 8191, 8192, 12288, 20000, 100003])
def test_the_first_place(dtype: str, length: int) -> None:
    generator = np.random.default_rng(length)
    few, many = (generator.integers(0, bound, length).astype(dtype) for bound in (3, 100))
    cases = [few, many, np.zeros(length, dtype), many[::-1].copy()]
    if np.dtype(dtype).kind in "fc":
        with_nan = many.copy()
        with_nan[generator.integers(0, length, 2)] = np.nan
        cases.append(with_nan)
    largest, smallest = weft.function(lambda x: np.argmax(x)), weft.function(lambda x: np.argmin(x))
    for x in cases:
        assert largest(x) == np.argmax(x)
        assert smallest(x) == np.argmin(x)


@pytest.mark.sampled
@pytest.mark.parametrize("axis", [None, 0, 1, 2])
@pytest.mark.parametrize("dynamic", [False, True])
def test_axes(axis: int | None, dynamic: bool) -> None:
    x = np.random.default_rng(0).integers(0, 9, (30, 40, 50)).astype(np.float32)
    spec = [weft.TensorSpec((None,) * 3, "float32")] if dynamic else None
    for function in (np.argmax, np.argmin):
        compiled = weft.function(lambda x, f=function: f(x, axis=axis), input_signature=spec)
        np.testing.assert_array_equal(compiled(x), function(x, axis=axis))
