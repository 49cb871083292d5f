"""`weft.jacobian` and `weft.hessian`: forwards and in reverse, by structures, nested, at run-time sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

X = np.array([0.5, 1.5, -2.0, 3.0])


def differences(f: Any, x: Any, step: float = 1e-6) -> Any:
    """The Jacobian by central differences."""
    moved = [(f(x + step * move) - f(x - step * move)) / (2 * step) for move in np.eye(len(x))]
    return np.stack(moved, axis=-1)


def recurrent(x: Any) -> Any:
    """A loop that is staged, branches, and in-place writes."""
    out, s = np.zeros_like(x), 0.1
    for i in range(60):
        if x[i % 3] > 0.6:
            s = np.tanh(s + x[i % 3])
        out[i % 3] = out[i % 3] * 0.5 + s * x[i % 3]
    return out


LONG = np.linspace(0.1, 0.9, 20)


@pytest.mark.parametrize("x", [X, LONG], ids=["forwards", "in reverse"])
def test_jacobians_agree_with_differences(x: Any) -> None:
    np.testing.assert_allclose(weft.jacobian(recurrent)(x), differences(recurrent, x), atol=1e-8)


@pytest.mark.compiled("long loops within loops")
@pytest.mark.parametrize("x", [X, LONG], ids=["forwards", "in reverse"])
def test_hessians_agree_with_differences_of_gradients(x: Any) -> None:
    def total(x: Any) -> Any:
        return np.sum(np.sin(recurrent(x) * x[0]))

    found, gradient = weft.hessian(total)(x), weft.grad(total)
    np.testing.assert_allclose(found, differences(gradient, x), atol=1e-7)
    np.testing.assert_allclose(found, found.T, atol=1e-12)


def test_jacobians_have_the_structure_of_results_around_that_of_arguments() -> None:
    def parts(p: dict[str, Any], y: Any) -> Any:
        return {"u": p["a"] * y, "v": p["b"][:, None] * np.ones(2, np.float32)}, y[0]

    found, aux = weft.jacobian(parts, ("p", 1), has_aux=True)(
        {"a": 2.0, "b": np.ones(3, np.float32), "n": 7}, np.array([1.0, 5.0])
    )
    by_p, by_y = found["u"]
    assert aux == 1.0
    assert by_p["n"] is None
    np.testing.assert_array_equal(by_p["a"], [1.0, 5.0])
    np.testing.assert_array_equal(by_p["b"], np.zeros((2, 3)))
    np.testing.assert_array_equal(by_y, 2 * np.eye(2))
    by_b = found["v"][0]["b"]
    assert by_b.dtype == np.float32
    np.testing.assert_array_equal(by_b, np.stack([np.eye(3)] * 2, axis=1))


def test_numbers_and_empty_arrays() -> None:
    assert weft.hessian(lambda x: x**3)(2.0) == 12.0
    assert type(weft.jacobian(lambda x: x**3)(2.0)) is float
    assert weft.jacobian(lambda x: x[:2])(np.zeros((0, 3))).shape == (0, 3, 0, 3)


def test_effects_happen_once(capsys: Any) -> None:
    def noisy(x: Any) -> Any:
        print("called")
        x[0] = x[1]
        return x * x

    for start in (X, LONG):
        x = start.copy()
        found = weft.jacobian(noisy)(x)
        assert capsys.readouterr().out == "called\n"
        assert x[0] == x[1]
        expected = np.diag(2 * start)
        expected[0, :2] = [0, 2 * start[1]]
        np.testing.assert_allclose(found, expected)


def test_sizes_that_are_known_at_run_time() -> None:
    spec = [weft.TensorSpec((None,), "float64")]
    compiled = weft.function(weft.jacobian(lambda x: np.cumsum(x * x)), input_signature=spec)
    for x in (X, LONG):
        np.testing.assert_allclose(compiled(x), np.tril(np.ones((len(x), len(x)))) * 2 * x)
    assert compiled.trace_count == 1


@pytest.mark.parametrize(
    ("make", "arguments", "error", "message"),
    [
        (lambda: weft.jacobian(lambda x: x.astype(int)), (X,), TypeError, "returned an array of int64"),
        (lambda: weft.jacobian(lambda x: {"a": x, "n": 3}), (X,), TypeError, r"at \['n'\] returned an int"),
        (lambda: weft.jacobian(lambda x: x * 1j), (X,), TypeError, r"returned complex ones \(c128\[4\]\)"),
        (lambda: weft.jacobian(lambda x: x.real), (X * 1j,), TypeError, "argument of <lambda> has complex ones"),
        (lambda: weft.jacobian(lambda n: n * 2), (np.arange(3),), TypeError, "'n' of <lambda> is of int64"),
        (lambda: weft.jacobian(lambda x: x, has_aux=True), (X,), TypeError, "returns a pair"),
        (lambda: weft.jacobian(3), (), TypeError, "weft.jacobian takes a function, not 3"),
        (lambda: weft.hessian(lambda x: x), (X,), ValueError, "returned an array of shape"),
    ],
)  # fmt: skip
def test_misuse_is_explained(make: Any, arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()(*arguments)
