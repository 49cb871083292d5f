"""Learn to read handwritten digits: a network, its gradient and Adam, the whole training one compiled function.

The data is scikit-learn's digits set (1797 scans of 8x8 pixels, real handwriting, in its wheel). The same function
runs eagerly, where Python walks the batches and a gradient is a call, and compiled; the numbers that come out are the
same. Run it with `make demo`; a path on the command line says where the picture goes (build/train_digits.png by
default): the loss and the accuracy by epochs, and digits that were held out, those in red that were read wrongly.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from pictures import curves, tiles, write_png
from sklearn.datasets import load_digits

import weft

BATCH = 60


def read(params: Any, pixels: Any) -> Any:
    """A number for each digit that a scan may show, the larger the likelier."""
    hidden = np.tanh(pixels @ params["w1"] + params["b1"])
    return hidden @ params["w2"] + params["b2"]


def loss(params: Any, pixels: Any, labels: Any) -> Any:
    """The cross-entropy of what is read and what was written."""
    scores = read(params, pixels)
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.mean(np.log(np.exp(shifted).sum(axis=1)) - shifted[np.arange(len(labels)), labels])


class Adam:
    """The optimiser: running means of the gradients and of their squares."""

    def __init__(self, params: Any, rate: float) -> None:
        self.rate, self.steps = rate, weft.Variable(0.0)
        self.means = {name: np.zeros_like(p) for name, p in params.items()}
        self.squares = {name: np.zeros_like(p) for name, p in params.items()}

    def update(self, params: Any, gradient: Any) -> None:
        """Take one step, in place."""
        self.steps += 1
        scale = self.rate * np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        for name, g in gradient.items():
            mean, square = self.means[name], self.squares[name]
            mean += 0.1 * (g - mean)
            square += 0.001 * (g * g - square)
            params[name] -= (scale * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)


class Training:
    """A network with its optimiser and its random numbers."""

    def __init__(self, seed: int, hidden: int = 32) -> None:
        self.random = np.random.default_rng(seed)
        sizes = {"w1": (64, hidden), "b1": hidden, "w2": (hidden, 10), "b2": 10}
        self.params = {n: self.random.normal(0, 0.1, size).astype(np.float32) for n, size in sizes.items()}
        self.optimiser = Adam(self.params, 0.003)

    @weft.function
    def run(self, pixels: Any, labels: Any, held_out: Any, written: Any, epochs: Any) -> Any:
        """Train on batches in another order in each epoch; the losses and accuracies by epochs."""
        losses, accuracies = np.zeros(epochs), np.zeros(epochs)
        for epoch in range(epochs):
            order = self.random.permutation(len(pixels))
            for start in range(0, len(pixels), BATCH):
                batch = order[start : start + BATCH]
                value, gradient = weft.value_and_grad(loss)(self.params, pixels[batch], labels[batch])
                self.optimiser.update(self.params, gradient)
                losses[epoch] += value * BATCH / len(pixels)
            accuracies[epoch] = np.mean(read(self.params, held_out).argmax(axis=1) == written)
            print(f"epoch {epoch + 1:2}: loss {losses[epoch]:.3f}, accuracy {accuracies[epoch]:.3f}")
        return losses, accuracies


def seconds(function: Any, *arguments: Any) -> tuple[float, Any]:
    """The time of a silent call, and what it returns."""
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        result = function(*arguments)
    return time.perf_counter() - start, result


def main() -> None:
    """Train eagerly for some epochs and compiled to the end, compare, and draw."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "build/train_digits.png")
    digits = load_digits()
    pixels = (digits.data / 16).astype(np.float32)
    order = np.random.default_rng(0).permutation(len(pixels))
    train, test = order[:1200], order[1200:]
    data = pixels[train], digits.target[train], pixels[test], digits.target[test]

    eager, compiled = Training(1), Training(1)
    first_call, result = seconds(compiled.run, *data, np.int64(2))
    seconds(Training.run.python_function, eager, *data, np.int64(1))  # compiles the gradient
    eager_time, eager_result = seconds(Training.run.python_function, eager, *data, np.int64(1))
    if not np.allclose(eager_result[0], result[0][1:], rtol=1e-4):
        raise SystemExit("the compiled function disagrees with NumPy")
    print("--- reading digits: the training as one compiled function, 20 steps an epoch ---")
    start = time.perf_counter()
    losses, accuracies = compiled.run(*data, np.int64(30))
    compiled_time = (time.perf_counter() - start) / len(losses)
    print(f"first call           {first_call * 1e3:8.1f} ms (tracing and compiling included)")
    print(f"an epoch of Python   {eager_time * 1e3:8.2f} ms (NumPy, with a compiled gradient)")
    print(f"an epoch of weft     {compiled_time * 1e3:8.2f} ms   {eager_time / compiled_time:.1f}x")

    wrong = read(compiled.params, pixels[test]).argmax(axis=1) != digits.target[test]
    shown = np.argsort(~wrong, kind="stable")[:120]
    grey = tiles(pixels[test][shown].reshape(-1, 8, 8), wrong[shown], columns=15)
    lines = curves([losses / losses.max(), accuracies], height=len(grey))
    write_png(np.concatenate([lines, grey], axis=1), path)
    print(f"written to {path}")


if __name__ == "__main__":
    main()
