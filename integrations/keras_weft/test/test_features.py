"""What models and layers of Keras can do, trained by compiled steps and by Python."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import keras
import numpy as np
import pytest
from keras import layers, ops

import weft

rng = np.random.default_rng(0)
X = rng.normal(size=(16, 4)).astype("float32")
Y = rng.normal(size=(16, 1)).astype("float32")


def trained(make: Callable[[], keras.Model], optimizer: Callable[[], Any] | str = "sgd") -> keras.Model:
    """The model after two steps of eight rows, compiled; a step by Python has the same losses."""
    models = []
    for run_eagerly in (False, True):
        keras.utils.set_random_seed(1)
        model = make()
        chosen = optimizer if isinstance(optimizer, str) else optimizer()
        model.compile(chosen, "mse", run_eagerly=run_eagerly)
        model.fit(X, Y, batch_size=8, shuffle=False, verbose=0)
        models.append(model)
    compiled, eager = models
    np.testing.assert_allclose(compiled.history.history["loss"], eager.history.history["loss"], rtol=1e-3)
    for variable, expected in zip(compiled.variables, eager.variables, strict=True):
        np.testing.assert_allclose(variable.numpy(), expected.numpy(), rtol=2e-3, atol=1e-4)
    assert compiled.train_function.one.trace_count == 1
    return compiled


def dense(*parts: Any) -> keras.Model:
    return keras.Sequential([keras.Input((4,)), layers.Dense(3, activation="tanh"), *parts, layers.Dense(1)])


@pytest.fixture
def half_precision() -> Iterator[None]:
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_float16")
    yield
    keras.config.set_dtype_policy(before)


@pytest.mark.usefixtures("half_precision")
def test_mixed_precision() -> None:
    model = trained(dense)
    assert isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer)
    assert model.layers[0].kernel.numpy().dtype == np.float32
    assert model.layers[0](X).dtype == np.float16


def test_averages_schedules_clipping_and_decay() -> None:
    def optimizer() -> Any:
        schedule = keras.optimizers.schedules.CosineDecay(0.05, 10)
        return keras.optimizers.AdamW(
            schedule, global_clipnorm=0.5, weight_decay=0.1, use_ema=True, ema_momentum=0.9
        )

    model = trained(dense, optimizer)
    averages = model.optimizer._model_variables_moving_average
    for variable, average in zip(model.trainable_variables, averages, strict=True):
        np.testing.assert_array_equal(variable.numpy(), average.numpy())  # as `fit` leaves it


def test_normalisation_dropout_and_noise() -> None:
    model = trained(
        lambda: dense(
            layers.BatchNormalization(), layers.Dropout(0.5, seed=3), layers.GaussianNoise(0.1, seed=4)
        )
    )
    assert model.layers[1].moving_mean.numpy().any()


def test_low_rank_adaptation() -> None:
    def make() -> keras.Model:
        model = dense()
        model.layers[0].enable_lora(rank=2)
        return model

    model = trained(make)
    kernel = model.layers[0]._kernel
    keras.utils.set_random_seed(1)
    np.testing.assert_array_equal(kernel.numpy(), dense().layers[0].kernel.numpy())  # frozen
    assert len(model.layers[0].trainable_variables) == 3


def test_frozen_layers_stay() -> None:
    def make() -> keras.Model:
        model = dense()
        model.layers[0].trainable = False
        return model

    model = trained(make)
    keras.utils.set_random_seed(1)
    np.testing.assert_array_equal(model.layers[0].kernel.numpy(), dense().layers[0].kernel.numpy())
    assert (model.layers[1].kernel.numpy() != dense().layers[1].kernel.numpy()).any()


class Penalised(layers.Layer):
    """A layer with a loss, a metric and a counter of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = self.add_weight(shape=(), initializer="zeros", trainable=False)
        self.seen = keras.metrics.Mean(name="seen")

    def call(self, x: Any) -> Any:
        self.add_loss(ops.mean(ops.square(x)))
        self.seen.update_state(x)
        self.calls.assign_add(1.0)
        return x


def test_losses_metrics_and_counters_of_layers() -> None:
    model = trained(lambda: dense(Penalised()))
    assert float(model.layers[1].calls.numpy()) == 2
    assert float(model.layers[1].seen.count.numpy()) == 16


def test_custom_gradients() -> None:
    @ops.custom_gradient
    def clipped(x: Any) -> Any:
        return x * 2.0, lambda *arguments, upstream=None: ops.clip(
            arguments[0] if upstream is None else upstream, -0.1, 0.1
        )

    variable = keras.Variable([1.0, 2.0])

    def gradient() -> Any:
        with weft.GradientTape() as tape:
            loss = ops.sum(clipped(variable) * np.array([0.05, 7.0], "float32"))
        return tape.gradient(loss, variable)

    for found in (gradient(), weft.function(gradient)()):
        np.testing.assert_allclose(found, [0.05, 0.1], rtol=1e-6)


def test_rematerialisation() -> None:
    def make() -> keras.Model:
        with keras.RematScope(mode="full"):
            return dense(layers.Dense(3, activation="tanh"), layers.Dropout(0.2, seed=2))

    keras.utils.set_random_seed(1)
    model = trained(make)
    expected = trained(lambda: dense(layers.Dense(3, activation="tanh"), layers.Dropout(0.2, seed=2)))
    np.testing.assert_allclose(model.history.history["loss"], expected.history.history["loss"], rtol=1e-5)


def test_calls_without_state() -> None:
    keras.utils.set_random_seed(1)
    model = dense(layers.BatchNormalization())
    optimizer = keras.optimizers.SGD(0.1)
    optimizer.build(model.trainable_variables)
    before = [variable.numpy() for variable in model.variables]

    def loss_of(trainable: Any, fixed: Any, x: Any, y: Any) -> Any:
        predicted, fixed = model.stateless_call(trainable, fixed, x, training=True)
        return ops.mean(ops.square(predicted - y)), fixed

    @weft.function
    def step(trainable: Any, fixed: Any, own: Any, x: Any, y: Any) -> Any:
        (loss, fixed), gradients = weft.value_and_grad(loss_of, has_aux=True)(trainable, fixed, x, y)
        trainable, own = optimizer.stateless_apply(own, gradients, trainable)
        return loss, trainable, fixed, own

    state = [
        [v.numpy() for v in vs]
        for vs in (model.trainable_variables, model.non_trainable_variables, optimizer.variables)
    ]
    losses = []
    for _ in range(3):
        loss, *state = step(*state, X, Y)
        losses.append(float(loss))
    assert losses[2] < losses[0]
    assert step.trace_count == 2  # the counters among the results are numbers of NumPy's
    for variable, value in zip(model.variables, before, strict=True):
        np.testing.assert_array_equal(variable.numpy(), value)  # nothing was written
    model.compile(keras.optimizers.SGD(0.1), "mse")
    np.testing.assert_allclose(losses, [model.train_on_batch(X, Y) for _ in range(3)], rtol=1e-5)


def test_vectorized_map_of_functions_that_act_for_each_row() -> None:
    x = np.arange(12, dtype="float32").reshape(4, 3)
    count = keras.Variable(0.0)

    def mapped(rows: Any, seed: Any) -> Any:
        def of_row(row: Any) -> Any:
            count.assign_add(1.0)
            return row + keras.random.normal((3,), seed=seed)

        return ops.vectorized_map(of_row, rows)

    wanted = mapped(x, keras.random.SeedGenerator(3))
    seed = keras.random.SeedGenerator(3)
    np.testing.assert_allclose(weft.function(lambda rows: mapped(rows, seed))(x), wanted, rtol=1e-6)
    assert float(count.numpy()) == 8
    assert len(np.unique(wanted - x)) == 12


def test_shapes_of_layers_are_found_without_computing() -> None:
    class Halved(layers.Layer):
        def build(self, shape: Any) -> None:
            self.calls = self.add_weight(shape=(), initializer="zeros", trainable=False)

        def call(self, x: Any) -> Any:
            assert weft.is_traced(x)
            self.calls.assign_add(1.0)
            return {"half": x[:, ::2], "mean": ops.mean(x, axis=(1, 2))}

    layer = Halved()
    found = layer(layers.Input((224, 224, 3)))
    assert (found["half"].shape, found["mean"].shape) == ((None, 112, 224, 3), (None, 3))
    assert float(layer.calls.numpy()) == 0

    class OfNumPy(layers.Layer):
        def call(self, x: Any) -> Any:
            return ops.convert_to_tensor(np.asarray(ops.convert_to_numpy(x)) * 2)

    assert OfNumPy()(layers.Input((3,))).shape == (None, 3)  # which cannot be traced


def test_control_flow_of_ops() -> None:
    def computed(x: Any) -> Any:
        chosen = ops.cond(ops.sum(x) > 0, lambda: x * 2, lambda: x - 1)
        count, total = ops.while_loop(
            lambda i, s: ops.sum(s) < 50, lambda i, s: (i + 1, s * 2), (0, ops.abs(chosen) + 1)
        )
        carry, rows = ops.scan(lambda c, row: (c + row, c * row), chosen[0] * 0, chosen)
        power = ops.fori_loop(0, 3, lambda i, v: v + i, chosen)
        mapped = ops.vectorized_map(lambda row: ops.sum(row) * row, chosen)
        prefix = ops.associative_scan(lambda a, b: a + b, chosen, axis=1)
        branch = ops.switch(count % 3, [lambda v: v, lambda v: -v, lambda v: v * v], chosen)
        updated = ops.scatter_update(ops.slice_update(chosen, (1, 1), total[:2, :2]), [[0, 0]], [9.0])
        return (
            count,
            total,
            carry,
            rows,
            power,
            mapped,
            prefix,
            branch,
            updated,
            ops.slice(chosen, (1, 0), (2, -1)),
        )

    compiled = weft.function(computed)
    for x in (X[:3], -np.abs(X[:3])):
        for found, expected in zip(compiled(x), computed(x), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert compiled.trace_count == 1


def test_a_layer_that_weft_refuses_runs_by_python() -> None:
    class Pickled(layers.Layer):
        def call(self, x: Any) -> Any:
            return pickle.loads(pickle.dumps(np.asarray(x)))

    model = keras.Sequential([keras.Input((4,)), Pickled()])
    with pytest.warns(weft.FallbackWarning, match="the model runs eagerly, as weft cannot compile its step"):
        first = model.predict(X, verbose=0)
    np.testing.assert_array_equal(first, X)
    np.testing.assert_array_equal(model.predict(X, verbose=0), first)  # and says it once


def test_what_python_refuses_as_well_is_an_error() -> None:
    class Mismatched(layers.Layer):
        def call(self, x: Any) -> Any:
            return x @ np.ones((7, 2), "float32")

    model = keras.Sequential([Mismatched()])
    model.built = model.layers[0].built = True
    with pytest.raises(ValueError, match="matmul"):
        model.predict_on_batch(X)


class Damped(layers.Layer):
    """Adds losses around a loop that arrays decide, or in it."""

    def __init__(self, is_inside: bool) -> None:
        super().__init__(name="damped")
        self.is_inside = is_inside

    def call(self, x: Any) -> Any:
        self.add_loss(ops.mean(x**2))
        while ops.sum(ops.abs(x)) > 4:
            x = x * 0.5
            if self.is_inside:
                self.add_loss(ops.mean(x))
        self.add_loss(ops.mean(ops.abs(x)))
        return x


def test_losses_of_layers_with_loops() -> None:
    def losses(is_inside: bool, eagerly: bool) -> Any:
        keras.utils.set_random_seed(1)
        inputs = layers.Input((4,))
        model = keras.Model(inputs, layers.Dense(1)(Damped(is_inside)(layers.Dense(4)(inputs))))
        model.compile(keras.optimizers.SGD(0.01), "mse", run_eagerly=eagerly)
        # The last batch is smaller.
        return model.fit(X, Y, batch_size=5, epochs=2, shuffle=False, verbose=0).history["loss"]

    np.testing.assert_allclose(losses(False, False), losses(False, True), rtol=1e-5)
    with pytest.warns(weft.FallbackWarning, match="layer 'damped' calls add_loss in a branch or loop"):
        found = losses(True, False)
    np.testing.assert_allclose(found, losses(True, True), rtol=1e-5)
