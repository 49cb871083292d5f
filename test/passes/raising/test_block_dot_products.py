"""Triangular solves and factorisations, whose dot products are computed in blocks of iterations, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import weft

N = 38
"""Nine blocks and two iterations behind them; loops inside of loops have any number."""


def forward(L, x, b):
    for i in range(x.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]


def backward(L, x, b):
    for i in range(x.shape[0] - 1, -1, -1):
        x[i] = (b[i] - L[i, i + 1 :] @ x[i + 1 :]) / L[i, i]


def transposed(L, x, b):
    for i in range(x.shape[0]):
        x[i] = (b[i] - np.dot(x[:i], L[:i, i])) / L[i, i]


def factorised(L, x, b):
    for i in range(L.shape[0]):
        for j in range(i):
            L[i, j] -= np.dot(L[i, :j], L[:j, j])
            L[i, j] /= L[j, j]
        for j in range(i, L.shape[0]):
            L[i, j] -= L[i, :i] @ L[:i, j]


def cholesky(L, x, b):
    for i in range(L.shape[0]):
        for j in range(i):
            L[i, j] = (L[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
        L[i, i] = np.sqrt(L[i, i] - L[i, :i] @ L[i, :i])


def orthogonal(L, x, b):
    for k in range(L.shape[1]):
        L[:, k] /= np.sqrt(np.dot(L[:, k], L[:, k]))
        for j in range(k + 1, L.shape[1]):
            L[:, j] -= L[:, k] * np.dot(L[:, k], L[:, j])


def chained(L, x, b):
    """A number goes from column to column."""
    total = 0.0
    for k in range(L.shape[1]):
        for j in range(k + 1, L.shape[1]):
            total = np.dot(L[:, k], L[:, j]) - total / 2
            L[:, j] -= L[:, k] * (total / 1024)


def ahead(L, x, b):
    """What a vector gains is written twice, by two iterations."""
    for i in range(x.shape[0] - 1):
        x[i + 1] = b[i] - L[i, :i] @ x[:i]
        x[i] += 1


def behind(L, x, b):
    """An iteration changes what was read before."""
    for i in range(1, x.shape[0]):
        x[i - 1] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]


def short(L, x, b):
    """Slices end where the array ends."""
    for i in range(x.shape[0] * 2):
        x[i % x.shape[0]] += x[: i + 1] @ b[: i + 1] * 0.01


PROGRAMS = (forward, backward, transposed, factorised, cholesky, orthogonal, chained, ahead, behind, short)
BLOCKED = (forward, backward, transposed, factorised, cholesky, chained, ahead)


def system(n: int, dtype: type, place: float = 1.0) -> tuple[np.ndarray, ...]:
    """A symmetric, positive definite matrix, and two vectors."""
    generator = np.random.default_rng(n)
    lower = np.tril(generator.random((n, n))) / max(n, 1) + 2 * np.eye(n)
    matrix = (lower @ lower.T).astype(dtype)
    if n > 5:
        matrix[5, 2] *= place
    return matrix, np.zeros(n, dtype), generator.random(n).astype(dtype)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_programs(program):
    compiled = weft.function(program)
    text = compiled.get_concrete_function(*system(N, np.float64)).as_text("optimized")
    assert (",b->a" in text) == (program in BLOCKED)
    for place in (1.0, np.nan, np.inf):
        expected, got = system(N, np.float64, place), system(N, np.float64, place)
        with np.errstate(all="ignore"):
            program(*expected)
        compiled(*got)
        for a, b in zip(got, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def test_unknown_sizes():
    """Blocks end where an extent may end, and what is left runs one by one."""
    vector = weft.TensorSpec((None,))
    compiled = weft.function(chained, input_signature=[weft.TensorSpec((None, None)), vector, vector])
    assert "ba,b->a" in compiled.get_concrete_function().as_text("optimized")
    for n in (0, 1, 3, 8, 9, 11, 16, 23):
        expected, got = system(n, np.float64), system(n, np.float64)
        chained(*expected)
        compiled(*got)
        np.testing.assert_allclose(got[0], expected[0], rtol=1e-9)


def test_single_precision():
    expected, got = system(N, np.float32), system(N, np.float32)
    cholesky(*expected)
    weft.function(cholesky)(*got)
    np.testing.assert_allclose(got[0], expected[0], rtol=2e-5, atol=1e-6)
