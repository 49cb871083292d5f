"""Plain Python with and without a compiler: lists, dicts, texts and loops as people write them, called many times.

    python bench/plain_python.py [name ...]

prints the table and writes bench/results/plain_python.md: medians of calls in turns on one pinned core, in time of the
processor, no two calls with the same inputs. Numba is measured where it is
installed and compiles the program.
"""

from __future__ import annotations

import copy
import math
import pathlib
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

from everyday import compiled_by_numba
from harness import machine
from plain_programs import CASES, Draw, Given

import weft

RESULTS = pathlib.Path(__file__).parent / "results" / "plain_python.md"
WARM = 24
"""Calls before any is measured: numbers that change from call to call have become data by then."""
ROUNDS = 11
SECONDS_A_ROUND = 0.004
MOST_CALLS = 300

Make = Callable[[Draw], Given]


def seconds(function: Callable[..., Any], make: Make, seed: int, times: int) -> float:
    """Seconds of the processor that a call takes; no two are given the same."""
    draw = Draw(seed)
    given = [make(draw) for _ in range(times)]
    start = time.process_time()
    for args in given:
        function(*args)
    return (time.process_time() - start) / times


def medians(functions: list[Callable[..., Any] | None], make: Make) -> list[float]:
    """Seconds that a call of each takes; they take turns with the same data. NaN for what is not there."""
    counts = []
    for function in functions:
        if function is not None:
            seconds(function, make, 1, WARM)
            least = max(seconds(function, make, 2, 8), 1e-7)
            counts.append(max(4, min(MOST_CALLS, int(SECONDS_A_ROUND / least))))
        else:
            counts.append(0)
    times: list[list[float]] = [[] if function else [math.nan] for function in functions]
    for turn in range(ROUNDS):
        for function, count, found in zip(functions, counts, times, strict=True):
            if function is not None:
                found.append(seconds(function, make, 3 + turn, count))
    return list(map(statistics.median, times))


def is_same(function: Callable[..., Any], compiled: Callable[..., Any], args: Given) -> bool:
    """Whether both give the same, and leave the same behind in what they are given."""
    mine, theirs = copy.deepcopy(args), copy.deepcopy(args)
    return repr((compiled(*mine), mine)) == repr((function(*theirs), theirs))


def mean(ratios: list[float]) -> float:
    """The geometric mean of those that were measured."""
    known = [ratio for ratio in ratios if not math.isnan(ratio)]
    return math.exp(sum(map(math.log, known)) / len(known)) if known else math.nan


def main() -> None:
    """Measure, print and write."""
    warnings.simplefilter("ignore")
    chosen = sys.argv[1:]
    over_python, over_numba = [], []
    columns = ("program", "Python", "weft", "Numba", "Python / weft", "Numba / weft", "first call")
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for function, make in CASES:
        if chosen and function.__name__ not in chosen:
            continue
        draw = Draw(0)
        compiled, first = weft.function(function), make(draw)
        start = time.process_time()
        compiled(*first)
        first_call = time.process_time() - start
        assert all(is_same(function, compiled, make(draw)) for _ in range(WARM)), function.__name__
        times = medians([function, compiled, compiled_by_numba(function, make(draw))], make)
        eager, ours, theirs = times
        over_python.append(eager / ours)
        over_numba.append(theirs / ours)
        shown = ["-" if math.isnan(value) else f"{value * 1e6:.2f} us" for value in times]
        ratios = ["-" if math.isnan(value) else f"{value:.2f}" for value in (eager / ours, theirs / ours)]
        lines.append(f"| {' | '.join([f'`{function.__name__}`', *shown, *ratios, f'{first_call:.2f} s'])} |")
        print(lines[-1], flush=True)
    text = (
        f"Geometric means: {mean(over_python):.1f} times Python, {mean(over_numba):.1f} times Numba where it compiles"
        " the program. Where weft takes milliseconds, it traces the function anew at each call: texts among the"
        " arguments, and numbers that decide what the program is made of, are constants of a trace."
    )
    print(text)
    if not chosen:
        RESULTS.write_text(f"# Plain Python\n\n{machine()}\n\n" + "\n".join(lines) + f"\n\n{text}\n")


if __name__ == "__main__":
    main()
