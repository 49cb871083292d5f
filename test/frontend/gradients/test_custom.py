"""`weft.custom_gradient` and `weft.checkpoint`: compiled, in plain Python, in loops, differentiated again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.differences import differences

X = np.array([0.5, 1.5, -2.0])
SIGMOID = 1 / (1 + np.exp(-X))


@weft.custom_gradient
def clipped(x: Any) -> Any:
    return x, lambda g: np.clip(g, -1.0, 1.0)


@weft.custom_gradient
def hard_step(x: Any) -> Any:
    """Zero derivative, with another one to learn by."""
    return (x > 0).astype(np.float64), lambda g: g * (1 - np.tanh(x) ** 2)


@weft.custom_gradient
def log1pexp(x: Any) -> Any:
    e = np.exp(x)
    return np.log(1 + e), lambda g: g * (1 - 1 / (1 + e))


@weft.custom_gradient
def several(x: Any, p: Any) -> Any:
    return (x * p["a"], x + 1), lambda g, h: (g * p["a"] + h, {"a": np.sum(g * x), "n": None})


@weft.checkpoint
def layer(w: Any, x: Any) -> Any:
    for _ in range(3):
        x = np.tanh(x * w)
    return x


def recurrent(x: Any) -> Any:
    t = 0.0
    for i in range(60):
        t = log1pexp(t + x[i % 3]) * 0.5
    return t


def all_of(x: Any) -> Any:
    first, second = several(x, {"a": 2.0, "n": 3})
    return (
        np.sum(clipped(x) ** 2),
        np.sum(hard_step(x) * x),
        recurrent(x),
        np.sum(first * x) + np.sum(second),
        np.sum(layer(x, X[::-1]) * x),
    )


def expected(x: Any) -> Any:
    """The last three as they are differentiated without rules."""
    t = 0.0
    for i in range(60):
        t = np.log(1 + np.exp(t + x[i % 3])) * 0.5
    return t, np.sum(2 * x * x) + np.sum(x), np.sum(np.tanh(np.tanh(np.tanh(X[::-1] * x) * x) * x) * x)


@pytest.mark.parametrize("is_compiled", [True, False], ids=["compiled", "plain Python"])
def test_rules_are_used(is_compiled: bool) -> None:
    jacobian = weft.jacobian(lambda x: np.stack(all_of(x)))
    if is_compiled:
        found = jacobian(X)
    else:
        with weft.eager():
            found = jacobian(X)
    np.testing.assert_allclose(found[0], np.clip(2 * X, -1, 1))
    np.testing.assert_allclose(found[1], (X > 0) + X * (1 - np.tanh(X) ** 2))
    moves = 1e-6 * np.eye(3)
    rows = [(np.array(expected(X + move)) - np.array(expected(X - move))) / 2e-6 for move in moves]
    np.testing.assert_allclose(found[2:], np.stack(rows, axis=-1), rtol=1e-6, atol=1e-8)


def test_rules_are_differentiated() -> None:
    @weft.function
    def second(x: Any) -> Any:
        def squares(x: Any) -> Any:
            return np.sum(weft.grad(lambda x: np.sum(log1pexp(x) + layer(x, x)))(x) ** 2)

        return weft.grad(squares)(x)

    def gradient(x: Any) -> Any:
        plain = weft.grad(lambda x: np.sum(np.log(1 + np.exp(x)) + np.tanh(np.tanh(np.tanh(x * x) * x) * x)))
        with weft.eager():
            return np.sum(plain(x) ** 2)

    rows = [(gradient(X + move) - gradient(X - move)) / 2e-6 for move in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(second(X), rows, rtol=1e-5, atol=1e-7)


def test_values_and_calls_without_derivatives() -> None:
    np.testing.assert_array_equal(clipped(X), X)
    np.testing.assert_array_equal(layer(X, X), np.tanh(np.tanh(np.tanh(X * X) * X) * X))
    np.testing.assert_array_equal(weft.function(lambda x: several(x, {"a": 2.0, "n": 1})[0])(X), 2 * X)


def test_what_is_checkpointed_runs_again() -> None:
    """The forward program keeps nothing of it: its functions are computed twice."""
    both = [
        weft.grad(lambda w, f=f: np.sum(np.sin(f(w, w)))).get_concrete_function(X).as_text()
        for f in (layer, lambda w, x: np.tanh(np.tanh(np.tanh(x * w) * w) * w))
    ]
    assert [text.count('"weft.tanh"') for text in both] == [6, 3]


def test_what_is_checkpointed_may_draw_by_a_seed() -> None:
    def noisy(x: Any, seed: Any) -> Any:
        return x * np.random.default_rng(seed).random(3)

    def total(f: Any) -> Any:
        return weft.function(weft.grad(lambda x, seed: np.sum(np.sin(f(x, seed)))))

    seed = np.array([3, 5], np.uint32)
    np.testing.assert_array_equal(total(weft.checkpoint(noisy))(X, seed), total(noisy)(X, seed))
    with pytest.raises(weft.UnsupportedError, match="prints, calls Python or writes"):
        total(weft.checkpoint(lambda x, seed: x * np.random.default_rng().random(3)))(X, seed)


class Layer:
    """Weights that a function under checkpoint reads, with an array that was computed, and one that changes."""

    def __init__(self) -> None:
        self.w = np.array([0.3, -0.5, 0.2])

    def __call__(self, x: Any, n: Any) -> Any:
        scale = x * 2.0
        for i in range(n):
            scale[i % 3] = scale[i % 3] * x[0]

            @weft.checkpoint
            def inner(y: Any) -> Any:
                return np.tanh(y * self.w) * scale + y

            x = inner(x)
        return np.sum(x)


def test_what_is_checkpointed_may_read_arrays_from_outside() -> None:
    model, start = Layer(), Layer().w
    v = np.array([1.0, -0.5, 2.0])

    @weft.function
    def derivatives(x: Any, n: Any) -> Any:
        by_x, by_model = weft.grad(lambda x, model: model(x, n), (0, 1))(x, model)
        return by_x, by_model["w"], weft.jvp(lambda x: model(x, n), (x,), (v,))[1]

    def by_weights(w: Any) -> Any:
        model.w = w
        return model(X, 4)

    by_x, by_w, tangent = derivatives(X, np.int64(4))
    np.testing.assert_allclose(by_x, differences(lambda x: model(x, 4), (X,), 0), rtol=1e-5)
    np.testing.assert_allclose(tangent, by_x @ v)
    np.testing.assert_allclose(by_w, differences(by_weights, (start,), 0), rtol=1e-5)


def test_what_is_checkpointed_may_loop() -> None:
    """What its loops carry is its own, and none of the values around it."""

    def repeated(w: Any, x: Any, n: Any) -> Any:
        for _ in range(n):
            x = np.tanh(x * w)
        return x

    def loss(w: Any, n: Any) -> Any:
        return np.sum(weft.checkpoint(lambda w: repeated(w, X, n))(w))

    compiled = weft.grad(weft.function(loss))(X, np.int64(3))
    np.testing.assert_allclose(compiled, differences(lambda w: loss(w, 3), (X,), 0), rtol=1e-5)


@pytest.mark.parametrize("product", [lambda a, b: a * b, lambda a, b: np.sort(a) * b])
def test_what_is_checkpointed_may_loop_until_data_says_so(product: Any) -> None:
    """What counts the iterations is a loop that the derivative uses, and holds what only the rule needs."""

    def repeated(w: Any, n: Any) -> Any:
        x, k = w * 0.5, 0
        while k < n and np.abs(w).sum() < 1e6:
            x = product(w, x)
            k += 1
        return np.sum(x)

    def loss(w: Any, n: Any) -> Any:
        return weft.checkpoint(lambda w: repeated(w, n))(w)

    compiled = weft.function(weft.grad(loss))(X, np.int64(3))
    np.testing.assert_allclose(compiled, differences(lambda w: repeated(w, 3), (X,), 0), rtol=1e-5)


def changing(x: Any) -> Any:
    y = x * 2

    @weft.checkpoint
    def inner(z: Any) -> Any:
        y[0] = 5.0
        return z * y

    return np.sum(inner(x))


def captured(x: Any) -> Any:
    y = x * 2
    return np.sum(weft.custom_gradient(lambda z: (z * y, lambda g: g))(x))


def noisy(x: Any) -> Any:
    print("run")
    return x * 2


def with_rule(rule: Any) -> Any:
    return lambda x: np.sum(weft.custom_gradient(lambda z: (z * 1.0, rule))(x))


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (captured, weft.DifferentiationError, "among its arguments, of which its rule tells nothing; pass it as"),
        (with_rule(lambda g: (g, g)), TypeError, r"by args\[0\] has another structure .* it is a tuple"),
        (with_rule(lambda g: g[:1]), TypeError, r"by args\[0\] is f64\[1\], but the argument is f64\[3\]"),
        (with_rule(lambda g: g.astype(np.float32)), TypeError, r"is f32\[3\], but the argument is f64\[3\]"),
        (lambda x: np.sum(weft.custom_gradient(lambda a, b: (a * b, lambda g: g))(x, x)), TypeError,
         "has to be a tuple of 2, one for each argument"),
        (lambda x: np.sum(weft.custom_gradient(lambda z: z)(x)), TypeError, "returns a pair of its result and"),
    ],
)  # fmt: skip
def test_rules_that_do_not_fit_are_refused(function: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        weft.grad(function)(X)
    with weft.eager(), pytest.raises(error, match=message):
        weft.grad(function)(X)


def test_effects_and_tangents_are_refused() -> None:
    with pytest.raises(weft.UnsupportedError, match=r"noisy, which is under .*checkpoint, prints"):
        weft.grad(lambda x: np.sum(weft.checkpoint(noisy)(x)))(X)
    with pytest.raises(
        weft.UnsupportedError, match=r"inner, which is under .*checkpoint, .* writes to arrays"
    ):
        weft.grad(changing)(X)
    with pytest.raises(weft.DifferentiationError, match="has no tangents"):
        weft.jvp(clipped, (X,), (X,))
    with weft.eager(), pytest.raises(weft.DifferentiationError, match="has no tangents"):
        weft.jvp(clipped, (X,), (X,))
    with pytest.raises(TypeError, match="checkpoint takes a function, not 3"):
        weft.checkpoint(3)  # type: ignore[arg-type]


@weft.custom_gradient
def twice(x):
    return x * 2, lambda g: twice(g)


def test_a_rule_uses_its_own_function():
    compiled = weft.function(twice)
    assert compiled(np.float64(1.0)) == 2.0
    cube = weft.function(lambda x: twice(x) ** 3)  # 8 x^3
    first = weft.grad(cube)
    assert weft.function(first)(np.float64(1.0)) == first(np.float64(1.0)) == 24.0
    second = weft.grad(first)
    assert weft.function(second)(np.float64(1.0)) == 48.0
    third = weft.grad(second)
    assert weft.function(third)(np.float64(1.0)) == 48.0


def test_a_rule_that_uses_its_own_function_has_so_many_derivatives():
    @weft.custom_gradient
    def power(x):
        return x * x, lambda g: g * power(x) / x * 2  # which depends on x, again and again

    assert weft.function(weft.grad(power))(np.float64(3.0)) == 6.0
    function = power
    for _ in range(6):
        function = weft.grad(function)
    with pytest.raises(weft.DifferentiationError, match="is recorded in itself three times"):
        weft.function(function)(np.float64(3.0))


def test_a_rule_uses_another_function_with_a_rule():
    @weft.custom_gradient
    def inner(x):
        return x * 2, lambda g: g * 2

    @weft.custom_gradient
    def outer(x):
        return x * 2, lambda g: inner(g)

    second = weft.grad(weft.grad(lambda x: outer(x) ** 3))
    assert second(np.float64(1.0)) == weft.function(second)(np.float64(1.0)) == 48.0
