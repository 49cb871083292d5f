"""Gradients through loops that end when something holds: `while`, `break`, `return`, exceptions; and generators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.differences import check_gradient

X = np.array([0.5, 1.2, 0.7, 0.3])


def newton(a: Any) -> Any:
    x = a
    while np.abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


def broken(x: Any) -> Any:
    s = 0.0
    for i in range(60):
        s = s + x[i % 4] * np.cos(s)
        if s > 2.0:
            break
    return s * s


def returned(x: Any, n: Any) -> Any:
    s = x[0]
    for _ in range(n):
        s = s * x[1] + x[2]
        if s > 100.0:
            return s * x[3]
    return s


def caught(x: Any) -> Any:
    s = x[0]
    try:
        for _ in range(60):
            if s > 50:
                raise ValueError
            s = s * x[1] + 1
    except ValueError:
        s = s * x[2]
    return s


def grown(x: Any) -> Any:
    def terms() -> Any:
        for i in range(60):
            yield np.sin(x[i % 4]) * x[(i + 1) % 4]

    return np.sum(np.stack([term * 2 for term in terms()]) ** 2)


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (newton, (2.0,)),
        (broken, (X,)),
        (returned, (X, np.int64(40))),
        (caught, (X,)),
        (grown, (X,)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_exits_agree_with_differences(program: Any, arguments: Any) -> None:
    check_gradient(program, *arguments)


def test_effects_happen_once() -> None:
    """A loop that runs again for its reverse prints, calls and raises the first time only."""
    seen: list[float] = []

    def halved(x: Any) -> Any:
        while x > 1:
            weft.py_call(lambda v: seen.append(float(v)), x)
            if x > 100:
                raise ValueError("too large")
            x = x * x * 0.1
        return x

    gradient = weft.grad(halved)
    np.testing.assert_allclose(gradient(8.0), 0.2 * 8 * 0.2 * 6.4 * 0.2 * 4.096 * 0.2 * 1.6777216)
    assert len(seen) == 4
    with pytest.raises(ValueError, match="too large"):
        gradient(101.0)
    assert len(seen) == 5


def test_results_of_python_in_a_loop_are_refused() -> None:
    def asked(x: Any) -> Any:
        while weft.py_call(lambda v: v > 1, x, result=weft.TensorSpec((), "bool")):
            x = x * 0.5
        return x

    with pytest.raises(weft.DifferentiationError, match="Python is called for a result"):
        weft.grad(asked)(8.0)
