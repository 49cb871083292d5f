"""AutoGraph: easy control flow for graphs, and its training loop inside of a graph."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import weft

F32, I32 = np.float32, np.int32


def test_square_if_positive():
    @weft.function
    def square_if_positive(x):
        if x > 0:
            x = x * x
        else:
            x = 0.0
        return x

    found = square_if_positive(np.float64(9.0)), square_if_positive(np.float64(-9.0))
    assert "Graph results: {:2.2f}, {:2.2f}".format(*found) == "Graph results: 81.00, 0.00"


def test_sum_even():
    @weft.function
    def sum_even(items):
        s = 0
        for c in items:
            if c % 2 > 0:
                continue
            s += c
        return s

    assert sum_even(np.array([10, 12, 15, 20])) == 42


def test_fizzbuzz(capsys):
    @weft.function
    def fizzbuzz(i, n):
        while i < n:
            msg = ""
            if i % 3 == 0:
                msg += "Fizz"
            if i % 5 == 0:
                msg += "Buzz"
            if msg == "":
                print(str(i))  # a text of run-time numbers is printed where it is made
            else:
                print(msg)
            i += 1
        return i

    assert fizzbuzz(np.int64(10), np.int64(16)) == 16
    assert capsys.readouterr().out.split() == ["Buzz", "11", "Fizz", "13", "14", "FizzBuzz"]


def test_assert():
    @weft.function
    def inverse(x):
        assert x != 0.0, "Do not pass zero!"
        return 1.0 / x

    with pytest.raises(AssertionError, match="Do not pass zero!"):
        inverse(np.float64(0.0))
    assert inverse(np.float64(4.0)) == 0.25


def test_print(capsys):
    @weft.function
    def count(n):
        i = 0
        while i < n:
            print(i)
            i += 1
        return n

    assert count(np.int64(5)) == 5
    assert capsys.readouterr().out == "0\n1\n2\n3\n4\n"


def test_lists():
    @weft.function
    def arange(n):
        z = weft.TensorArray(np.int64, size=0, dynamic_size=True)
        for i in weft.range(n):
            z.append(i)
        return z.stack()

    np.testing.assert_array_equal(arange(np.int64(10)), np.arange(10))


def test_nested_control_flow():
    @weft.function
    def nearest_odd_square(x):
        if x > 0:
            x = x * x
            if x % 2 == 0:
                x = x + 1
        return x

    assert [nearest_odd_square(np.int64(n)) for n in (4, 5, 6)] == [17, 25, 37]


def test_while_loop():
    @weft.function
    def square_until_stop(x, y):
        while x < y:
            x = x * x
        return x

    assert square_until_stop(np.int64(4), np.int64(100)) == 256


def test_for_loop():
    @weft.function
    def squares(nums):
        result = weft.TensorArray(np.int64, size=0, dynamic_size=True)
        for num in nums:
            result.append(num * num)
        return result.stack()

    np.testing.assert_array_equal(squares(np.arange(10)), np.arange(10) ** 2)


def test_break():
    @weft.function
    def argwhere_cumsum(x, threshold):
        current_sum = 0.0
        idx = 0
        for i in range(len(x)):
            idx = i
            if current_sum >= threshold:
                break
            current_sum += x[i]
        return idx

    assert argwhere_cumsum(np.ones(10), np.float64(5)) == 5


def test_collatz():
    @weft.function
    def collatz(x):
        x = np.reshape(x, ())
        assert x > 0
        n = np.zeros(1, np.int64)
        while x != 1:
            n += 1
            if x % 2 == 0:
                x = x // 2
            else:
                x = 3 * x + 1
        return n

    np.testing.assert_array_equal(collatz(np.array([6171])), [261])


def test_a_tensor_array_of_unknown_elements():
    @weft.function
    def square_if_positive_naive(x):
        result = weft.TensorArray(np.int32, size=x.shape[0])
        for i in range(x.shape[0]):
            if x[i] > 0:
                result = result.write(i, x[i] ** 2)
            else:
                result = result.write(i, x[i])
        return result.stack()

    found = square_if_positive_naive(np.arange(-5, 5, dtype=I32))
    np.testing.assert_array_equal(found, [-5, -4, -3, -2, -1, 0, 1, 4, 9, 16])


def test_stochastic_network_depth():
    class StochasticNetworkDepth:
        def __init__(self, rng, depth, pfirst=1.0, plast=0.5):
            self.rng, self.depth = rng, depth
            self.layers = [weft.Variable(rng.normal(size=(4, 4)) / 2) for _ in range(depth)]
            self.plims = np.linspace(pfirst, plast, depth + 1)[:-1]

        @weft.function
        def call(self, inputs, training):
            x = inputs
            if not training:
                for layer in self.layers:
                    x = np.tanh(x @ layer)
                return x, self.depth
            p = self.rng.random(self.depth)
            keeps = p <= self.plims
            count = np.sum(keeps.astype(np.int64))
            for i in range(self.depth):
                if keeps[i]:
                    x = np.tanh(x @ self.layers[i])
            return x, count

    model, batch = StochasticNetworkDepth(np.random.default_rng(0), 5), np.ones((2, 4))
    one, other = (model.call(batch, False) for _ in range(2))
    np.testing.assert_array_equal(one[0], other[0])
    assert one[1] == 5
    counts = {int(model.call(batch, True)[1]) for _ in range(10)}
    assert counts <= {1, 2, 3, 4, 5}
    assert len(counts) > 1


class Mlp:
    def __init__(self, rng, sizes):
        shapes = list(itertools.pairwise(sizes))
        self.w = [weft.Variable((rng.normal(size=s) / np.sqrt(s[0])).astype(F32)) for s in shapes]
        self.b = [weft.Variable(np.zeros(s[1], F32)) for s in shapes]

    @property
    def trainable_variables(self):
        return [*self.w, *self.b]

    def __call__(self, x):
        for w, b in zip(self.w[:-1], self.b[:-1], strict=True):
            x = np.maximum(x @ w + b, 0)
        return x @ self.w[-1] + self.b[-1]


class Adam:
    def __init__(self, variables, learning_rate):
        self.learning_rate, self.steps = learning_rate, weft.Variable(0.0, dtype="float32")
        self.m = [weft.Variable(np.zeros(v.shape, F32)) for v in variables]
        self.v = [weft.Variable(np.zeros(v.shape, F32)) for v in variables]

    def apply_gradients(self, pairs):
        self.steps.assign_add(1.0)
        rate = self.learning_rate * np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        for (g, variable), m, v in zip(pairs, self.m, self.v, strict=True):
            m.assign_add(0.1 * (g - m))
            v.assign_add(0.001 * (g * g - v))
            variable.assign_sub((rate * m / (np.sqrt(v) + 1e-7)).astype(F32))


@pytest.mark.soak
def test_a_training_loop_in_the_graph(capsys):
    """Data, model, tape, optimizer, losses and what is printed each 50 steps, in one compiled function."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(4, 16)).astype(F32) * 1.5
    labels = rng.integers(4, size=800)
    images = centres[labels] + rng.normal(size=(800, 16)).astype(F32)

    def predict(m, x, y):
        scores = m(x)
        shifted = scores - np.max(scores, axis=1, keepdims=True)
        losses = np.log(np.sum(np.exp(shifted), axis=1)) - shifted[np.arange(len(y)), y]
        return np.mean(losses), np.mean(np.argmax(scores, axis=1) == y)

    def fit(m, x, y, opt):
        with weft.GradientTape() as tape:
            loss, accuracy = predict(m, x, y)
        gradients = tape.gradient(loss, m.trainable_variables)
        opt.apply_gradients(list(zip(gradients, m.trainable_variables, strict=True)))
        return loss, accuracy

    def data(first, last, batch_size):
        pipeline = weft.data.Dataset.from_tensor_slices((images[first:last], labels[first:last]))
        return pipeline.shuffle(batch_size * 10, seed=1).repeat().batch(batch_size)

    @weft.function
    def train(m, opt, train_ds, test_x, test_y, max_steps):
        train_losses = weft.TensorArray(np.float32, size=0, dynamic_size=True, element_shape=())
        i = 0
        for train_x, train_y in train_ds:
            step_train_loss, step_train_accuracy = fit(m, train_x, train_y, opt)
            step_test_loss, step_test_accuracy = predict(m, test_x, test_y)
            if i % 50 == 0:
                print(f"Step {i} train loss: {step_train_loss:.2f} test accuracy: {step_test_accuracy:.2f}")
            train_losses.append(step_train_loss)
            i += 1
            if i >= max_steps:
                break
        return train_losses.stack(), step_test_loss, step_train_accuracy, step_test_accuracy

    m = Mlp(rng, [16, 4])
    optimizer, pipeline = Adam(m.trainable_variables, 0.005), data(0, 600, 50)
    losses, _, _, accuracy = train(m, optimizer, pipeline, images[600:], labels[600:], 151)
    assert len(losses) == 151
    assert losses[0] > 1.0 > 0.2 > losses[-1]
    assert accuracy > 0.9
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == ["0", "50", "100", "150"]
