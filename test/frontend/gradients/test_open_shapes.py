"""Gradients through loops whose arrays have other sizes in each iteration, or sizes known only at run time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.differences import check_gradient, differences

RNG = np.random.default_rng(3)
STEPS = 40


def masked(x: Any) -> Any:
    """As many elements as a condition says, and the slice up to the iteration, in a loop inside."""
    s = 0.0
    for i in range(STEPS):
        y = x[x > i / STEPS]
        s = s + np.sum(np.sin(y) * np.exp(y))
        y = x[: i % 12 + 1]
        for _ in range(20):
            y = np.sin(y)
        s = s + np.sum(y * y)
    return s


def joined(x: Any, n: Any) -> Any:
    """An array that grows, and a list that grows and shrinks."""
    y, items = x, [x[0]]
    for i in range(n):
        y = np.concatenate([y, np.sin(y[-2:]) * x[i % 4]])
        items.append(items[-1] * x[i % 4])
        if i % 3 == 2:
            items.pop()
    return np.sum(y * y) * np.sum(np.stack(items))


def stencil(u: Any, x: Any) -> Any:
    """Sizes that are the same in all iterations, two at once, and a branch."""
    u = u.copy()
    for i in range(STEPS):
        u[1:-1] = u[1:-1] - 0.1 * u[1:-1] * (u[2:] - u[:-2])
        if np.sum(u) > 3:
            u = u * np.mean(np.exp(-np.outer(u, x) * u[i % 4]))
    return np.sum(u * u)


@pytest.mark.parametrize(
    ("program", "arguments"),
    [(masked, (RNG.random(12),)), (joined, (RNG.random(4), np.int64(11)))],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_pieces_of_other_sizes(program: Any, arguments: Any) -> None:
    check_gradient(program, *arguments)


def test_sizes_that_are_known_in_front_of_the_loop() -> None:
    """One compiled function for arrays of all sizes; what is kept has a row for each iteration."""
    vector = weft.TensorSpec((None,), "float64")
    open_gradient = weft.function(weft.grad(stencil, (0, 1)), input_signature=[vector, vector])
    for n in (5, 7):
        u, x = RNG.random(n), RNG.random(n)
        for number, found in enumerate(open_gradient(u, x)):
            expected = differences(stencil, (u, x), number)
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.processor  # too many for the emulator
def test_pieces_of_many_iterations() -> None:
    """The buffer of the pieces grows; some are empty."""

    def kept(x: Any, n: Any) -> Any:
        s = 0.0
        for i in range(n):
            s = s + np.sum(np.exp(x[: i % 7]))
        return s

    found = weft.grad(kept)(np.zeros(7), np.int64(70_000))
    np.testing.assert_allclose(found, [60_000, 50_000, 40_000, 30_000, 20_000, 10_000, 0])
