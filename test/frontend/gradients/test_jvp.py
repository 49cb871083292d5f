"""`weft.jvp`: tangents beside the values, through straight lines, branches and loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

X, V = np.array([0.5, 1.2, 0.7, 0.3]), np.array([1.0, -2.0, 0.5, 1.0])


def straight(x: Any) -> Any:
    u = x.copy()
    u[1:] += np.sin(x[:-1]) * x[1:]
    return {"u": u, "total": np.sum(u @ np.outer(x, x)), "count": 3}


def looped(x: Any) -> Any:
    s, p = 0.0, np.zeros_like(x)
    for i in range(60):
        if x[i % 4] > 0.6:
            s = np.tanh(s + x[i % 4])
        p[i % 4] = p[i % 4] * 0.5 + s * x[i % 4]
    return p


def newton(x: Any) -> Any:
    y = x[0]
    while np.abs(y * y - x[1]) > 1e-12:
        y = 0.5 * (y + x[1] / y)
    return y


@pytest.mark.parametrize("program", [lambda x: straight(x)["u"], looped, newton])
def test_tangents_agree_with_differences(program: Any) -> None:
    value, tangent = weft.jvp(program, (X,), (V,))
    step = 1e-6
    np.testing.assert_allclose(value, program(X))
    expected = (program(X + step * V) - program(X - step * V)) / (2 * step)
    np.testing.assert_allclose(tangent, expected, rtol=1e-6, atol=1e-8)


def test_tangents_have_the_structure_of_results() -> None:
    value, tangent = weft.jvp(straight, (X,), (V,))
    assert tangent["count"] is None
    assert tangent["u"].shape == value["u"].shape
    np.testing.assert_allclose(tangent["total"], np.sum(weft.grad(lambda x: straight(x)["total"])(X) * V))


def test_products_with_a_hessian() -> None:
    @weft.function
    def product(x: Any, v: Any) -> Any:
        return weft.jvp(weft.grad(lambda x: np.sum(looped(x) ** 2)), (x,), (v,))[1]

    gradient = weft.grad(lambda x: np.sum(looped(x) ** 2))
    step = 1e-6
    expected = (gradient(X + step * V) - gradient(X - step * V)) / (2 * step)
    np.testing.assert_allclose(product(X, V), expected, rtol=1e-5, atol=1e-7)


def test_misuse_is_explained() -> None:
    with pytest.raises(
        TypeError, match=r"the tangent of args\[0\] is f64\[2\], but the argument is f64\[4\]"
    ):
        weft.jvp(looped, (X,), (V[:2],))
    with pytest.raises(TypeError, match="is called with 1 arguments, but there are 2 tangents"):
        weft.jvp(looped, (X,), (V, V))
    host = lambda x: weft.py_call(np.sum, x, result=weft.TensorSpec((), "float64"))  # noqa: E731
    with pytest.raises(weft.DifferentiationError, match="what Python computes has no derivative"):
        weft.jvp(host, (X,), (V,))
