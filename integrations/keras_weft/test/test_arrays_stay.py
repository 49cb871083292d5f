"""To Keras arrays never change: where layers and losses write `x += y`, those of the program stay as they are."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import pytest
from keras import layers


class Shift(layers.Layer):  # type: ignore[misc]
    """A layer as people write it."""

    def call(self, x: Any) -> Any:
        x += 1.0
        return x


def shifting(**options: Any) -> Any:
    model = keras.Sequential([keras.Input((3,)), Shift(), layers.Dense(1)])
    model.compile("sgd", "mse", **options)
    return model


@pytest.mark.parametrize("options", [{}, {"run_eagerly": True}, {"steps_per_execution": 2}])
def test_data_of_training(options: dict[str, Any]) -> None:
    model = shifting(**options)
    x, y = np.zeros((8, 3), np.float32), np.ones((8, 1), np.float32)
    model.fit(x, y, batch_size=2, epochs=2, verbose=0, shuffle=False)
    model.evaluate(x, y, verbose=0)
    model.predict(x, verbose=0)
    model.train_on_batch(x, y)
    model.predict_on_batch(x)
    assert not x.any()
    assert (y == 1).all()


def test_weights_of_samples_that_a_mask_hides() -> None:
    embedded = layers.Embedding(5, 3, mask_zero=True)
    model = keras.Sequential([keras.Input((4,), dtype="int32"), embedded, layers.Dense(1)])
    model.compile("sgd", "mse", weighted_metrics=["mae"])
    x, y, weight = (
        np.array([[1, 2, 0, 0], [3, 0, 0, 0]]),
        np.ones((2, 4, 1), np.float32),
        np.ones((2, 4), np.float32),
    )
    losses = [model.test_on_batch(x, y, sample_weight=weight) for _ in range(2)]
    assert losses[0] == losses[1]
    assert (weight == 1).all()
    predicted = model(x)
    loss = keras.losses.MeanSquaredError()
    loss(y, predicted, sample_weight=weight)
    assert (weight == 1).all()


def test_images_that_are_made_brighter() -> None:
    image = np.full((4, 4, 3), 100, np.float32)
    brighter = layers.RandomBrightness((0.1, 0.2))(image)
    assert (image == 100).all()
    assert (brighter > 100).all()
