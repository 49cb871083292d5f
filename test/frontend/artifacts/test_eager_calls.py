"""Loaded functions where nothing is compiled: in eager mode, and under tapes of plain Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import pytest

import weft

N = 4


def _model() -> Any:
    class Model:
        def __init__(self) -> None:
            self.w = np.linspace(0.5, 1.5, N)
            self.mean = np.zeros(N)
            self.steps = 0

        @weft.function
        def predict(self, x: Any) -> Any:
            return np.tanh(x @ self.w)

        @weft.function
        def train(self, x: Any) -> Any:
            self.steps += 1
            self.mean *= 0.9
            self.mean += 0.1 * x.mean(0)
            self.w += 1.0
            return np.sum((x - self.mean) * self.w**2)

    return Model()


@pytest.fixture(name="both")
def both_models(tmp_path: Path) -> tuple[Any, Any]:
    """A model, and what a file has of it."""
    model = _model()
    model.predict(X)
    model.train(X)
    weft.save(tmp_path / "model.weft", predict=model.predict, train=model.train)
    return model, weft.load(tmp_path / "model.weft")


X = np.linspace(-0.3, 0.4, 3 * N).reshape(3, N)


def loaded(tmp_path: Path, program: Callable[..., Any], *specs: Any) -> Any:
    """A function, as it comes back from a file."""
    weft.save(tmp_path / "f.weft", f=weft.function(program).get_concrete_function(*specs))
    return weft.load(tmp_path / "f.weft").f


def test_a_tape_sees_arguments_and_state(both: tuple[Any, Any]) -> None:
    model, again = both

    def asked(f: Callable[..., Any], w: Any) -> Any:
        with weft.GradientTape() as tape:
            x = tape.watch(X)
            tape.watch(w)
            y = np.sum(f(x) ** 2)
        return y, tape.gradient(y, (x, w))

    y, gradients = asked(again.predict, again.state["w"])
    expected = weft.value_and_grad(lambda x, w: np.sum(np.tanh(x @ w) ** 2), (0, 1))(X, model.w)
    np.testing.assert_allclose(y, expected[0])
    for found, wanted in zip(gradients, expected[1], strict=True):
        np.testing.assert_allclose(found, wanted)


def test_state_is_seen_without_being_named_and_written(both: tuple[Any, Any]) -> None:
    model, again = both
    w, mean = weft.Variable(model.w), weft.Variable(model.mean)

    def train(x: Any) -> Any:
        mean.assign(mean * 0.9 + 0.1 * x.mean(0))
        w.assign(w + 1.0)
        return np.sum((x - mean) * w**2)

    with weft.GradientTape() as tape:
        y = again.train(X) + again.train(2 * X)
    with weft.GradientTape() as wanted:
        z = train(X) + train(2 * X)
    np.testing.assert_allclose(y, z)
    for key, variable in (("w", w), ("mean", mean)):
        np.testing.assert_allclose(tape.gradient(y, again.state[key]), wanted.gradient(z, variable))
        np.testing.assert_allclose(again.state[key], np.asarray(variable))
    assert again.state["steps"] == 3


def test_training_with_a_tape_of_plain_python(both: tuple[Any, Any]) -> None:
    _, again = both
    w, losses = again.state["w"], list[float]()
    for _ in range(30):
        with weft.GradientTape() as tape:
            loss = np.mean((again.predict(X) - [0.1, -0.2, 0.3]) ** 2)
        w -= tape.gradient(loss, w)
        losses.append(float(weft.stop_gradient(loss)))
    assert losses[-1] < losses[0] / 2
    np.testing.assert_allclose(again.predict(X), np.tanh(X @ w))


def test_what_is_not_asked_for_is_constant(both: tuple[Any, Any]) -> None:
    _, again = both
    with weft.GradientTape(watch_accessed_variables=False) as tape:
        x = tape.watch(X)
        with tape.stop_recording():
            scale = np.sum(again.predict(x))
        y = np.sum(again.predict(x)) / scale
    by_x = tape.gradient(y, x)
    np.testing.assert_allclose(by_x, weft.grad(lambda x: np.sum(again.predict(x)))(X) / float(scale))
    with pytest.raises(ValueError, match="the result does not depend on what watch"):
        tape.gradient(y, again.state["w"])


def test_derivatives_of_derivatives(both: tuple[Any, Any]) -> None:
    model, again = both

    def loss(x: Any, w: Any) -> Any:
        return np.sum(np.tanh(x @ w) ** 3)

    with weft.GradientTape() as outer:
        x = outer.watch(X)
        with weft.GradientTape() as inner:
            inner.watch(x)
            y = np.sum(again.predict(x) ** 3)
        z = np.sum(inner.gradient(y, x) ** 2)
    wanted = weft.grad(lambda x: np.sum(weft.grad(loss)(x, model.w) ** 2))(X)
    np.testing.assert_allclose(outer.gradient(z, x), wanted)


def test_products_and_jacobians_in_eager_mode(both: tuple[Any, Any]) -> None:
    model, again = both

    def predict(x: Any) -> Any:
        return np.tanh(x @ model.w)

    v = np.cos(X)
    _, pullback = weft.vjp(again.predict, X)
    np.testing.assert_allclose(pullback(np.ones(3))[0], weft.vjp(predict, X)[1](np.ones(3))[0])
    with weft.eager():
        for transform in (weft.jacobian, lambda f: weft.hessian(lambda x: np.sum(f(x) ** 2))):
            np.testing.assert_allclose(transform(again.predict)(X), transform(predict)(X), atol=1e-12)
        for found, wanted in zip(
            weft.jvp(again.predict, (X,), (v,)), weft.jvp(predict, (X,), (v,)), strict=True
        ):
            np.testing.assert_allclose(found, wanted)
        pushed = weft.jvp(weft.grad(lambda x: np.sum(again.predict(x) ** 2)), (X,), (v,))[1]
        np.testing.assert_allclose(
            pushed, weft.jvp(weft.grad(lambda x: np.sum(predict(x) ** 2)), (X,), (v,))[1], atol=1e-12
        )


def _results(x: Any, n: Any, out: Any) -> Any:
    out += x * n
    if n > 1:
        first: Any = x[0] * 2
    else:
        first = 0
    return x[1:], first, n + 1, out, {"x": x, "none": None, "text": "a"}, x > 1, x.T[::2]


def test_results_of_all_kinds(tmp_path: Path) -> None:
    spec = weft.TensorSpec([3], "float32")
    f = loaded(tmp_path, _results, spec, weft.TensorSpec([], "int32"), weft.TensorSpec([3], "float32"))
    for n in np.int32([1, 2]):
        told = []
        for function in (_results, f):
            with weft.GradientTape() as tape:
                x, out = tape.watch(np.float32([1, 2, 3])), weft.zeros(3, "float32")
                made = function(x, n, out)
                assert made[3] is out
                assert made[4]["x"] is x
                y = np.sum(made[0] ** 2) + made[1] + np.sum(out * made[6].sum())
            told.append((repr(made), repr(y), repr(tape.gradient(y, x))))
        assert told[0] == told[1]


def test_writes_through_views_and_into_arrays_of_the_caller(tmp_path: Path) -> None:
    def program(x: Any, out: Any) -> Any:
        out *= x
        return out

    f = loaded(tmp_path, program, weft.TensorSpec([2]), weft.TensorSpec([2]))
    with weft.GradientTape() as tape:
        whole = tape.watch(np.arange(1.0, 5.0))
        x = tape.watch(np.array([2.0, 3.0]))
        part = whole * 1
        assert f(x, part[1:3]) is not None
        y = np.sum(part**2)
    np.testing.assert_array_equal(part, [1, 4, 9, 4])
    np.testing.assert_array_equal(tape.gradient(y, whole), [2, 16, 54, 8])
    np.testing.assert_array_equal(tape.gradient(y, x), [16, 54])
    mine, y = np.ones(2), np.array([5.0, 6.0])
    with weft.GradientTape() as tape:
        x = tape.watch(np.array([2.0, 3.0]))
        with pytest.raises(NotImplementedError, match="f writes to an array of NumPy's what depends on"):
            f(x, mine)
        np.testing.assert_array_equal(mine, [1, 1])
        assert f(weft.stop_gradient(x), mine) is mine
        np.testing.assert_array_equal(mine, [2, 3])
        assert f(y, mine) is mine


def test_state_that_is_written_under_a_tape_is_refused(both: tuple[Any, Any]) -> None:
    _, again = both
    with weft.GradientTape():
        again.predict(X)
        again.state["w"][0] = 7
        with pytest.raises(
            ValueError, match=r"the state 'w' of predict was written while a tape looks at it"
        ):
            again.predict(X)
    again.predict(X)


def test_errors_of_arguments_and_programs(tmp_path: Path) -> None:
    def checked(x: Any) -> Any:
        if x[0] < 0:
            raise ValueError(f"negative: {x[0]}")
        return x * 2

    f = loaded(tmp_path, checked, weft.TensorSpec([2]))
    with weft.GradientTape() as tape:
        x = tape.watch(np.array([-1.0, 2.0]))
        with pytest.raises(ValueError, match=r"negative: -1\.0"):
            f(x)
        with pytest.raises(TypeError, match=r"f takes f64\[2\] for 'x', not f64\[1\]"):
            f(x[:1])
        with pytest.raises(TypeError, match="missing a required argument"):
            f()
    leaked = SimpleQueue[Any]()
    keep = weft.do_not_convert(lambda value: leaked.put(value))
    weft.function(lambda x: keep(x))(np.ones(2))
    with pytest.raises(weft.LeakedArrayError):
        f(leaked.get())


def _random_state() -> Any:
    class Noise:
        def __init__(self) -> None:
            self.rng = np.random.default_rng(3)

        @weft.function
        def noisy(self, x: Any) -> Any:
            return x * self.rng.normal(size=2)

    return Noise()


def test_state_of_integers_alone_is_no_reason_for_a_tape(tmp_path: Path) -> None:
    noise = _random_state()
    noise.noisy(np.ones(2))
    weft.save(tmp_path / "noise.weft", noise.noisy)
    again = weft.load(tmp_path / "noise.weft")
    with weft.GradientTape() as tape:
        assert type(again.noisy(np.ones(2))) is np.ndarray
        x = tape.watch(np.ones(2))
        y = np.sum(again.noisy(x))
    noise.noisy(np.ones(2))
    np.testing.assert_array_equal(tape.gradient(y, x), noise.noisy(np.ones(2)))


def test_compiled_functions_are_seen_that_read_what_a_tape_watches() -> None:
    v = weft.Variable(np.array([2.0, 3.0]))

    @weft.function
    def f(x: Any) -> Any:
        return np.sum(v * x)

    for _ in range(4):  # native code takes over
        f(np.ones(2))
    with weft.GradientTape() as tape:
        y = f(np.ones(2)) + np.sum(v)
    np.testing.assert_array_equal(tape.gradient(y, v), [2, 2])
    for _ in range(2):
        assert f(np.ones(2)) == 5
