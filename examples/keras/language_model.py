"""A small transformer that learns to write like a page of this project: training by `fit`, sampling compiled.

pip install ./integrations/keras_weft
python examples/keras/language_model.py [picture.png] [epochs]
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

import weft

sys.path.append(str(Path(__file__).parents[1]))
from pictures import curves, write_png

ROOT = Path(__file__).parents[2]

LENGTH, WIDTH = 48, 64


def transformer(letters: int) -> Any:
    """Two blocks of attention that looks back, between letters and how likely each is next."""
    layers, tokens = keras.layers, keras.Input((LENGTH,), dtype="int32")
    x = layers.Embedding(letters, WIDTH)(tokens)
    x = x + layers.Embedding(LENGTH, WIDTH)(np.arange(LENGTH))
    for _ in range(2):
        y = layers.LayerNormalization()(x)
        x = x + layers.MultiHeadAttention(4, WIDTH // 4)(y, y, use_causal_mask=True)
        y = layers.LayerNormalization()(x)
        x = x + layers.Dense(WIDTH)(layers.Dense(4 * WIDTH, activation="gelu")(y))
    return keras.Model(tokens, layers.Dense(letters)(layers.LayerNormalization()(x)))


@weft.function
def written(model: Any, prompt: Any, count: Any, random: Any) -> Any:
    """Letters behind a prompt, each drawn as likely as the model says: a loop in machine code."""
    window, found = prompt.copy(), np.zeros(count, np.int32)
    for i in range(count):
        scores = model(window[np.newaxis])[0, -1].astype(np.float64) / 0.7
        chances = np.exp(scores - np.max(scores))
        found[i] = np.searchsorted(np.cumsum(chances), random.random() * np.sum(chances))
        window = np.concatenate([window[1:], found[i : i + 1]])
    return found


def main(path: str = "build/keras_language_model.png", epochs: str = "10") -> None:
    """Train on pieces of the page, write some lines, and draw the loss by epochs."""
    keras.utils.set_random_seed(0)
    text = (ROOT / "docs" / "semantics.md").read_text(encoding="utf-8")
    alphabet = sorted(set(text))
    codes = np.array([alphabet.index(letter) for letter in text], np.int32)
    pieces = np.lib.stride_tricks.sliding_window_view(codes, LENGTH + 1)[::7]
    pieces = pieces[: len(pieces) // 32 * 32]
    model = transformer(len(alphabet))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer=keras.optimizers.Adam(0.002), loss=loss)
    history = model.fit(pieces[:, :-1], pieces[:, 1:], batch_size=32, epochs=int(epochs), verbose=2).history
    letters = written(model, codes[:LENGTH], np.int64(300), np.random.default_rng(1))
    print("".join(alphabet[letter] for letter in letters))
    write_png(curves([history["loss"]]), Path(path))
    print(f"written to {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
