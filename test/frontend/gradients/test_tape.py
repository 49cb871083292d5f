"""`weft.GradientTape` inside of compiled functions: what it sees, what it is asked for, nested, in loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

X = np.array([1.0, 2.0, 3.0])
WEIGHTS = np.array([0.5, 1.0, 1.5])


class Model:
    """Arrays in attributes and lists, and a number that is none of them."""

    def __init__(self) -> None:
        self.w, self.b, self.count = np.ones(3), np.zeros(()), 3
        self.layers = [np.ones(3), np.ones(3, np.float32)]

    def __call__(self, x: Any) -> Any:
        return np.sum(self.w * x) + self.b + np.sum(self.layers[0] * x)

    @weft.function
    def step(self, x: Any) -> Any:
        with weft.GradientTape() as tape:
            loss = (self(x) - 1.0) ** 2
        by_w, by_b, by_layers = tape.gradient(loss, (self.w, self.b, self.layers))
        self.w -= 0.01 * by_w
        self.b -= 0.01 * by_b
        return tape.gradient(loss, self), by_layers, loss


def test_arrays_of_objects_are_seen() -> None:
    model = Model()
    traces = []
    for factor in (22.0, 15.4):  # the second call is by the weights of the first
        by_self, by_layers, _ = model.step(X)
        assert sorted(by_self) == ["b", "layers[0]", "w"]  # what was read
        np.testing.assert_allclose(by_self["w"], factor * X)
        np.testing.assert_allclose(by_self["layers[0]"], factor * X)
        assert by_layers[1] is None
        np.testing.assert_allclose(by_self["b"], factor)
        traces.append(Model.step.trace_count)
    assert traces[0] == traces[1]


def test_training_in_a_loop() -> None:
    @weft.function
    def train(w: Any, v: Any, x: Any, steps: Any) -> Any:
        history = []
        for _ in range(steps):
            with weft.GradientTape() as tape:
                loss = np.sum((x @ w + v - 1) ** 2)
            by_w, by_v = tape.gradient(loss, [w, v])
            w -= 0.1 * by_w  # in place
            v = v - 0.1 * by_v  # another array
            history.append(loss)
        return v, np.stack(history)

    w, v = np.zeros(2), np.zeros(2)
    moved, history = train(w, v, np.eye(2), np.int64(30))
    np.testing.assert_allclose(w, moved)
    np.testing.assert_allclose(history, 2 * 0.6 ** (2 * np.arange(30)))
    np.testing.assert_array_equal(v, np.zeros(2))


def test_tapes_nest() -> None:
    @weft.function
    def derivatives(x: Any) -> Any:
        with weft.GradientTape() as outer:
            with weft.GradientTape() as inner:
                y = np.sum(x**3)
            early = outer.gradient(y, x)
            first = inner.gradient(y, x)
            z = np.sum(first * first)
        second = outer.jacobian(first, x)
        return early, first, second, outer.gradient(z, x), inner.gradient(z, x), inner.gradient(y, x)

    early, first, second, by_outer, by_inner, again = derivatives(X)
    for found in (early, first, again):
        np.testing.assert_allclose(found, 3 * X**2)
    np.testing.assert_allclose(second, np.diag(6 * X))
    np.testing.assert_allclose(by_outer, 36 * X**3)
    np.testing.assert_allclose(by_inner, 36 * X**3)


def test_what_is_written_and_copied_in_the_block() -> None:
    @weft.function
    def program(x: Any) -> Any:
        x *= 2
        start = x.copy()
        with weft.GradientTape() as tape:
            x[0] = x[1] * x[2]
            total = np.sum(x * start)
            t = tape.watch(total * 2)
            z = t * t * x[1]
        behind = np.sum(x * x)
        return (
            tape.gradient(total, x),
            tape.gradient(total, start),
            tape.gradient(z, [t, x[1:]]),
            tape.jacobian(x, x),
            tape.gradient(behind, start),
        )

    x = X.copy()
    by_x, by_start, (by_t, by_view), all_of_x, unconnected = program(x)
    np.testing.assert_array_equal(x, [24, 4, 6])
    np.testing.assert_allclose(by_x, [0, 16, 14])
    np.testing.assert_allclose(by_start, [24, 4, 6])
    np.testing.assert_allclose(by_t, 1600)
    np.testing.assert_allclose(by_view, [40000 + 3200 * 16, 3200 * 14])
    np.testing.assert_allclose(all_of_x, [[0, 6, 4], [0, 1, 0], [0, 0, 1]])
    assert unconnected is None


def test_globals_numbers_weights_and_structures() -> None:
    @weft.function
    def program(x: Any, n: Any) -> Any:
        other = n * np.ones(2)
        with weft.GradientTape() as tape:
            scale = tape.watch(2.0)
            y = {"u": WEIGHTS * 2 * x, "v": scale * x[0]}
            for i in range(n):
                if x[0] > i:
                    y["v"] = y["v"] * x[1]
        by = tape.gradient(y, {"w": WEIGHTS, "s": scale})
        weighted = tape.gradient(y, x, output_gradients={"u": x, "v": 0.0})
        return by, weighted, tape.gradient(y, other, unconnected_gradients="zero")

    by, weighted, zeros = program(X, np.int64(50))
    np.testing.assert_allclose(by["w"], 2 * X)
    np.testing.assert_allclose(by["s"], 2.0)
    np.testing.assert_allclose(weighted, 2 * WEIGHTS * X)
    np.testing.assert_array_equal(zeros, np.zeros(2))


def paused(x: Any) -> Any:
    """A tape pauses, and one around it does not."""
    with weft.GradientTape(persistent=True) as outer:
        x = outer.watch(x)
        with weft.GradientTape() as tape:
            x = tape.watch(x)
            y = x * x
            with tape.stop_recording():
                total = np.sum(y)
                tripled = x * 3
            y = y / total * tripled
        by_inner = tape.gradient(y, x)
        z = np.sum(y)
    return by_inner, outer.gradient(z, x)


@pytest.mark.parametrize("make", [lambda f: f, weft.function], ids=["plain", "compiled"])
def test_a_tape_that_does_not_record(make: Any) -> None:
    by_inner, by_outer = make(paused)(X)
    np.testing.assert_allclose(by_inner, 2 * X / 14 * (3 * X))
    np.testing.assert_allclose(by_outer, 9 * X**2 / 14 - 2 * X * np.sum(3 * X**3) / 14**2)


def test_what_was_before_a_reset_is_constant() -> None:
    def program(x: Any, w: Any) -> Any:
        with weft.GradientTape() as tape:
            y = x * x
            tape.reset()
            z = y * x
        with weft.GradientTape(watch_accessed_variables=False) as some:
            u = some.watch(x) * w
        return tape.gradient(z, x), some.gradient(u, x), some.gradient(u, w)

    first, by_x, by_w = weft.function(program)(X, WEIGHTS)
    np.testing.assert_allclose(first, X * X)
    np.testing.assert_allclose(by_x, WEIGHTS)
    assert by_w is None
    v = weft.Variable(X.copy())
    with weft.GradientTape() as tape:
        tape.reset()
        y = v * v
        with tape.stop_recording():
            v.assign(v * 2)
    np.testing.assert_allclose(tape.gradient(y, v), 2 * X)


def test_a_tape_is_reset_where_it_was_entered() -> None:
    def program(x: Any) -> None:
        with weft.GradientTape() as tape:
            if x[0] > 0:
                tape.reset()

    with pytest.raises(ValueError, match="reset where it was entered, not in a branch"):
        weft.function(program)(X)


def asked(x: Any, ask: Any) -> Any:
    with weft.GradientTape() as tape:
        y = x * x
        n = np.argmax(x)
        y += 1  # its value before that is gone
        z = y * y
    return ask(tape, x, y, z, n)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda tape, x, y, z, n: tape.gradient(z, y), ValueError, r"x was computed after .* x = tape.watch\(x\)"),
        (lambda tape, x, y, z, n: tape.gradient(z, [x, n]), TypeError, r"x\[1\] is .* of int64, by which there is no"),
        (lambda tape, x, y, z, n: tape.gradient(z, 2.0), ValueError, "x is not an array that the tape saw"),
        (lambda tape, x, y, z, n: tape.gradient([z, n], x), TypeError, r"y\[1\] is .* of int64: gradients are those"),
        (lambda tape, x, y, z, n: tape.gradient(z * 1j, x), TypeError, "y is an array of complex128"),
        (lambda tape, x, y, z, n: tape.gradient(z, x, [z]), TypeError, "output_gradients has another structure"),
        (lambda tape, x, y, z, n: tape.gradient(z, x, z[:1]), TypeError, r"output_gradients is f64\[1\], but y is"),
        (lambda tape, x, y, z, n: tape.gradient(z, x, None, "no"), ValueError, 'is "none" or "zero", not \'no\''),
        (lambda tape, x, y, z, n: tape.watch(x), ValueError, "inside of its `with` block"),
        (lambda tape, x, y, z, n: tape.stop_recording(), ValueError, "call stop_recording there"),
        (lambda tape, x, y, z, n: tape.reset(), ValueError, "call reset there"),
        (lambda tape, x, y, z, n: tape.__enter__().watch(n), TypeError, "x is a number of int64"),
        (lambda tape, x, y, z, n: tape.__enter__().__enter__(), ValueError, "open already"),
        (lambda tape, x, y, z, n: weft.GradientTape().gradient(z, x), ValueError, "was not entered"),
    ],
)  # fmt: skip
def test_misuse_is_explained(ask: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        weft.function(lambda x: asked(x, ask))(X)


def test_a_tape_ends_with_the_branch_that_entered_it() -> None:
    @weft.function
    def program(x: Any) -> Any:
        tape = y = None
        if x[0] > 0:
            tape = weft.GradientTape()
            with tape:
                y = x * x
        else:
            tape, y = None, x
        return y if tape is None else tape.gradient(y, x)

    with pytest.raises(ValueError, match="entered in a branch or loop that has ended"):
        program(X)


def test_a_tape_that_is_open_is_not_entered_again() -> None:
    with weft.GradientTape() as tape, pytest.raises(ValueError, match="this tape is open already"):
        tape.__enter__()
