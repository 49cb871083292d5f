"""The models that are measured: what Keras's guides build, with a batch for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from keras import Input, Model, Sequential, layers

RANDOM = np.random.default_rng(0)
IMAGES, DIGITS = RANDOM.random((64, 28, 28, 1)).astype("f4"), RANDOM.integers(0, 10, 64).astype("i4")
WORDS, TRUTHS = RANDOM.integers(1, 1000, (32, 40)).astype("i4"), RANDOM.integers(0, 2, 32).astype("i4")

Made = tuple[Any, Any, Any]
"""A model, a batch for it, and its labels."""


def mlp() -> Made:
    """A dense layer of 128 with dropout, 64 images of 28 x 28."""
    hidden = layers.Dense(128, activation="relu")
    return (
        Sequential([Input((28, 28, 1)), layers.Flatten(), hidden, layers.Dropout(0.2), layers.Dense(10)]),
        IMAGES,
        DIGITS,
    )


def cnn() -> Made:
    """Convolutions of 32 and 64 channels with pooling and dropout, 64 images of 28 x 28."""
    rows: list[Any] = [Input((28, 28, 1))]
    for channels in (32, 64):
        rows += [layers.Conv2D(channels, 3, activation="relu"), layers.MaxPooling2D()]
    return Sequential([*rows, layers.Flatten(), layers.Dropout(0.5), layers.Dense(10)]), IMAGES, DIGITS


def lstm() -> Made:
    """An LSTM of 32 units over 40 steps, a batch of 32."""
    return _recurrent(layers.LSTM(32))


def gru() -> Made:
    """A GRU of 32 units over 40 steps, a batch of 32."""
    return _recurrent(layers.GRU(32))


def _recurrent(layer: Any) -> Made:
    rows = [Input((40,), dtype="int32"), layers.Embedding(1000, 32), layer, layers.Dense(2)]
    return Sequential(rows), WORDS, TRUTHS


def transformer() -> Made:
    """A transformer block of width 64 over 40 words, a batch of 32."""
    words = Input((40,), dtype="int32")
    x = layers.Embedding(1000, 64)(words)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 16)(x, x))
    wide = layers.Dense(128, activation="gelu")(x)
    x = layers.LayerNormalization()(x + layers.Dense(64)(wide))
    return Model(words, layers.Dense(2)(layers.GlobalAveragePooling1D()(x))), WORDS, TRUTHS


MODELS: dict[str, Callable[[], Made]] = {
    "mlp": mlp,
    "cnn": cnn,
    "lstm": lstm,
    "gru": gru,
    "transformer": transformer,
}
