"""Introduction to gradients and automatic differentiation.

Each program runs in plain Python and compiled. In plain Python, `x = tape.watch(x)` gives an array that remembers what
is computed of it; a guide's tape looks at x itself.
"""

from __future__ import annotations

import numpy as np
import pytest

import weft

F32 = np.float32


@pytest.fixture(params=["plain", "compiled"])
def run(request):
    """How a program is run."""
    return (
        (lambda program: program())
        if request.param == "plain"
        else (lambda program: weft.function(program)())
    )


def softplus(x):
    return np.logaddexp(0, x)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class TestTapes:
    def test_a_square(self, run):
        x = weft.Variable(3.0)

        def program():
            with weft.GradientTape() as tape:
                y = x**2
            return tape.gradient(y, x)

        assert run(program) == 6.0

    def test_several_sources(self, run):
        rng = np.random.default_rng(0)
        w = weft.Variable(rng.normal(size=(3, 2)).astype(F32), name="w")
        b = weft.Variable(np.zeros(2, F32), name="b")
        x = np.array([[1.0, 2.0, 3.0]], F32)

        def program():
            with weft.GradientTape(persistent=True) as tape:
                y = x @ w + b
                loss = np.mean(y**2)
            return tape.gradient(loss, [w, b]), tape.gradient(loss, {"w": w, "b": b})

        [dl_dw, dl_db], named = run(program)
        assert w.shape == dl_dw.shape == (3, 2)
        np.testing.assert_allclose(dl_db, (x @ w.value)[0], rtol=1e-6)
        np.testing.assert_array_equal(named["b"], dl_db)

    def test_a_model(self, run):
        class Dense:
            def __init__(self, rng):
                self.kernel = weft.Variable(rng.normal(size=(3, 2)), name="kernel")
                self.bias = weft.Variable(np.zeros(2), name="bias")

            def __call__(self, x):
                return np.maximum(x @ self.kernel + self.bias, 0)

        layer, x = Dense(np.random.default_rng(0)), np.array([[1.0, 2.0, 3.0]])

        def program():
            with weft.GradientTape() as tape:
                y = layer(x)
                loss = np.mean(y**2)
            return tape.gradient(loss, list(weft_variables)), [v.name for v in tape.watched_variables()]

        weft_variables = [layer.kernel, layer.bias]
        (dk, db), names = run(program)
        assert (dk.shape, db.shape) == ((3, 2), (2,))
        assert names == ["kernel", "bias"]


class TestWatching:
    def test_what_a_tape_watches(self, run):
        x0 = weft.Variable(3.0, name="x0")
        x1 = weft.Variable(3.0, name="x1", trainable=False)

        def program():
            with weft.GradientTape() as tape:
                y = x0**2 + x1**2
            return tape.gradient(y, [x0, x1]), [v.name for v in tape.watched_variables()]

        (first, second), names = run(program)
        assert (first, second, names) == (6.0, None, ["x0"])

    def test_arrays_that_are_not_watched_are_named(self):
        """A guide's tape gives None for these."""
        x2, x3 = weft.Variable(2.0) + 1.0, np.array(3.0)
        with weft.GradientTape() as tape:
            y = x2**2
        for one in (x2, x3):
            with pytest.raises(
                ValueError, match=r"in plain Python it sees what is watched, so write x = tape.watch"
            ):
                tape.gradient(y, one)

    def test_watching_an_array(self, run):
        def program():
            x = np.array(3.0)
            with weft.GradientTape() as tape:
                x = tape.watch(x)
                y = x**2
            return tape.gradient(y, x)

        assert run(program) == 6.0

    def test_watching_no_variables(self, run):
        x0, x1 = weft.Variable(0.0), weft.Variable(10.0)

        def program():
            with weft.GradientTape(watch_accessed_variables=False) as tape:
                tape.watch(x1)
                ys = np.sum(np.sin(x0) + softplus(x1))
            return tape.gradient(ys, {"x0": x0, "x1": x1})

        grad = run(program)
        assert grad["x0"] is None
        assert grad["x1"] == pytest.approx(0.9999546)


class TestResults:
    def test_intermediate_results(self, run):
        def program():
            x = np.array(3.0)
            with weft.GradientTape() as tape:
                x = tape.watch(x)
                y = x * x
                z = y * y
            return tape.gradient(z, y)

        assert run(program) == 18.0

    def test_asking_several_times(self, run):
        def program():
            x = np.array([1, 3.0])
            with weft.GradientTape(persistent=True) as tape:
                x = tape.watch(x)
                y = x * x
                z = y * y
            return tape.gradient(z, x), tape.gradient(y, x)

        by_z, by_y = run(program)
        np.testing.assert_array_equal(by_z, [4.0, 108.0])
        np.testing.assert_array_equal(by_y, [2.0, 6.0])

    def test_several_targets(self, run):
        x = weft.Variable(2.0)

        def program():
            with weft.GradientTape(persistent=True) as tape:
                y0 = x**2
                y1 = 1 / x
                y2 = x * np.array([3.0, 4.0])
            return (
                tape.gradient(y0, x),
                tape.gradient(y1, x),
                tape.gradient({"y0": y0, "y1": y1}, x),
                tape.gradient(y2, x),
            )

        assert run(program) == (4.0, -0.25, 3.75, 7.0)

    def test_elements(self, run):
        def program():
            x = np.linspace(-10.0, 10.0, 200 + 1)
            with weft.GradientTape() as tape:
                x = tape.watch(x)
                y = sigmoid(x)
            return tape.gradient(y, x)

        s = sigmoid(np.linspace(-10.0, 10.0, 201))
        np.testing.assert_allclose(run(program), s * (1 - s), rtol=1e-9)


class TestControlFlow:
    def test_variables_of_branches(self):
        v0, v1 = weft.Variable(2.0), weft.Variable(2.0)

        def program(x):
            with weft.GradientTape(persistent=True) as tape:
                x = tape.watch(x)
                if x > 0.0:
                    result = v0
                else:
                    result = v1**2
            return tape.gradient(result, [v0, v1]), tape.gradient(result, x)

        (dv0, dv1), dx = program(np.array(1.0))
        assert (dv0, dv1, dx) == (1.0, None, None)
        # Compiled, both branches are there: what another one would have given has the gradient 0, not None.
        compiled = weft.function(program)
        (dv0, dv1), dx = compiled(np.array(1.0))
        assert (dv0, dv1, dx) == (1.0, 0.0, 0.0)
        (dv0, dv1), dx = compiled(np.array(-1.0))
        assert (dv0, dv1, dx) == (0.0, 4.0, 0.0)


class TestNone:
    def test_what_is_not_connected(self, run):
        x, y = weft.Variable(2.0), weft.Variable(3.0)

        def program():
            with weft.GradientTape() as tape:
                z = y * y
            return tape.gradient(z, x), tape.gradient(z, x, unconnected_gradients="zero")

        assert run(program) == (None, 0.0)

    def test_zeros_of_an_array(self, run):
        x, y = weft.Variable([2.0, 2.0]), weft.Variable(3.0)

        def program():
            with weft.GradientTape() as tape:
                z = y**2
            return tape.gradient(z, x, unconnected_gradients="zero")

        np.testing.assert_array_equal(run(program), [0.0, 0.0])

    def test_a_variable_that_was_replaced(self):
        """A guide's second tape gives None; here it says what to write."""
        x = weft.Variable(2.0)
        for epoch in range(2):
            with weft.GradientTape() as tape:
                y = x + 1
            if epoch == 0:
                assert tape.gradient(y, x) == 1.0
            else:
                assert type(x) is np.float64
                with pytest.raises(ValueError, match="is not an array that the tape saw"):
                    tape.gradient(y, x)
            x = x + 1  # should be `x.assign_add(1)`

    def test_numpy_is_seen(self, run):
        """A guide's tape loses what NumPy computes."""
        x = weft.Variable([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32)

        def program():
            with weft.GradientTape() as tape:
                x2 = x**2
                y = np.mean(x2, axis=0)
                y = np.mean(y, axis=0)
            return tape.gradient(y, x)

        np.testing.assert_array_equal(run(program), [[0.5, 1.0], [1.5, 2.0]])

    def test_integers(self, run):
        """A guide's tape gives None."""

        def program():
            x = np.array(10)
            with weft.GradientTape() as tape:
                x = tape.watch(x)
                y = x * x
            return tape.gradient(y, x)

        with pytest.raises(TypeError, match="x is a number of int64, by which there is no derivative"):
            run(program)

    def test_state(self, run):
        """A guide's tape sees no gradient through a variable that was written."""
        x0, x1 = weft.Variable(3.0), weft.Variable(0.0)

        def program():
            with weft.GradientTape() as tape:
                x1.assign_add(x0)
                y = x1**2
            return tape.gradient(y, x0)

        assert run(program) == 6.0

    def test_without_a_derivative(self, run):
        image, delta = weft.Variable([[0.5, 0.0]]), weft.Variable(0.1)

        def program():
            with weft.GradientTape() as tape:
                result = weft.TensorSpec((1, 2), "float64")
                new_image = weft.py_call(lambda a, b: a * b, image.value, delta.value, result=result)
            return tape.gradient(new_image, [image, delta])

        with pytest.raises(weft.DifferentiationError, match="what Python computes has no derivative"):
            run(program)
