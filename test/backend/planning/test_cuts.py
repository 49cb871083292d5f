"""Arrays that are cut and joined again at places that data tells: what comes out is as long as what went in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

Program = Callable[..., Any]
X, Y, W = np.arange(8.0), np.arange(8.0)[::-1].copy(), np.int64(3)
GRID = np.random.default_rng(0).normal(size=(5, 6))


def rotated(x: Any, w: Any) -> Any:
    return np.concatenate([x[w:], x[:w]]), np.roll(x, w), np.r_[x[-w:], x[:-w]]


def inserted(x: Any, w: Any) -> Any:
    return np.concatenate([x[:w], x, x[w:]]), np.hstack([x[:w], x[:1], x[w:]])


def several_cuts(x: Any, w: Any) -> Any:
    v = w + 2
    return np.concatenate([x[v:], x[w:v], x[:w]]), np.concatenate([x[w:v], x[:w], x[v:], x])


def rows(x: Any, w: Any) -> Any:
    return np.concatenate([x[w:], x[:w]]), np.concatenate([x[:, w:], x[:, :w]], axis=1), np.roll(x, w, axis=1)


def summed_up(x: Any, w: Any) -> Any:
    z = np.concatenate([x[w:], x[:w]]) + x
    return (z * z).sum(), np.sort(np.concatenate([x[w:], x[:w]])), np.outer(np.roll(x, w), x)


def correlation(x: Any, n: Any) -> Any:
    y = np.zeros(len(x))
    for i in range(n):
        y[i] = np.sum(x * np.roll(x, i))
    return y


def rotated_while(x: Any, w: Any) -> Any:
    k = w
    while x[0] < 5:
        x = np.concatenate([x[k:], x[:k]]) + 1
        k = (k * 5) % len(x)
    return x, k


def nested(x: Any, n: Any) -> Any:
    total = np.zeros_like(x)
    for i in range(n):
        for j in range(i):
            total = total + np.concatenate([x[j:], x[:j]]) * np.roll(x, i)
    return total


def in_a_branch(x: Any, w: Any) -> Any:
    if w > 2:
        x = np.concatenate([x[w:], x[:w]])
    else:
        x = np.roll(x, 1)
    return x * 2


def crossover(a: Any, b: Any, w: Any) -> Any:
    return np.concatenate([a[:w], b[w:]]), np.concatenate([b[:w], a[w:]])


def streamed(f: Any, n: Any) -> Any:
    steps = np.array([0, 1, 0, -1, 2])
    for _ in range(n):
        for i in range(5):
            f[i] = np.roll(f[i], steps[i])
    return f.sum(axis=0)


CASES: list[tuple[Program, tuple[Any, ...]]] = [
    *[(program, (X, W)) for program in (rotated, inserted, several_cuts, summed_up, rotated_while, in_a_branch)],
    (rows, (GRID, W)), (correlation, (X, np.int64(8))), (nested, (X, np.int64(4))), (crossover, (X, Y, W)),
    (streamed, (GRID, np.int64(3))),
]  # fmt: skip


def copied(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(a.copy() for a in args)


@pytest.mark.sampled
@pytest.mark.parametrize(("program", "args"), CASES, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.parametrize("is_static", [True, False], ids=["known", "unknown"])
def test_cuts(program: Program, args: tuple[Any, ...], is_static: bool) -> None:
    specs = [weft.TensorSpec(a.shape if is_static else [None] * a.ndim, a.dtype) for a in args]
    compiled = weft.function(program, input_signature=specs)
    cuts = [*args[:-1], np.int64(0)], [*args[:-1], np.int64(7)], list(args)
    for given in map(tuple, cuts):
        got, expected = compiled(*copied(given)), program(*copied(given))
        pairs = zip(got, expected, strict=True) if isinstance(got, tuple) else [(got, expected)]
        for one, other in pairs:
            np.testing.assert_allclose(one, other)


def test_cuts_beyond_the_ends() -> None:
    compiled = weft.function(rotated, input_signature=[weft.TensorSpec([None]), weft.TensorSpec([], "int64")])
    for w in (-3, 8, 20):
        for one, other in zip(compiled(X, np.int64(w)), rotated(X, np.int64(w)), strict=True):
            np.testing.assert_array_equal(one, other)
    for one, other in zip(compiled(X[:0], W), rotated(X[:0], W), strict=True):
        np.testing.assert_array_equal(one, other)


def test_gradients_of_cuts() -> None:
    weights = np.arange(8.0)

    def loss(x: Any, w: Any) -> Any:
        return (np.concatenate([x[w:], x[:w]]) * weights).sum() + (np.roll(x, w) ** 2).sum()

    gradient = weft.grad(loss)(X, W)
    np.testing.assert_allclose(gradient, np.roll(weights, 3) + 2 * X)


def test_cuts_on_a_device() -> None:
    for program, args in ((rotated, (X, W)), (rows, (GRID, W))):
        with weft.settings.scope(cuda="emulator"):
            got = weft.function(program, device="cuda")(*args)
        for one, other in zip(got, program(*args), strict=True):
            np.testing.assert_array_equal(np.asarray(one), other)
