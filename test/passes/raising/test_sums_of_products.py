"""Loops that add products to vectors, which become products of matrices and vectors, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import weft


def rank_one(c, x, y):
    """The symmetric update of a triangle."""
    for i in range(x.shape[0]):
        c[i, : i + 1] *= c.dtype.type(2)
        for k in range(x.shape[1]):
            c[i, : i + 1] += 3 * x[i, k] * x[: i + 1, k]


def rank_two(c, x, y):
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            c[i, : i + 1] += x[: i + 1, k] * 3 * y[i, k] + y[: i + 1, k] * 5 * x[i, k]


def columns(c, x, y):
    """A matrix times a vector, column by column."""
    for k in range(x.shape[1]):
        c[0] += x[:, k] * y[0, k]


def rows(c, x, y):
    for k in range(x.shape[0]):
        c[1, : x.shape[1]] += y[k, 1] * x[k]


def upper(c, x, y):
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            c[i, i:] = y[i, k] * x[i:, k] + c[i, i:]


def product(c, x, y):
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            c[i] += x[i, k] * y[:, k]


def not_all(c, x, y):
    """Not all of the axis: the loop stays."""
    for k in range(1, x.shape[1]):
        c[0] += x[:, k] * y[0, k - 1]


def read_elsewhere(c, x, y):
    """Another part is read than is written."""
    for k in range(x.shape[1]):
        c[0] = c[1] + x[:, k] * y[0, k]


def growing(c, x, y):
    """Each iteration adds to another part."""
    for k in range(x.shape[1]):
        c[0, k:] += x[k:, k] * y[0, k]


def of_itself(c, x, y):
    """What is added is read where it is written."""
    for k in range(x.shape[1]):
        c[0] += c[0, k] * x[:, k]


PROGRAMS = [rank_one, rank_two, columns, rows, upper, product, not_all, read_elsewhere, growing, of_itself]


def arrays(dtype, n=23, m=17):
    random = np.random.default_rng(3)
    c, x, y = random.normal(size=(n, n)), random.normal(size=(n, m)), random.normal(size=(n, m))
    if np.dtype(dtype).kind == "i":
        return [(each * 1e9).astype(dtype) for each in (c, x, y)]
    if np.dtype(dtype).kind == "c":
        return [(each - 2j * each).astype(dtype) for each in (c, x, y)]
    return [(0.3 * each).astype(dtype) for each in (c, x, y)]


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex128", "float16"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_numpy(program, dtype):
    """Values are NumPy's; integers wrap as they do there, and halves are rounded after each product."""
    c, x, y = arrays(dtype)
    found = c.copy()
    with np.errstate(all="ignore"):
        program(c, x, y)
    weft.function(program)(found, x, y)
    if dtype in ("int64", "float16"):
        np.testing.assert_array_equal(found, c)
    else:
        tolerance = 1e-4 if dtype == "float32" else 1e-10
        np.testing.assert_allclose(found, c, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("program", [rank_one, product, columns])
def test_not_numbers_stay_where_they_are(program):
    c, x, y = arrays("float64")
    x[3, 5], x[4, 6] = np.nan, np.inf
    found = c.copy()
    with np.errstate(invalid="ignore"):
        program(c, x, y)
    weft.function(program)(found, x, y)
    np.testing.assert_allclose(found, c, rtol=1e-10, atol=1e-10)


def test_factors_multiply_what_they_were_written_beside():
    """3e200 * (1e-200 * 1e160) is a number; 3e200 * 1e160 is none."""

    def scaled(c, x, y):
        for k in range(x.shape[1]):
            c[0] += 1e-200 * y[0, k] * x[:, k]

    c, x, y = np.zeros((9, 9)), np.full((9, 12), 3e200), np.full((9, 12), 1e160)
    weft.function(scaled)(c, x, y)
    np.testing.assert_allclose(c[0], 12 * 3e160)


@pytest.mark.sampled
@pytest.mark.parametrize(("n", "m"), [(0, 12), (1, 12), (12, 0), (12, 1), (40, 9), (9, 40)])
@pytest.mark.parametrize("program", [rank_one, rank_two, product])
def test_odd_shapes(program, n, m):
    c, x, y = arrays("float64", n, m)
    found = c.copy()
    program(c, x, y)
    weft.function(program)(found, x, y)
    np.testing.assert_allclose(found, c, rtol=1e-10, atol=1e-10)


def test_sizes_that_are_not_known():
    """Extents are not known: the loop stays, and its values are NumPy's."""
    c, x, y = arrays("float64")
    found = c.copy()
    product(c, x, y)
    weft.function(product, input_signature=[weft.TensorSpec([None, None], "float64")] * 3)(found, x, y)
    np.testing.assert_allclose(found, c, rtol=1e-10, atol=1e-10)
