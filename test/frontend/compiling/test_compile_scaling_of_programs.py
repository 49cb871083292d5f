"""Programs of many shapes compile in a time that grows as they do: twice the program is less than 2.6 times the work.

Work is counted as in `test_compile_scaling.py`; `bench/compile_time.py` measures the same programs in seconds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.compile_work import Program, work_of

X = np.linspace(-1, 1, 8)
ANY_LENGTH = weft.TensorSpec([None], "float64")


def growing_list(count: int) -> Program:
    def run(x: Any) -> Any:
        found = []
        for row in weft.unroll(x):
            if row > 0:
                found.append(row + 1)
        return found

    return run, (np.linspace(-1, 1, count),)


def lists_of_strings(count: int) -> Program:
    def run(x: Any) -> Any:
        state, words = "out", []
        for i in weft.unroll(range(count)):
            if state == "out":
                if x[i % 8] > 0:
                    state = "in"
                    words.append(x[i % 8])
            elif x[i % 8] < 0.5:
                state = "out"
        return state, words

    return run, (X,)


def lists_in_branches(count: int) -> Program:
    def run(x: Any) -> Any:
        items = [x[0]]
        for i in range(8):
            for k in weft.unroll(range(count)):
                if x[i] > k:
                    items.append(x[i] * k)
        return np.stack(items)

    return run, (X,)


def numbers_of_rows(count: int) -> Program:
    def run(x: Any) -> Any:
        s, m = x.sum(axis=1), x.max(axis=1)
        for _ in weft.unroll(range(count)):
            s = np.sin(s) * np.cos(s) + m
            m = np.exp(-s) * m + s
        return s, m

    return run, (np.ones((5, 7)),)


def lengths_by_branch(count: int) -> Program:
    def run(x: Any) -> Any:
        for i in weft.unroll(range(count)):
            if x[i] > i:
                x = x[1:]
            else:
                x = x * 0.5
        return x

    return run, (ANY_LENGTH,)


def writes_in_branches(count: int) -> Program:
    def run(x: Any) -> Any:
        y = np.zeros(8)
        for i in weft.unroll(range(count)):
            if x[i % 8] > 0:
                y[i % 8] += x[i % 8]
        return y

    return run, (X,)


def dict_over_bit_masks(cities: int) -> Program:
    """The shortest tour by sets of cities."""

    def run(distances: Any) -> Any:
        best = {(1 << k, k): distances[0, k] for k in range(1, cities)}
        for size in range(2, cities):
            for subset in itertools.combinations(range(1, cities), size):
                bits = sum(1 << k for k in subset)
                for k in subset:
                    rest = bits & ~(1 << k)
                    best[bits, k] = min(best[rest, m] + distances[m, k] for m in subset if m != k)
        bits = 2**cities - 2
        return min(best[bits, k] + distances[k, 0] for k in range(1, cities))

    return run, (np.ones((cities, cities)),)


def recursion(depth: int) -> Program:
    def inside(x: Any, left: int) -> Any:
        if left == 0:
            return x
        if x[left % 8] > left:
            x = x * 0.5
        return inside(x + 1, left - 1)

    def run(x: Any) -> Any:
        return inside(x, depth)

    return run, (X,)


def closures(count: int) -> Program:
    def run(x: Any) -> Any:
        steps = []
        for i in weft.unroll(range(count)):

            def step(y: Any, i: int = i) -> Any:
                return np.where(y > i, y * x, y + i)

            steps.append(step)
        y = x
        for step in weft.unroll(steps):
            if y[0] > 0:
                y = step(y)
        return y

    return run, (X,)


def arrays_in_dicts(count: int) -> Program:
    def run(x: Any) -> Any:
        arrays = {f"array {i}": x + i for i in range(count)}
        for name in list(arrays):
            if x[0] > 0:
                arrays[name] = arrays[name] * 2
        return arrays

    return run, (X,)


def exceptions(count: int) -> Program:
    def run(x: Any, k: Any) -> Any:
        total = 0.0
        for i in weft.unroll(range(count)):
            try:
                total = total + x[k + i]
            except IndexError:
                total = total - 1.0
        return total

    return run, (X, np.int64(3))


def early_exits(count: int) -> Program:
    def run(x: Any) -> Any:
        total = 0.0
        for i in weft.unroll(range(count)):
            if x[i % 8] > i:
                break
            if x[i % 8] < -i:
                continue
            total = total + x[i % 8]
        return total

    return run, (X,)


def optional_values(count: int) -> Program:
    def run(x: Any) -> Any:
        best = None
        for i in weft.unroll(range(count)):
            if x[i % 8] > 0 and (best is None or x[i % 8] > best):
                best = x[i % 8]
        return best

    return run, (X,)


def masks(count: int) -> Program:
    def run(x: Any) -> Any:
        for i in weft.unroll(range(count)):
            mask = x * x + x > i
            x[mask] = x[mask] + 1.0
        return x

    return run, (ANY_LENGTH,)


def slices_of_slices(count: int) -> Program:
    """Ends that are computed of the length, which those of the slice before decide."""

    def run(x: Any) -> Any:
        for _ in weft.unroll(range(count)):
            x = x[len(x) // 4 : len(x) - len(x) // 5]
        return x

    return run, (ANY_LENGTH,)


def distances_of_lists(count: int) -> Program:
    def run(rows: Any) -> Any:
        found = [[0 for _ in rows] for _ in rows]
        for i in range(len(rows)):
            for j in range(len(rows)):
                total = 0.0
                for k in range(len(rows[0])):
                    total += (rows[i][k] - rows[j][k]) ** 2
                found[i][j] = total
        return found

    return run, ([[i / 8 + j for i in range(30)] for j in range(count)],)


def degrees_of_edges(count: int) -> Program:
    def run(edges: Any) -> Any:
        found = [0] * 20
        for one, other in edges:
            found[one] += 1
            found[other] += 1
        return found

    return run, ([(i % 20, (7 * i) % 20) for i in range(count)],)


SIZES: dict[Callable[[int], Program], int] = {
    growing_list: 2,
    lists_of_strings: 2,
    lists_in_branches: 5,
    numbers_of_rows: 10,
    lengths_by_branch: 3,
    writes_in_branches: 5,
    recursion: 5,
    closures: 5,
    arrays_in_dicts: 5,
    exceptions: 4,
    early_exits: 3,
    optional_values: 3,
    masks: 2,
    slices_of_slices: 6,
    distances_of_lists: 10,
    degrees_of_edges: 200,
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("program", SIZES, ids=lambda program: program.__name__)
def test_work_grows_with_the_program(program: Callable[[int], Program]) -> None:
    count = SIZES[program]
    small, medium, large = work_of(program, count, 2 * count, 4 * count)
    assert large < 2.6 * medium
    assert large - medium < 2.6 * (medium - small)  # without what each compilation does once


def test_work_grows_with_dynamic_programming() -> None:
    """A city more is a little more than twice the tours' parts: twice the sets, and more choices in each."""
    small, large = work_of(dict_over_bit_masks, 4, 5)
    assert large < 3.4 * small
