"""A model of Keras is trained on the data of all ranks: losses do not depend on how many there are."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np

import weft

ranks = weft.distributed
ROWS = 30


def test_data_parallel_training() -> None:
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [keras.Input((4,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(1)]
    )
    start = [np.asarray(variable.value) for variable in model.trainable_variables]
    x = np.random.default_rng(0).normal(size=(ROWS, 4))
    y = np.sin(x[:, 0])

    def loss(p: Any, x: Any, y: Any) -> Any:
        predicted, _ = model.stateless_call(p, [], x)
        return ranks.all_reduce(np.sum((predicted[:, 0] - y) ** 2)) / ranks.all_reduce(len(y))

    @weft.function
    def train(p: Any, x: Any, y: Any, steps: Any) -> Any:
        p, value = ranks.replicated(p), np.float64(0)
        for _ in range(steps):
            value, gradient = weft.value_and_grad(loss)(p, x, y)
            p = [a - 0.1 * b for a, b in zip(p, gradient, strict=True)]
        return value

    def losses(count: int, steps: int = 20) -> list[Any]:
        blocks = list(zip(np.split(x, count), np.split(y, count), strict=True))
        return ranks.Mesh.simulated(count).run(train, lambda rank: (start, *blocks[rank], np.int64(steps)))

    (alone,) = losses(1)
    assert alone < 0.5 * losses(1, 1)[0]
    for count in (2, 3):
        np.testing.assert_allclose(losses(count), alone, rtol=1e-6)  # Keras computes with float32
