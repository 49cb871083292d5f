"""Products on tensor cores and attention, of which several results are made; and sums of rows that do."""

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


def _attention(q: Any, k: Any, v: Any) -> Any:
    scores = q @ np.swapaxes(k, -1, -2) * 0.25
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


@pytest.mark.parametrize("dtype", [np.float16, weft.bfloat16])
@pytest.mark.parametrize("shape", [(40, 48, 56), (128, 64, 128)])
def test_several_results_of_a_product_of_halves(shape: tuple[int, int, int], dtype: Any) -> None:
    """On tensor cores, with integers that no sum rounds."""

    def step(a: Any, b: Any) -> Any:
        product = a @ b
        return product, product + product, np.maximum(product, 0)

    rows, inner, columns = shape
    random = np.random.default_rng(0)
    a = random.integers(-1, 2, (rows, inner)).astype(dtype)
    b = random.integers(-1, 2, (inner, columns)).astype(dtype)
    for one, other in zip(weft.function(step, device="cuda")(a, b), weft.function(step)(a, b), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    assert "mma" in weft.function(step, target="sm_90a").get_concrete_function(a, b).as_text("ptx")


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_several_results_of_attention(dtype: Any) -> None:
    def step(q: Any, k: Any, v: Any) -> Any:
        found = _attention(q, k, v)
        return found, np.maximum(found, 0), found * found

    random = np.random.default_rng(0)
    given = [random.standard_normal((2, rows, 16)).astype(dtype) for rows in (40, 70, 70)]
    results = zip(weft.function(step, device="cuda")(*given), weft.function(step)(*given), strict=True)
    for one, other in results:
        assert one.dtype == other.dtype
        scale = float(np.max(np.abs(other)))
        bound = 1e-6 if dtype is np.float32 else 4 * float(np.finfo(dtype).eps)
        assert float(np.max(np.abs(one - other))) <= bound * scale


def test_sums_of_rows_beside_a_fill() -> None:
    """The gradient of a layer norm: what starts a sum of one kernel, a kernel in front of it fills."""

    def loss(x: Any) -> Any:
        y = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)
        return np.mean(np.sin(y) * np.arange(x.shape[-1]))

    x = np.random.default_rng(0).normal(size=(2, 5, 12))
    found, expected = (weft.function(weft.grad(loss), device=name)(x) for name in ("cuda", "cpu"))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
