"""Gradients of functions that call themselves under a run-time condition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.differences import check_gradient

X = np.array([0.3, 0.5, 0.7])


def chain(x: Any, n: Any) -> Any:
    """Prints, raises, and draws on values of deeper calls."""
    if n <= 0:
        return x
    print("deeper")
    if n > 100:
        raise ValueError("too deep")
    return chain(np.sin(x * np.sum(x)), n - 1) * x + np.cos(x)


def product(x: Any, start: Any, stop: Any) -> Any:
    """Two calls; leaves."""
    if stop - start <= 1:
        return np.sin(x[start])
    middle = (start + stop) // 2
    return product(x, start, middle) * product(x, middle, stop) + x[start]


def even(x: Any, n: Any) -> Any:
    return x if n <= 0 else odd(x, n - 1) * np.cos(x)


def odd(x: Any, n: Any) -> Any:
    """Half of a pair of functions that call each other; one differentiates inside."""
    return x * x if n <= 0 else even(x, n - 1) + weft.grad(lambda y: y**3)(x)


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (product, (np.linspace(0.5, 1, 9), np.int64(0), np.int64(9))),
        (even, (0.7, np.int64(5))),
    ],
    ids=["tree", "pair"],
)
def test_recursion_agrees_with_differences(program: Any, arguments: Any) -> None:
    check_gradient(program, *arguments)


def repeated(x: Any, n: Any) -> Any:
    """A loop that ends when something holds, in which a function calls itself."""
    s = x[0]
    while s < 20.0:
        s = s + product(x, 0 * n, n) + 1
        print("again")
    return s * s


def test_a_loop_runs_again_with_functions_that_call_themselves(capsys: pytest.CaptureFixture[str]) -> None:
    function = check_gradient(repeated, X * 3, np.int64(3))
    capsys.readouterr()
    function(X * 3, np.int64(3))
    printed = capsys.readouterr().out
    repeated(X * 3, np.int64(3))
    assert printed == capsys.readouterr().out


def test_effects_happen_once_and_both_modes_agree(capsys: pytest.CaptureFixture[str]) -> None:
    def total(x: Any, n: Any) -> Any:
        return np.sum(chain(x, n))

    @weft.function
    def both(x: Any, v: Any, n: Any) -> Any:
        return weft.grad(total)(x, n), weft.jvp(lambda x: total(x, n), (x,), (v,))[1]

    v = np.array([1.0, 2.0, -1.0])
    gradient, tangent = both(X, v, np.int64(4))
    assert capsys.readouterr().out.split() == ["deeper"] * 8  # each of the two runs the function once
    step = 1e-6
    expected = (total(X + step * v, 4) - total(X - step * v, 4)) / (2 * step)
    np.testing.assert_allclose([gradient @ v, tangent], expected, rtol=1e-6)
    with pytest.raises(ValueError, match="too deep"):
        both(X, v, np.int64(101))


def written(x: Any, a: Any, n: Any) -> Any:
    """Writes to an array that it is given, also when it calls itself."""
    if n <= 0:
        return x
    a[n % 3] = a[n % 3] * x
    if a[0] > 100:
        raise ValueError("too large")
    return written(x * a[0], a, n - 1) + x * a[1]


def test_functions_may_write_to_their_arguments() -> None:
    check_gradient(written, 1.3, np.array([0.7, 0.8, 0.9]), np.int64(4), argnums=(0, 1))
