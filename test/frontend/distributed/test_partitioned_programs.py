"""Programs of NumPy as people write them, over split arrays on 1, 2, 3 and 5 ranks, with blocks of several lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.partitioned import P, check

ranks = weft.distributed
rng = np.random.default_rng(0)


def chain_mean(x: Any) -> Any:
    return np.mean(np.tanh(x) * 2 + np.sqrt(np.abs(x)))


def kmeans_step(x: Any, c: Any) -> Any:
    d = np.sum(x * x, axis=1)[:, None] - 2 * (x @ c.T) + np.sum(c * c, axis=1)
    onehot = (np.argmin(d, axis=1)[:, None] == np.arange(len(c))).astype(x.dtype)
    return (onehot.T @ x) / np.maximum(np.sum(onehot, axis=0), 1)[:, None]


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def matmul(a: Any, b: Any) -> Any:
    return a @ b


def stencil(u: Any, steps: Any) -> Any:
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u


def logistic_step(w: Any, x: Any, y: Any) -> Any:
    p = 1 / (1 + np.exp(-(x @ w)))
    return w - 0.1 * (x.T @ (p - y)) / len(y)


def standardise(x: Any) -> Any:
    return (x - np.mean(x, axis=0)) / np.std(x, axis=0)


def gram(x: Any) -> Any:
    return x.T @ x


def solved(a: Any, b: Any) -> Any:
    """Conjugate gradients, until they are near."""
    x, r = np.zeros_like(b), b
    q, rest = r, r @ r
    while np.sqrt(rest) > 1e-10:
        image = a @ q
        step = rest / (q @ image)
        x, r = x + step * q, r - step * image
        q, rest = r + (r @ r) / rest * q, r @ r
    return x


def first_above(x: Any, limit: Any) -> Any:
    for row in range(len(x)):
        if np.sum(x[row]) > limit:
            return row
    return -1


X = rng.normal(size=(101, 16))
U, A, B = rng.normal(size=(41, 24)), rng.normal(size=(51, 40)), rng.normal(size=(40, 17))
STEPS, W, Y = np.int64(7), rng.normal(size=16), (X[:, 0] > 0).astype(float)
ROWS, COLUMNS, ALL = P("d"), P(None, "d"), P()

Case = tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...], dict[str, int]]

CASES: list[Case] = [
    (chain_mean, (X,), (ROWS,), {"all_reduce": 1}),
    (kmeans_step, (X, X[:5].copy()), (ROWS, ALL), {"all_reduce": 1}),
    (softmax, (X,), (ROWS,), {}),
    (softmax, (X,), (COLUMNS,), {"all_reduce": 2}),
    (matmul, (A, B), (ROWS, ALL), {}),
    (matmul, (A, B), (COLUMNS, ROWS), {"all_reduce": 1}),
    (matmul, (A, B), (COLUMNS, ALL), {"all_to_all": 1}),
    (matmul, (A, B), (ALL, COLUMNS), {}),
    (stencil, (U, STEPS), (ROWS, ALL), {"send_receive": 2}),
    (stencil, (U, STEPS), (COLUMNS, ALL), {"send_receive": 2}),
    (logistic_step, (W, X, Y), (ALL, ROWS, ROWS), {"all_reduce": 1}),
    (standardise, (X,), (ROWS,), {"all_gather": 1}),
    (standardise, (X,), (COLUMNS,), {}),
    (gram, (X,), (ROWS,), {"all_reduce": 1}),
    (gram, (X,), (COLUMNS,), {"all_reduce": 1, "all_to_all": 1}),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_programs_give_what_numpy_gives(number: int) -> None:
    f, args, specs, expected = CASES[number]
    for count in (1, 2, 3, 5):
        messages = check(f, args, specs, ranks.Mesh.simulated(count))
        sent = [message.kind for message in messages]
        wanted = expected if count > 1 else {}
        assert {kind: sent.count(kind) for kind in sent} == wanted, f"on {count} ranks"
        assert not any(message.reason for message in messages)


def test_programs_are_compiled() -> None:
    """The same by machine code, once each for a program of each kind."""
    mesh = ranks.Mesh.simulated(3)
    centres = X[:5].copy()
    step = ranks.partition(kmeans_step, mesh, (ROWS, ALL))
    np.testing.assert_allclose(step(X, centres), kmeans_step(X, centres), rtol=1e-10)
    grid = ranks.scatter(U, ROWS, mesh)
    smoothed = ranks.partition(stencil, mesh)(grid, STEPS)
    assert smoothed is grid
    np.testing.assert_allclose(grid.gather(), stencil(U.copy(), STEPS), rtol=1e-10)
    solver = ranks.partition(solved, mesh, (ROWS, ROWS))
    matrix, wanted = X[:16].T @ X[:16] + np.eye(16), X[0]
    np.testing.assert_allclose(solver(matrix, wanted).gather(), np.linalg.solve(matrix, wanted), rtol=1e-6)
    found = ranks.partition(first_above, mesh, (ROWS, ALL))
    assert found(X, np.float64(5)) == first_above(X, 5)
    spread = ranks.partition(standardise, mesh)(ranks.scatter(X, ROWS, mesh))
    assert spread.spec == ROWS
    np.testing.assert_allclose(spread.gather(), standardise(X), rtol=1e-10)
