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


THREE = weft.TensorSpec((3,), "float64")
LEGACY = np.random.RandomState(3)
CALLED: list[float] = []


def told(v: Any) -> Any:
    CALLED.append(float(v))
    return np.full(3, 0.25 * len(CALLED))


def asked(x: Any, n: Any) -> Any:
    """Python tells how long a loop runs, and what it multiplies by: in the condition, a branch, a loop inside."""
    s, total = x[0], 0.0
    while weft.py_call(lambda v: v < 10, s, result=weft.TensorSpec((), "bool")):
        if s < 5:
            s = s + weft.py_call(told, weft.stop_gradient(s), result=THREE) @ x[1:]
        k = 0
        while k < n:
            k = k + LEGACY.randint(1, 3)
            s = s * (1 + 0.1 * LEGACY.uniform() * x[2])
        try:
            total = total + x[n + k]  # an index that Python drew: the exception is an object
        except IndexError:
            total = total * 0.5
    return s + total


def test_what_python_returned_in_a_loop_is_replayed() -> None:
    """The second run asks nobody again, though each answer is another one."""

    def begin_again() -> None:
        CALLED.clear()
        LEGACY.seed(3)

    def value(x: Any) -> float:
        begin_again()
        return float(asked(x, 2))

    begin_again()
    gradient = weft.grad(asked)(X, np.int64(2))
    times = len(CALLED)
    step = 1e-6 * np.eye(4)
    expected = [(value(X + h) - value(X - h)) / 2e-6 for h in step]
    np.testing.assert_allclose(gradient, expected, rtol=1e-5)
    assert times == len(CALLED)


@pytest.mark.filterwarnings("ignore::weft.FallbackWarning")
@pytest.mark.parametrize("is_in_a_loop", [True, False])
def test_what_numpy_is_called_for_has_no_derivative(is_in_a_loop: bool) -> None:
    """Arrays of a size that Python decides come back in two steps."""

    def part(x: Any, n: Any) -> Any:
        return np.sum(np.convolve(x[:n], x[:n]) ** 2)

    def parts(x: Any, n: Any) -> Any:
        total = 0.0
        for i in range(n):
            total = total + part(x, i + 1)
        return total

    for differentiate in (weft.grad, lambda f: lambda x, n: weft.jvp(lambda x: f(x, n), (x,), (x,))):
        asked = weft.function(differentiate(parts if is_in_a_loop else part))
        with pytest.raises(weft.DifferentiationError, match="what Python computes has no derivative"):
            asked(X, np.int64(2))

    def of_no_interest(x: Any, n: Any) -> Any:
        return part(weft.stop_gradient(x), n) * x[0]

    gradient = weft.function(weft.grad(of_no_interest))(X, np.int64(2))
    np.testing.assert_allclose(gradient, [part(X, 2), 0, 0, 0])


def test_what_python_computes_has_no_derivative_in_loops_that_run_again() -> None:
    def doubled(x: Any) -> Any:
        while x < 5.0:
            k = 0
            while k < 2:
                k = k + weft.py_call(lambda v: v > -1, x, result=weft.TensorSpec((), "bool"))
                x = x + weft.py_call(lambda v: 2 * v, x, result=weft.TensorSpec((), "float64"))
        return x

    with pytest.raises(weft.DifferentiationError, match="what Python computes has no derivative"):
        weft.grad(doubled)(0.5)
