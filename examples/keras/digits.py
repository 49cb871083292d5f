"""Read handwritten digits: a convolutional network by `fit`.

The data is scikit-learn's digits set, 1797 scans of 8x8 pixels. `fit` compiles a training step, which runs forward,
loss, gradient, optimizer and metrics as one function; early stopping and its weights are Keras's.

    pip install ./integrations/keras_weft scikit-learn
    python examples/keras/digits.py [picture.png] [epochs]
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

os.environ["KERAS_BACKEND"] = "weft"
import keras_weft  # noqa: F401  (in front of Keras)

# isort: split
import keras
import numpy as np
from sklearn.datasets import load_digits

sys.path.append(str(Path(__file__).parents[1]))
from pictures import curves, write_png


def model() -> Any:
    """Two convolutions, and a layer that says how likely each digit is."""
    return keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            keras.layers.Conv2D(16, 3, padding="same", activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dropout(0.3),
            keras.layers.Dense(10),
        ]
    )


def main(path: str = "build/keras_digits.png", epochs: str = "12") -> None:
    """Train, and draw the losses and the accuracy on digits that were held out."""
    keras.utils.set_random_seed(0)
    digits = load_digits()
    images, labels = (digits.images / 16).astype(np.float32)[..., np.newaxis], digits.target
    reader = model()
    reader.compile(
        optimizer=keras.optimizers.Adam(0.003),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    history = reader.fit(
        images[:1440],
        labels[:1440],
        batch_size=48,
        epochs=int(epochs),
        validation_data=(images[1440:], labels[1440:]),
        callbacks=[keras.callbacks.EarlyStopping(patience=4, restore_best_weights=True)],
        verbose=2,
    ).history
    _, accuracy = reader.evaluate(images[1440:], labels[1440:], verbose=0)
    print(f"held out digits that are read correctly: {accuracy:.3f}")
    write_png(curves([history["loss"], history["val_loss"], history["val_accuracy"]]), Path(path))
    print(f"written to {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
