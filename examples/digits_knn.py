"""Classify handwritten digits by k nearest neighbours, in one compiled function.

The data is scikit-learn's digits set (1797 scans of 8x8 pixels, real handwriting, in its wheel). The same NumPy
function runs eagerly and compiled; the script prints the accuracy on a held-out part, both times, and the program
at two stages of the compiler. Run it with `make demo`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import weft

NEIGHBOURS = 3


def classify(train: Any, labels: Any, test: Any) -> Any:
    """Predict the label of every row of `test` by a vote of its nearest rows of `train`."""
    # |a - b|^2 = |a|^2 - 2 a.b + |b|^2, and |a|^2 is the same for all candidates.
    distance = np.sum(train * train, axis=1) - 2 * test @ train.T
    nearest = np.argsort(distance, axis=1, kind="stable")[:, :NEIGHBOURS]
    votes = labels[nearest]
    counts = np.sum(votes[:, :, np.newaxis] == np.arange(10), axis=1)
    return np.argmax(counts, axis=1)


def median_seconds(function: Callable[..., Any], *arguments: Any, rounds: int = 7) -> float:
    """The median time of a call."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        function(*arguments)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    """Load the digits, classify the held-out ones both ways, and show what was compiled."""
    digits = load_digits()
    pixels = digits.data.astype(np.float32)
    order = np.random.default_rng(0).permutation(len(pixels))
    train, test = order[:1200], order[1200:]
    arguments = (pixels[train], digits.target[train], pixels[test])

    compiled = weft.function(classify)
    start = time.perf_counter()
    predicted = compiled(*arguments)
    first_call = time.perf_counter() - start
    if not np.array_equal(predicted, classify(*arguments)):
        raise SystemExit("the compiled function disagrees with NumPy")
    accuracy = float(np.mean(predicted == digits.target[test]))

    eager_time = median_seconds(classify, *arguments)
    compiled_time = median_seconds(compiled, *arguments)
    concrete = compiled.get_concrete_function(*arguments)
    print("--- the program as weft optimised it (stage 'optimized') ---")
    print(concrete.as_text("optimized"))
    print("--- the first kernels it became (stage 'kernels', 40 lines) ---")
    print("\n".join(concrete.as_text("kernels").splitlines()[:40]))
    print("--- result ---")
    print(f"{len(test)} digits classified by {len(train)} others, {NEIGHBOURS} neighbours each")
    print(f"accuracy             {accuracy:.4f}")
    print(f"first call           {first_call * 1e3:8.1f} ms (tracing and compiling included)")
    print(f"NumPy, eager         {eager_time * 1e3:8.2f} ms")
    print(f"weft, compiled       {compiled_time * 1e3:8.2f} ms   {eager_time / compiled_time:.1f}x NumPy")
    if accuracy < 0.97:
        raise SystemExit("accuracy is below 0.97")


if __name__ == "__main__":
    main()
