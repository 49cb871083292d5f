"""Loops that would keep more than `settings.gradient_memory` are cut in pieces, which run again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.differences import differences

pytestmark = pytest.mark.compiled("loops that are long enough to be cut")

RNG = np.random.default_rng(5)
STEPS = 203


def stencil(u: Any, rate: Any) -> Any:
    """A state that is kept now and then; pieces of one length."""
    u = u.copy()
    for i in range(STEPS + 1):
        if i % 3 == 0:
            u[1:-1] = u[1:-1] - rate * u[1:-1] * (u[2:] - u[:-2])
        else:
            u = u + 0.01 * np.sin(u) * i
    return np.mean(u * u)


def recurrence(x: Any, n: Any) -> Any:
    """A number of iterations that is known at run time, not all of which are in pieces of one length; nested loops."""
    s, trail = x[0], []
    for i in range(n):
        s = np.sin(s * x[i % 4]) + x[3]
        for j in range(20):
            s = s + 0.001 * j * np.cos(s)
        trail.append(s)
    return s + trail[n // 2]


def searched(x: Any, n: Any) -> Any:
    """A loop that ends when something holds, with parts of an array overwritten and pieces of other sizes."""
    p, s, i = x * 1.0, 0.0, 0
    while s < 1.0 * n and i < 500:
        p[i % 4] = np.sin(p[(i + 1) % 4]) + x[i % 3]
        s = s + 0.1 * np.sum(np.exp(p[: i % 4 + 1]))
        i += 1
    return s * p[1]


@pytest.mark.parametrize(
    ("program", "by", "calls"),
    [
        (stencil, (0, 1), [(RNG.random(7), 0.1)]),
        (recurrence, (0,), [(RNG.random(4), np.int64(n)) for n in (STEPS, 20, 1)]),
        (searched, (0,), [(RNG.random(4), np.int64(60))]),
    ],
    ids=["stencil", "recurrence", "searched"],
)
def test_pieces_agree_with_differences(program: Any, by: tuple[int, ...], calls: Any) -> None:
    gradient = weft.grad(program, by)
    for arguments in calls:
        with weft.settings.scope(gradient_memory=1000):
            found = gradient(*arguments)
        for number, g in zip(by, found, strict=True):
            np.testing.assert_allclose(g, differences(program, arguments, number), rtol=2e-5, atol=1e-6)
    assert "weft.piece" in gradient.get_concrete_function(*calls[0]).as_text()


@pytest.mark.processor  # too many for the emulator
def test_a_million_steps_in_little_memory() -> None:
    def iterated(u: Any, x: Any) -> Any:
        for _ in range(1_000_000):
            u = np.sin(u) * x
        return np.sum(u)

    u, x, v = RNG.random(8), np.linspace(1, 1.2, 8), RNG.random(8)
    gradient = weft.grad(iterated, 1)
    concrete = gradient.get_concrete_function(u, x)
    assert "weft.piece" in concrete.as_text()
    assert concrete.memory_analysis().peak_bytes < 1 << 20  # all values that the reverse needs are 128 MB
    _, tangent = weft.jvp(lambda x: iterated(u, x), (x,), (v,))
    np.testing.assert_allclose(gradient(u, x) @ v, tangent, rtol=1e-9)


def test_effects_of_pieces_happen_once(capsys: pytest.CaptureFixture[str]) -> None:
    def told(x: Any) -> Any:
        for i in range(100):
            x = np.sin(x)
            if i == 98:
                print("near the end")
        return x

    with weft.settings.scope(gradient_memory=10):
        gradient = weft.grad(told)
        gradient(0.5)
    assert capsys.readouterr().out == "near the end\n"
