"""Loops over products of vectors with one matrix, which are one product of matrices, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import weft

ROWS, COLUMNS = 37, 29


def covariance(x, y):
    n = x.shape[1]
    result = np.zeros((n, n), x.dtype)
    for i in range(n):
        result[i:, i] = result[i, i:] = x[:, i] @ x[:, i:]
    return result


def correlation(x, y):
    n = x.shape[1]
    result = np.eye(n, dtype=x.dtype)
    for i in range(n - 1):
        result[i + 1 :, i] = result[i, i + 1 :] = x[:, i] @ x[:, i + 1 :]
    return result


def lower(x, y):
    n = x.shape[0]
    result = np.zeros((n, n), x.dtype)
    for i in range(n):
        result[i, : i + 1] = x[: i + 1] @ x[i]
    return result


def elements(x, y):
    result = np.zeros((x.shape[1], y.shape[1]), x.dtype)
    for i in range(x.shape[1]):
        for j in range(y.shape[1]):
            result[i, j] = x[:, i] @ y[:, j]
    return result


def backwards(x, y):
    n = x.shape[1]
    result = np.zeros((n, y.shape[1]), x.dtype)
    for i in range(n - 1, -1, -1):
        result[i] = np.dot(x[:, i], y)
    return result


def every_second(x, y):
    result = np.zeros((x.shape[1], y.shape[1]), x.dtype)
    for i in range(0, x.shape[1], 2):
        result[i] = y.T @ x[:, i]
    return result


def of_a_vector(x, y):
    result = np.zeros(x.shape[0], x.dtype)
    for i in range(x.shape[0]):
        result[i] = x[i] @ y[0, : x.shape[1]]
    return result


def written(x, y):
    """Rows are read that the loop wrote."""
    for i in range(1, x.shape[1]):
        x[:, i] = x[:, i - 1] @ y[:, : x.shape[0]]
    return x


def summed_away(x, y):
    result = np.zeros(x.shape[1], x.dtype)
    for i in range(x.shape[1]):
        result[i] = (x[:, i] @ y[:, i:]).sum()
    return result


PROGRAMS = [
    covariance,
    correlation,
    lower,
    elements,
    backwards,
    every_second,
    of_a_vector,
    written,
    summed_away,
]


def arrays(dtype, rows=ROWS, columns=COLUMNS):
    random = np.random.default_rng(7)
    x, y = random.normal(size=(rows, columns)), random.normal(size=(rows, 41))
    if np.dtype(dtype).kind == "c":
        return (x + 1j * x[::-1]).astype(dtype), (y - 2j * y).astype(dtype)
    if np.dtype(dtype).kind == "i":
        return (x * 1e10).astype(dtype), (y * 1e10).astype(dtype)
    return x.astype(dtype), y.astype(dtype)


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex128"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_numpy(program, dtype):
    """Values are NumPy's; integers wrap as they do there."""
    x, y = arrays(dtype)
    expected = program(x.copy(), y.copy())
    found = weft.function(program)(x.copy(), y.copy())
    assert found.dtype == expected.dtype
    if np.dtype(dtype).kind == "i":
        np.testing.assert_array_equal(found, expected)
    elif program is not written or dtype != "float32":  # products of products grow beyond float32's range
        tolerance = 2e-4 if dtype == "float32" else 1e-9
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("program", [covariance, correlation, elements, backwards])
def test_not_numbers_stay_where_they_are(program):
    """A row without a number makes those sums no number that it is part of, and no others."""
    x, y = arrays("float64")
    x[3, 5], x[4, 6] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        expected = program(x, y)
    np.testing.assert_allclose(weft.function(program)(x, y), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.sampled
@pytest.mark.parametrize("shape", [(0, 12), (12, 0), (1, 20), (20, 1), (300, 9), (9, 120)])
@pytest.mark.parametrize("program", [covariance, correlation, elements])
def test_odd_shapes(program, shape):
    x, y = arrays("float64", *shape)
    np.testing.assert_allclose(weft.function(program)(x, y), program(x, y), rtol=1e-9, atol=1e-9)


def test_symmetric_results_are_symmetric():
    """Both sides of the diagonal have the same bits, as they have where one product is written to both."""
    x, y = arrays("float64", 70, 90)
    found = weft.function(covariance)(x, y)
    np.testing.assert_array_equal(found, found.T)


def test_threads_do_not_change_the_result():
    x, y = arrays("float64", 300, 260)
    found = []
    try:
        for count in (1, 2):
            weft.set_num_threads(count)
            found.append(weft.function(covariance)(x, y))
    finally:
        weft.set_num_threads(None)
    one, two = found
    np.testing.assert_array_equal(one, two)


def test_sizes_that_are_not_known():
    """Extents are not known: the loop stays, and its values are NumPy's."""
    signature = [weft.TensorSpec([None, None], "float64")] * 2
    x, y = arrays("float64")
    found = weft.function(covariance, input_signature=signature)(x, y)
    np.testing.assert_allclose(found, covariance(x, y), rtol=1e-9, atol=1e-9)
