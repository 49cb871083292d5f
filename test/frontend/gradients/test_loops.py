"""Gradients through branches and loops: what is kept, computed again, and put back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.differences import check_gradient

RNG = np.random.default_rng(0)
STEPS = 60
"""More than what is unrolled."""


def recurrence(x: Any, y: Any) -> Any:
    """Numbers that a loop carries, elements at run-time places, a branch inside."""
    s = 0.0
    for i in range(STEPS):
        if x[i % 4] > 0.5:
            s = np.sin(s) * x[i % 4] + y[i % 4]
        else:
            s = s + y[i % 4] * np.exp(-s)
    return s


def table(x: Any) -> Any:
    """An array filled in place from its last entries."""
    p = np.zeros_like(x)
    p[0] = x[0]
    for i in range(1, len(x)):
        p[i] = np.sin(p[i - 1]) * x[i]
    return np.sum(p * p)


def stencil(u: Any, rate: Any) -> Any:
    """Slices updated in place: each step is kept, or put back."""
    u = u.copy()
    for _ in range(STEPS):
        u[1:-1] = u[1:-1] - rate * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u * u)


def solve(lower: Any, b: Any) -> Any:
    """A triangular solve: the part that is read grows."""
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return np.sum(x * x)


def nested(w: Any, x: Any) -> Any:
    """A loop in a loop, matrices, and a branch around a loop."""
    a = x.copy()
    for _ in range(STEPS):
        a = np.tanh(w @ a)
        if np.sum(a) > 0:
            for j in range(55):
                a = a * (1 + 0.001 * j * x)
    return np.sum(a)


def triangle(x: Any) -> Any:
    """An inner loop that is as long as the outer one is far: it runs again for its reverse."""
    s = 0.5
    for i in range(STEPS):
        for j in range(i):
            s = s + 0.001 * x[j % 4] * np.sin(s)
    return s


def backwards(x: Any) -> Any:
    """Counters with other bounds and steps."""
    s = 1.0
    for i in range(len(x) - 1, 2, -2):
        s = s * x[i] + x[i - 1] ** 2
    return s


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (recurrence, (RNG.random(4), RNG.random(4))),
        (table, (RNG.random(STEPS) + 0.5,)),
        (stencil, (RNG.random(8), 0.1)),
        (nested, (RNG.standard_normal((3, 3)), RNG.random(3) * 0.1)),
        (backwards, (RNG.random(130),)),
        (triangle, (RNG.random(4),)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_loops_agree_with_differences(program: Any, arguments: Any) -> None:
    check_gradient(program, *arguments, argnums=tuple(range(len(arguments))))


def test_a_triangular_solve_keeps_numbers() -> None:
    n = 55
    lower = np.tril(RNG.random((n, n))) * 0.1 + 2 * np.eye(n)
    b = RNG.random(n)
    both = weft.value_and_grad(solve, (0, 1))
    value, (by_lower, by_b) = both(lower, b)
    np.testing.assert_allclose(value, solve(lower, b))
    x = np.linalg.solve(np.tril(lower), b)
    adjoint = np.linalg.solve(np.tril(lower).T, 2 * x)
    np.testing.assert_allclose(by_b, adjoint, rtol=1e-10)
    np.testing.assert_allclose(by_lower, np.tril(-np.outer(adjoint, x)), rtol=1e-10, atol=1e-12)


def test_training_in_a_compiled_loop() -> None:
    @weft.function
    def train(w: Any, x: Any, y: Any, steps: Any) -> Any:
        m = np.zeros_like(w)
        losses = []
        for _ in range(steps):
            loss, g = weft.value_and_grad(lambda w: np.mean((x @ w - y) ** 2))(w)
            m *= 0.9
            m += g
            w -= 0.05 * m
            losses.append(loss)
        return losses

    x, w = RNG.random((20, 3)), np.zeros(3)
    y = x @ np.array([1.0, -2.0, 3.0])
    losses = train(w, x, y, np.int64(500))
    assert len(losses) == 500
    assert losses[-1] < 1e-4 * losses[0]


def test_gradients_of_gradients_through_a_loop() -> None:
    def iterated(x: Any) -> Any:
        for _ in range(STEPS):
            x = np.sin(x) * 1.1
        return np.sum(x)

    def product(x: Any, v: Any) -> Any:
        return np.sum(weft.grad(iterated)(x) * v)

    x, v = np.array([0.5, 1.0]), np.array([1.0, -2.0])
    gradient = weft.grad(iterated)
    step = 1e-6
    expected = (gradient(x + step * v) - gradient(x - step * v)) / (2 * step)
    np.testing.assert_allclose(weft.grad(product)(x, v), expected, rtol=1e-5, atol=1e-8)


@pytest.mark.compiled("a loop of 60,000 steps")
def test_loops_add_up_halves_with_more_bits() -> None:
    """In numbers of 16 bits a sum of ones stays at 2048; parts, branches and inner loops add to the same sum."""

    def counted(x: Any) -> Any:
        total = np.float16(0)
        for i in range(3000):
            total = total + x[0] + np.sum(x[1:]) * np.float16(0.25)
            if i % 2 == 0:
                total = total + x[1] * np.float16(0.5)
            for j in range(20):
                total = total + x[2 + j % 2] * np.float16(0.0625)
        return total

    gradient = weft.grad(counted)(np.ones(4, np.float16))
    assert gradient.dtype == np.float16
    np.testing.assert_array_equal(gradient, np.array([3000, 1500, 2625, 2625], np.float16))


def test_no_gradient_is_silently_zero() -> None:
    def written(u: Any, k: Any, x: Any) -> Any:
        """The argument is in memory in a loop that may raise."""
        for i in range(len(x)):
            u[k[i]] += x[i] ** 2
        return np.sum(u)

    x, k, u = RNG.random(60), np.arange(60) % 5, np.zeros(5)
    np.testing.assert_allclose(weft.grad(written, 2)(u, k, x), 2 * x)
    np.testing.assert_allclose(u, np.sum((x * x).reshape(12, 5), 0))


def test_parts_of_bounded_sizes_change_places() -> None:
    """Extents in the reverse of inner loops that scalars of the outer one say."""

    def program(x: Any, n: Any) -> Any:
        total = 0.0
        for i in range(n):
            y = x[: i % 3 + 1][::-1] + 1
            z = np.flip(y) + y
            for _ in range(20):
                y = z + 0
                z, y = y, np.roll(z, 1) * 0.5
            for _ in range(n):
                y = np.cumsum(y, 0) * 0.1
            total = total + np.sum(y) * 3 + np.sum(z)
        return total

    x = np.random.default_rng(0).random((5, 2))
    gradient = weft.function(weft.grad(program))(x, np.int64(4)).ravel()
    steps = 1e-6 * np.eye(10).reshape(10, 5, 2)
    expected = [(program(x + step, 4) - program(x - step, 4)) / 2e-6 for step in steps]
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-8)
