"""Programs that train layers: Variables with dropout, and a convolutional network on handwritten digits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

pytest.importorskip("sklearn")


class Dropout:
    """Two layers in Variables, between them a mask of their own at each step, and a counter."""

    def __init__(self) -> None:
        random = np.random.default_rng(0)
        self.random = np.random.default_rng(1)
        self.hidden = weft.Variable(random.normal(size=(4, 8)), name="hidden")
        self.out = weft.Variable(random.normal(size=8), name="out")
        self.steps = weft.Variable(0, trainable=False)

    def loss(self, x: Any, y: Any, rate: Any) -> Any:
        h = np.tanh(x @ self.hidden)
        h = np.where(self.random.random(h.shape) < rate, 0.0, h / (1 - rate))
        return np.mean((h @ self.out - y) ** 2)

    def train(self, x: Any, y: Any, steps: Any) -> Any:
        losses = np.zeros(steps)
        for step in range(steps):
            with weft.GradientTape() as tape:
                loss = self.loss(x, y, 0.25)
            weights = [self.hidden, self.out]
            for w, g in zip(weights, tape.gradient(loss, weights), strict=True):
                w.assign_sub(0.05 * g)
            self.steps.assign_add(1)
            losses[step] = weft.stop_gradient(loss)
        return losses


def test_variables_and_dropout_train_as_in_python() -> None:
    random = np.random.default_rng(2)
    x = random.normal(size=(16, 4))
    y = np.sin(x[:, 0])
    plain, compiled = Dropout(), Dropout()
    expected = [plain.train(x, y, 2), plain.train(x, y, 3)]
    train = weft.function(Dropout.train)
    found = [train(compiled, x, y, np.int64(n)) for n in (2, 3)]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10)
    np.testing.assert_allclose(compiled.hidden, plain.hidden, rtol=1e-10)
    assert int(compiled.steps) == int(plain.steps) == 5
    assert compiled.random.random() == plain.random.random()
    assert train.trace_count == 1


def scores(params: Any, images: Any) -> Any:
    """A convolution, relu, pooling, and a dense layer."""
    maps = np.maximum(weft.conv(images, params["filters"]) + params["bias"], 0)
    return weft.max_pool(maps, 2).reshape(len(images), -1) @ params["out"]


def cross_entropy(params: Any, images: Any, labels: Any) -> Any:
    s = scores(params, images)
    s = s - s.max(axis=1, keepdims=True)
    return np.mean(np.log(np.exp(s).sum(axis=1)) - s[np.arange(len(labels)), labels])


@weft.function
def learn(params: Any, images: Any, labels: Any, epochs: Any, batch: int) -> Any:
    losses = np.zeros(epochs)
    for epoch in range(epochs):
        for start in range(0, len(images), batch):
            part = slice(start, start + batch)
            value, gradient = weft.value_and_grad(cross_entropy)(params, images[part], labels[part])
            for name, g in gradient.items():
                params[name] -= 0.3 * g
            losses[epoch] += value * batch / len(images)
    return losses


def test_a_convolutional_network_reads_digits() -> None:
    from sklearn.datasets import load_digits

    digits = load_digits()
    images, labels = digits.images[:600, :, :, np.newaxis] / 16, digits.target[:600]
    random = np.random.default_rng(0)
    params = {
        "filters": random.normal(size=(3, 3, 1, 6)) * 0.3,
        "bias": np.full(6, 0.05),
        "out": random.normal(size=(54, 10)) * 0.1,
    }
    direction = {name: random.normal(size=p.shape) for name, p in params.items()}
    gradient = weft.grad(cross_entropy)(params, images[:50], labels[:50])
    moved = [
        cross_entropy({n: p + h * direction[n] for n, p in params.items()}, images[:50], labels[:50])
        for h in (1e-6, -1e-6)
    ]
    slope = sum(np.sum(g * direction[name]) for name, g in gradient.items())
    np.testing.assert_allclose(slope, (moved[0] - moved[1]) / 2e-6, rtol=1e-5)
    losses = learn(params, images[:500], labels[:500], np.int64(20), 50)
    assert losses[-1] < 0.2 * losses[0]
    held_out = np.argmax(scores(params, images[500:]), axis=1) == labels[500:]
    assert held_out.mean() > 0.7
