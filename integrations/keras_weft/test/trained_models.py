"""Thirteen small models that are trained from the same weights on any backend of Keras.

`KERAS_BACKEND=jax python trained_models.py > losses.json` writes the losses of five epochs, beside which those of weft
are held.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from keras import layers

EPOCHS, ROWS = 5, 128
Made = tuple[Any, Any, Any, Any]
"""A model, what it is trained on, and its loss."""

MODELS: dict[str, Callable[[], Made]] = {}
CLASSES = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def model(make: Callable[[], Made]) -> Callable[[], Made]:
    MODELS[make.__name__] = make
    return make


def images() -> tuple[Any, Any]:
    """Images of 8 x 8 pixels of ten classes, which their own patterns tell apart."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 10, ROWS).astype("int32")
    patterns = rng.random((10, 8, 8, 1))
    noise = rng.random((ROWS, 8, 8, 1))
    return (0.7 * patterns[labels] + 0.3 * noise).astype("float32"), labels


def words() -> tuple[Any, Any]:
    """Sentences of 12 words, of which some are cut off, and whether their first half is larger than the second."""
    rng = np.random.default_rng(1)
    text = rng.integers(1, 30, (ROWS, 12)).astype("int32")
    text[:, 9:] *= rng.random((ROWS, 1)) < 0.5
    return text, (text[:, :6].sum(1) > text[:, 6:].sum(1)).astype("int32")


def text_model(*parts: Any, **options: Any) -> Made:
    """Layers between an embedding of words and two classes."""
    first = [keras.Input((12,), dtype="int32"), layers.Embedding(30, 8, **options)]
    return keras.Sequential([*first, *parts, layers.Dense(2)]), *words(), CLASSES


def image_model(*parts: Any) -> Made:
    """Layers between images and ten classes."""
    return keras.Sequential([keras.Input((8, 8, 1)), *parts, layers.Dense(10)]), *images(), CLASSES


@model
def convolutional() -> Made:
    return image_model(
        layers.Conv2D(8, 3, activation="relu", padding="same"),
        layers.MaxPooling2D(),
        layers.Conv2D(12, 3, activation="relu"),
        layers.Flatten(),
    )


@model
def normalised() -> Made:
    return image_model(
        layers.Conv2D(6, 3, strides=2, padding="same", use_bias=False),
        layers.BatchNormalization(),
        layers.ReLU(),
        layers.SeparableConv2D(8, 3, padding="same"),
        layers.DepthwiseConv2D(3, padding="same"),
        layers.GlobalAveragePooling2D(),
    )


@model
def dense() -> Made:
    parts = (layers.Dense(32, activation="relu"), layers.Dense(24, activation="relu"))
    return image_model(layers.Reshape((64,)), *parts)


@model
def lstm() -> Made:
    return text_model(layers.LSTM(10))


@model
def masked_gru() -> Made:
    return text_model(layers.GRU(10, return_sequences=True), layers.GRU(6), mask_zero=True)


@model
def bidirectional() -> Made:
    return text_model(layers.Bidirectional(layers.LSTM(6)))


@model
def transformer() -> Made:
    given = keras.Input((12,), dtype="int32")
    x = layers.Embedding(30, 16)(given)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 8)(x, x))
    forward = layers.Dense(16)(layers.Dense(32, activation="gelu")(x))
    x = layers.LayerNormalization()(x + forward)
    return keras.Model(given, layers.Dense(2)(layers.GlobalAveragePooling1D()(x))), *words(), CLASSES


@model
def autoencoder() -> Made:
    given = keras.Input((8, 8, 1))
    x = layers.Conv2D(6, 3, strides=2, padding="same", activation="relu")(given)
    x = layers.Conv2DTranspose(6, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Conv2D(1, 3, padding="same", activation="sigmoid")(x)
    pixels, _ = images()
    return keras.Model(given, x), pixels, pixels, "binary_crossentropy"


class Residual(keras.Model):  # type: ignore[misc]
    """A model as a class, with a loop of Python's."""

    def __init__(self) -> None:
        super().__init__()
        self.flat = layers.Flatten()
        self.first = layers.Dense(24, activation="tanh")
        self.inner = layers.Dense(24)
        self.last = layers.Dense(10)

    def call(self, x: Any, training: bool = False) -> Any:
        x = self.first(self.flat(x))
        for _ in range(2):
            x = x + self.inner(x)
        return self.last(x)


@model
def subclass() -> Made:
    pixels, labels = images()
    made = Residual()
    made(pixels[:2])
    return made, pixels, labels, CLASSES


@model
def causal() -> Made:
    return text_model(
        layers.Conv1D(8, 3, padding="causal", activation="relu"),
        layers.MaxPooling1D(2),
        layers.Conv1D(6, 3),
        layers.GlobalMaxPooling1D(),
    )


@model
def images_over_time() -> Made:
    pixels, labels = images()
    given = keras.Input((3, 8, 8, 1))
    x = layers.UpSampling2D()(layers.ConvLSTM2D(3, 3, padding="same")(given))
    x = layers.Flatten()(layers.AveragePooling2D(4)(x))
    films = np.repeat(pixels[:64, None], 3, 1)
    return keras.Model(given, layers.Dense(10)(x)), films, labels[:64], CLASSES


@model
def regularised() -> Made:
    return image_model(
        layers.Flatten(),
        layers.Dense(16, activation="elu", kernel_regularizer="l2", kernel_constraint="max_norm"),
        layers.PReLU(),
        layers.GroupNormalization(4),
    )


@model
def two_inputs_and_outputs() -> Made:
    (pixels, labels), (text, larger) = images(), words()
    a, b = keras.Input((8, 8, 1), name="a"), keras.Input((12,), dtype="int32", name="b")
    parts = [layers.Dense(8)(layers.Flatten()(a)), layers.Flatten()(layers.Embedding(30, 4)(b))]
    x = layers.concatenate(parts)
    outputs = {"p": layers.Dense(10, name="p")(x), "q": layers.Dense(2, name="q")(x)}
    made = keras.Model({"a": a, "b": b}, outputs)
    return made, {"a": pixels, "b": text}, {"p": labels, "q": larger}, {"p": CLASSES, "q": CLASSES}


def losses(name: str, epochs: int = EPOCHS, **options: Any) -> list[float]:
    """The loss of each epoch; the options are those of `compile`."""
    made, x, y, loss = MODELS[name]()
    rng = np.random.default_rng(2)
    made.set_weights(
        [
            rng.normal(size=value.shape) * 0.2 if weight.trainable and value.ndim > 1 else value
            for weight, value in zip(made.weights, made.get_weights(), strict=True)
        ]
    )
    made.compile(optimizer=keras.optimizers.Adam(0.01), loss=loss, **options)
    history = made.fit(x, y, epochs=epochs, batch_size=32, shuffle=False, verbose=0)
    return [float(value) for value in history.history["loss"]]


if __name__ == "__main__":
    print(json.dumps({name: losses(name) for name in MODELS}, indent=1))
