"""`weft.grad` and `weft.value_and_grad` on straight-line programs: eagerly, inside compiled functions, nested."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import weft
from support.differences import check_gradient

X = np.array([0.5, 1.5, -2.0, 3.0])


def views(x: Any, y: Any) -> Any:
    """Reads and writes of parts, through views and in place."""
    u = x.copy()
    left, right = u[:-1], u[1:]
    right += 0.5 * left * y[1:]
    u[0], u[-1] = u[-1] * y[0], u[1]
    np.multiply(u, 2.0, out=u)
    m = u.reshape(2, 2)
    m.T[0] -= np.sin(y[:2])
    chosen = m[np.array([0, 1, 0]), np.array([1, 1, 1])]
    return np.sum(u * u) + np.prod(chosen) + np.where(y > 0, np.sqrt(np.abs(y)), 0).sum()


def several(w: Any, b: Any, z: Any) -> Any:
    """Contractions, reductions, joins and complex numbers."""
    h = np.tanh(w @ np.concatenate([b, b[::-1]]) + b[:2])
    spectrum = np.sum(np.abs(z * np.exp(1j * h)) ** 2)
    return np.max(h) + np.mean(np.stack([h, h * h])) + spectrum + np.log(np.sum(np.exp(b)))


def test_programs_agree_with_differences() -> None:
    rng = np.random.default_rng(0)
    check_gradient(views, X, X[::-1].copy(), argnums=(0, 1))
    z = rng.random(2) + 1j * rng.random(2)
    check_gradient(several, rng.random((2, 6)), rng.random(3)[:3], z, argnums=(0, 1, 2))


class Layer(NamedTuple):
    w: Any
    b: Any


@dataclass
class Model:
    layers: list[Layer]
    scale: Any
    name: str = "model"


def loss(params: dict[str, Any], model: Model) -> Any:
    h = params["x"]
    for layer in model.layers:
        h = layer.w * h + layer.b
    return np.sum(h) * model.scale * params["count"]


def test_gradients_have_the_structure_of_arguments() -> None:
    params = {"x": np.ones(2, np.float32), "count": 2}
    model = Model([Layer(np.float32(3), np.zeros(2, np.float32))], 2.0)
    by_params, by_model = weft.grad(loss, (0, 1))(params, model)
    assert by_params["count"] is None
    assert by_params["x"].dtype == np.float32
    np.testing.assert_array_equal(by_params["x"], [12, 12])
    assert isinstance(by_model, Model)
    assert by_model.name is None
    assert isinstance(by_model.layers[0], Layer)
    np.testing.assert_array_equal(by_model.layers[0].w, 8)
    np.testing.assert_array_equal(by_model.layers[0].b, [4, 4])
    np.testing.assert_array_equal(by_model.scale, 12)


@weft.function
def train(w: Any, x: Any, y: Any) -> Any:
    """A step: closures, attributes and in-place updates around the gradient."""

    def error(w: Any) -> Any:
        return np.mean((x @ w - y) ** 2)

    value, g = weft.value_and_grad(error)(w)
    w -= 0.5 * g
    return value


def test_a_compiled_function_trains() -> None:
    rng = np.random.default_rng(0)
    x, w = rng.random((20, 3)), np.zeros(3)
    y = x @ np.array([1.0, -2.0, 3.0])
    values = [train(w, x, y) for _ in range(400)]
    assert values[-1] < 1e-3 * values[0]
    assert train.trace_count == 1
    np.testing.assert_allclose(w, [1, -2, 3], atol=0.1)


def test_gradients_nest() -> None:
    @weft.function
    def several_orders(x: Any) -> Any:
        def cube(x: Any) -> Any:
            return np.sum(x**3)

        second = weft.grad(lambda x: np.sum(weft.grad(cube)(x)))
        third = weft.grad(lambda x: np.sum(second(x)))
        confused = weft.grad(lambda x: x * weft.grad(lambda y: x + y)(x))(x[0])
        twice = weft.grad(lambda a, b: np.sum(a * a * b), (0, 1))(x, x)
        stopped = weft.grad(lambda x: np.sum(x * weft.stop_gradient(x)))(x)
        return second(x), third(x), confused, twice, stopped

    second, third, confused, (first, other), stopped = several_orders(X)
    np.testing.assert_allclose(second, 6 * X)
    np.testing.assert_allclose(third, np.full(4, 6.0))
    assert confused == 1
    np.testing.assert_allclose(first, 2 * X * X)
    np.testing.assert_allclose(other, X * X)
    np.testing.assert_allclose(stopped, X)


def test_writes_to_arguments_happen_once() -> None:
    def squared(u: Any, seen: Any) -> Any:
        seen += 1
        u[0] = u[1] * 2
        return np.sum(u**2)

    u, seen = np.array([1.0, 2.0]), np.zeros(1)
    gradient, aux = weft.grad(lambda u: (squared(u, seen), u[0]), has_aux=True)(u)
    np.testing.assert_array_equal(gradient, [0.0, 20.0])  # by the value at entry
    np.testing.assert_array_equal(u, [4.0, 2.0])
    assert (aux, seen) == (4.0, 1.0)
    constant = weft.grad(lambda x: 1.0)
    np.testing.assert_array_equal(constant(X), np.zeros(4))


def test_arguments_are_counted_or_named() -> None:
    def product(x: Any, *more: Any, y: Any = 2.0, **named: Any) -> Any:
        return x * more[0] * y * named["z"]

    by = weft.grad(product, ("z", 0, "y", 1))
    assert by(2.0, 3.0, y=5.0, z=7.0) == (30.0, 105.0, 42.0, 70.0)
    assert weft.grad(lambda x, y: x * y, "y")(2.0, 3.0) == 2.0
    by_default = weft.grad(lambda x, y=3.0: x * y, 1)
    assert weft.function(lambda x: by_default(x) + x)(2.0) == 4.0


OUTSIDE = np.ones(3)


def test_arrays_from_outside_are_arguments_too() -> None:
    def doubled(u: Any) -> Any:
        u[0] = u[1] * 2
        return np.sum(u * u)

    @weft.function
    def both(x: Any) -> Any:
        return weft.grad(doubled)(OUTSIDE) + x

    np.testing.assert_array_equal(both(np.zeros(3)), [0.0, 10.0, 2.0])
    np.testing.assert_array_equal(OUTSIDE, [2.0, 1.0, 1.0])


class Box:
    """An object with an array."""

    def __init__(self) -> None:
        self.w, self.layers, self.unread = np.ones(2), [np.ones(2)], np.ones(2)


def test_products_and_jacobians_by_objects() -> None:
    def f(box: Any, x: Any) -> Any:
        return box.w[0] * box.w * x

    box, x, w = Box(), np.arange(1.0, 1 + Box().w.size), Box().w

    @weft.function
    def derivatives(box: Any, x: Any) -> Any:
        _, pullback = weft.vjp(f, box, x)
        _, moved = weft.jvp(f, (box, x), ({"w": np.ones_like(x)}, None))
        return pullback(np.ones_like(x)), moved, weft.jacobian(f)(box, x)

    (by_box, by_x), moved, jacobian = derivatives(box, x)
    expected = w[0] * np.diag(x)
    expected[:, 0] += w * x
    np.testing.assert_allclose(jacobian["w"], expected)
    np.testing.assert_allclose(by_box["w"], expected.sum(0))
    np.testing.assert_allclose(by_x, w[0] * w)
    np.testing.assert_allclose(moved, expected.sum(1))
    second = weft.hessian(lambda box: np.sum(f(box, 1.0)))(box)["w"]["w"]
    np.testing.assert_allclose(second, np.eye(w.size)[0] + np.eye(w.size)[:, :1])
    with pytest.raises(weft.UnsupportedError, match="nothing tells which arrays of an object"):
        weft.vjp(f, box, x)
    with pytest.raises(
        TypeError, match=r"tangent of args\[0\], an object, is a dict by names of its .*, not \['v'\]"
    ):
        weft.jvp(f, (box, x), ({"v": x}, None))


def test_objects_are_differentiated_by_their_arrays() -> None:
    def loss(box: Box, x: Any) -> Any:
        box.w *= 2
        return np.sum(box.w * x * box.layers[0]) ** 2

    box = Box()
    by_box, by_x = weft.grad(loss, (0, 1))(box, np.array([1.0, 2.0]))
    assert sorted(by_box) == ["layers[0]", "w"]
    np.testing.assert_array_equal(by_box["w"], [24, 48])  # by the value at entry
    np.testing.assert_array_equal(by_box["layers[0]"], [24, 48])
    np.testing.assert_array_equal(by_x, [24, 24])
    np.testing.assert_array_equal(box.w, [2, 2])
    with weft.eager(), pytest.raises(weft.UnsupportedError, match="nothing tells which arrays of an object"):
        weft.grad(loss)(box, X[:2])


def host(x: Any) -> Any:
    return weft.py_call(lambda v: v.sum(), x, result=weft.TensorSpec((), "float64"))


@pytest.mark.parametrize(
    ("make", "arguments", "error", "message"),
    [
        (lambda: weft.grad(lambda x: x), (X,), ValueError, r"returned an array of shape \(4,\); return its sum"),
        (lambda: weft.grad(lambda x: None), (X,), TypeError, "returned None"),
        (lambda: weft.grad(lambda x: (x.sum(), 1)), (X,), TypeError, "returned a tuple"),
        (lambda: weft.grad(lambda x: x.sum(), has_aux=True), (X,), TypeError, "returns a pair"),
        (lambda: weft.grad(lambda x: x.sum() * 1j), (X,), TypeError, "returned a complex one"),
        (lambda: weft.grad(lambda x: x.argmax()), (X,), TypeError, "returned one of int64"),
        (lambda: weft.grad(lambda n: n * 2.0), (3,), TypeError, "argument 'n' of <lambda> is of int"),
        (lambda: weft.grad(lambda n: n.sum() * 1.0), (np.arange(3),), TypeError, "'n' of <lambda> is of int64"),
        (lambda: weft.grad(lambda x: x, 1), (), ValueError, "argnums is 1, but <lambda> takes 1"),
        (lambda: weft.grad(lambda x: x, 1.5), (), TypeError, "argnums counts arguments from 0 or names them"),
        (lambda: weft.grad(lambda x: x, (True,)), (), TypeError, "but one is True"),
        (lambda: weft.grad(lambda x: x, "y"), (), ValueError, "argnums names 'y', but <lambda> has no such"),
        (lambda: weft.grad(lambda x, *y: x, 1), (X,), ValueError, "by its argument 'y', but got none"),
        (lambda: weft.grad(lambda x: x, ()), (), ValueError, "argnums is empty"),
        (lambda: weft.grad(3), (), TypeError, "takes a function, not 3"),
        (lambda: weft.grad(host), (X,), weft.DifferentiationError, "what Python computes has no derivative"),
    ],
)  # fmt: skip
def test_misuse_is_explained(make: Any, arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()(*arguments)


def test_a_missing_derivative_is_shown_at_its_line() -> None:
    with pytest.raises(weft.DifferentiationError) as caught:
        weft.grad(host)(X)
    assert "weft.py_call(" in str(caught.value)
    assert "test_grad.py" in str(caught.value)


def test_who_asks_anew_for_the_gradient_of_a_function_compiles_once():
    def square(x):
        return x * x

    assert [weft.grad(square)(np.float64(x)) for x in (1.0, 2.0, 3.0)] == [2, 4, 6]
    assert weft.grad(square) is weft.grad(square)
    assert weft.grad(square).trace_count == 1
    assert weft.value_and_grad(square) is not weft.grad(square) is not weft.grad(square, [0])
    assert weft.grad(square, [0]) is weft.grad(square, (0,))


class Rebinding:
    """An object whose arrays get other ones while a function runs."""

    def __init__(self) -> None:
        self.w, self.items, self.new = np.ones(3), [np.array([2.0])], None

    def __call__(self, x: Any) -> Any:
        self.w = self.w * 2
        self.w += 1
        self.items[0] = self.items[0] ** 2
        self.new = self.w * x
        return np.sum(self.new) * np.sum(self.items[0])


@pytest.mark.parametrize("wrap", [lambda f: f, weft.function], ids=["grad", "inside"])
def test_gradients_by_objects_are_by_what_they_held_when_called(wrap: Any) -> None:
    model, x = Rebinding(), np.array([1.0, 2.0, -1.0])
    found = wrap(weft.grad(lambda model, x: model(x)))(model, x)
    assert sorted(found) == ["items[0]", "w"]
    np.testing.assert_allclose(found["w"], 2 * x * 4.0)
    np.testing.assert_allclose(found["items[0]"], [np.sum(3 * x) * 2 * 2.0])
    np.testing.assert_array_equal(model.w, [3.0, 3.0, 3.0])


def test_functions_that_wrap_those_of_numpy_are_not_taken_for_them() -> None:
    @functools.wraps(np.linalg.norm)
    def doubled(x: Any) -> Any:
        return 2 * np.linalg.norm(x)

    @weft.function
    def together(x: Any) -> Any:
        return (
            weft.grad(np.linalg.norm)(x),
            weft.grad(doubled)(x),
            doubled(x),
            weft.vmap(np.linalg.norm)(x[None]),
        )

    x = np.array([3.0, 4.0])
    by_norm, by_doubled, norm, norms = together(x)
    np.testing.assert_allclose(by_norm, [0.6, 0.8])
    np.testing.assert_allclose(by_doubled, [1.2, 1.6])
    assert (norm, norms.tolist()) == (10.0, [5.0])
