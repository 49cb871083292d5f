"""What a draw costs in a loop or branch of a compiled function: of NumPy's functions, of Python's, of a Generator.

    python bench/random_loops.py

prints the table and writes bench/results/random_loops.md: medians of calls in turns on one pinned core, in time of
the processor, for one iteration. Numba is measured where it is installed, and knows what is drawn of.
"""

from __future__ import annotations

import math
import pathlib
import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from harness import machine, pin_to_one_core

pin_to_one_core()

import numpy as np  # noqa: E402  (NumPy must see the pinning)

import weft  # noqa: E402

RESULTS = pathlib.Path(__file__).parent / "results" / "random_loops.md"
ROUNDS = 15
ITERATIONS = 2000


def uniform(n: Any) -> Any:
    total = 0.0
    for _ in range(n):
        total += np.random.random()
    return total


def normal(n: Any) -> Any:
    total = 0.0
    for _ in range(n):
        total += np.random.normal(0.0, 2.0)
    return total


def integers(n: Any) -> Any:
    place = 0
    for _ in range(n):
        place += 2 * np.random.randint(0, 2) - 1
    return place


def binomial(n: Any) -> Any:
    total = 0
    for _ in range(n):
        total += np.random.binomial(10, 0.5)
    return total


def flips(n: Any) -> Any:
    count = 0
    for i in range(n):
        if i % 4 == 0 or np.random.random() > 0.5:
            count += 1
    return count


def python_uniform(n: Any) -> Any:
    total = 0.0
    for _ in range(n):
        total += random.random()
    return total


def walk(n: Any) -> Any:
    place = 0
    for _ in range(n):
        place += 2 * random.randint(0, 1) - 1
    return place


def gauss(n: Any) -> Any:
    total = 0.0
    for _ in range(n):
        total += random.gauss(0.0, 1.0)
    return total


def gamma(n: Any) -> Any:
    total = 0.0
    for _ in range(n):
        total += random.gammavariate(2.5, 1.0)
    return total


def generator_uniform(n: Any, rng: Any) -> Any:
    total = 0.0
    for _ in range(n):
        total += rng.random()
    return total


def generator_normal(n: Any, rng: Any) -> Any:
    total = 0.0
    for _ in range(n):
        total += rng.normal(0.0, 2.0)
    return total


def generator_integers(n: Any, rng: Any) -> Any:
    place = 0
    for _ in range(n):
        place += rng.integers(0, 6)
    return place


Case = tuple[str, Callable[..., Any], tuple[Any, ...]]

CASES: list[Case] = [
    ("`np.random.random()`", uniform, ()),
    ("`np.random.normal(0.0, 2.0)`", normal, ()),
    ("`np.random.randint(0, 2)`", integers, ()),
    ("`np.random.binomial(10, 0.5)`", binomial, ()),
    ("`np.random.random()` in a branch", flips, ()),
    ("`random.random()`", python_uniform, ()),
    ("`random.randint(0, 1)`", walk, ()),
    ("`random.gauss(0.0, 1.0)`", gauss, ()),
    ("`random.gammavariate(2.5, 1.0)`", gamma, ()),
    ("`rng.random()`", generator_uniform, (np.random.default_rng(0),)),
    ("`rng.normal(0.0, 2.0)`", generator_normal, (np.random.default_rng(0),)),
    ("`rng.integers(0, 6)`", generator_integers, (np.random.default_rng(0),)),
]


def jit_of_numba() -> Callable[..., Any] | None:
    """Numba's compiler, where it is installed."""
    try:
        import numba
    except ImportError:
        return None
    jit: Callable[..., Any] = numba.njit
    return jit


def medians(functions: list[Callable[..., Any] | None], args: tuple[Any, ...]) -> list[float]:
    """Seconds of the processor that an iteration of each takes; they take turns. NaN for what is not there."""
    times: list[list[float]] = [[] if function else [math.nan] for function in functions]
    count = np.int64(ITERATIONS)
    for _ in range(ROUNDS):
        for function, found in zip(functions, times, strict=True):
            if function is not None:
                start = time.process_time()
                function(count, *args)
                found.append((time.process_time() - start) / ITERATIONS)
    return list(map(statistics.median, times))


def compiled_by(jit: Callable[..., Any] | None, function: Any, args: tuple[Any, ...]) -> Any:
    """A function that a compiler has compiled; None where it cannot."""
    if jit is None:
        return None
    compiled = jit(function)
    try:
        compiled(np.int64(3), *args)
    except Exception:
        return None
    return compiled


def main() -> None:
    """Measure, print and write."""
    jit, chosen = jit_of_numba(), sys.argv[1:]
    others = ["Numba"] if jit else []
    lines = [f"| {' | '.join(['one draw', 'eager', 'weft', *others])} |", "|---" * (3 + len(others)) + "|"]
    for title, function, args in CASES:
        if chosen and function.__name__ not in chosen:
            continue
        compilers = [weft.function, *([jit] if jit else [])]
        times = medians([function, *(compiled_by(compiler, function, args) for compiler in compilers)], args)
        shown = ["-" if math.isnan(value) else f"{value * 1e9:.0f} ns" for value in times]
        lines.append(f"| {' | '.join([title, *shown])} |")
        print(lines[-1], flush=True)
    if not chosen:
        RESULTS.write_text(f"# Random numbers in loops\n\n{machine()}\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
