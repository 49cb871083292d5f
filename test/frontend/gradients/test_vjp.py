"""`weft.vjp`: cotangents of several results, any number of times, against `weft.jvp` and differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

X, V = np.array([0.5, 1.2, 0.7, 0.3]), np.array([1.0, -2.0, 0.5, 1.0])


def several(p: dict[str, Any], x: Any) -> Any:
    u = x.copy()
    for i in range(3):
        u[i + 1] += np.sin(u[i]) * p["w"]
    return {"u": u, "total": np.sum(u @ np.outer(x, x)), "count": 3}


def test_products_from_the_left_and_from_the_right_agree() -> None:
    """<g, J t> = <Jᵀ g, t>, for two cotangents of one run."""

    @weft.function
    def pulled(p: Any, x: Any, first: Any, second: Any) -> Any:
        y, pullback = weft.vjp(several, p, x)
        y["u"][:] = 0.0  # what is written to a result later does not matter
        return pullback(first), pullback({"u": second, "total": 0.0, "count": None})

    p, tangents = {"w": 0.7, "n": 2}, ({"w": 0.3, "n": None}, V)
    _, changes = weft.jvp(several, (p, X), tangents)
    first = {"u": V[::-1].copy(), "total": 2.0, "count": None}
    for (by_p, by_x), g, total in zip(pulled(p, X, first, X), (first["u"], X), (2.0, 0.0), strict=True):
        assert by_p["n"] is None
        left = np.sum(g * changes["u"]) + total * changes["total"]
        np.testing.assert_allclose(by_p["w"] * 0.3 + np.sum(by_x * V), left)


def test_pullbacks_are_differentiated_by_their_cotangents_and_arguments() -> None:
    @weft.function
    def second(x: Any, g: Any) -> Any:
        def pulled(x: Any, g: Any) -> Any:
            _, pullback, aux = weft.vjp(lambda x: (np.sin(x) * x[::-1], x[0]), x, has_aux=True)
            return np.sum(pullback(g)[0] ** 2) + aux

        return weft.grad(pulled, (0, 1))(x, g)

    def value(x: Any, g: Any) -> Any:
        return np.sum((np.cos(x) * x[::-1] * g + (np.sin(x) * g)[::-1]) ** 2) + x[0]

    for number, found in enumerate(second(X, V)):
        for i in range(4):
            step = 1e-6 * np.eye(4)[i]
            ahead, behind = [(X + s * step, V) if number == 0 else (X, V + s * step) for s in (1, -1)]
            np.testing.assert_allclose(found[i], (value(*ahead) - value(*behind)) / 2e-6, rtol=1e-6)


@weft.function
def pulled_with(x: Any, cotangent: Any) -> Any:
    return weft.vjp(lambda x: {"a": x, "n": 3}, x)[1](cotangent)


@pytest.mark.parametrize(
    ("cotangent", "message"),
    [
        ({"a": V}, "another structure than what <lambda> returned: it is a dict"),
        ({"a": V[:2], "n": 0}, r"cotangent\['a'\] is f64\[2\], but what <lambda> returned is f64\[4\]"),
        ({"a": V.astype(np.float32), "n": 0}, r"\['a'\] is f32\[4\], but what"),
        ({"a": None, "n": 0}, r"\['a'\] is None, but what"),
    ],
)
def test_cotangents_that_do_not_fit_are_refused(cotangent: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        pulled_with(X, cotangent)
