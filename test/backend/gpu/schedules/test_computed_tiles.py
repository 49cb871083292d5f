"""Sums of elements that products become, in the emulator: gradients of attention, and kernel functions of points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

Array = np.ndarray[Any, Any]


def attention(q: Any, k: Any, v: Any) -> Any:
    scores = q @ np.swapaxes(k, -1, -2) * q.dtype.type(0.25)
    scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def gradients(q: Any, k: Any, v: Any, change: Any) -> Any:
    return weft.grad(lambda *given: np.sum(attention(*given) * change), argnums=(0, 1, 2))(q, k, v)


def numbers(*shape: int, dtype: Any = np.float32) -> Array:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(dtype)


def check(function: Any, *given: Array, rtol: float, kernels: int, **options: Any) -> Any:
    """The function computes on a device, by so many such kernels, what it does of wider numbers on the processor."""
    exact = weft.function(function)(*(x.astype(np.float64) for x in given))
    with weft.settings.scope(cuda="emulator"):
        compiled = weft.function(function, device="cuda", **options)
        found = compiled(*given)
        text = compiled.get_concrete_function(*given).as_text("gpu")
    assert text.count('weft.schedule = "computed tiles') == kernels
    for one, other in zip(found, exact, strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol * np.abs(other).max())


def test_gradients_of_attention() -> None:
    given = numbers(2, 20, 8), numbers(2, 70, 8), numbers(2, 70, 12), numbers(2, 20, 12)
    check(gradients, *given, rtol=1e-5, kernels=8)


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_what_is_beyond_the_end_of_a_matrix_is_not_added(value: float) -> None:
    def weighted(x: Any, y: Any, v: Any) -> Any:
        weights = np.exp(x @ y.T)
        return weights @ v, weights.sum(axis=1)

    x, y, v = numbers(9, 4), numbers(21, 4), np.abs(numbers(21, 3))
    y[-1] = value * np.sign(x[0])
    with np.errstate(invalid="ignore", over="ignore"):
        check(weighted, x, y, v, rtol=1e-5, kernels=2)


def test_distances_of_doubles_of_unknown_number() -> None:
    def field(x: Any, y: Any, v: Any) -> Any:
        squares = (x * x).sum(axis=1)[:, None] + (y * y).sum(axis=1) - 2 * (x @ y.T)
        weights = np.exp(-squares)
        return weights @ v, weights.T @ x

    spec = weft.TensorSpec((None, 5), np.float64)
    given = (
        numbers(19, 5, dtype=np.float64),
        numbers(40, 5, dtype=np.float64),
        numbers(40, 3, dtype=np.float64),
    )
    signature = [spec, spec, weft.TensorSpec((None, 3), np.float64)]
    check(field, *given, rtol=1e-12, kernels=2, input_signature=signature)


def test_a_matrix_that_is_asked_for_is_memory() -> None:
    def both(x: Any, y: Any, v: Any) -> Any:
        weights = np.exp(x @ y.T)
        return weights @ v, weights

    check(both, numbers(9, 4), numbers(21, 4), numbers(21, 3), rtol=1e-5, kernels=0)


def test_batches_share_a_factor() -> None:
    def weighted(x: Any, y: Any, v: Any) -> Any:
        weights = np.exp(-np.abs(x @ y.T))
        return weights @ v, weights.mean(axis=-1)

    given = numbers(2, 3, 9, 4), numbers(21, 4), numbers(21, 3)
    check(weighted, *given, rtol=1e-5, kernels=2)


def test_elements_that_are_made_wider_are_multiplied_by_other_kernels() -> None:
    def wider(q: Any, k: Any, v: Any) -> Any:
        scores = q @ k.T / np.sqrt(q.shape[-1])  # float64, as NumPy has it
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return weights / weights.sum(-1, keepdims=True) @ v

    q, k, v = numbers(7, 4), numbers(9, 4), numbers(9, 4)
    with weft.settings.scope(cuda="emulator"):
        found = weft.function(wider, device="cuda")(q, k, v)
    np.testing.assert_allclose(found, wider(q, k, v), rtol=1e-5, atol=1e-6)
