"""Train a small network on handwritten digits: the same compiled function on the processor, on a GPU, or emulated.

The data is scikit-learn's digits set (1797 scans of 8x8 pixels, real handwriting, in its wheel). The whole training is
one function: loops over epochs and batches, a gradient, and updates in place of weights that stay where they lie.

    python examples/digits_gpu.py --device cuda         # a GPU with a driver for CUDA 12.7 or newer
    python examples/digits_gpu.py --device emulator     # kernels run on the processor, slowly, and are checked
    python examples/digits_gpu.py --device cpu          # no GPU code at all
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import weft

BATCH = 150
HIDDEN = 32
EPOCHS = {"cpu": 20, "cuda": 20, "emulator": 1}
"""How often the digits are seen; an emulated step takes a tenth of a second and more."""


def scores(weights: Any, images: Any) -> Any:
    """How much each image looks like each digit: a hidden layer of `maximum(x, 0)`, and a linear one."""
    into, bias, out, last = weights
    return np.maximum(images @ into + bias, 0) @ out + last


def loss(weights: Any, images: Any, digits: Any) -> Any:
    """The mean cross entropy."""
    found = scores(weights, images)
    shifted = found - np.max(found, axis=1, keepdims=True)
    chosen = np.sum(np.where(digits[:, np.newaxis] == np.arange(10), shifted, 0), axis=1)
    return np.mean(np.log(np.sum(np.exp(shifted), axis=1)) - chosen)


@weft.function
def train(weights: Any, batches: Any, answers: Any, epochs: Any, rate: Any) -> Any:
    """Gradient descent, in place: `batches` is (number, batch, pixels), `answers` (number, batch). The last loss."""
    value = np.float32(0)
    for _ in range(epochs):
        for images, digits in zip(batches, answers, strict=True):
            value, gradients = weft.value_and_grad(loss)(weights, images, digits)
            for weight, gradient in zip(weights, gradients, strict=True):
                weight -= rate * gradient
    return value


@weft.function
def classify(weights: Any, images: Any) -> Any:
    """The digit that each image looks most like."""
    return np.argmax(scores(weights, images), axis=1)


def start_weights() -> list[np.ndarray[Any, Any]]:
    """Small random weights, the same ones each time."""
    random = np.random.default_rng(0)
    shapes = ((64, HIDDEN), (HIDDEN,), (HIDDEN, 10), (10,))
    return [(0.2 * random.standard_normal(shape)).astype(np.float32) for shape in shapes]


def main(arguments: Sequence[str] | None = None) -> None:
    """Train on the device, compare with the processor, and tell what went between host and device."""
    parser = argparse.ArgumentParser(description="Train a small network on handwritten digits.")
    parser.add_argument("--device", choices=EPOCHS, help="cuda where there is a GPU, else emulator")
    parser.add_argument("--epochs", type=int, help="how often they are seen")
    parser.add_argument("--digits", type=int, default=1500, help="how many to train on, at most (1500)")
    options = parser.parse_args(arguments)
    chosen = options.device or ("cuda" if len(weft.devices()) > 1 else "emulator")
    if chosen == "emulator":
        weft.settings.cuda = "emulator"
    device = "cpu" if chosen == "cpu" else "cuda"
    epochs = np.int64(options.epochs or EPOCHS[chosen])

    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.data))
    pixels, target = (digits.data[order] / 16).astype(np.float32), digits.target[order]
    count = min(options.digits, 1500) // BATCH
    batches = pixels[: count * BATCH].reshape(count, BATCH, 64)
    answers = target[: count * BATCH].reshape(count, BATCH)
    test, expected = pixels[1500:], target[1500:]

    here = [*start_weights(), batches, answers, test]
    *weights, there_batches, there_answers, there_test = [weft.device_put(array, device) for array in here]
    rate = np.float32(0.5)
    start = time.perf_counter()
    value = float(train(weights, there_batches, there_answers, epochs, rate))
    seconds = time.perf_counter() - start
    found = np.asarray(classify(weights, there_test))

    reference = start_weights()
    reference_value = float(train(reference, batches, answers, epochs, rate))
    agree = float(np.mean(found == classify(reference, test)))
    print(f"--- handwritten digits on {weights[0].device} ({chosen}) ---")
    print(f"{count * BATCH} digits in batches of {BATCH}, {epochs} epochs")
    print(f"loss                 {value:.6f}, on the processor {reference_value:.6f}")
    print(f"accuracy             {np.mean(found == expected):.4f} of {len(test)} other digits")
    print(f"first call           {seconds:.2f} s (tracing and compiling included)")
    if device != "cpu":
        concrete = train.get_concrete_function(weights, there_batches, there_answers, epochs, rate)
        print(concrete.cost_analysis().device)
    if agree < 0.99 or abs(value - reference_value) > 1e-3 * reference_value:
        raise SystemExit("the device disagrees with the processor")


if __name__ == "__main__":
    main()
