"""What programs do every day: counts, medians, rolls, powers and print, with sizes that are known when they run.

    python bench/everyday.py [name ...]

prints the table and writes bench/results/everyday.md: medians of calls in turns on one pinned core, in time of the
processor. Numba is measured where it is installed, and knows the functions.
"""

from __future__ import annotations

import math
import os
import pathlib
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

from harness import machine, pin_to_one_core

pin_to_one_core()

import numpy as np  # noqa: E402  (NumPy must see the pinning)

import weft  # noqa: E402

RESULTS = pathlib.Path(__file__).parent / "results" / "everyday.md"
ROUNDS = 15
SECONDS_A_ROUND = 0.01


def counted(b: Any, n: Any) -> Any:
    h = np.zeros(n, np.int64)
    for i in range(len(b)):
        h[b[i]] += 1
    return h


def weighed(b: Any, n: Any, w: Any) -> Any:
    h = np.zeros(n)
    for i in range(len(b)):
        h[b[i]] += w[i]
    return h


def binned(x: Any, y: Any, n: Any) -> Any:
    h = np.zeros((n, n), np.int64)
    for k in range(len(x)):
        h[int(x[k] * n), int(y[k] * n)] += 1
    return h


def bincount(b: Any) -> Any:
    return np.bincount(b)


def added_at(b: Any, n: Any) -> Any:
    h = np.zeros(n)
    np.add.at(h, b, 1.0)
    return h


def segment_sums(x: Any, starts: Any) -> Any:
    return np.add.reduceat(x, starts)


def block_sums(table: Any, starts: Any) -> Any:
    return np.add.reduceat(np.add.reduceat(table, starts, axis=0), starts, axis=1)


def median(x: Any) -> Any:
    return np.median(x)


def nanmedian(x: Any) -> Any:
    return np.nanmedian(x)


def percentile(x: Any) -> Any:
    return np.percentile(x, 30.0)


def partition(x: Any) -> Any:
    return np.partition(x, len(x) // 2)


def row_medians(table: Any) -> Any:
    return np.nanmedian(table, axis=1)


def moving_median(x: Any, width: Any) -> Any:
    found = np.empty(len(x) - width)
    for i in range(len(x) - width):
        found[i] = np.median(x[i : i + width])
    return found


def roll(x: Any, k: Any) -> Any:
    return np.roll(x, k)


def rolled_columns(table: Any, k: Any) -> Any:
    return np.roll(table, k, axis=1)


def rotated(x: Any, k: Any) -> Any:
    return np.concatenate((x[k:], x[:k]))


def autocorrelation(x: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        total += (x * np.roll(x, i)).sum()
    return total


def inverse_distance(x: Any) -> Any:
    return x**-1.5


def column(table: Any) -> Any:
    return np.exp(table[:, 0]) * table[:, 1]


def turned(table: Any) -> Any:
    return np.exp(table.T)


def cube(x: Any) -> Any:
    return x**3


def forces(x: Any) -> Any:
    found = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(len(x)):
            d = x[j] - x[i]
            found[i] += d * (d * d + 0.01) ** -1.5
    return found


def printed(n: Any) -> None:
    for i in range(n):
        print(i)


def steps(n: Any) -> None:
    for i in range(n):
        print("step", i, i * 0.5)


RANDOM = np.random.default_rng(0)
X, Y, B = RANDOM.random(100_000), RANDOM.random(100_000), RANDOM.integers(0, 4096, 100_000)
TABLE = X[:90_000].reshape(300, 300)

Case = tuple[str, Callable[..., Any], tuple[Any, ...]]

CASES: list[Case] = [
    ("`h[b[i]] += 1`, 1e5", counted, (B, np.int64(4096))),
    ("`h[b[i]] += w[i]`, 1e5", weighed, (B, np.int64(4096), X)),
    ("`h[int(x[k] * n), int(y[k] * n)] += 1`, 1e5", binned, (X, Y, np.int64(64))),
    ("`np.bincount(b)`, 1e5", bincount, (B,)),
    ("`np.add.at(h, b, 1.0)`, 1e5", added_at, (B, np.int64(4096))),
    ("`np.add.reduceat(x, i)`, 1e5 by 10", segment_sums, (X, np.arange(0, 100_000, 10))),
    ("`np.add.reduceat(x, i)`, 1e5 by 1000", segment_sums, (X, np.arange(0, 100_000, 1000))),
    ("`np.add.reduceat` along both axes, 300 x 300 by 10", block_sums, (TABLE, np.arange(0, 300, 10))),
    ("`np.median(x)`, 1e3", median, (X[:1000],)),
    ("`np.median(x)`, 1e5", median, (X,)),
    ("`np.nanmedian(x)`, 1e5", nanmedian, (X,)),
    ("`np.percentile(x, 30.0)`, 1e5", percentile, (X,)),
    ("`np.partition(x, len(x) // 2)`, 1e5", partition, (X,)),
    ("`np.nanmedian(table, axis=1)`, 300 x 300", row_medians, (TABLE,)),
    ("`np.median(x[i : i + 15])` in a loop, 3000", moving_median, (X[:3000], np.int64(15))),
    ("`np.roll(x, k)`, 1e3", roll, (X[:1000], np.int64(333))),
    ("`np.roll(x, k)`, 1e5", roll, (X, np.int64(33_333))),
    ("`np.roll(table, k, axis=1)`, 300 x 300", rolled_columns, (TABLE, np.int64(7))),
    ("`np.concatenate((x[k:], x[:k]))`, 1e5", rotated, (X, np.int64(33_333))),
    ("`(x * np.roll(x, i)).sum()` in a loop, 200 of 1e3", autocorrelation, (X[:1000], np.int64(200))),
    ("`x ** -1.5`, 1e5", inverse_distance, (X,)),
    ("`np.exp(table[:, 0]) * table[:, 1]`, 33,333 x 3", column, (X[:99_999].reshape(-1, 3),)),
    ("`np.exp(table.T)`, 300 x 300", turned, (TABLE,)),
    ("`x ** 3`, 1e5", cube, (X,)),
    ("`(d * d + 0.01) ** -1.5` in loops, 300 x 300", forces, (X[:300],)),
    ("`print(i)`, 1000", printed, (np.int64(1000),)),
    ('`print("step", i, i * 0.5)`, 1000', steps, (np.int64(1000),)),
]


def seconds(function: Callable[..., Any], args: tuple[Any, ...], count: int) -> float:
    """Time of the processor that a call takes."""
    start = time.process_time()
    for _ in range(count):
        function(*args)
    return (time.process_time() - start) / count


def compiled_by_weft(function: Callable[..., Any], args: tuple[Any, ...]) -> Callable[..., Any]:
    """A function for arrays of any extents."""
    specs = [weft.TensorSpec((None,) * np.ndim(value), np.asarray(value).dtype) for value in args]
    return weft.function(function, input_signature=specs)


def compiled_by_numba(function: Callable[..., Any], args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """A function that Numba has compiled; None where there is no Numba, or it cannot."""
    try:
        import numba

        compiled: Callable[..., Any] = numba.njit(function)
        compiled(*args)
    except Exception:
        return None
    return compiled


def medians(functions: list[Callable[..., Any] | None], args: tuple[Any, ...]) -> list[float]:
    """Seconds that a call of each takes; they take turns. NaN for what is not there."""
    counts = []
    for function in functions:
        if function is not None:
            seconds(function, args, 3)  # the first ones compile, and say how to call
        counts.append(0 if function is None else max(1, int(SECONDS_A_ROUND / seconds(function, args, 3))))
    times: list[list[float]] = [[] if function else [math.nan] for function in functions]
    for _ in range(ROUNDS):
        for function, count, found in zip(functions, counts, times, strict=True):
            if function is not None:
                found.append(seconds(function, args, count))
    return list(map(statistics.median, times))


def main() -> None:
    """Measure, print and write."""
    warnings.simplefilter("ignore")
    chosen = sys.argv[1:]
    lines = ["| what | NumPy | weft | Numba | NumPy / weft | Numba / weft |", "|---" * 6 + "|"]
    for title, function, args in CASES:
        if chosen and function.__name__ not in chosen:
            continue
        with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
            compiled = compiled_by_weft(function, args)
            prints = function in (
                printed,
                steps,
            )  # Numba prints to the process's output, which is not Python's
            other = None if prints else compiled_by_numba(function, args)
            times = medians([function, compiled, other], args)
        shown = ["-" if math.isnan(value) else f"{value * 1e6:.2f} us" for value in times]
        ratios = ["-" if math.isnan(value) else f"{value / times[1]:.2f}" for value in (times[0], times[2])]
        lines.append(f"| {' | '.join([title, *shown, *ratios])} |")
        print(lines[-1], flush=True)
    if not chosen:
        RESULTS.write_text(f"# Everyday programs\n\n{machine()}\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
