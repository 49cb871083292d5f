"""Padding and sliding products, compiled: modes, widths, sizes known and unknown, dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

WIDTHS: list[Any] = [0, 1, 7, (1, 2), (0, 3)]
SHAPES = [(5,), (3, 4), (2, 3, 4), (1, 7), (1000,)]


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.sampled
def test_padding(mode: Any, shape: tuple[int, ...]) -> None:
    numbers = np.random.default_rng(0).integers(0, 9, shape)
    arrays = [numbers.astype(dtype) for dtype in ("float32", "int64", "bool", "complex128", "int8")]

    def padded(a: Any, b: Any, c: Any, d: Any, e: Any) -> list[Any]:
        return [np.pad(x, width, mode=mode) for x, width in zip((a, b, c, d, e), WIDTHS, strict=True)]

    expected = padded(*arrays)
    unknown = [weft.TensorSpec((None,) * len(shape), x.dtype) for x in arrays]
    for signature in (None, unknown) if 1 not in shape else (None,):
        compiled = weft.function(padded, input_signature=signature)
        for found, wanted in zip(compiled(*arrays), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)
            assert found.dtype == wanted.dtype


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_padding_what_is_empty(shape: tuple[int, ...]) -> None:
    x = np.zeros(shape, np.float32)
    padded = weft.function(lambda x: np.pad(x, 2, constant_values=1))(x)
    np.testing.assert_array_equal(padded, np.pad(x, 2, constant_values=1))


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(("length", "count"), [(1, 1), (5, 3), (3, 5), (100, 16), (100, 17), (1000, 9)])
@pytest.mark.sampled
def test_sliding_products(length: int, count: int, mode: Any) -> None:
    generator = np.random.default_rng(0)
    dtypes = ("float16", "float32", "float64", "int32", "int64", "complex64", "bool")
    pairs = [[generator.integers(0, 9, size).astype(dtype) for size in (length, count)] for dtype in dtypes]

    def products(pairs: Any) -> list[Any]:
        return [product(a, v, mode) for a, v in pairs for product in (np.convolve, np.correlate)]

    for found, expected in zip(weft.function(products)(pairs), products(pairs), strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-2 if found.dtype == "float16" else 1e-5)
