"""Basic training loops, and the guides to variables and modules."""

from __future__ import annotations

import numpy as np
import pytest

import weft

F32 = np.float32
TRUE_W, TRUE_B = 3.0, 2.0


class MyModel:
    def __init__(self):
        self.w = weft.Variable(5.0)
        self.b = weft.Variable(0.0)

    def __call__(self, x):
        return self.w * x + self.b


def loss(target_y, predicted_y):
    return np.mean(np.square(target_y - predicted_y))


def train(model, x, y, learning_rate):
    with weft.GradientTape() as t:
        current_loss = loss(y, model(x))
    dw, db = t.gradient(current_loss, [model.w, model.b])
    model.w.assign_sub(learning_rate * dw)
    model.b.assign_sub(learning_rate * db)


def line():
    x = np.linspace(-2, 2, 201).astype(F32)
    noise = np.random.default_rng(22).normal(size=201)
    return x, x * TRUE_W + TRUE_B + noise


class TestTrainingLoops:
    def test_the_model(self):
        assert MyModel()(3.0) == 15.0
        assert list(weft.state(MyModel())) == ["w", "b"]

    @pytest.mark.parametrize("step", [train, weft.function(train)])
    def test_training(self, step):
        model, (x, y) = MyModel(), line()
        reports = []
        for epoch in range(10):
            step(model, x, y, learning_rate=0.1)
            reports.append(f"{epoch:2d}: W = {model.w.numpy():1.2f}, b = {model.b.numpy():1.2f}")
        assert reports[0].startswith(" 0: W = 4.")
        assert float(model.w) == pytest.approx(TRUE_W, abs=0.2)
        assert float(model.b) == pytest.approx(TRUE_B, abs=0.4)

    def test_the_whole_loop_compiled(self, capsys):
        def report(model, loss):
            return f"W = {model.w.numpy():1.2f}, b = {model.b.numpy():1.2f}, loss={loss:2.5f}"

        def training_loop(model, x, y, epochs):
            for epoch in range(epochs):
                train(model, x, y, learning_rate=0.1)
                print(f"Epoch {epoch:2d}:")
                print("    ", report(model, loss(y, model(x))))

        compiled, plain, (x, y) = MyModel(), MyModel(), line()
        weft.function(training_loop)(compiled, x, y, np.int64(10))
        printed = capsys.readouterr().out
        training_loop(plain, x, y, 10)
        assert printed == capsys.readouterr().out
        assert printed.startswith("Epoch  0:\n     W = 4.")


class TestVariables:
    def test_creating(self):
        my_variable = weft.Variable(np.array([[1.0, 2.0], [3.0, 4.0]], F32))
        assert (my_variable.shape, my_variable.dtype) == ((2, 2), np.float32)
        assert weft.Variable([False, False, False, True]).dtype == bool
        assert weft.Variable([5 + 4j, 6 + 1j]).dtype == np.complex128
        assert np.argmax(my_variable) == 3
        assert np.reshape(my_variable, [1, 4]).shape == (1, 4)
        assert my_variable.shape == (2, 2)
        assert str(my_variable) == "[[1. 2.]\n [3. 4.]]"

    def test_assigning(self):
        a = weft.Variable([2.0, 3.0])
        a.assign([1, 2])
        assert a.dtype == np.float64
        with pytest.raises(
            ValueError, match=r"a Variable of shape \(2,\) is assigned an array of shape \(3,\)"
        ):
            a.assign([1.0, 2.0, 3.0])
        a = weft.Variable([2.0, 3.0])
        b = weft.Variable(a)
        a.assign([5, 6])
        np.testing.assert_array_equal(a.numpy(), [5.0, 6.0])
        np.testing.assert_array_equal(b.numpy(), [2.0, 3.0])
        np.testing.assert_array_equal(a.assign_add([2, 3]).numpy(), [7.0, 9.0])
        np.testing.assert_array_equal(a.assign_sub([7, 9]).numpy(), [0.0, 0.0])

    def test_names_and_training(self):
        a = weft.Variable([[1.0, 2.0]], name="Mark")
        b = weft.Variable(np.array([[1.0, 2.0]]) + 1, name="Mark")
        np.testing.assert_array_equal(a == b, [[False, False]])
        step_counter = weft.Variable(1, trainable=False)
        assert (a.name, a.trainable, step_counter.trainable) == ("Mark", True, False)


class Dense:
    """A layer that makes its weights when it sees its first input."""

    def __init__(self, out_features, name):
        self.is_built, self.out_features, self.name = False, out_features, name

    def __call__(self, x):
        if not self.is_built:
            rng = np.random.default_rng(self.out_features)
            self.w = weft.Variable(rng.normal(size=(x.shape[-1], self.out_features)), name=f"{self.name}/w")
            self.b = weft.Variable(np.zeros(self.out_features), name=f"{self.name}/b")
            self.is_built = True
        return np.maximum(x @ self.w + self.b, 0)


class MySequentialModule:
    def __init__(self):
        self.dense_1, self.dense_2 = Dense(3, "dense_1"), Dense(2, "dense_2")

    @weft.function
    def __call__(self, x):
        return self.dense_2(self.dense_1(x))


class TestModules:
    def test_weights_that_are_made_when_they_are_needed(self):
        model, x = MySequentialModule(), np.array([[2.0, 2.0, 2.0]])
        first = model(x)
        assert list(weft.state(model)) == ["dense_1.w", "dense_1.b", "dense_2.w", "dense_2.b"]
        np.testing.assert_array_equal(model(x), first)
        expected = np.maximum(np.maximum(x @ model.dense_1.w, 0) @ model.dense_2.w, 0)
        np.testing.assert_allclose(first, expected, rtol=1e-14)
        np.testing.assert_allclose(model(np.ones((4, 3))).shape, (4, 2))

    def test_checkpoints_and_files(self, tmp_path):
        model, other, x = MySequentialModule(), MySequentialModule(), np.array([[2.0, 2.0, 2.0]])
        expected = model(x)
        other(x)
        other.dense_1.w.assign(other.dense_1.w * 0)
        weft.save_state(model, tmp_path / "my_checkpoint.npz")
        weft.load_state(other, tmp_path / "my_checkpoint.npz")
        np.testing.assert_array_equal(other(x), expected)
        weft.save(tmp_path / "the_saved_model", model=model.__call__)
        np.testing.assert_array_equal(weft.load(tmp_path / "the_saved_model").model(x), expected)
