"""Fused programs compute what the unfused ones do, bit by bit, also where chains are cut and constants are passed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from weft.passes.fusion.fuse_elementwise import FuseElementwise


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_chains_longer_than_a_group(dtype: str) -> None:
    def chain(x: Any) -> Any:
        for i in range(FuseElementwise.max_ops):
            x = x * 3 + i if i % 2 else x - x // 2
        return x

    x = np.arange(-5, 32).astype(dtype)
    np.testing.assert_array_equal(weft.function(chain)(x), chain(x))


def test_wide_formulas_are_one_loop() -> None:
    def formula(x: Any, y: Any) -> Any:
        terms = [x, y, x - y, x * y, x + 1, y - 2]
        for i in weft.unroll(range(25)):
            terms = [term * y + (0.5 + i) for term in terms]
        return sum(terms) / (1 + terms[0] * terms[0])

    x, y = np.linspace(-1, 1, 67), np.linspace(0.1, 0.9, 67)
    compiled = weft.function(formula)
    np.testing.assert_array_equal(compiled(x, y), formula(x, y))
    kernels = compiled.get_concrete_function(x, y).as_text("kernels")
    assert kernels.count("arith.mulf") > FuseElementwise.max_ops // 2
    assert kernels.count("linalg.generic {") == 1


def test_many_values_of_a_constant() -> None:
    def layers(x: Any, weights: Any) -> Any:
        for i in range(12):
            x = np.maximum(x @ weights, 0) * (1 + i * 0.125) + 0.5
        return x

    x, weights = np.arange(12.0).reshape(3, 4), np.eye(4)[::-1].copy() / 2
    compiled = weft.function(layers)
    np.testing.assert_array_equal(compiled(x, weights), layers(x, weights))
    kernels = compiled.get_concrete_function(x, weights).as_text("kernels").count("func.func private @kernel")
    assert kernels < 8


def test_a_value_that_is_read_at_two_places() -> None:
    def antisymmetric(x: Any) -> Any:
        y = np.exp(x) + 1
        return y - y.T

    x = np.arange(9.0).reshape(3, 3) / 8
    np.testing.assert_allclose(weft.function(antisymmetric)(x), antisymmetric(x), rtol=1e-15)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_reductions_with_producers_and_broadcasts(axis: int | None) -> None:
    def normalised(x: Any, row: Any) -> Any:
        y = x * row + np.ones((3, 4))
        centred = y - np.mean(y, axis=axis, keepdims=True)
        return centred / np.sqrt(np.mean(centred * centred, axis=axis, keepdims=True) + 1e-5)

    x, row = np.arange(12.0).reshape(3, 4), np.array([1.0, -2.0, 0.5, 3.0])
    np.testing.assert_allclose(weft.function(normalised)(x, row), normalised(x, row), rtol=1e-13)


def test_positions_in_what_is_fused_into_fewer_loops() -> None:
    def first_large(x: Any) -> Any:
        place = np.argmax(x > 2, 1, keepdims=True)
        found = np.squeeze(np.take_along_axis(x, place, 1), 1)
        return np.where(np.any(x > 2, 1), found, 0.0)

    x = np.arange(10.0).reshape(5, 2)
    np.testing.assert_array_equal(weft.function(first_large)(x), first_large(x))


def test_unknown_sizes() -> None:
    def program(x: Any, row: Any) -> Any:
        return np.sum(np.abs(x - row) * 2, axis=0) + row

    compiled = weft.function(
        program,
        input_signature=[weft.TensorSpec((None, None), "float64"), weft.TensorSpec((None,), "float64")],
    )
    for rows, columns in ((2, 3), (0, 4), (5, 1)):
        x, row = np.arange(float(rows * columns)).reshape(rows, columns), np.arange(float(columns))
        np.testing.assert_array_equal(compiled(x, row), program(x, row))
