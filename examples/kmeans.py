"""Cluster handwritten digits by k-means: Lloyd's algorithm with its loops and branches, in one compiled function.

The data is scikit-learn's digits set (1797 scans of 8x8 pixels, real handwriting, in its wheel). The loop runs until
the centres stand still; a cluster that lost all its points gets the point that is worst off. The same function runs
eagerly and compiled. Run it with `make demo`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import weft

CLUSTERS = 10


def cluster(points: Any, centres: Any, tolerance: Any, most: Any) -> Any:
    """Lloyd's algorithm: the centres, every point's cluster, the sum of squared distances, and the steps taken.

    `points` is (n, d) and `centres` (k, d), which is where the centres start.
    """
    centres = centres.copy()
    norms = np.sum(points * points, axis=1)
    steps = 0
    moved = np.inf
    while moved > tolerance:
        # |a - b|^2 = |a|^2 - 2 a.b + |b|^2 for all pairs at once.
        distance = norms[:, np.newaxis] - 2 * points @ centres.T + np.sum(centres * centres, axis=1)
        labels = np.argmin(distance, axis=1)
        nearest = np.min(distance, axis=1)
        moved = 0.0
        for k in range(len(centres)):
            members = labels == k
            size = np.sum(members)
            if size == 0:
                worst = np.argmax(nearest)
                centre = points[worst].copy()
                nearest[worst] = 0
            else:
                centre = np.sum(np.where(members[:, np.newaxis], points, 0), axis=0) / size
            moved = max(moved, np.max(np.abs(centre - centres[k])))
            centres[k] = centre
        steps += 1
        if steps == most:
            break
    return centres, labels, np.sum(nearest), steps


def agreement(labels: Any, digits: Any) -> float:
    """The part of points whose cluster is mostly made of their digit."""
    counts = np.zeros((CLUSTERS, 10), dtype=int)
    np.add.at(counts, (labels, digits), 1)
    return float(np.max(counts, axis=1).sum() / len(digits))


def median_seconds(function: Callable[..., Any], *arguments: Any, rounds: int = 7) -> float:
    """The median time of a call."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        function(*arguments)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    """Cluster the digits both ways, from centres two of which coincide, and compare."""
    digits = load_digits()
    points = digits.data.astype(np.float64)
    start_centres = points[np.random.default_rng(1).choice(len(points), CLUSTERS, replace=False)]
    start_centres[1] = start_centres[0]  # one of the two gets no points in the first step
    arguments = (points, start_centres, np.float64(1e-6), np.int64(300))

    compiled = weft.function(cluster)
    start = time.perf_counter()
    centres, labels, error, steps = compiled(*arguments)
    first_call = time.perf_counter() - start
    eager_centres, eager_labels, eager_error, eager_steps = cluster(*arguments)
    same_labels = float(np.mean(labels == eager_labels))
    if steps != eager_steps or same_labels < 1 or not np.allclose(centres, eager_centres, rtol=1e-9):
        raise SystemExit("the compiled function disagrees with NumPy")

    eager_time = median_seconds(cluster, *arguments)
    compiled_time = median_seconds(compiled, *arguments)
    print("--- k-means of handwritten digits ---")
    print(f"{len(points)} digits in {CLUSTERS} clusters after {steps} steps, {compiled.trace_count} trace")
    print(f"same clusters        {same_labels:.4f}   (steps {steps} and {eager_steps})")
    print(f"squared distances    {error:.1f}, NumPy {eager_error:.1f}")
    print(
        f"digits in clusters   {agreement(labels, digits.target):.4f} where their digit is the most frequent"
    )
    print(f"first call           {first_call * 1e3:8.1f} ms (tracing and compiling included)")
    print(f"NumPy, eager         {eager_time * 1e3:8.2f} ms")
    print(f"weft, compiled       {compiled_time * 1e3:8.2f} ms   {eager_time / compiled_time:.1f}x NumPy")


if __name__ == "__main__":
    main()
