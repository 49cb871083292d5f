"""Sums of shifted products, which are computed as convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

HEIGHT, WIDTH = 4, 5


def products(x: Any, k: Any) -> Any:
    result = np.zeros((len(x), HEIGHT, WIDTH, k.shape[3]), x.dtype)
    for i in range(k.shape[0]):
        for j in range(k.shape[1]):
            result += x[:, i : i + HEIGHT, j : j + WIDTH] @ k[i, j]
    return result


def written_out(x: Any, k: Any) -> Any:
    result = np.ones((len(x), HEIGHT, WIDTH, k.shape[3]), x.dtype)
    for i in range(k.shape[0]):
        for j in range(k.shape[1]):
            part = x[:, i : i + 2 * HEIGHT : 2, 3 * j : 3 * j + WIDTH, :, None]
            result += np.sum(part * k[None, i, j], axis=3, dtype=x.dtype)
    return np.maximum(result, 0)


def some_matrices(x: Any, k: Any) -> Any:
    return 2 * x[:, 1 : 1 + HEIGHT, :WIDTH, :4] @ k[1, 0] + (
        x[:, :HEIGHT, 1 : 1 + WIDTH, :4] @ k[0, 1] + x[:, :HEIGHT, :WIDTH, :4] @ k[0, 0]
    )


def other_distances(x: Any, k: Any) -> Any:
    return sum(x[:, j * j : j * j + HEIGHT, :WIDTH] @ k[0, j] for j in range(3))


def stretched(x: Any, k: Any) -> Any:
    return x[:, :HEIGHT] @ k[0, 0] + x[:, 1:2] @ k[1, 0]


CASES = [(products, "float32"), (products, "int64"), (written_out, "float64"), (some_matrices, "float64")]


def arrays(dtype: str) -> list[np.ndarray[Any, Any]]:
    generator = np.random.default_rng(0)
    return [generator.integers(-9, 9, shape).astype(dtype) for shape in [(2, 12, 14, 4), (2, 3, 4, 6)]]


@pytest.mark.parametrize(("function", "dtype"), CASES)
def test_values(function: Any, dtype: str) -> None:
    x, k = arrays(dtype)
    compiled = weft.function(function)
    ways = compiled.get_concrete_function(x, k).as_text("optimized").count("weft.conv")
    assert ways == 1
    for image in (x, np.where(x == 3, np.asarray(np.nan).astype(dtype), x) if dtype != "int64" else x[::-1]):
        np.testing.assert_array_equal(compiled(image, k), function(image, k))


@pytest.mark.parametrize("function", [other_distances, stretched])
def test_other_sums_stay_products(function: Any) -> None:
    x, k = arrays("float64")
    compiled = weft.function(function)
    assert "weft.conv" not in compiled.get_concrete_function(x, k).as_text("optimized")
    np.testing.assert_array_equal(compiled(x, k), function(x, k))


def test_gradient() -> None:
    x, k = arrays("float64")
    gradient = weft.grad(lambda k, x: np.sum(products(x, k) * 0.5))
    expected = np.stack(
        [
            [x[:, i : i + HEIGHT, j : j + WIDTH].sum(axis=(0, 1, 2)) for j in range(k.shape[1])]
            for i in range(k.shape[0])
        ]
    )
    np.testing.assert_allclose(gradient(k, x), np.repeat(expected[..., None], 6, axis=3) * 0.5, rtol=1e-12)
