"""`fit`, `evaluate` and `predict` as compiled steps, beside the same steps run by Python."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import keras_weft
import weft
from keras_weft.src.targets import shapes_that_differ

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 6)).astype("float32")
Y = (X[:, 0] > 0).astype("int32")
LOSS = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def small_model(seed: int = 1, optimizer: str = "SGD", **options: Any) -> keras.Model:
    """A model that is compiled for classes; by an optimizer whose step is soon compiled, if not said otherwise."""
    keras.utils.set_random_seed(seed)
    model = keras.Sequential(
        [keras.Input((6,)), keras.layers.Dense(5, activation="tanh"), keras.layers.Dense(2)]
    )
    made = getattr(keras.optimizers, optimizer)(0.05)
    model.compile(made, LOSS, metrics=["accuracy"], **options)
    return model


def assert_close(history: dict[str, Any], expected: dict[str, Any]) -> None:
    assert history.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_allclose(history[name], values, rtol=1e-5, err_msg=name)


def test_a_compiled_step_is_the_step_run_by_python() -> None:
    options: dict[str, Any] = {
        "epochs": 3,
        "batch_size": 16,
        "validation_split": 0.2,
        "verbose": 0,
        "shuffle": False,
    }
    model, eager = small_model(optimizer="Adam"), small_model(optimizer="Adam", run_eagerly=True)
    history = model.fit(X, Y, **options).history
    assert_close(history, eager.fit(X, Y, **options).history)
    assert history["loss"][-1] < history["loss"][0]
    for variable, expected in zip(model.variables, eager.variables, strict=True):
        np.testing.assert_allclose(variable.numpy(), expected.numpy(), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(model.predict(X, verbose=0), eager(X), rtol=1e-4, atol=1e-6)
    assert_close(
        model.evaluate(X, Y, verbose=0, return_dict=True), eager.evaluate(X, Y, verbose=0, return_dict=True)
    )
    train = model.train_function.one
    assert train.trace_count == 1  # of batches of 16, in all epochs
    model.fit(X, Y, epochs=1, batch_size=16, verbose=0)
    assert train.trace_count == 2  # without validation the last batch has 8 rows
    model.fit(X, Y, epochs=2, batch_size=16, verbose=0)
    assert train.trace_count == 2


def test_several_steps_of_an_execution_are_a_loop() -> None:
    options: dict[str, Any] = {"epochs": 2, "batch_size": 8, "verbose": 0, "shuffle": False}
    executions: list[int] = []
    seen = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: executions.append(batch))
    model, expected = small_model(steps_per_execution=2), small_model(run_eagerly=True)
    assert_close(model.fit(X, Y, callbacks=[seen], **options).history, expected.fit(X, Y, **options).history)
    assert executions == [1, 3, 5] * 2  # of five batches
    assert model.train_function.several.trace_count == model.train_function.one.trace_count == 1
    np.testing.assert_allclose(model.predict(X, verbose=0), expected.predict(X, verbose=0), rtol=1e-5)


def test_single_batches() -> None:
    model, eager = small_model(), small_model(run_eagerly=True)
    for made, expected in [
        (model.train_on_batch(X, Y), eager.train_on_batch(X, Y)),
        (model.test_on_batch(X, Y), eager.test_on_batch(X, Y)),
        (model.predict_on_batch(X), eager.predict_on_batch(X)),
    ]:
        np.testing.assert_allclose(made, expected, rtol=1e-5, atol=1e-6)
    weights = {0: 2.0, 1: 0.5}
    by_class = model.train_on_batch(X, Y, class_weight=weights)
    by_sample = eager.train_on_batch(X, Y, sample_weight=np.where(Y == 0, 2.0, 0.5))
    np.testing.assert_allclose(by_class, by_sample, rtol=1e-5)
    with pytest.raises(ValueError, match="cannot be specified at the same time"):
        model.train_on_batch(X, Y, sample_weight=np.ones(40), class_weight=weights)


def test_generators_and_weights_give_what_arrays_give() -> None:
    def batches() -> Any:
        for start in range(0, 40, 8):
            yield X[start : start + 8], Y[start : start + 8]

    arrays = small_model(run_eagerly=True).fit(X, Y, batch_size=8, shuffle=False, verbose=0).history
    assert_close(small_model().fit(batches(), shuffle=False, verbose=0).history, arrays)
    weights = np.where(Y == 0, 2.0, 0.5)
    weighted = small_model().fit(X, Y, batch_size=8, shuffle=False, class_weight={0: 2.0, 1: 0.5}, verbose=0)
    eager = small_model(run_eagerly=True)
    expected = eager.fit(X, Y, batch_size=8, shuffle=False, sample_weight=weights, verbose=0)
    assert_close(weighted.history, expected.history)


def test_callbacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    callbacks = [
        keras.callbacks.EarlyStopping(monitor="loss", patience=0, mode="max"),
        keras.callbacks.ModelCheckpoint(tmp_path / "model.keras"),
        keras.callbacks.CSVLogger(tmp_path / "log.csv"),
        keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2),
        keras.callbacks.ReduceLROnPlateau(monitor="loss"),
        keras.callbacks.BackupAndRestore(tmp_path / "backup"),
    ]
    model = small_model()
    history = model.fit(X, Y, epochs=5, batch_size=20, callbacks=callbacks, verbose=1).history
    assert len(history["loss"]) == 2  # its maximum was the first
    assert float(model.optimizer.learning_rate) == pytest.approx(0.05 / 4)
    assert [row["epoch"] for row in csv.DictReader((tmp_path / "log.csv").read_text().splitlines())] == [
        "0",
        "1",
    ]
    assert "Epoch 2/5" in (shown := capsys.readouterr().out)
    assert "2/2" in shown
    loaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(loaded.predict(X, verbose=0), model.predict(X, verbose=0), rtol=1e-5)
    assert int(loaded.optimizer.iterations) == int(model.optimizer.iterations) == 4
    assert_close(
        loaded.fit(X, Y, shuffle=False, verbose=0).history, model.fit(X, Y, shuffle=False, verbose=0).history
    )


def test_nan_loss_ends_training() -> None:
    model = small_model()
    bad = np.where(X > 2, np.nan, X).astype("float32")
    history = model.fit(
        bad, Y, epochs=3, batch_size=8, callbacks=[keras.callbacks.TerminateOnNaN()], verbose=0
    ).history
    assert len(history["loss"]) == 1
    assert np.isnan(history["loss"][0])


class OwnStep(keras.Model):
    """A model with a step of its own, and no variables before it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden, self.last = keras.layers.Dense(4, activation="tanh"), keras.layers.Dense(2)
        self.mean = keras.metrics.Mean(name="mean_loss")
        self.halved = self.add_weight(shape=(), initializer="zeros", trainable=False, name="halved")

    def call(self, x: Any) -> Any:
        h = self.hidden(x)
        while np.sum(np.abs(h)) > 4.0:  # an array decides
            h = h / 2
            self.halved.assign_add(1.0)
        return self.last(h)

    def train_step(self, data: Any) -> dict[str, Any]:
        x, y = data
        with weft.GradientTape() as tape:
            loss = self.compute_loss(y=y, y_pred=self(x))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        self.mean.update_state(loss)
        return {"mean_loss": self.mean.result()}


@pytest.mark.filterwarnings("ignore:invalid value encountered in divide")
def test_an_own_step_and_control_flow_on_arrays() -> None:
    histories = []
    for run_eagerly in (False, True):
        keras.utils.set_random_seed(2)
        model = OwnStep()
        model.compile("sgd", LOSS, run_eagerly=run_eagerly)
        history = model.fit(X, Y, epochs=3, batch_size=10, shuffle=False, verbose=0).history
        histories.append((history["mean_loss"], float(model.halved.numpy())))
        assert len(model._trainable_variables) == 0
        assert [len(layer._trainable_variables) for layer in (model.hidden, model.last)] == [2, 2]
        if not run_eagerly:
            assert model.train_function.one.trace_count == 1
    np.testing.assert_allclose(histories[0][0], histories[1][0], rtol=1e-5)
    assert histories[0][1] == histories[1][1] > 0


@pytest.mark.filterwarnings("error:the model runs eagerly")
def test_layers_that_xla_does_not_take_are_compiled() -> None:
    model = keras.Sequential([keras.Input((6, 6, 1)), keras.layers.RandomRotation(0.1)])
    model.add(keras.layers.Flatten())
    model.add(keras.layers.Dense(1))
    model.compile("sgd", "mse")
    model.fit(np.ones((8, 6, 6, 1), "float32"), np.zeros((8, 1)), batch_size=4, verbose=0)
    assert model.jit_compile
    assert model.train_function.one.trace_count == 1


class Noted(keras.layers.Layer):
    """A layer that keeps what it sees, in a list and in a number."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []
        self.count = 0

    def call(self, x: Any) -> Any:
        self.seen.append(x[0, 0])
        self.count += 1
        return x


@pytest.mark.parametrize("options", [{}, {"steps_per_execution": 2}, None])
def test_lists_and_numbers_in_layers_grow_at_each_batch(options: dict[str, Any] | None) -> None:
    noted = Noted()
    model = keras.Sequential([keras.Input((6,)), noted, keras.layers.Dense(1)])
    model.compile("sgd", "mse", **(options or {}))
    if options is None:
        batches = weft.data.Dataset.from_tensor_slices((X, Y)).batch(8)
        keras_weft.fit_in_graph(model, batches, epochs=2)
    else:
        model.fit(X, Y, batch_size=8, epochs=2, shuffle=False, verbose=0)
    np.testing.assert_array_equal(noted.seen, [*X[::8, 0], *X[::8, 0]])
    assert noted.count == 10
    assert not any(map(weft.is_traced, noted.seen))


def test_a_compiled_model_without_variables_predicts() -> None:
    class Unbuilt(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = keras.layers.Dense(2)

        def call(self, x: Any) -> Any:
            return self.dense(x)

    model = Unbuilt()
    model.compile("sgd", "mse", metrics=["mae"])
    assert model.predict(X, verbose=0).shape == (40, 2)  # there are no targets to build metrics by
    with pytest.raises(ValueError, match="have no targets"):
        model.evaluate(X, verbose=0)


def test_data_sets_of_weft() -> None:
    dataset = weft.data.Dataset.from_tensor_slices((X, Y)).batch(16)
    eager = small_model(run_eagerly=True)
    arrays = eager.fit(X, Y, epochs=2, batch_size=16, shuffle=False, verbose=0).history
    model = small_model()
    assert_close(
        model.fit(dataset, epochs=2, verbose=0, validation_data=dataset).history | arrays,
        model.history.history,
    )
    assert_close({name: model.history.history[name] for name in arrays}, arrays)
    np.testing.assert_allclose(
        model.evaluate(dataset, verbose=0), model.evaluate(X, Y, batch_size=16, verbose=0), rtol=1e-6
    )
    assert model.predict(dataset, verbose=0).shape == (40, 2)
    weighted = small_model().fit(dataset, class_weight={0: 2.0, 1: 0.5}, verbose=0).history
    eager = small_model(run_eagerly=True)
    expected = eager.fit(X, Y, batch_size=16, shuffle=False, class_weight={0: 2.0, 1: 0.5}, verbose=0)
    assert_close(weighted, expected.history)
    with pytest.raises(ValueError, match="its elements are"):
        model.fit(dataset, Y)
    with pytest.raises(ValueError, match="this one has elements of 1 part"):
        model.fit(weft.data.Dataset.from_tensor_slices(X).batch(8), class_weight={0: 1.0})


def test_whole_epochs_are_one_call() -> None:
    from keras_weft import fit_in_graph

    dataset = weft.data.Dataset.from_tensor_slices((X, Y)).map(lambda x, y: (x * 1, y)).batch(16)
    eager = small_model(run_eagerly=True)
    expected = eager.fit(X, Y, epochs=3, batch_size=16, shuffle=False, verbose=0).history
    model, executions = small_model(), []
    seen = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: executions.append(batch))
    history = fit_in_graph(model, dataset, epochs=2, callbacks=[seen], validation_data=(X, Y)).history
    assert executions == [2, 2]
    assert len(history["val_loss"]) == 2
    third = fit_in_graph(model, dataset).history
    assert_close({name: history[name] + third[name] for name in third}, expected)
    assert model.train_function.epochs().function.trace_count == 1
    with pytest.raises(TypeError, match=r"takes a weft\.data\.Dataset, not ndarray: use model\.fit"):
        fit_in_graph(model, X)
    with pytest.raises(ValueError, match="was compiled to run eagerly"):
        fit_in_graph(small_model(run_eagerly=True), dataset)


def test_bad_data_is_told() -> None:
    model = small_model(optimizer="Adam")
    with pytest.raises(ValueError, match="incompatible with the layer"):
        model.fit(X[:, :3], Y, verbose=0)
    with pytest.raises(ValueError, match="Data cardinality is ambiguous"):
        model.fit(X, Y[:7], verbose=0)
    with (
        pytest.warns(UserWarning, match="ran out"),
        pytest.raises(ValueError, match="`predict` got no batch of data"),
    ):
        model.predict(np.zeros((0, 6), "float32"), verbose=0)
    with pytest.raises(ValueError, match="must yield at least one batch"):
        model.fit((pair for pair in ()), shuffle=False, verbose=0)
    with pytest.raises(ValueError, match=r"x is a list_iterator, .*Dataset.from_iterable\(batches\)"):
        model.fit(iter([(X, Y)]), verbose=0)
    walked = weft.data.Dataset.from_iterable([(X, Y), (X, Y)])
    assert model.fit(walked, epochs=2, verbose=0).history["loss"][1] < np.log(2)
    with pytest.warns(UserWarning, match="Your input ran out of data"):
        model.fit(((X, Y) for _ in range(2)), shuffle=False, steps_per_epoch=3, verbose=0)


@pytest.mark.filterwarnings("ignore:Your input ran out")
def test_data_without_batches_or_targets_are_told() -> None:
    from keras_weft import fit_in_graph

    rows = weft.data.Dataset.from_tensor_slices((X, Y))
    for nothing, call in (
        (rows.batch(2).take(0), small_model().fit),
        (rows.filter(lambda x, y: y > 9).batch(2), lambda data, verbose: fit_in_graph(small_model(), data)),
    ):
        with pytest.raises(ValueError, match="`fit` got no batch of data: x has no rows"):
            call(nothing, verbose=0)
    for method in ("fit", "evaluate"):
        with pytest.raises(ValueError, match=f"`{method}` got no batch of data"):
            getattr(small_model(), method)(X[:0], Y[:0], verbose=0)
    for call in (small_model().fit, lambda x: small_model().train_on_batch(x)):
        with pytest.raises(
            ValueError, match=r"is compiled with a loss, and its data have no targets: .*fit\(x, y\)"
        ):
            call(X)


def test_targets_of_another_shape_are_told_by_the_output() -> None:
    inputs = keras.Input((4,))
    outputs = {name: keras.layers.Dense(3, name=name)(inputs) for name in ("left", "right")}
    model = keras.Model(inputs, outputs)
    model.compile("sgd", {"left": "mse", "right": "mse"})
    x, y = np.zeros((6, 4), "float32"), np.zeros((6, 3), "float32")
    told = r"^the output 'right' is of shape \(.*, 3\), and its targets are of shape \(.*, 2\): operands could not"
    for fit in (model.fit, model.evaluate):
        with pytest.raises(ValueError, match=told):
            fit(x, {"left": y, "right": y[:, :2]}, verbose=0)
    model.fit(x, {"left": y, "right": y[:, :1]}, verbose=0)  # which NumPy compares with each of the three

    class Own(keras.Model):  # type: ignore[misc]
        def call(self, x: Any) -> Any:
            return x * 2

    own = Own(name="own")
    own.compile("sgd", "mse")
    with pytest.raises(
        ValueError, match=r"the output 0 of the model 'own' is of shape \(.*, 4\), and its targets"
    ):
        own.evaluate(x, y, verbose=0)

    def refuses(y_true: Any, y_pred: Any) -> Any:
        raise ValueError("this shape is none of ours")

    model.compile("sgd", {"left": refuses})
    with pytest.raises(ValueError, match=r"^this shape is none of ours"):  # where the shapes are alike
        model.fit(x, {"left": y, "right": y}, verbose=0)
    assert (
        shapes_that_differ(model, {"left": y, "right": y}, [None, y]) == ""
    )  # no output is told by its shape


def test_batches_without_rows_are_told() -> None:
    model = small_model()
    for method in (model.train_on_batch, model.test_on_batch):
        with pytest.raises(ValueError, match=rf"`{method.__name__}` got a batch without rows"):
            method(X[:0], Y[:0])
    assert model.predict_on_batch(X[:0]).shape == (0, 2)


def test_numbers_without_a_row_are_told() -> None:
    model = keras.Sequential([keras.layers.Embedding(5, 3, name="words"), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(np.arange(4), np.zeros((4, 1)), verbose=0)
    for places in ([0, 7, 1, 1], [0, -1, 2, 7]):
        with pytest.raises(
            IndexError, match=rf"layer 'words' has rows for numbers in \[0, 5\), .* {min(places)} to 7"
        ):
            model.fit(np.array(places), np.zeros((4, 1)), verbose=0)
    assert model.predict_on_batch(np.zeros(0, int)).shape == (0, 1)


def test_labels_between_two_classes_are_told() -> None:
    model = small_model()
    assert np.isfinite(model.train_on_batch(X, Y.astype("float32"))[0])
    before = [weight.copy() for weight in model.get_weights()]
    with pytest.raises(ValueError, match=r"whole numbers in the range \[0, 2\).* from 0.5 to 1.5"):
        model.train_on_batch(X, Y + 0.5)
    for weight, was in zip(model.get_weights(), before, strict=True):
        np.testing.assert_array_equal(weight, was)
