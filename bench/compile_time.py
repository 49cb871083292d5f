"""Measure what compiling costs: whole programs, and phase by phase per operation in ten to ten thousand operations.

Run alone: `python bench/compile_time.py [--most 10000] [program ...]`; the name `catalogue` stands for the whole
programs. Where a step grows faster than the program, its microseconds per operation grow from row to row.
"""

from __future__ import annotations

import argparse
import gc
import os
import pathlib
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from harness import pin_to_one_core

pin_to_one_core()
os.environ["WEFT_CACHE"] = "0"  # what is on disk is not compiled
os.environ["WEFT_MAX_TRACE_OPS"] = "1000000"  # each update of a slice is several

import numpy as np  # noqa: E402  (NumPy and its BLAS must see the pinning)
import program_compile_times  # noqa: E402
import start_up  # noqa: E402

import weft  # noqa: E402
from weft.passes.timing import CompileTimes  # noqa: E402

Program = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function, and arguments for it."""

VECTOR = np.linspace(-1, 1, 8)
COUNTS = (10, 100, 1_000, 10_000)
DEPTHS = (10, 20, 40)
CATALOGUE = "catalogue"
FIRST_CALL = "first_call"


def chain(count: int) -> Program:
    """Elementwise operations, each on the result of the one before."""

    def run(x: Any) -> Any:
        for i in weft.unroll(range(count // 5)):
            x = np.abs(np.sin(x * 1.5 + i)) - 0.25
        return x

    return run, (VECTOR,)


def independent(count: int) -> Program:
    """Elementwise operations with a result each."""

    def run(x: Any) -> Any:
        return [x + i for i in weft.unroll(range(count))]

    return run, (VECTOR,)


def distinct_products(count: int) -> Program:
    """Matrix products, no two of one shape."""
    shapes = [
        np.unravel_index(i * 617 % 1000, (10, 10, 10)) for i in range(count)
    ]  # all sizes in each stretch
    factors = (
        [np.ones((3 + rows, 3 + depth)) for rows, depth, _ in shapes],
        [np.ones((3 + depth, 3 + columns)) for _, depth, columns in shapes],
    )

    def run(left: Any, right: Any) -> Any:
        return [a @ b for a, b in zip(left, right, strict=True)]

    return run, factors


def equal_layers(count: int) -> Program:
    """Layers of equal shapes and different weights, each of three operations."""
    weights = [np.ones((8, 8)) for _ in range(count // 3)]
    biases = [np.ones(8) for _ in range(count // 3)]

    def run(x: Any, weights: Any, biases: Any) -> Any:
        for weight, bias in zip(weights, biases, strict=True):
            x = np.maximum(x @ weight + bias, 0)
        return x

    return run, (np.ones((4, 8)), weights, biases)


def equal_products(count: int) -> Program:
    """One product again and again."""

    def run(a: Any, b: Any) -> Any:
        for _ in weft.unroll(range(count)):
            a = a @ b
        return a

    return run, (np.ones((10, 10), np.int32), np.ones((10, 10), np.int32))


def arguments(count: int) -> Program:
    """The sum of many arguments."""

    def run(arrays: Any) -> Any:
        total = arrays[0]
        for array in arrays[1:]:
            total = total + array
        return total

    return run, ([VECTOR.copy() for _ in range(count)],)


def constants(count: int) -> Program:
    """Arrays from outside, compiled in."""
    tables = [VECTOR + i for i in range(count)]

    def run(x: Any) -> Any:
        for table in tables:
            x = np.maximum(x, table)
        return x

    return run, (VECTOR,)


def updates(count: int) -> Program:
    """Writes to parts of an array."""

    def run(x: Any) -> Any:
        x = x.copy()
        for i in weft.unroll(range(count)):
            x[i % 7 : i % 7 + 2] += 1.0
        return x

    return run, (VECTOR,)


def branches(count: int) -> Program:
    """Branches that follow each other."""

    def run(x: Any) -> Any:
        for i in weft.unroll(range(count)):
            if x[i % 8] > i:
                x = x + 1.0
            else:
                x = x * 0.5
        return x

    return run, (VECTOR,)


def nested_branches(count: int) -> Program:
    """Branches inside of each other."""

    def inside(x: Any, depth: int) -> Any:
        if depth and x[depth % 8] > depth:
            x = inside(x * 0.5, depth - 1)
        else:
            x = x + 1.0
        return x

    def run(x: Any) -> Any:
        return inside(x, count)

    return run, (VECTOR,)


def loops(count: int) -> Program:
    """Loops with a run-time count that follow each other."""

    def run(x: Any, n: Any) -> Any:
        for i in weft.unroll(range(count)):
            for j in range(n):
                x = x * 0.5 + j + i
        return x

    return run, (VECTOR, np.int64(3))


def element_loops(count: int) -> Program:
    """Loops over the elements of an array that follow each other."""

    def run(x: Any) -> Any:
        x = x.copy()
        for i in weft.unroll(range(count)):
            for j in range(len(x) - 1):
                x[j + 1] = x[j] * 0.5 + i
        return x

    return run, (np.linspace(-1, 1, 50),)


PROGRAMS: dict[str, tuple[Callable[[int], Program], tuple[int, ...]]] = {
    "chain": (chain, COUNTS),
    "independent": (independent, COUNTS),
    "distinct_products": (distinct_products, COUNTS[:3]),
    "equal_layers": (equal_layers, COUNTS),
    "equal_products": (equal_products, COUNTS),
    "arguments": (arguments, COUNTS),
    "constants": (constants, COUNTS),
    "updates": (updates, COUNTS),
    "branches": (branches, COUNTS[:3]),
    "nested_branches": (nested_branches, DEPTHS),
    "loops": (loops, COUNTS[:3]),
    "element_loops": (element_loops, COUNTS[:3]),
}
"""Every program with the numbers of operations, branches or loops that it is measured with."""


def compile_times(program: Callable[[int], Program], count: int) -> CompileTimes:
    """The times of the best of a few compilations."""
    found = []
    for _ in range(3 if count <= 100 else 1):
        function, arguments = program(count)
        gc.collect()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(weft.function(function).get_concrete_function(*arguments).compile_times)
    return min(found, key=lambda times: times.total)


def table(name: str, most: int) -> Iterator[str]:
    """The lines of a program's table: microseconds per operation of each phase."""
    program, counts = PROGRAMS[name]
    yield f"\n## {name}: {(program.__doc__ or '').strip()}\n"
    for count in [count for count in counts if count <= most]:
        times = compile_times(program, count)
        if count == counts[0]:
            yield f"| count | {' | '.join(times)} | total | seconds |"
            yield "|---" * (len(times) + 3) + "|"
        cells = [f"{1e6 * seconds / count:.0f}" for seconds in (*times.values(), times.total)]
        yield f"| {count} | {' | '.join(cells)} | {times.total:.2f} |"


def lines_of(name: str, most: int) -> Iterator[str]:
    """The lines of a table by its name."""
    if name == FIRST_CALL:
        return start_up.first_call_table()
    return program_compile_times.table() if name == CATALOGUE else table(name, most)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "programs", nargs="*", default=[FIRST_CALL, CATALOGUE, *PROGRAMS], help="which programs"
    )
    parser.add_argument("--most", type=int, default=COUNTS[-1], help="the largest number of operations")
    parser.add_argument("--output", type=pathlib.Path, help="a file to write to, too")
    options = parser.parse_args()
    sys.setrecursionlimit(20_000)  # tracing takes some thirty frames for a branch inside of another
    lines = []
    for name in options.programs:
        for line in lines_of(name, options.most):
            print(line, flush=True)
            lines.append(line)
    if options.output is not None:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
