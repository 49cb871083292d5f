"""Lists of Python's numbers that native code makes of arrays."""

from __future__ import annotations

import gc
import sys
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.cpu.dispatch.lists import lists_of_numbers
from weft.dialect.errors import InternalError


@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_lists_are_those_of_slices(dtype: str) -> None:
    random = np.random.default_rng(3)
    for length in (0, 1, 50, 3000):
        numbers = (random.integers(-(2**62), 2**62, length) * (1 if dtype == "int64" else 0.37)).astype(dtype)
        starts = random.integers(0, length + 1, 40)
        counts = random.integers(0, length + 1 - starts)
        expected = [numbers[s : s + n].tolist() for s, n in zip(starts, counts, strict=True)]
        found = lists_of_numbers(numbers, starts, counts)
        assert found == expected
        assert {type(item) for each in found for item in each} <= {int if dtype == "int64" else float}


def test_special_floats_stay_what_they_are() -> None:
    numbers = np.array([np.nan, -0.0, np.inf, 5e-324])
    (found,) = lists_of_numbers(numbers, np.array([0]), np.array([4]))
    assert np.array(found).tobytes() == numbers.tobytes()


def test_arrays_with_steps() -> None:
    numbers = np.arange(10)[::2]
    assert lists_of_numbers(numbers, np.array([3, 0])[::-1], np.array([1, 0, 2])[::2]) == [[0], [6, 8]]


@pytest.mark.parametrize(
    ("start", "count"), [(0, 7), (6, 1), (-1, 1), (2, -1), (2**62, 2**62), (1, 2**63 - 1)]
)
def test_lists_beyond_the_numbers_are_not_made(start: int, count: int) -> None:
    with pytest.raises(InternalError, match="list 1 goes beyond"):
        lists_of_numbers(np.arange(6), np.array([0, start]), np.array([6, count]))


def test_nothing_is_kept() -> None:
    numbers, starts, counts = np.arange(10_000, 10_100), np.arange(100), np.ones(100, np.int64)
    lists_of_numbers(numbers, starts, counts)
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(50):
        lists_of_numbers(numbers, starts, counts)
    gc.collect()
    assert sys.getallocatedblocks() - before < 100
    made = lists_of_numbers(numbers, starts, counts)
    assert all(map(gc.is_tracked, (made, made[0])))


def neighbours(n: Any, edges: Any) -> Any:
    graph: list[list[Any]] = [[] for _ in range(n)]
    for a, b in edges:
        graph[a].append(b)
        graph[b].append(a)
    return graph


def weights(n: Any, edges: Any) -> Any:
    graph: list[list[Any]] = [[] for _ in range(n)]
    for a, b in edges:
        graph[a].append(b * 0.5)
    return graph, graph[n - 1]


@pytest.mark.parametrize("function", [neighbours, weights])
def test_lists_that_grow_in_turns_are_returned(function: Any) -> None:
    compiled = weft.function(function)
    random = np.random.default_rng(4)
    for _ in range(3):
        edges = [(a, b) for a, b in random.integers(0, 30, (400, 2)).tolist()]
        found, expected = compiled(30, edges), function(30, edges)
        assert found == expected
        assert repr(found) == repr(expected)
        if isinstance(found, tuple):
            assert found[1] is found[0][29]
