"""Layers and functions where how many rows a batch has is known only when the compiled function runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from compared import rows
from keras import layers, ops

import weft


def check(table: dict[str, Callable[[Any], Any]], x: Any) -> None:
    """Compile all of a table for any number of rows, and call it with two."""
    for function in table.values():
        function(x)  # makes the weights
    together = weft.function(
        weft.do_not_convert(lambda x: {name: function(x) for name, function in table.items()}),
        input_signature=[weft.TensorSpec((None, *x.shape[1:]), x.dtype)],
    )
    for part in (x, x[:2]):
        found = together(part)
        for name, function in table.items():
            expected = function(part)
            assert found[name].shape == expected.shape, name
            np.testing.assert_allclose(found[name], expected, rtol=1e-4, atol=1e-5, err_msg=name)
    assert together.trace_count == 1


def test_images() -> None:
    check(
        {
            "conv": layers.Conv2D(3, 3, padding="same"),
            "separable": layers.SeparableConv2D(3, 3, strides=2),
            "transposed": layers.Conv2DTranspose(3, 3, strides=2, padding="same"),
            "max": layers.MaxPooling2D(),
            "average": layers.AveragePooling2D(3, padding="same"),
            "adaptive": layers.AdaptiveAveragePooling2D((3, 3)),
            "normalised": layers.BatchNormalization(),
            "groups": layers.GroupNormalization(2),
            "resized": layers.Resizing(5, 5),
            "unfold": lambda x: ops.unfold(x, 2),
            "blurred": ops.image.gaussian_blur,
            "turned": lambda x: ops.image.affine_transform(x, np.float32([1, 0.1, 0, 0, 1, 0, 0, 0])),
            "blocks": lambda x: ops.depth_to_space(x, 2),
        },
        rows()(3, 8, 8, 4),
    )


def test_sequences() -> None:
    attention = layers.MultiHeadAttention(2, 3)
    mask = np.array([1, 1, 0, 1, 0], bool)
    masked = layers.GRU(3)
    check(
        {
            "conv": layers.Conv1D(3, 3, padding="causal"),
            "max": layers.MaxPooling1D(),
            "lstm": layers.LSTM(3, return_sequences=True),
            "gru": layers.GRU(3),
            "simple": layers.SimpleRNN(3, return_sequences=True),
            "masked": lambda x: masked(x, mask=ops.logical_or(ops.zeros_like(x[:, :, 0]), mask)),
            "attention": lambda x: attention(x, x, use_causal_mask=True),
            "normalised": layers.LayerNormalization(),
            "softmax": layers.Softmax(),
            "dropout": lambda x: keras.random.dropout(x, 0.5, seed=1),
            "loss": lambda x: ops.sparse_categorical_crossentropy(
                ops.cast(ops.argmax(x, -1), "int32"), x, from_logits=True
            ),
            "beam": lambda x: ops.ctc_decode(
                x, ops.full((x.shape[0],), 5, "int32"), "beam_search", beam_width=3
            )[1],
            "ctc": lambda x: ops.ctc_loss(
                ops.ones((x.shape[0], 2), "int32"),
                x,
                *(ops.ones((x.shape[0],), "int32"), ops.full((x.shape[0],), 5, "int32")),
            ),
        },
        rows(1)(3, 5, 4),
    )
