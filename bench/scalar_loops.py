"""Loops on single elements that nobody tuned for: tables, queues, trees in arrays, merges, grids, searches.

    python bench/scalar_loops.py [name ...]

prints the table and writes bench/results/scalar_loops.md: medians of calls in turns on one pinned core, in time of the
processor, beside Numba where it is installed. Each program copies what it changes, and no two calls in a row have the
same data.
"""

from __future__ import annotations

import math
import pathlib
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from everyday import compiled_by_numba
from harness import machine

import weft

RESULTS = pathlib.Path(__file__).parent / "results" / "scalar_loops.md"


def counted(places: Any, n: Any) -> Any:
    counts = np.zeros(n, np.int64)
    for i in range(len(places)):
        counts[places[i]] += 1
    return counts


def binned(x: Any, y: Any, n: Any) -> Any:
    counts = np.zeros((n, n), np.int64)
    for k in range(len(x)):
        counts[int(x[k] * n), int(y[k] * n)] += 1
    return counts


def sparse_rows(data: Any, places: Any, starts: Any, x: Any) -> Any:
    sums = np.zeros(len(starts) - 1)
    for i in range(len(starts) - 1):
        total = 0.0
        for j in range(starts[i], starts[i + 1]):
            total += data[j] * x[places[j]]
        sums[i] = total
    return sums


def common_length(one: Any, other: Any) -> Any:
    table = np.zeros((len(one) + 1, len(other) + 1), np.int64)
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            if one[i - 1] == other[j - 1]:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = max(table[i - 1, j], table[i, j - 1])
    return table[len(one), len(other)]


def knapsack(weights: Any, values: Any, capacity: Any) -> Any:
    best = np.zeros(capacity + 1, np.int64)
    for i in range(len(weights)):
        for j in range(capacity, weights[i] - 1, -1):
            best[j] = max(best[j], best[j - weights[i]] + values[i])
    return best[capacity]


def roots(parents: Any, nodes: Any) -> Any:
    found = np.zeros(len(nodes), np.int64)
    for i in range(len(nodes)):
        node = nodes[i]
        while parents[node] != node:
            node = parents[node]
        found[i] = node
    return found


def distances(starts: Any, neighbours: Any, n: Any) -> Any:
    distance, queue = np.full(n, -1), np.zeros(n, np.int64)
    head, tail = 0, 1
    distance[0] = 0
    while head < tail:
        node = queue[head]
        head += 1
        for k in range(starts[node], starts[node + 1]):
            other = neighbours[k]
            if distance[other] < 0:
                distance[other] = distance[node] + 1
                queue[tail] = other
                tail += 1
    return distance


def inserted(values: Any) -> Any:
    values = values.copy()
    for i in range(1, len(values)):
        value, j = values[i], i - 1
        while j >= 0 and values[j] > value:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = value
    return values


def heaped(values: Any) -> Any:
    values = values.copy()
    for start in range(len(values) // 2 - 1, -1, -1):
        i = start
        while True:
            child = 2 * i + 1
            if child >= len(values):
                break
            if child + 1 < len(values) and values[child + 1] > values[child]:
                child += 1
            if values[i] >= values[child]:
                break
            values[i], values[child] = values[child], values[i]
            i = child
    return values


def interpolated(x: Any, table: Any) -> Any:
    found = np.empty(len(x))
    for i in range(len(x)):
        place = x[i] * (len(table) - 1)
        k = int(place)
        rest = place - k
        if k >= len(table) - 1:
            found[i] = table[len(table) - 1]
        else:
            found[i] = table[k] * (1 - rest) + table[k + 1] * rest
    return found


def merged(one: Any, other: Any) -> Any:
    found = np.empty(len(one) + len(other))
    i = j = k = 0
    while i < len(one) and j < len(other):
        if one[i] <= other[j]:
            found[k] = one[i]
            i += 1
        else:
            found[k] = other[j]
            j += 1
        k += 1
    while i < len(one):
        found[k] = one[i]
        i += 1
        k += 1
    while j < len(other):
        found[k] = other[j]
        j += 1
        k += 1
    return found


def words(codes: Any) -> Any:
    lengths, count, i = np.zeros(len(codes), np.int64), 0, 0
    while i < len(codes):
        if codes[i] == 32:
            i += 1
            continue
        j = i
        while j < len(codes) and codes[j] != 32:
            j += 1
        lengths[count] = j - i
        count += 1
        i = j
    return count


def filled(grid: Any, row: Any, column: Any) -> Any:
    grid = grid.copy()
    height, width = grid.shape
    stack = np.zeros((4 * height * width, 2), np.int64)
    stack[0, 0], stack[0, 1], on_stack, count = row, column, 1, 0
    while on_stack > 0:
        on_stack -= 1
        i, j = stack[on_stack, 0], stack[on_stack, 1]
        if i < 0 or j < 0 or i >= height or j >= width or grid[i, j] != 0:
            continue
        grid[i, j] = 2
        count += 1
        stack[on_stack, 0], stack[on_stack, 1] = i + 1, j
        stack[on_stack + 1, 0], stack[on_stack + 1, 1] = i - 1, j
        stack[on_stack + 2, 0], stack[on_stack + 2, 1] = i, j + 1
        stack[on_stack + 3, 0], stack[on_stack + 3, 1] = i, j - 1
        on_stack += 4
    return count


def shortest(weights: Any, source: Any) -> Any:
    n = len(weights)
    distance, is_done = np.full(n, 1e18), np.zeros(n, np.bool_)
    distance[source] = 0
    for _ in range(n):
        node, best = -1, 1e18
        for i in range(n):
            if not is_done[i] and distance[i] < best:
                best, node = distance[i], i
        if node < 0:
            break
        is_done[node] = True
        for j in range(n):
            if weights[node, j] > 0 and distance[node] + weights[node, j] < distance[j]:
                distance[j] = distance[node] + weights[node, j]
    return distance


def coded(data: Any, table: Any) -> Any:
    table = table.copy()
    count, current, following = 0, 0, 256
    for k in range(len(data)):
        symbol = data[k]
        found = table[current, symbol]
        if found < 0 and following < len(table):
            table[current, symbol] = following
            following += 1
            count += 1
            current = symbol
        elif found < 0:
            count += 1
            current = symbol
        else:
            current = found
    return count


Given = tuple[Any, ...]


def _graph(random: np.random.Generator) -> tuple[Any, Any]:
    starts = np.concatenate([[0], np.cumsum(random.integers(1, 12, 2000))])
    return starts, random.integers(0, 2000, 12 * 2000)


def _sparse(random: np.random.Generator) -> Given:
    starts, places = _graph(random)
    return random.random(len(places)), places, starts, random.random(2000)


def _parents(random: np.random.Generator) -> Any:
    return np.concatenate([[0], (np.arange(1, 5000) * random.random(4999)).astype(np.int64)])


def _grid(random: np.random.Generator) -> Any:
    grid = (random.random((60, 60)) < 0.3).astype(np.int64)
    grid[5, 5] = 0
    return grid


CASES: list[tuple[str, Callable[..., Any], Callable[[np.random.Generator], Given]]] = [
    ("counts at places", counted, lambda r: (r.integers(0, 100, 100_000), np.int64(100))),
    ("counts at two computed places", binned, lambda r: (r.random(20_000), r.random(20_000), np.int64(50))),
    ("rows of a sparse matrix", sparse_rows, _sparse),
    (
        "longest common subsequence",
        common_length,
        lambda r: (r.integers(0, 4, 300), r.integers(0, 4, 300)),
    ),
    ("knapsack", knapsack, lambda r: (r.integers(1, 50, 60), r.integers(1, 99, 60), np.int64(1000))),
    ("roots of a forest", roots, lambda r: (_parents(r), r.integers(0, 5000, 5000))),
    ("breadth-first search", distances, lambda r: (*_graph(r), np.int64(2000))),
    ("insertion sort", inserted, lambda r: (r.random(400),)),
    ("heap", heaped, lambda r: (r.random(20_000),)),
    ("interpolation in a table", interpolated, lambda r: (r.random(20_000), r.random(100))),
    ("merge", merged, lambda r: (np.sort(r.random(5000)), np.sort(r.random(5000)))),
    ("lengths of words", words, lambda r: (np.where(r.random(5000) < 0.2, 32, 65),)),
    ("flood fill", filled, lambda r: (_grid(r), np.int64(5), np.int64(5))),
    ("shortest paths", shortest, lambda r: (r.integers(0, 9, (80, 80)).astype(float), np.int64(0))),
    ("Lempel-Ziv-Welch", coded, lambda r: (r.integers(0, 4, 5000), np.full((600, 256), -1))),
]

DIFFERENT = 32
"""Calls in a row have other data: a processor learns thousands of branches by heart where these stay the same."""
ROUNDS = 15


def medians(functions: list[Callable[..., Any] | None], given: list[Given]) -> list[float]:
    """Seconds that a call of each takes with all that is given; they take turns. NaN for what is not there."""
    there = [function for function in functions if function is not None]
    for args in given[:3]:  # the first ones compile, and say how to call
        for function in there:
            function(*args)
    times: dict[Callable[..., Any], list[float]] = {function: [] for function in there}
    for _ in range(ROUNDS):
        for function in there:
            start = time.process_time()
            for args in given:
                function(*args)
            times[function].append((time.process_time() - start) / len(given))
    return [statistics.median(times[function]) if function else math.nan for function in functions]


def main() -> None:
    """Measure, print and write."""
    warnings.simplefilter("ignore")
    chosen, ratios = sys.argv[1:], []
    lines = ["| what | weft | Numba | Numba / weft |", "|---" * 4 + "|"]
    for title, function, make in CASES:
        if chosen and function.__name__ not in chosen:
            continue
        random = np.random.default_rng(0)
        given = [make(random) for _ in range(DIFFERENT)]
        ours, theirs = medians([weft.function(function), compiled_by_numba(function, given[0])], given)
        shown = ["-" if math.isnan(value) else f"{value * 1e6:.2f} us" for value in (ours, theirs)]
        ratios.append(theirs / ours)
        lines.append(f"| {' | '.join([title, *shown, f'{theirs / ours:.2f}'])} |")
        print(lines[-1], flush=True)
    mean = f"Geometric mean of the ratios: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}."
    print(mean)
    if not chosen:
        RESULTS.write_text(
            f"# Loops on single elements\n\n{machine()}\n\n" + "\n".join(lines) + f"\n\n{mean}\n"
        )


if __name__ == "__main__":
    main()
