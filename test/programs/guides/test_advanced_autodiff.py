"""Advanced automatic differentiation."""

from __future__ import annotations

import numpy as np
import pytest

import weft


@pytest.fixture(params=["plain", "compiled"])
def run(request):
    """How a program is run."""
    return (
        (lambda program: program())
        if request.param == "plain"
        else (lambda program: weft.function(program)())
    )


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def elu(x):
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


def relu(x):
    return np.maximum(x, 0)


class Dense:
    def __init__(self, rng, inputs, units, activation):
        self.kernel = weft.Variable(rng.normal(size=(inputs, units)) / np.sqrt(inputs))
        self.bias = weft.Variable(np.zeros(units))
        self.activation = activation

    @property
    def trainable_variables(self):
        return [self.kernel, self.bias]

    def __call__(self, x):
        return self.activation(x @ self.kernel + self.bias)


class TestRecording:
    def test_stop_recording(self, run):
        x, y = weft.Variable(2.0), weft.Variable(3.0)

        def program():
            with weft.GradientTape() as t:
                x_sq = x * x
                with t.stop_recording():
                    y_sq = y * y
                z = x_sq + y_sq
            return t.gradient(z, {"x": x, "y": y})

        assert run(program) == {"x": 4.0, "y": None}

    def test_reset(self, run):
        x, y = weft.Variable(2.0), weft.Variable(3.0)

        def program():
            with weft.GradientTape() as t:
                y_sq = y * y
                t.reset()
                z = x * x + y_sq
            return t.gradient(z, {"x": x, "y": y})

        assert run(program) == {"x": 4.0, "y": None}

    def test_stop_gradient(self, run):
        x, y = weft.Variable(2.0), weft.Variable(3.0)

        def program():
            with weft.GradientTape() as t:
                y_sq = y**2
                z = x**2 + weft.stop_gradient(y_sq)
            return t.gradient(z, {"x": x, "y": y})

        assert run(program) == {"x": 4.0, "y": None}

    def test_custom_gradients(self, run):
        @weft.custom_gradient
        def clip_gradients(y):
            def backward(dy):
                norm = np.sqrt(np.sum(dy * dy))
                return dy * np.minimum(1.0, 0.5 / norm)

            return y, backward

        v = weft.Variable(2.0)

        def program():
            with weft.GradientTape() as t:
                output = clip_gradients(v * v)
            return t.gradient(output, v)

        assert run(program) == 2.0  # 4, clipped

    def test_custom_gradients_in_files(self, tmp_path):
        @weft.custom_gradient
        def clip_gradients(y):
            return y, lambda dy: np.clip(dy, -0.5, 0.5)

        class MyModule:
            @weft.function(input_signature=[weft.TensorSpec([])])
            def call_custom_grad(self, x):
                return clip_gradients(x)

        weft.save(tmp_path / "saved", call_custom_grad=MyModule().call_custom_grad)
        loaded = weft.load(tmp_path / "saved")
        v = weft.Variable(2.0)
        with weft.GradientTape() as t:
            output = loaded.call_custom_grad(v * v)
        assert t.gradient(output, v) == 2.0


class TestSeveralTapes:
    def test_each_watches_its_own(self, run):
        def program():
            x0 = x1 = np.array(0.0)
            with weft.GradientTape() as tape0, weft.GradientTape() as tape1:
                x0 = tape0.watch(x0 + 0)
                x1 = tape1.watch(x1 + 0)
                ys = np.sum(np.sin(x0) + sigmoid(x1))
            return tape0.gradient(ys, x0), tape1.gradient(ys, x1)

        assert run(program) == (1.0, 0.25)

    def test_higher_order(self, run):
        x = weft.Variable(1.0)

        def program():
            with weft.GradientTape() as t2:
                with weft.GradientTape() as t1:
                    y = x * x * x
                dy_dx = t1.gradient(y, x)
            return dy_dx, t2.gradient(dy_dx, x)

        assert run(program) == (3.0, 6.0)

    def test_input_gradient_regularization(self):
        rng = np.random.default_rng(0)
        x, layer = rng.normal(size=(7, 5)), Dense(rng, 5, 10, relu)

        def program(x):
            with weft.GradientTape() as t2:
                with weft.GradientTape(watch_accessed_variables=False) as t1:
                    x = t1.watch(x)
                    out = np.sum(layer(x) ** 2)
                g1 = t1.gradient(out, x)
                g1_mag = np.sqrt(np.sum(g1**2))
            return t2.gradient(g1_mag, layer.trainable_variables)

        plain, compiled = program(x), weft.function(program)(x)
        assert [g.shape for g in compiled] == [(5, 10), (10,)]
        for one, other in zip(plain, compiled, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


class TestJacobians:
    def test_a_scalar_source(self, run):
        delta = weft.Variable(0.0)
        x = np.linspace(-10.0, 10.0, 200 + 1)

        def program():
            with weft.GradientTape() as tape:
                y = sigmoid(x + delta)
            return tape.jacobian(y, delta)

        dy_dx = run(program)
        assert dy_dx.shape == (201,)
        np.testing.assert_allclose(dy_dx, sigmoid(x) * (1 - sigmoid(x)), rtol=1e-9)

    def test_a_tensor_source(self, run):
        rng = np.random.default_rng(0)
        x, layer = rng.normal(size=(7, 5)), Dense(rng, 5, 10, relu)

        def program():
            with weft.GradientTape(persistent=True) as tape:
                y = layer(x)
            return tape.jacobian(y, layer.kernel), tape.gradient(y, layer.kernel)

        j, g = run(program)
        assert (j.shape, g.shape) == ((7, 10, 5, 10), (5, 10))
        assert np.max(np.abs(g - np.sum(j, axis=(0, 1)))) < 1e-12

    def test_newtons_method(self):
        rng = np.random.default_rng(1)
        x = rng.normal(size=(7, 5))
        layer1, layer2 = Dense(rng, 5, 3, elu), Dense(rng, 3, 2, elu)

        def loss_of(x):
            return np.mean(layer2(layer1(x)) ** 2)

        @weft.function
        def update(x):
            with weft.GradientTape() as t2:
                with weft.GradientTape() as t1:
                    loss = loss_of(x)
                g = t1.gradient(loss, layer1.kernel)
            h = t2.jacobian(g, layer1.kernel)
            h_mat = np.reshape(h, [15, 15])
            step = np.linalg.solve(h_mat + np.eye(15) * 1e-3, np.reshape(g, [15, 1]))
            layer1.kernel.assign_sub(np.reshape(step, layer1.kernel.shape))
            return h, loss

        h, _ = update(x)
        h_mat = h.reshape(15, 15)
        assert h.shape == (5, 3, 5, 3)
        np.testing.assert_allclose(h_mat, h_mat.T, atol=1e-12)

    def test_batch_jacobians(self, run):
        rng = np.random.default_rng(2)
        x = rng.normal(size=(7, 5))
        layer1, layer2 = Dense(rng, 5, 8, elu), Dense(rng, 8, 6, elu)

        def program():
            with weft.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
                watched = tape.watch(x)
                y = layer2(layer1(watched))
            return tape.jacobian(y, watched), tape.batch_jacobian(y, watched)

        j, jb = run(program)
        assert (j.shape, jb.shape) == ((7, 6, 7, 5), (7, 6, 5))
        assert np.max(np.abs(jb - np.sum(j, axis=2))) < 1e-12
        np.testing.assert_allclose(np.einsum("bxby->bxy", j), jb, atol=1e-12)
        assert np.count_nonzero(j[:, 0, :, 0]) == 7  # a diagonal

    def test_items_that_are_not_independent(self, run):
        rng = np.random.default_rng(3)
        x, layer = rng.normal(size=(4, 3)), Dense(rng, 3, 2, elu)

        def program():
            with weft.GradientTape(watch_accessed_variables=False) as tape:
                watched = tape.watch(x)
                y = layer(watched)
                y = (y - np.mean(y, axis=0)) / np.std(y, axis=0)
            return tape.jacobian(y, watched), tape.batch_jacobian(y, watched)

        j, jb = run(program)
        assert np.count_nonzero(j[:, 0, :, 0]) > 4
        np.testing.assert_allclose(jb, np.einsum("bxcy->cxy", j), atol=1e-12)  # of the sums over the batch
