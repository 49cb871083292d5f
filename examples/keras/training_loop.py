"""A whole training in one compiled function: a Keras model, its optimizer, a metric, the data, what is printed.

Nothing of the loop is Python when it runs: the batches are shuffled, cut and walked in machine code, and `print` is a
part of the function, with the numbers of each 50th step. The model, Adam and the metric are Keras's own, unchanged.

    pip install ./integrations/keras_weft scikit-learn
    python examples/keras/training_loop.py [picture.png] [steps]
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ["KERAS_BACKEND"] = "weft"
import keras_weft  # noqa: F401  (in front of Keras)

# isort: split
import keras
import numpy as np
from sklearn.datasets import load_digits

import weft

sys.path.append(str(Path(__file__).parents[1]))
from pictures import curves, write_png

LOSS = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@weft.function
def train(model: Any, optimizer: Any, metric: Any, batches: Any, steps: Any) -> Any:
    """Train for some steps; the loss and the accuracy so far by steps."""
    losses, accuracies = np.zeros(steps), np.zeros(steps)
    for step, (images, labels) in enumerate(batches):
        with weft.GradientTape() as tape:
            scores = model(images, training=True)
            loss = LOSS(labels, scores)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        metric.update_state(labels, scores)
        losses[step], accuracies[step] = loss, metric.result()
        if step % 50 == 0:
            print(f"step {step}: loss {loss:.3f}, accuracy {metric.result():.3f}")
        if step + 1 == steps:
            break
    return losses, accuracies


def main(path: str = "build/keras_training_loop.png", steps: str = "600") -> None:
    """Train, and draw the loss and the accuracy by steps."""
    keras.utils.set_random_seed(0)
    digits = load_digits()
    images, labels = (digits.data / 16).astype(np.float32), digits.target
    layers = [keras.layers.Dense(64, activation="relu"), keras.layers.Dense(64, activation="relu")]
    model = keras.Sequential([keras.Input((64,)), *layers, keras.layers.Dense(10)])
    optimizer = keras.optimizers.Adam(0.002)
    optimizer.build(model.trainable_variables)
    metric = keras.metrics.SparseCategoricalAccuracy()
    batches = weft.data.Dataset.from_tensor_slices((images, labels)).shuffle(1797, seed=1)
    batches = batches.batch(50, drop_remainder=True).repeat()
    start = time.perf_counter()
    losses, accuracies = train(model, optimizer, metric, batches, np.int64(steps))
    print(f"{len(losses)} steps in {time.perf_counter() - start:.2f} s, the compilation among them")
    write_png(curves([losses / losses.max(), accuracies]), Path(path))
    print(f"written to {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
