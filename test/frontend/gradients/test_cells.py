"""Gradients through arguments that are written and read again where the program may raise: these stay in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.differences import check_gradient, differences

X = np.array([0.5, 1.2, 0.7, 0.3])
U = np.array([0.3, 0.2, 0.5, 0.9])
K, N = np.array([0, 2, 2, 1]), np.int64(4)


def loops(x: Any, u: Any, k: Any, n: Any) -> Any:
    """Reads and writes of elements in a loop and a branch; a write of all; a return."""
    for i in range(n):
        if k[i] > 1:
            u[k[i]] = np.sin(x[i]) * u[k[i]]
        w = u * u
        u[1:3] = w[1:3] + x[2:]
        if u[k[i]] > 20:
            return np.sum(u)
    return np.sum(u * u) * u[k[0]]


def whiles(x: Any, u: Any, k: Any, n: Any) -> Any:
    """Loops that run again for their reverse, one inside of the other."""
    i = 0
    while i < n:
        j = 0
        while u[k[j]] < 0.9 and j < 3:
            u[k[i]] += 0.3 * x[i] ** 2 * u[k[j]]
            j += 1
        u[k[i]] = u[k[i]] * u[k[0]]
        i += 1
        if u[k[0]] > 20:
            break
    return np.sum(u * u)


@pytest.mark.parametrize("program", [loops, whiles])
def test_gradients_and_tangents(program: Any) -> None:
    check_gradient(program, X, U, K, N)
    v = np.array([1.0, -2.0, 0.5, 1.0])
    u = U.copy()
    _, tangent = weft.jvp(program, (X, u, K, N), (v, None, None, None))
    np.testing.assert_allclose(tangent, differences(program, (X, U, K, N), 0) @ v, rtol=1e-5)
    expected = U.copy()
    program(X, expected, K, N)
    np.testing.assert_allclose(u, expected)


def test_what_was_written_before_an_exception_stays() -> None:
    def added(x: Any, u: Any, k: Any, n: Any) -> Any:
        for i in range(n):
            u[k[i]] += x[i] ** 2 * u[k[i]]
        return np.sum(u)

    u, k = U.copy(), np.array([0, 1, 7, 2])
    with pytest.raises(IndexError):
        weft.grad(added)(X, u, k, N)
    np.testing.assert_array_equal(u[2:], U[2:])
    np.testing.assert_allclose(u[:2], (1 + X[:2] ** 2) * U[:2])


class Model:
    """Weights that a tape sees, which are written before and behind."""

    def __init__(self) -> None:
        self.w = np.ones(4)

    def loss(self, x: Any, k: Any) -> Any:
        self.w[k[0]] = self.w[k[1]] * x[k[2]]
        return np.sum(self.w**2 * x)

    @weft.function
    def train(self, x: Any, k: Any, steps: Any) -> Any:
        for _ in range(steps):
            with weft.GradientTape() as tape:
                loss = self.loss(x, k)
            self.w -= 0.1 * tape.gradient(loss, self.w)
        return loss


def test_a_tape_on_weights_that_are_written_in_its_block() -> None:
    model, other = Model(), Model()
    found = model.train(X, K, np.int64(3))
    for _ in range(3):
        start = other.w.copy()

        def loss(w: Any) -> Any:
            other.w = w
            return other.loss(X, K)

        gradient = differences(loss, (start,), 0)
        other.w = start
        expected = other.loss(X, K)
        other.w -= 0.1 * gradient
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    np.testing.assert_allclose(model.w, other.w, rtol=1e-6)
