"""Solvers of linear systems with explicit loops."""

from __future__ import annotations

import numpy as np


def forward_substitution(a, b):
    """Solve a lower triangular system with slices and dot products, as NumPy users write it."""
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - a[i, :i] @ x[:i]) / a[i, i]
    return x


def triangular_solve(lower, b):
    """Forward substitution, element by element."""
    n = len(b)
    x = np.zeros_like(b)
    for i in range(n):
        total = b[i]
        for j in range(i):
            total -= lower[i, j] * x[j]
        x[i] = total / lower[i, i]
    return x


def back_substitution(upper, b):
    """The other triangle, from the last row up, by dot products."""
    n = len(b)
    x = np.zeros_like(b)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - np.dot(upper[i, i + 1 :], x[i + 1 :])) / upper[i, i]
    return x


def thomas(lower, diagonal, upper, right):
    """Solve a tridiagonal system in place of its right side's copies."""
    n = len(diagonal)
    c = upper.copy()
    d = right.copy()
    c[0] = c[0] / diagonal[0]
    d[0] = d[0] / diagonal[0]
    for i in range(1, n):
        m = diagonal[i] - lower[i] * c[i - 1]
        c[i] = c[i] / m
        d[i] = (d[i] - lower[i] * d[i - 1]) / m
    for i in range(n - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    return d


def residual_norm(a, x, b):
    """How far a solution is off."""
    r = b - a @ x
    return np.sqrt(r @ r)


def conjugate_gradient(a, b, tolerance):
    """Conjugate gradients with an early exit; returns the solution and the iterations taken."""
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    rs = r @ r
    for k in range(10 * len(b)):
        if np.sqrt(rs) < tolerance:
            break
        ap = a @ p
        step = rs / (p @ ap)
        x += step * p
        r -= step * ap
        rs_new = r @ r
        p = r + (rs_new / rs) * p
        rs = rs_new
    else:
        k = -1
    return x, k


def sweep(a, b, x):
    """One Gauss-Seidel sweep, written into `x`; returns the largest change."""
    largest = 0.0
    for i in range(len(b)):
        total = 0.0
        for j in range(len(b)):
            if j != i:
                total += a[i, j] * x[j]
        new = (b[i] - total) / a[i, i]
        largest = max(largest, abs(new - x[i]))
        x[i] = new
    return largest


def gauss_seidel(a, b, tolerance, most):
    """Gauss-Seidel iteration with a helper that writes into its argument."""
    x = np.zeros_like(b)
    for iteration in range(most):
        if sweep(a, b, x) < tolerance:
            return x, iteration
    return x, most


def jacobi(a, b, tolerance, most):
    """Jacobi iteration with vectors."""
    diagonal = np.diagonal(a)
    rest = a - np.diag(diagonal)
    x = np.zeros_like(b)
    steps = 0
    while True:
        x = (b - rest @ x) / diagonal
        steps += 1
        if residual_norm(a, x, b) < tolerance or steps >= most:
            break
    return x, steps


def cholesky(a):
    """Cholesky's factor by rows; refuses a matrix that is not positive definite."""
    n = a.shape[0]
    factor = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            if i == j:
                if total <= 0:
                    raise ValueError("matrix is not positive definite")
                factor[i, i] = np.sqrt(total)
            else:
                factor[i, j] = total / factor[j, j]
    return factor


def lu_in_place(a):
    """LU with partial pivoting written over the argument; returns the permutation and the sign."""
    n = a.shape[0]
    order = np.arange(n)
    sign = 1
    for k in range(n - 1):
        pivot = k + np.argmax(np.abs(a[k:, k]))
        if pivot != k:
            row = a[k].copy()
            a[k] = a[pivot]
            a[pivot] = row
            order[k], order[pivot] = order[pivot], order[k]
            sign = -sign
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    return order, sign
