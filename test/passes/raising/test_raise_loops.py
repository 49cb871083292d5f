"""Loops over columns, which run as ops on all columns, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import weft


def triangular_product(a, b):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1 :, i], b[i + 1 :, j])


def symmetric_product(a, b):
    t = np.empty(b.shape[1])
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            b[:i, j] += 2 * b[i, j] * a[i, :i]
            t[j] = b[:i, j] @ a[i, :i]
        b[i, :] += 3 * t


def orthogonal(a, b):
    for k in range(a.shape[1]):
        a[:, k] /= np.sqrt(np.dot(a[:, k], a[:, k]))
        for j in range(k + 1, a.shape[1]):
            b[k, j] = np.dot(a[:, k], a[:, j])
            a[:, j] -= a[:, k] * b[k, j]


def factorised(a, b):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
        for j in range(i, a.shape[0]):
            a[i, j] -= a[i, :i] @ a[:i, j]


def same_for_all(a, b):
    """Every column gets the same vector, and some of a row the same number."""
    for j in range(2, a.shape[1]):
        a[:, j] = b[:, 0]
        a[3, j] = np.dot(b[:, 0], b[:, j])
        a[5, j] = b[0, 0]


def minimum(a, b):
    for j in range(a.shape[1] - 1):
        a[1:, j + 1] = np.minimum(a[1:, j + 1], b[:-1, j])
        a[0, j + 1] = 7


def recurrence(a, b):
    for j in range(1, a.shape[1]):
        a[:, j] += a[:, j - 1] * b[0, j]


def written_row(a, b):
    """What all read changes from iteration to iteration."""
    for j in range(a.shape[1]):
        a[2, j] = np.dot(a[2], b[:, j])


def counter(a, b):
    """The number of the iteration is a value, too."""
    for j in range(a.shape[1]):
        a[:, j] = b[:, j] * j


def total(a, b):
    """A number goes from iteration to iteration."""
    s = 0.0
    for j in range(a.shape[1]):
        s += np.dot(a[:, j], b[:, j])
        a[:, j] *= s


def diagonal(a, b):
    for j in range(a.shape[1]):
        a[:, j] -= b[j, j] * b[:, j]


BATCHED = [triangular_product, symmetric_product, orthogonal, factorised, same_for_all, minimum, counter]
OTHERS = [recurrence, written_row, total, diagonal]


def arrays(n: int, dtype: str = "float64") -> list[np.ndarray]:
    rng = np.random.default_rng(n)
    return [(rng.random((n, n)) + n * np.eye(n)).astype(dtype), rng.random((n, n)).astype(dtype)]


def compared(function, n: int, dtype: str = "float64", rtol: float = 1e-9) -> None:
    expected, found = arrays(n, dtype), arrays(n, dtype)
    function(*expected)
    weft.function(function)(*found)
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_allclose(other, one, rtol=rtol)


@pytest.mark.parametrize("function", [*BATCHED, *OTHERS], ids=lambda f: f.__name__)
def test_columns(function):
    compared(function, 21)


@pytest.mark.parametrize("function", BATCHED, ids=lambda f: f.__name__)
def test_float32(function):
    compared(function, 9, "float32", 2e-4)


@pytest.mark.parametrize("function", BATCHED, ids=lambda f: f.__name__)
def test_unknown_sizes(function):
    compiled = weft.function(function, input_signature=[weft.TensorSpec((None, None), np.float64)] * 2)
    for n in (6, 7, 17):
        expected, found = arrays(n), arrays(n)
        function(*expected)
        compiled(*found)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-9)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-9)


@pytest.mark.parametrize("function", [*BATCHED, *OTHERS], ids=lambda f: f.__name__)
def test_what_is_batched(function):
    """The loop over columns is gone; rows of a factorisation go by blocks, which are two loops."""
    text = weft.function(function).get_concrete_function(*arrays(21)).as_text("optimized")
    loops = {
        triangular_product: 1,
        symmetric_product: 1,
        orthogonal: 1,
        factorised: 3,
        same_for_all: 0,
        minimum: 0,
        counter: 0,
    }
    assert text.count("scf.for") == loops.get(function, 1)


def no_iterations(a, b):
    for i in range(3):
        for j in range(2, i):
            a[:, j] -= b[:, j] * b[i, j]


def test_no_iterations():
    compared(no_iterations, 5)


def test_nan_and_infinities():
    def scaled(a, b):
        for j in range(a.shape[1]):
            a[:, j] += b[:, j] * b[0, j]

    rows = [[np.nan, np.inf, -np.inf, 0.0, 1.0]] * 5
    expected, found = np.ones((5, 5)), np.ones((5, 5))
    b = np.array(rows)
    with np.errstate(invalid="ignore"):
        scaled(expected, b)
        weft.function(scaled)(found, b)
    np.testing.assert_array_equal(found, expected)


def test_an_index_out_of_bounds():
    @weft.function
    def beyond(a, b):
        for j in range(b.shape[1]):
            a[:, j + 1] = b[:, j] * 2

    with pytest.raises(IndexError):
        beyond(np.ones((8, 8)), np.ones((8, 8)))
