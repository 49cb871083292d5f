"""Parts of arrays that a loop returns in one of its iterations, while the others write to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft


def lanczos(matrix: Any, steps: Any) -> Any:
    basis = np.zeros((steps, len(matrix)))
    tridiagonal = np.zeros((steps, steps))
    basis[0, 0] = 1
    for j in range(1, steps):
        w = matrix @ basis[j - 1]
        tridiagonal[j - 1, j - 1] = w @ basis[j - 1]
        w -= basis[:j].T @ (basis[:j] @ w)
        norm = np.sqrt(w @ w)
        if norm < 1e-10:
            return tridiagonal[:j, :j], basis[:j]
        basis[j] = w / norm
        tridiagonal[j - 1, j] = tridiagonal[j, j - 1] = norm
    return tridiagonal, basis


def part_of_argument(x: Any, steps: Any) -> Any:
    for j in range(1, steps):
        if x[j % 3] > 5:
            return (x[:j],)
        x[j % 3] += 2
    return (x,)


@pytest.mark.parametrize("steps", [5, 20, np.int64(6)])
@pytest.mark.parametrize(
    ("program", "given"),
    [
        (lanczos, np.diag([1.0, 2, 3, 4])),
        (lanczos, np.eye(5) + np.eye(5, k=1) + np.eye(5, k=-1)),
        (part_of_argument, np.array([1.0, 2, 3])),
        (part_of_argument, np.array([1.0, 2, 9])),
        (part_of_argument, np.array([1.0, 9, 9])),
    ],
)
def test_parts_are_as_the_iteration_left_them(program: Callable[..., Any], given: Any, steps: Any) -> None:
    plain, traced = given.copy(), given.copy()
    expected, got = program(plain, steps), weft.function(program)(traced, steps)
    np.testing.assert_array_equal(traced, plain)
    for mine, theirs in zip(got, expected, strict=True):
        assert mine.shape == theirs.shape
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


def test_what_cannot_be_staged_either_is_refused_as_before() -> None:
    @weft.function
    def f(x: Any, y: Any, n: Any) -> Any:
        total = 0.0
        for _ in range(3):
            one = x
            for _ in range(n):
                one = y
            y[0] = 7
            total += one.sum()
        return total

    with pytest.raises(weft.UnsupportedError, match="be one that was written since"):
        f(np.ones(3), np.ones(3), np.int64(2))
