"""Programs that train and fit: gradients beside differences, and whole loops beside the same loops in Python."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.differences import check_gradient

F64, I64 = np.float64, np.int64


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def cross_entropy(scores, labels):
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.mean(np.log(np.exp(shifted).sum(axis=1)) - shifted[np.arange(len(labels)), labels])


# Models and simulations, with the arguments by which they are differentiated


def lstm(w, u, b, out, x):
    """The mean error of an LSTM that predicts the next number of sequences, (steps, batch, features)."""
    size = u.shape[0]
    h, c = np.zeros((x.shape[1], size)), np.zeros((x.shape[1], size))
    error = 0.0
    for t in range(len(x) - 1):
        gates = x[t] @ w + h @ u + b
        i, f, o = (1 / (1 + np.exp(-gates[:, k * size : (k + 1) * size])) for k in range(3))
        c = f * c + i * np.tanh(gates[:, 3 * size :])
        h = o * np.tanh(c)
        error += np.mean((h @ out - x[t + 1, :, 0]) ** 2)
    return error / (len(x) - 1)


def attention(wq, wk, wv, x):
    """A block of attention with its layer norm, and a loss."""
    q, k, v = x @ wq, x @ wk, x @ wv
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    mask = np.tril(np.ones((x.shape[-2], x.shape[-2]), bool))
    y = x + softmax(np.where(mask, scores, -np.inf)) @ v
    y = (y - y.mean(axis=-1, keepdims=True)) / np.sqrt(y.var(axis=-1, keepdims=True) + 1e-5)
    return np.mean(np.sin(y) * np.arange(x.shape[-1]))


def convolutional(filters, out, images, labels):
    """A convolution by shifted slices, relu, pooling, and a dense layer."""
    n, rows, columns = images.shape
    maps = np.zeros((n, rows - 2, columns - 2, filters.shape[-1]))
    for i in range(3):
        for j in range(3):
            maps += images[:, i : i + rows - 2, j : j + columns - 2, np.newaxis] * filters[i, j]
    maps = np.maximum(maps, 0)
    pooled = maps.reshape(n, (rows - 2) // 2, 2, (columns - 2) // 2, 2, -1).max(axis=(2, 4))
    return cross_entropy(pooled.reshape(n, -1) @ out, labels)


def kalman(logs, seen):
    """The negative likelihood of what a Kalman filter sees of a point with a speed, by its noises."""
    q, r = np.exp(logs)
    f = np.array([[1.0, 1.0], [0.0, 1.0]])
    x, p = np.zeros(2), np.eye(2)
    total = 0.0
    for z in seen:
        x, p = f @ x, f @ p @ f.T + q * np.eye(2)
        s = p[0, 0] + r
        gain = p[:, 0] / s
        surprise = z - x[0]
        x = x + gain * surprise
        p = p - np.outer(gain, p[0])
        total += 0.5 * (np.log(s) + surprise * surprise / s)
    return total


def ode(parameters, times, seen):
    """The error of Lotka and Volterra's equations, stepped by Runge and Kutta's rule, to what was seen."""

    def change(y):
        a, b, c, d = parameters
        return np.stack([a * y[0] - b * y[0] * y[1], c * y[0] * y[1] - d * y[1]])

    y, error = np.array([1.0, 0.5]), 0.0
    for k in range(len(times) - 1):
        h = times[k + 1] - times[k]
        k1 = change(y)
        k2 = change(y + h / 2 * k1)
        k3 = change(y + h / 2 * k2)
        k4 = change(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        error += np.sum((y - seen[k + 1]) ** 2)
    return error


def informed(w, b, out, t):
    """How far a network is from solving y' = -y, y(0) = 1: its derivative is a derivative in the loss."""

    def y(t):
        return np.tanh(t * w + b) @ out

    residual = 0.0
    for k in range(len(t)):
        value, slope = weft.jvp(y, (t[k],), (np.float64(1),))
        residual += (slope + value) ** 2
    return residual / len(t) + (y(np.float64(0)) - 1) ** 2


def _stencil(start, seen, n):
    u = start.copy()
    for _ in range(n):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) - 0.05 * u[1:-1] * (u[2:] - u[:-2])
    return np.mean((u - seen) ** 2)


def programs():
    rng = np.random.default_rng(0)
    r = rng.normal
    yield "lstm", lstm, (r(size=(2, 12)), r(size=(3, 12)), r(size=12), r(size=3), r(size=(20, 2, 2))), 4
    yield "attention", attention, (*r(size=(3, 4, 4)), r(size=(2, 5, 4))), 3
    images, labels = r(size=(3, 6, 6)), np.array([0, 2, 1])
    yield "convolutional", convolutional, (r(size=(3, 3, 2)), r(size=(8, 3)), images, labels), 2
    yield "kalman", kalman, (np.array([-1.0, 0.5]), np.cumsum(r(size=25))), 1
    yield "ode", ode, (np.array([1.1, 0.6, 0.4, 0.8]), np.linspace(0, 2, 30), r(size=(30, 2))), 1
    yield "stencil", _stencil, (r(size=12), r(size=12), I64(25)), 1


@pytest.mark.parametrize(
    ("name", "f", "arguments", "count"), list(programs()), ids=lambda v: v if isinstance(v, str) else ""
)
def test_gradients_are_those_of_differences(name, f, arguments, count):
    check_gradient(f, *arguments, argnums=tuple(range(count)))


def test_the_gradient_of_a_residual_with_a_derivative_in_it():
    rng = np.random.default_rng(0)
    w, b, out, t = rng.normal(size=4), rng.normal(size=4), rng.normal(size=4), np.linspace(0, 1, 20)

    def by_hand(w, b, out, t):
        values = np.tanh(np.outer(t, w) + b)
        residual = np.mean(((1 - values**2) @ (w * out) + values @ out) ** 2)
        return residual + (np.tanh(b) @ out - 1) ** 2

    value, gradient = weft.value_and_grad(informed, (0, 1, 2))(w, b, out, t)
    expected, wanted = weft.value_and_grad(by_hand, (0, 1, 2))(w, b, out, t)
    np.testing.assert_allclose(value, by_hand(w, b, out, t), rtol=1e-12)
    assert np.isclose(value, expected)
    for one, other in zip(gradient, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


# Whole training loops


class SGD:
    """Gradient descent."""

    def __init__(self, params):
        pass

    def update(self, params, gradient):
        """Take a step."""
        for p, g in zip(params, gradient, strict=True):
            p -= 0.1 * g


class Momentum:
    """Gradient descent with inertia; its state is made by the first step."""

    def __init__(self, params):
        self.speed = None

    def update(self, params, gradient):
        """Take a step."""
        if self.speed is None:
            self.speed = [weft.Variable(np.zeros_like(p)) for p in params]
        for p, g, speed in zip(params, gradient, self.speed, strict=True):
            speed.assign(0.9 * speed - 0.05 * g)
            p += speed


class Adam:
    """Steps by means of gradients and of their squares."""

    def __init__(self, params):
        self.moments = {
            "mean": [np.zeros_like(p) for p in params],
            "square": [np.zeros_like(p) for p in params],
        }
        self.steps = 0

    def update(self, params, gradient):
        """Take a step."""
        self.steps += 1
        for n, (p, g) in enumerate(zip(params, gradient, strict=True)):
            mean, square = self.moments["mean"][n], self.moments["square"][n]
            mean *= 0.9
            mean += 0.1 * g
            self.moments["square"][n] = 0.999 * square + 0.001 * g * g
            p -= (
                0.05
                * (mean / (1 - 0.9**self.steps))
                / (np.sqrt(self.moments["square"][n] / (1 - 0.999**self.steps)) + 1e-8)
            )


class Mean:
    """A metric that is state."""

    def __init__(self):
        self.total, self.count = weft.Variable(0.0), weft.Variable(0)

    def add(self, value):
        """Take note of a value."""
        self.total += value
        self.count += 1

    def result(self):
        """The mean of all."""
        return self.total / self.count


def network_loss(params, x, y):
    w, b, v = params
    return np.mean((np.tanh(x @ w + b) @ v - y) ** 2)


def gradient_by_hand(params, x, y):
    w, b, v = params
    h = np.tanh(x @ w + b)
    error = 2 * (h @ v - y) / len(y)
    back = np.outer(error, v) * (1 - h * h)
    return network_loss(params, x, y), [x.T @ back, back.sum(axis=0), h.T @ error]


class Trainer:
    """Networks of one kind that are trained side by side."""

    def __init__(self, value_and_gradient):
        rng = np.random.default_rng(3)
        start = [rng.normal(size=(2, 6)), np.zeros(6), rng.normal(size=6)]
        self.value_and_gradient = value_and_gradient
        self.params = [[p.copy() for p in start] for _ in range(3)]
        self.optimisers = [kind(p) for kind, p in zip((SGD, Momentum, Adam), self.params, strict=True)]
        self.metric = Mean()
        self.best = np.full(3, np.inf)

    @weft.function
    def train(self, x, y, steps, limit):
        """Train until nothing gets better."""
        history = []
        for step in range(steps):
            losses = np.zeros(3)
            for n, (params, optimiser) in enumerate(zip(self.params, self.optimisers, strict=True)):
                losses[n], gradient = self.value_and_gradient(params, x, y)
                norm = np.sqrt(sum((g * g).sum() for g in gradient))
                if norm > limit:
                    gradient = [g * (limit / norm) for g in gradient]
                optimiser.update(params, gradient)
                self.metric.add(losses[n])
            history.append(losses.min())
            if step % 4 == 3:
                print(f"step {step + 1}: {losses[0]:.6f} {losses[1]:.6f} {losses[2]:.6f}")
            if np.all(losses > self.best - 1e-3):
                print("stopped at", step)
                break
            self.best = np.minimum(self.best, losses)
        return np.array(history), self.metric.result()


@pytest.mark.soak
def test_optimisers_train_as_in_python(capsys):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(30, 2))
    y = np.sin(x[:, 0])
    compiled, eager = Trainer(weft.value_and_grad(network_loss)), Trainer(gradient_by_hand)
    for steps in (3, 9, 400):
        history, mean = compiled.train(x, y, I64(steps), F64(0.5))
        printed = capsys.readouterr().out
        expected, wanted = Trainer.train.python_function(eager, x, y, I64(steps), F64(0.5))
        assert printed == capsys.readouterr().out
        np.testing.assert_allclose(history, expected, rtol=1e-9)
        np.testing.assert_allclose(mean, wanted, rtol=1e-9)
        found, values = weft.state(compiled), weft.state(eager)
        assert list(found) == list(values)
        for name, array in found.items():
            np.testing.assert_allclose(array, values[name], rtol=1e-7, atol=1e-9, err_msg=name)
    assert len(history) < 400
    assert "stopped" in printed
    assert compiled.optimisers[2].steps == eager.optimisers[2].steps
    assert compiled.train.trace_count <= 3  # the state of one optimiser is made, a counter becomes data
