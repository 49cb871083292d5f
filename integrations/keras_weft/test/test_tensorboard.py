"""Keras's `TensorBoard` callback, without TensorFlow: what it writes, as TensorBoard's own reader finds it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import weft

event_accumulator = pytest.importorskip(
    "tensorboard.backend.event_processing.event_accumulator", reason="needs tensorboard"
)
from tensorboard.util.tensor_util import make_ndarray  # noqa: E402


class Told(keras.layers.Layer):  # type: ignore[misc]
    """Tells the mean of what it is given."""

    def call(self, x: Any) -> Any:
        weft.summary.scalar("mean", x.mean())
        return x


def read(folder: Path) -> Any:
    return event_accumulator.EventAccumulator(str(folder), size_guidance={"tensors": 0}).Reload()


def steps(events: Any, tag: str) -> list[int]:
    return [event.step for event in events.Tensors(tag)]


def test_the_callback_writes_metrics_weights_and_graphs(tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((3,)), Told(), keras.layers.Dense(2, name="out")])
    model.compile("sgd", "mse")
    x = np.random.default_rng(0).normal(size=(8, 3)).astype("float32")
    callback = keras.callbacks.TensorBoard(
        tmp_path, histogram_freq=1, write_images=True, update_freq=1, write_steps_per_second=True
    )
    history = model.fit(
        x, x[:, :2], epochs=2, batch_size=4, verbose=0, validation_data=(x, x[:, :2]), callbacks=[callback]
    )
    train, validation = read(tmp_path / "train"), read(tmp_path / "validation")
    assert "tensorflow" not in sys.modules
    assert steps(train, "epoch_loss") == steps(validation, "epoch_loss") == [0, 1]
    losses = [make_ndarray(event.tensor_proto) for event in train.Tensors("epoch_loss")]
    assert np.allclose(losses, history.history["loss"])
    assert steps(train, "batch_loss") == steps(train, "mean") == [1, 2, 3, 4]
    assert len(steps(train, "epoch_steps_per_second")) == 2
    plugins = {tag: train.SummaryMetadata(tag).plugin_data.plugin_name for tag in train.Tags()["tensors"]}
    assert {plugins[tag] for tag in plugins if "kernel" in tag} == {"histograms", "images"}
    assert steps(train, "keras") == [0]  # the model, for the conceptual graph
    names = [node.name for node in train.Graph().node]
    assert any("train_step" in name for name in names)


def test_weights_that_diverged_are_shown_as_far_as_they_are_finite(tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, name="out")])
    model.compile("sgd", "mse")
    kernel = np.full((3, 2), np.nan, "float32")
    model.layers[0].set_weights([kernel, np.array([1, np.inf], "float32")])
    callback = keras.callbacks.TensorBoard(tmp_path, histogram_freq=1)
    model.fit(np.zeros((4, 3)), np.zeros((4, 2)), verbose=0, callbacks=[callback], epochs=1)
    tags = read(tmp_path / "train").Tags()["tensors"]
    assert "epoch_loss" in tags
    assert not any("kernel" in tag for tag in tags)  # of NaN alone


def test_a_profile_is_refused_in_kerass_words(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Profiling is not yet available with the weft backend"):
        keras.callbacks.TensorBoard(tmp_path, profile_batch=2)
