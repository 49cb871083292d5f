"""Layers and functions where how many rows a batch has is known only when the compiled function runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest
from compared import rows
from keras import layers, losses, metrics, ops

import keras_weft
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
        },
        rows(1)(3, 5, 4),
    )


@pytest.mark.soak
def test_sequences_that_are_aligned() -> None:
    check(
        {
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


PROBABILITIES = np.float32([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [0.6, 0.3, 0.1], [0.3, 0.3, 0.4]])
LABELS = np.int32([1, 2, 0, 0])
WEIGHTS = np.float32([1, 0.5, 0, 2])
ONE_HOT = np.eye(3, dtype=np.float32)[LABELS]
ALONE = PROBABILITIES[:, :1].copy()


def signature(*arrays: Any) -> list[weft.TensorSpec]:
    """Any number of rows."""
    return [weft.TensorSpec((None, *array.shape[1:]), array.dtype) for array in arrays]


def test_losses() -> None:
    table = {
        losses.SparseCategoricalCrossentropy(): (LABELS, PROBABILITIES),
        losses.SparseCategoricalCrossentropy(True, ignore_class=1): (LABELS, PROBABILITIES),
        losses.CategoricalCrossentropy(label_smoothing=0.1): (ONE_HOT, PROBABILITIES),
        losses.CategoricalFocalCrossentropy(reduction="none"): (ONE_HOT, PROBABILITIES),
        losses.BinaryCrossentropy(): (LABELS * WEIGHTS, ALONE),
        losses.MeanSquaredError(): (WEIGHTS, ALONE),
        losses.Huber(reduction="mean_with_sample_weight"): (ALONE, WEIGHTS),
        losses.CosineSimilarity(): (ONE_HOT, PROBABILITIES),
        losses.Dice(): (ONE_HOT, PROBABILITIES),
    }
    data = [array for pair in table.values() for array in pair]

    def all_of(weights: Any, data: list[Any]) -> list[Any]:
        pairs = zip(table, data[::2], data[1::2], strict=True)
        return [loss(y, p, sample_weight=w) for loss, y, p in pairs for w in (None, weights)]

    together = weft.function(
        weft.do_not_convert(all_of), input_signature=[*signature(WEIGHTS), signature(*data)]
    )
    for count in (4, 3):
        given = WEIGHTS[:count], [array[:count] for array in data]
        for found, expected in zip(together(*given), all_of(*given), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert together.trace_count == 1


def test_metrics() -> None:
    truth = np.float32([1, 0, 1, 0])
    guesses = np.float32([0.9, 0.6, 0.4, 0.2])

    def updated() -> tuple[list[Any], Callable[..., None]]:
        counted = [
            metrics.AUC(num_thresholds=5),
            metrics.Precision(),
            metrics.Recall(),
            metrics.BinaryAccuracy(),
        ]
        counted[0].update_state(truth, guesses)  # makes its variables
        counted[0].reset_state()

        def update(y: Any, p: Any) -> None:
            for one in counted:
                one.update_state(y, p)

        return counted, update

    found, update = updated()
    together = weft.function(weft.do_not_convert(update), input_signature=signature(truth, guesses))
    expected, update = updated()
    for count in (4, 3):
        for function in (together, update):
            function(truth[:count], guesses[:count])
    assert together.trace_count == 1
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.result(), other.result(), rtol=1e-5)


def make_model(**options: Any) -> Any:
    keras.utils.set_random_seed(3)
    model = keras.Sequential([layers.Input((3,)), layers.Dropout(0.2), layers.Dense(3, activation="softmax")])
    model.compile("adam", losses.SparseCategoricalCrossentropy(), metrics=["accuracy"], **options)
    return model


def one_by_one() -> Any:
    """More rows than a number of batches has."""
    yield from zip(np.tile(PROBABILITIES, (3, 1)), np.tile(LABELS, 3), strict=True)


@pytest.mark.filterwarnings("ignore::weft.FallbackWarning")
@pytest.mark.parametrize("kind", ["generator", pytest.param("filter", marks=pytest.mark.soak)])
def test_the_last_batch_of_a_stream_may_be_smaller(kind: str) -> None:
    if kind == "generator":
        dataset = weft.data.Dataset.from_generator(
            one_by_one, (weft.TensorSpec((3,), "f4"), weft.TensorSpec((), "i4"))
        )
    else:
        arrays = np.tile(PROBABILITIES, (3, 1)), np.tile(LABELS, 3)
        dataset = weft.data.Dataset.from_tensor_slices(arrays).filter(lambda x, y: x[0] < 0.5)
    expected = make_model(run_eagerly=True).fit(dataset.batch(5), epochs=2, verbose=0).history
    found = keras_weft.fit_in_graph(make_model(), dataset.batch(5), epochs=2, verbose=0).history
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-5)
