"""Two products of vectors with one matrix, which is read once for both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft


def both(a: Any, x: Any, y: Any) -> Any:
    return y @ a, a @ x


def chained(a: Any, x: Any, y: Any) -> Any:
    residual = 2 * (a @ x) - y
    return a.T @ residual, residual


def with_sums(a: Any, x: Any, y: Any) -> Any:
    return y + a @ x, x + a.T @ y


def in_a_loop(a: Any, x: Any, y: Any) -> Any:
    for _ in range(20):
        x = x + 0.001 * (a.T @ (y - a @ x))
    return x


def with_steps(a: Any, x: Any, y: Any) -> Any:
    """Several results of each product of a row: some are returned, one is what rows are multiplied with."""
    residual = a @ x - y
    clipped = np.clip(residual, -3, 3)
    return np.abs(residual).max(initial=0), clipped, a.T @ (clipped * y)


def with_plain_products(a: Any, x: Any, y: Any) -> Any:
    """The products themselves are read as well."""
    products = a @ x
    return products.sum(), a.T @ (products * 3)


CASES = [
    (both, "float32"),
    (both, "int16"),
    (chained, "float64"),
    (chained, "complex64"),
    (with_sums, "float16"),
    (in_a_loop, "float64"),
    (with_steps, "float32"),
    (with_plain_products, "float64"),
]
SHAPES = [(37, 23), (8, 16), (1, 5), (5, 1), (3, 40), (0, 4), (4, 0), (1030, 9)]
"""Whole blocks and others, one row, one column, none, and rows in several parts."""


def numbers(shape: tuple[int, int], dtype: str) -> list[np.ndarray[Any, Any]]:
    generator = np.random.default_rng(sum(shape))
    rows, columns = shape
    sizes = (shape, (columns,), (rows,))
    if np.dtype(dtype).kind == "f":
        return [generator.standard_normal(size).astype(dtype) for size in sizes]
    return [generator.integers(-40, 40, size).astype(dtype) for size in sizes]


def agree(got: Any, expected: Any, tolerance: float) -> None:
    for mine, theirs in zip(got, expected, strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance * 30)


@pytest.mark.parametrize(("function", "dtype"), CASES)
def test_values(function: Any, dtype: str) -> None:
    real = "float32" if dtype == "complex64" else dtype
    specs = [weft.TensorSpec(shape, dtype) for shape in ((None, None), (None,), (None,))]
    unknown = weft.function(function, input_signature=specs)
    for shape in SHAPES:
        arrays = [array.astype(dtype) for array in numbers(shape, real)]
        expected = function(*arrays)
        expected = expected if isinstance(expected, tuple) else (expected,)
        tolerance = {"float32": 2e-5, "complex64": 2e-5, "float64": 1e-13, "float16": 2e-2}.get(dtype, 0)
        got = unknown(*arrays)
        agree(got if isinstance(got, tuple) else (got,), expected, tolerance)


def test_sizes_and_threads_do_not_change_the_sums() -> None:
    a, x, y = numbers((1300, 70), "float32")
    specs = [weft.TensorSpec(shape, "float32") for shape in ((None, None), (None,), (None,))]
    unknown = weft.function(chained, input_signature=specs)
    known = weft.function(chained)
    assert known.get_concrete_function(a, x, y).as_text("kernels").count("func.func private") == 1
    results = []
    before = weft.get_num_threads()
    for threads in (1, 2):
        weft.set_num_threads(threads)
        try:
            results += [known(a, x, y), unknown(a, x, y)]
        finally:
            weft.set_num_threads(before)
    for sums, products in results[1:]:
        np.testing.assert_array_equal(sums, results[0][0])
        np.testing.assert_array_equal(products, results[0][1])


@pytest.mark.parametrize("function", [with_steps, with_plain_products])
def test_what_is_made_between_is_made_along(function: Any) -> None:
    arrays = numbers((60, 50), "float64")
    text = weft.function(function).get_concrete_function(*arrays).as_text("kernels")
    kernels = text.split("func.func private")[1:]
    assert max(kernel.count("linalg.contract") for kernel in kernels) == 2


@weft.function
def written(x: Any, y: Any, a: Any) -> None:
    x += a @ y
    y += a.T @ x


@weft.function
def results_given(a: Any, x: Any, out: Any) -> Any:
    np.dot(a, x, out=out)
    return a.T @ out


def test_written_arguments() -> None:
    a = numbers((40, 40), "float64")[0]
    for x, y in ((np.ones(40), np.arange(40.0)), (shared := np.arange(40.0), shared)):
        arrays = [x.copy(), y.copy()] if x is not y else [copy := x.copy(), copy]
        written(x, y, a)
        written.python_function(*arrays, a)
        agree((x, y), arrays, 1e-11)


def test_out_that_is_an_operand() -> None:
    a, x, _ = numbers((40, 40), "float64")
    both_ways = [x.copy(), x.copy()]
    got = results_given(a, both_ways[0], both_ways[0])
    expected = results_given.python_function(a, both_ways[1], both_ways[1])
    agree((got, both_ways[0]), (expected, both_ways[1]), 1e-12)


def test_not_numbers_and_views() -> None:
    a, x, y = numbers((64, 40), "float32")
    a[3, 5], a[60, 7] = np.nan, np.inf
    compiled = weft.function(both)
    for arrays in ((a, x, y), (a[::2, ::-1], x, y[::2]), (np.asfortranarray(a), x, y)):
        agree(compiled(*arrays), both(*arrays), 2e-5)


def test_gradient_of_least_squares() -> None:
    a, x, y = numbers((90, 30), "float64")
    gradient = weft.grad(lambda x, a, y: np.sum((a @ x - y) ** 2))
    np.testing.assert_allclose(gradient(x, a, y), 2 * a.T @ (a @ x - y), rtol=1e-11)
