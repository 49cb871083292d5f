"""Products whose operands change roles: few columns, transposed operands, stacks of matrices times vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend import target

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


@pytest.mark.sampled
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


@pytest.mark.sampled
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


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_symmetric_products_have_the_same_bits(dtype: str) -> None:
    def products(x: Any, y: Any) -> Any:
        return x.T @ y, x @ y.T, np.maximum(x.T @ y / 3, 1), x[:, :-3].T @ y[:, :-3]

    compiled, same = weft.function(products), weft.function(lambda x: products(x, x))
    any_size = weft.function(
        lambda x: products(x, x)[:3], input_signature=[weft.TensorSpec((None, None), dtype)]
    )
    for shape in [(200, 131), (129, 70), (0, 100)]:
        x = numbers(shape, dtype, 0)
        expected = compiled(x, x.copy())
        for got, whole in zip(same(x), expected, strict=True):
            np.testing.assert_array_equal(got, whole)
        for got, whole in zip(any_size(x), expected, strict=False):
            np.testing.assert_allclose(got, whole, rtol=0, atol=1e-4)
            np.testing.assert_array_equal(got, got.T)
        for got, eager in zip(expected, products(x, x), strict=True):
            agree(got, eager)


def test_symmetric_products_in_blocks() -> None:
    x = numbers((90, 1300), "float32", 0)
    with target.compiling_as_if(second_level_cache=1 << 14):
        got = weft.function(lambda x: x @ x.T + 1)(x)
        whole = weft.function(lambda x, y: x @ y.T + 1)(x, x.copy())
    np.testing.assert_array_equal(got, whole)
    np.testing.assert_allclose(got, x @ x.T + 1, rtol=1e-5, atol=1e-3)
