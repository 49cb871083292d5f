"""Algorithms as people write them with loops, in several spellings each, and what they are to become.

The programs of a group have the same arguments. Classes: `product` is a contraction, a convolution too, `arrays` ops on
whole arrays or slices of them, `reduction` a sum or a largest element along an axis; `numbers` stays a loop on numbers,
which runs in registers: sums of floats in the order that was written, what else needs the iteration before, and
elementwise loops along memory inside of a loop that stays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Array = Any
Program = Callable[..., Any]


class Spelling(NamedTuple):
    """A program, the arguments that it runs on, and what it becomes."""

    program: Program
    arguments: Callable[[int, str], list[Array]]
    speed: str
    """One of the classes."""
    loops: int
    """How many loops are left."""


SPELLINGS: dict[str, Spelling] = {}


def _random(seed: int, *shape: int, dtype: str = "float64") -> Array:
    values = np.random.default_rng(seed).normal(size=shape)
    return (values * 5).astype(dtype) if np.dtype(dtype).kind in "iu" else values.astype(dtype)


def spelling(
    arguments: Callable[[int, str], list[Array]], speed: str, loops: int = 0
) -> Callable[[Program], Program]:
    """Add a program to the table."""

    def add(program: Program) -> Program:
        assert program.__name__ not in SPELLINGS
        SPELLINGS[program.__name__] = Spelling(program, arguments, speed, loops)
        return program

    return add


# A product of matrices


def matrices(n: int, dtype: str) -> list[Array]:
    """`a`, `b`, and where the product goes."""
    return [
        _random(1, n, n + 2, dtype=dtype),
        _random(2, n + 2, n + 1, dtype=dtype),
        np.zeros((n, n + 1), dtype),
    ]


@spelling(matrices, "product")
def product_named(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c


@spelling(matrices, "product")
def product_in_place(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


@spelling(matrices, "product")
def product_ikj(a, b, c):
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


@spelling(matrices, "product")
def product_kij(a, b, c):
    for k in range(a.shape[1]):
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                c[i, j] = c[i, j] + a[i, k] * b[k, j]
    return c


@spelling(matrices, "product")
def product_jki(a, b, c):
    for j in range(b.shape[1]):
        for k in range(a.shape[1]):
            for i in range(a.shape[0]):
                c[i, j] += b[k, j] * a[i, k]
    return c


@spelling(matrices, "product")
def product_enumerate(a, b, c):
    for i, row in enumerate(a):
        for j, column in enumerate(b.T):
            s = 0.0
            for x, y in zip(row, column, strict=True):
                s += x * y
            c[i, j] = s
    return c


@spelling(matrices, "product")
def product_dots(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            c[i, j] = np.dot(a[i], b[:, j])
    return c


@spelling(matrices, "product")
def product_outer(a, b, c):
    for k in range(a.shape[1]):
        c += np.outer(a[:, k], b[k])
    return c


# A matrix times a vector


def matrix_and_vector(n: int, dtype: str) -> list[Array]:
    """`a`, `x`, and where the product goes."""
    return [_random(3, n, n + 3, dtype=dtype), _random(4, n + 3, dtype=dtype), np.zeros(n, dtype)]


@spelling(matrix_and_vector, "product")
def vector_named(a, x, y):
    for i in range(a.shape[0]):
        s = 0.0
        for k in range(a.shape[1]):
            s += a[i, k] * x[k]
        y[i] = s
    return y


@spelling(matrix_and_vector, "product")
def vector_columns(a, x, y):
    for k in range(a.shape[1]):
        for i in range(a.shape[0]):
            y[i] += x[k] * a[i, k]
    return y


@spelling(matrix_and_vector, "product")
def vector_rows(a, x, y):
    for i, row in enumerate(a):
        y[i] = row @ x
    return y


@spelling(matrix_and_vector, "product")
def vector_in_place(a, x, y):
    for i in range(a.shape[0]):
        y[i] = 0
        for k in range(a.shape[1]):
            y[i] = y[i] + a[i, k] * x[k]
    return y


# The product of a matrix with its transpose, a triangle of it


def symmetric(n: int, dtype: str) -> list[Array]:
    """`a`, and where the product goes."""
    return [_random(5, n, n + 2, dtype=dtype), np.ones((n, n), dtype)]


@spelling(symmetric, "product", 1)
def symmetric_slices(a, c):
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            c[i, : i + 1] += 3 * a[i, k] * a[: i + 1, k]
    return c


@spelling(symmetric, "product", 1)
def symmetric_named(a, c):
    for i in range(a.shape[0]):
        for j in range(i + 1):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * a[j, k]
            c[i, j] += 3 * s
    return c


@spelling(symmetric, "product", 1)
def symmetric_loops(a, c):
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(i + 1):
                c[i, j] += 3 * a[i, k] * a[j, k]
    return c


# Covariance


def samples(n: int, dtype: str) -> list[Array]:
    """Rows of samples."""
    return [_random(6, n + 4, n, dtype=dtype)]


@spelling(samples, "product", 2)
def covariance_loops(x):
    n, m = x.shape
    mean = np.zeros(m)
    for i in range(n):
        for j in range(m):
            mean[j] += x[i, j]
    mean /= n
    centred = np.empty_like(x)
    for i in range(n):
        for j in range(m):
            centred[i, j] = x[i, j] - mean[j]
    c = np.zeros((m, m))
    for i in range(m):
        for j in range(m):
            s = 0.0
            for k in range(n):
                s += centred[k, i] * centred[k, j]
            c[i, j] = s / (n - 1)
    return c


@spelling(samples, "product")
def covariance_rows(x):
    m = x.shape[1]
    centred = x - x.mean(axis=0)
    c = np.zeros((m, m))
    for row in centred:
        c += np.outer(row, row)
    return c / (x.shape[0] - 1)


@spelling(samples, "product", 1)
def covariance_slices(x):
    m = x.shape[1]
    centred = x - x.mean(axis=0)
    c = np.zeros((m, m))
    for i in range(m):
        c[i:, i] = c[i, i:] = centred[:, i] @ centred[:, i:] / (x.shape[0] - 1)
    return c


# Distances


def points(n: int, dtype: str) -> list[Array]:
    """Two sets of points, and where distances go."""
    return [_random(7, n, 3, dtype=dtype), _random(8, n + 1, 3, dtype=dtype), np.zeros((n, n + 1), dtype)]


@spelling(points, "arrays")
def distances_written_out(p, q, d):
    for i in range(p.shape[0]):
        for j in range(q.shape[0]):
            x = p[i, 0] - q[j, 0]
            y = p[i, 1] - q[j, 1]
            z = p[i, 2] - q[j, 2]
            d[i, j] = np.sqrt(x * x + y * y + z * z)
    return d


@spelling(points, "arrays")
def distances_named(p, q, d):
    for i in range(p.shape[0]):
        for j in range(q.shape[0]):
            s = 0.0
            for k in range(3):
                t = p[i, k] - q[j, k]
                s += t * t
            d[i, j] = s**0.5
    return d


@spelling(points, "arrays", 1)
def distances_rows(p, q, d):
    for i, one in enumerate(p):
        for j, other in enumerate(q):
            d[i, j] = np.abs(one - other).max()
    return d


# Elementwise, and stencils


def grid(n: int, dtype: str) -> list[Array]:
    """A grid, and one of the same size."""
    return [_random(9, n + 2, n + 3, dtype=dtype), np.zeros((n + 2, n + 3), dtype)]


@spelling(grid, "arrays")
def stencil_loops(u, v):
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            v[i, j] = 0.2 * (u[i, j] + u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return v


@spelling(grid, "arrays")
def stencil_swapped(u, v):
    for j in range(1, u.shape[1] - 1):
        for i in range(1, u.shape[0] - 1):
            v[i, j] = 0.2 * (u[i, j] + u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return v


@spelling(grid, "arrays")
def stencil_rows(u, v):
    for i in range(1, u.shape[0] - 1):
        v[i, 1:-1] = 0.25 * (u[i - 1, 1:-1] + u[i + 1, 1:-1] + u[i, :-2] + u[i, 2:])
    return v


@spelling(grid, "numbers", 5)
def stencil_steps(u, v):
    for _ in range(20):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = 0.5 * (v[i, j] + u[i, j])
    return u


@spelling(grid, "arrays", 1)
def stencil_steps_swapped(u, v):
    for _ in range(20):
        for j in range(1, u.shape[1] - 1):
            for i in range(1, u.shape[0] - 1):
                v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        u[:] = v
    return u


@spelling(grid, "arrays")
def elementwise_enumerate(u, v):
    for i, row in enumerate(u):
        for j, x in enumerate(row):
            v[i, j] = x * x + 1 if x > 0 else -x
    return v


# Sums along an axis, largest elements


@spelling(grid, "arrays")
def transposed_copy(u, v):
    w = np.empty((u.shape[1], u.shape[0]))
    for i in range(u.shape[0]):
        for j in range(u.shape[1]):
            w[j, i] = u[i, j] + v[i, j]
    return w


@spelling(grid, "numbers", 2)
def row_maxima(u, v):
    for i in range(u.shape[0]):
        m = u[i, 0]
        for j in range(1, u.shape[1]):
            m = max(m, u[i, j])
        v[i, 0] = m
    return v


@spelling(grid, "reduction")
def column_maxima(u, v):
    out = np.full(u.shape[1], -np.inf)
    for row in u:
        for j, x in enumerate(row):
            out[j] = np.maximum(out[j], x)
    return out


@spelling(grid, "reduction")
def row_sums_of_integers(u, v):
    w = u.astype(np.int64)
    out = np.zeros(u.shape[0], np.int64)
    for i in range(u.shape[0]):
        s = 0
        for j in range(u.shape[1]):
            s += w[i, j]
        out[i] = s
    return out


@spelling(grid, "numbers", 2)
def positives(u, v):
    count = 0
    for row in u:
        for x in row:
            if x > 0:
                count += 1
    return count


# Convolutions and pooling


def signal(n: int, dtype: str) -> list[Array]:
    """A signal, a kernel, and where the result goes."""
    return [_random(10, n + 17, dtype=dtype), _random(11, 18, dtype=dtype), np.zeros(n, dtype)]


@spelling(signal, "product")
def filter_named(x, w, y):
    for i in range(y.shape[0]):
        s = 0.0
        for k in range(w.shape[0]):
            s += x[i + k] * w[k]
        y[i] = s
    return y


@spelling(signal, "numbers", 2)
def filter_in_place(x, w, y):
    for k in range(w.shape[0]):
        for i in range(y.shape[0]):
            y[i] += w[k] * x[i + k]
    return y


@spelling(signal, "product")
def filter_slices(x, w, y):
    for i in range(y.shape[0]):
        y[i] = np.sum(x[i : i + 18] * w)
    return y


@spelling(signal, "product")
def filter_dots(x, w, y):
    for i in range(len(y)):
        y[i] = np.dot(x[i : i + len(w)], w)
    return y


# Scans and solves: an iteration needs the one before


@spelling(signal, "numbers", 1)
def prefix_named(x, w, y):
    s = 0.0
    for i in range(y.shape[0]):
        s += x[i]
        y[i] = s
    return y


@spelling(signal, "numbers", 1)
def prefix_in_place(x, w, y):
    y[0] = x[0]
    for i in range(1, y.shape[0]):
        y[i] = y[i - 1] + x[i]
    return y


@spelling(signal, "numbers", 1)
def prefix_enumerate(x, w, y):
    total = 0.0
    for i, each in enumerate(x[: len(y)]):
        total = total + each
        y[i] = total
    return y


def triangle(n: int, dtype: str) -> list[Array]:
    """A triangular system."""
    a = np.tril(_random(12, n, n, dtype=dtype)) + np.eye(n, dtype=dtype) * n
    return [a.astype(dtype), _random(13, n, dtype=dtype), np.zeros(n, dtype)]


@spelling(triangle, "product", 2)
def solve_dots(a, b, x):
    for i in range(a.shape[0]):
        x[i] = (b[i] - a[i, :i] @ x[:i]) / a[i, i]
    return x


@spelling(triangle, "product", 2)
def solve_named(a, b, x):
    for i in range(a.shape[0]):
        s = 0.0
        for j in range(i):
            s += a[i, j] * x[j]
        x[i] = (b[i] - s) / a[i, i]
    return x


@spelling(triangle, "product", 2)
def solve_in_place(a, b, x):
    for i in range(a.shape[0]):
        x[i] = b[i]
        for j in range(i):
            x[i] -= a[i, j] * x[j]
        x[i] /= a[i, i]
    return x


@spelling(triangle, "arrays", 1)
def solve_columns(a, b, x):
    x[:] = b
    for j in range(a.shape[0]):
        x[j] /= a[j, j]
        for i in range(j + 1, a.shape[0]):
            x[i] -= a[i, j] * x[j]
    return x


__all__ = ["SPELLINGS", "Spelling"]
