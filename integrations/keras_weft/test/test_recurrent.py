"""Recurrent layers: fused ones beside loops over their cells, compiled beside plain Python."""

from __future__ import annotations

import itertools
from typing import Any

import keras
import numpy as np
import pytest
from compared import compare, compare_gradients, rows
from keras import layers

import weft

ACTIVATIONS = {"activation": keras.activations.tanh, "recurrent_activation": keras.activations.sigmoid}


def both_ways(layer: Any, x: Any, **options: Any) -> Any:
    """What a layer gives in plain Python, which is what it gives compiled."""
    layer(x, **options)  # makes the weights
    expected = layer(x, **options)
    found = weft.function(weft.do_not_convert(lambda x: layer(x, **options)))(x)
    for a, b in zip(keras.tree.flatten(found), keras.tree.flatten(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    return expected


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (layers.LSTM, {}),
        (layers.LSTM, {"use_bias": False, "recurrent_activation": "hard_sigmoid"}),
        (layers.GRU, {}),
        (layers.GRU, {"reset_after": False}),
        (layers.GRU, {"use_bias": False}),
    ],
)
def test_fused_layers_are_loops_over_their_cells(kind: Any, options: dict[str, Any]) -> None:
    x, mask = rows()(3, 6, 4), np.array([[1, 1, 1, 1, 0, 0], [0, 1, 1, 0, 1, 1], [1] * 6], bool)
    for sequences, backwards in itertools.product((False, True), repeat=2):
        shared = {"return_sequences": sequences, "go_backwards": backwards, "return_state": True, **options}
        fused = kind(5, bias_initializer="random_normal", **shared)
        looped = kind(5, use_cudnn=False, **shared)
        looped.build(x.shape)
        fused.build(x.shape)
        looped.set_weights(fused.get_weights())
        for given in (None, mask):
            for a, b in zip(fused(x, mask=given), looped(x, mask=given), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "layer",
    [
        lambda: layers.LSTM(5, return_sequences=True, return_state=True, go_backwards=True),
        lambda: layers.GRU(5, return_sequences=True),
        lambda: layers.SimpleRNN(5, unroll=True),
        lambda: layers.RNN([layers.LSTMCell(5), layers.GRUCell(3)], return_sequences=True, return_state=True),
        lambda: layers.Bidirectional(layers.GRU(4, return_sequences=True)),
    ],
)
@pytest.mark.parametrize("masked", [False, True])
def test_layers_compiled_are_those_of_plain_python(layer: Any, masked: bool) -> None:
    x = rows(1)(3, 6, 4)
    mask = np.array([[1, 1, 1, 1, 0, 0], [0, 1, 1, 0, 1, 1], [1] * 6], bool)
    both_ways(layer(), x, **({"mask": mask} if masked else {}))


def test_a_masked_time_keeps_the_state_or_gives_zeros() -> None:
    x = rows(2)(2, 5, 3)
    mask = np.array([[1, 1, 1, 0, 0], [0, 0, 1, 1, 1]], bool)
    keeping = layers.GRU(4, return_sequences=True)
    kept = both_ways(keeping, x, mask=mask)
    np.testing.assert_array_equal(kept[0, 2], kept[0, 4])
    np.testing.assert_array_equal(kept[1, :2], np.zeros((2, 4)))
    emptied = layers.GRU(4, return_sequences=True, zero_output_for_mask=True)
    emptied.build(x.shape)
    emptied.set_weights(keeping.get_weights())
    found = both_ways(emptied, x, mask=mask)
    np.testing.assert_array_equal(found, np.where(mask[:, :, None], kept, 0))


def test_a_masked_time_keeps_the_output_of_the_last_of_several_cells() -> None:
    class Adding(layers.Layer):  # type: ignore[misc]
        state_size = 4

        def call(self, x: Any, states: Any) -> Any:
            return states[0] + x, [states[0] + x]

    x = rows(8)(2, 4, 4)
    mask = np.array([[1, 1, 0, 0], [1, 1, 1, 0]], bool)
    stacked = layers.RNN([Adding(), layers.GRUCell(3)], return_sequences=True)
    found = both_ways(stacked, x, mask=mask)
    np.testing.assert_array_equal(found[:, 3], [found[0, 1], found[1, 2]])
    assert found.shape == (2, 4, 3)


def test_images_over_time() -> None:
    x = rows(3)(2, 4, 5, 5, 2)
    assert both_ways(layers.ConvLSTM2D(3, 2, padding="same", return_sequences=True), x).shape == (
        2,
        4,
        5,
        5,
        3,
    )


def test_a_stateful_layer_goes_on_where_it_stopped() -> None:
    x = rows(4)(2, 6, 3)
    whole = layers.LSTM(4)
    parts = layers.LSTM(4, stateful=True)
    parts.build(x[:, :3].shape)
    whole.build(x.shape)
    parts.set_weights(whole.get_weights())
    step = weft.function(weft.do_not_convert(lambda x: parts(x)))
    step(x[:, :3])
    np.testing.assert_allclose(step(x[:, 3:]), whole(x), rtol=1e-5, atol=1e-6)
    assert step.trace_count == 1
    parts.reset_state()
    step(x[:, :3])
    np.testing.assert_allclose(parts(x[:, 3:]), whole(x), rtol=1e-5, atol=1e-6)


def test_gradients_of_fused_layers() -> None:
    array = rows(5)
    x, h, c = (array(*shape, dtype=np.float64) for shape in ((2, 4, 3), (2, 5), (2, 5)))
    backend = keras.src.backend

    def lstm(x: Any, h: Any, c: Any, kernel: Any, recurrent: Any, bias: Any) -> Any:
        weights = (kernel, recurrent, bias)
        return backend.lstm(x, h, c, None, *weights, **ACTIVATIONS, return_sequences=True)[1:]

    def gru(x: Any, h: Any, kernel: Any, recurrent: Any, bias: Any) -> Any:
        return backend.gru(x, h, None, kernel, recurrent, bias, **ACTIVATIONS, go_backwards=True)[0]

    weights = [
        array(*shape, dtype=np.float64) for shape in ((3, 20), (5, 20), (20,), (3, 15), (5, 15), (2, 15))
    ]
    table = {"lstm": (lstm, x, h, c, *weights[:3]), "gru": (gru, x, h, *weights[3:])}
    compare(table)
    compare_gradients(table, step=1e-2, tolerance=3e-3)  # Keras's activations make float32 of float64


def test_a_cell_of_the_program_whose_output_is_unlike_its_state() -> None:
    calls = []

    class Adding(layers.Layer):  # type: ignore[misc]
        state_size = 2
        output_size = 3

        def call(self, x: Any, states: Any) -> Any:
            calls.append(1)
            total = states[0] + x
            return keras.ops.concatenate([total, x[:, :1]], axis=-1), [total]

    x = rows(6)(1, 50, 2)
    layer = layers.RNN(Adding())
    layer.build(x.shape)
    found = weft.function(weft.do_not_convert(lambda x: layer(x)))(x)
    np.testing.assert_allclose(found, np.concatenate([x.sum(1), x[:, -1, :1]], -1), rtol=1e-4, atol=1e-5)
    assert len(calls) == 50  # what is done beside happens at each time, as in plain Python
