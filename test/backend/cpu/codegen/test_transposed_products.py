"""Products whose operands change roles: few columns, transposed operands, stacks of matrices times vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

PRODUCTS: dict[str, Callable[[Any, Any], Any]] = {
    "nn": lambda x, y: x @ y,
    "tn": lambda x, y: x.T @ y,
    "tt": lambda x, y: x.T @ y.T,
    "turned": lambda x, y: (x @ y).T,
    "with what follows": lambda x, y: np.maximum(x.T @ y + 1, 0).sum(axis=0),
}
SHAPES = [(40, 100, 4), (33, 64, 2), (64, 40, 1), (3, 60, 50), (80, 90, 70)]
"""Rows, products of a sum, columns."""


def numbers(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray[Any, Any]:
    generator = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return generator.standard_normal(shape).astype(dtype)
    if dtype == "complex64":
        return (generator.standard_normal(shape) + 1j * generator.standard_normal(shape)).astype(dtype)
    return generator.integers(0, 2 if dtype == "bool" else 50, shape).astype(dtype)


def agree(got: Any, expected: Any) -> None:
    tolerance = {"f": 1e-4, "F": 1e-4, "d": 1e-11}.get(expected.dtype.char, 0)
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance * 5)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "bool", "complex64"])
@pytest.mark.parametrize("product", PRODUCTS)
def test_two_matrices(product: str, dtype: str) -> None:
    function = PRODUCTS[product]
    if product == "with what follows" and dtype in ("bool", "complex64"):
        dtype = "int64"
    compiled = weft.function(function)
    first = [*PRODUCTS].index(product)
    for rows, depth, columns in SHAPES if dtype == "float32" else SHAPES[first % 2 :: 2]:
        left, right = (rows, depth), (depth, columns)
        if product in ("tn", "tt", "with what follows"):
            left = left[::-1]
        if product == "tt":
            right = right[::-1]
        x, y = numbers(left, dtype, 0), numbers(right, dtype, 1)
        agree(compiled(x, y), function(x, y))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "bool", "complex64"])
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((4, 50, 30), (30,)),
        ((4, 50, 30), (4, 30, 1)),
        ((3, 1, 40, 20), (5, 20, 1)),
        ((2, 3, 33, 1), (1,)),
        ((4, 2, 100), (100,)),
        ((0, 5, 4), (4,)),
        ((4, 5, 0), (0,)),
    ],
)
def test_stacks_of_vectors(left: tuple[int, ...], right: tuple[int, ...], dtype: str) -> None:
    x, y = numbers(left, dtype, 0), numbers(right, dtype, 1)
    agree(weft.function(np.matmul)(x, y), x @ y)
    if len(right) == 1 and len(left) == 3:
        agree(weft.function(lambda x, y: x.swapaxes(1, 2) @ y)(x.swapaxes(1, 2).copy(), y), x @ y)


def test_what_is_not_finite() -> None:
    x, y = numbers((90, 64), "float32", 0), numbers((90, 3), "float32", 1)
    x[5, 7], x[6, 9], y[80, 1] = np.nan, np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        agree(weft.function(lambda x, y: x.T @ y)(x, y), x.T @ y)
