"""Tell lines of prose from lines of Python: an LSTM that reads letters, by `fit`.

The lines are those of this project's own pages and sources. Keras's LSTM runs as one fused operation of weft.

    pip install ./integrations/keras_weft
    python examples/keras/text.py [picture.png] [epochs]
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

sys.path.append(str(Path(__file__).parents[1]))
from pictures import curves, write_png

ROOT = Path(__file__).parents[2]

LENGTH = 40


def as_codes(line: str) -> Any:
    """The letters of a line as numbers below 128, with zeros behind them."""
    codes = np.frombuffer(line[:LENGTH].encode("ascii", "replace"), np.uint8).astype(np.int32)
    return np.pad(codes, (0, LENGTH - len(codes)))


def lines_of(pattern: str, count: int) -> Any:
    """Lines of the project's files, as many as are wanted."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(ROOT.glob(pattern)))
    lines = [line.strip() for text in texts for line in text.splitlines()]
    return np.array([as_codes(line) for line in lines if len(line) > 15][:count])


def main(path: str = "build/keras_text.png", epochs: str = "6") -> None:
    """Train on most of the lines, and draw the losses and the accuracy on the others."""
    keras.utils.set_random_seed(0)
    prose, python = lines_of("docs/*.md", 1500), lines_of("frontend/tracing/*.py", 1500)
    order = np.random.default_rng(0).permutation(len(prose) + len(python))
    lines = np.concatenate([prose, python])[order]
    is_python = (order >= len(prose)).astype(np.float32)
    train = len(lines) * 4 // 5 // 50 * 50
    model = keras.Sequential(
        [
            keras.Input((LENGTH,), dtype="int32"),
            keras.layers.Embedding(128, 16),
            keras.layers.LSTM(32),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(optimizer=keras.optimizers.Adam(0.01), loss="binary_crossentropy", metrics=["accuracy"])
    history = model.fit(
        lines[:train],
        is_python[:train],
        batch_size=50,
        epochs=int(epochs),
        validation_data=(lines[train:], is_python[train:]),
        verbose=2,
    ).history
    for line in ("for path in sorted(paths):", "the path that a compiled function takes"):
        print(f"{float(model.predict(as_codes(line)[None], verbose=0)[0, 0]):.2f} Python: {line}")
    write_png(curves([history["loss"], history["val_loss"], history["val_accuracy"]]), Path(path))
    print(f"written to {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
