"""Measure dicts and sets with computed keys: weft beside Python, and Numba's typed dict and set.

Runs with `make bench`, or alone: `python bench/tables.py [workload ...]`. Numba is measured where it is installed; it
compiles the same functions. All candidates share one process on one core and take turns.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import pathlib
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from harness import Row, keep_freed_memory, machine, median_times, pin_to_one_core, table

pin_to_one_core()
keep_freed_memory()
os.environ["WEFT_CACHE"] = "0"  # what is on disk is not compiled

import numpy as np  # noqa: E402  (NumPy must see the pinning)

import weft  # noqa: E402

RESULT = pathlib.Path(__file__).parent / "results" / "tables.md"


def counted(keys):
    """How often each key is there."""
    counts = {}
    for key in keys:
        if key in counts:
            counts[key] += 1
        else:
            counts[key] = 1
    most = 0
    for key in counts:
        most = max(most, counts[key])
    return len(counts), most


def summed(keys, values):
    """The largest sum of the values of a key."""
    sums = {}
    for i in range(len(keys)):
        if keys[i] in sums:
            sums[keys[i]] += values[i]
        else:
            sums[keys[i]] = values[i]
    largest = 0.0
    for key in sums:
        largest = max(largest, sums[key])
    return largest


def seen(keys):
    """How many keys came before."""
    known = set()
    repeated = 0
    for key in keys:
        if key in known:
            repeated += 1
        else:
            known.add(key)
    return repeated


def pairs(keys):
    """How many different pairs of neighbours there are."""
    known = {}
    for i in range(len(keys) - 1):
        known[(keys[i], keys[i + 1])] = i
    return len(known)


def looked_up(keys, wanted):
    """The sum of what is found."""
    places = {}
    for i in range(len(keys)):
        places[keys[i]] = i
    total = 0
    for key in wanted:
        total += places.get(key, -1)
    return total


def window(keys, width):
    """The most different keys in a window."""
    counts = {}
    best = 0
    for i in range(len(keys)):
        if keys[i] in counts:
            counts[keys[i]] += 1
        else:
            counts[keys[i]] = 1
        if i >= width:
            old = keys[i - width]
            counts[old] -= 1
            if counts[old] == 0:
                del counts[old]
        best = max(best, len(counts))
    return best


def collatz(n):
    """The most steps to 1 from a number below a limit, with what is known kept."""
    known = {1: 0}
    best = 0
    for start in range(2, n):
        x = start
        steps = 0
        while x not in known:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            steps += 1
        known[start] = steps + known[x]
        best = max(best, known[start])
    return best


@dataclass(frozen=True)
class Workload:
    """A program with its arguments."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    operations: int
    """How often a key is looked for."""


def workloads() -> list[Workload]:
    """What is measured."""
    random = np.random.default_rng(0)
    few, some, many = (random.integers(0, most, 1_000_000) for most in (100, 10_000, 1_000_000))
    floats = random.integers(0, 10_000, 1_000_000) / 8
    return [
        Workload("counts, 100 keys", counted, (few,), len(few)),
        Workload("counts, 10,000 keys", counted, (some,), len(some)),
        Workload("counts, 630,000 keys", counted, (many,), len(many)),
        Workload("counts, keys in order", counted, (np.arange(1_000_000) // 2,), 1_000_000),
        Workload("counts, 10,000 floats", counted, (floats,), len(floats)),
        Workload("sums, 10,000 keys", summed, (some, random.random(1_000_000)), len(some)),
        Workload("set, 10,000 members", seen, (some,), len(some)),
        Workload("set, 630,000 members", seen, (many,), len(many)),
        Workload("pairs, 10,000 keys", pairs, (few,), len(few)),
        Workload(
            "lookups, half of them missing",
            looked_up,
            (some, random.integers(0, 20_000, 1_000_000)),
            2_000_000,
        ),
        Workload("windows of 1000", window, (some, 1000), 3_000_000),
        Workload("Collatz with a cache, 100,000", collatz, (100_000,), 1_000_000),
    ]


def measure(workload: Workload) -> Row:
    """The times of all candidates."""
    compiled = weft.function(workload.function)
    start = time.process_time()
    found = compiled(*workload.arguments)
    compiling = time.process_time() - start
    start = time.process_time()
    expected = workload.function(*workload.arguments)
    eager = time.process_time() - start
    compiled(*workload.arguments)  # the second call is described to native code
    assert np.allclose(np.array(found), np.array(expected)), workload.name
    candidates = [lambda: compiled(*workload.arguments)]
    if importlib.util.find_spec("numba") is not None:
        import numba

        other = numba.njit(workload.function)
        assert np.allclose(np.array(other(*workload.arguments)), np.array(expected)), workload.name
        candidates.append(lambda: other(*workload.arguments))
    ours, *others = median_times(candidates, rounds=7, clock=time.process_time)
    scale = 1e9 / workload.operations
    beside = others[0] / ours if others else float("nan")
    reference = f"Python {eager * scale:.0f} ns"
    if others:
        reference = f"Numba {others[0] * scale:.1f} ns, {reference}"
    return Row(
        workload.name,
        f"{ours * scale:.1f} ns",
        reference,
        f"{beside:.2f}x Numba, compiled in {compiling:.2f} s",
        "at least 1x Numba",
    )


def main() -> None:
    """Measure some workloads, or all, which are written down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of names of workloads; all, if there are none")
    names = parser.parse_args().names
    chosen = [w for w in workloads() if not names or any(name in w.name for name in names)]
    text = f"{table([measure(workload) for workload in chosen])}\n"
    print(text)
    if not names:
        head = (
            "# Dicts and sets with computed keys\n\nNanoseconds for each time that a key is looked for.\n\n"
        )
        RESULT.write_text(f"{head}{machine()}\n\n{text}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
