"""Shapes and sizes that are set in place behind loops and branches, and where a recording begins again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same


def filled_by_a_loop(x: Any) -> Any:
    grid = np.zeros(len(x))
    for i in range(len(x)):
        grid[i] = x[i] if x[i] > 3 else -1
    tail = grid[1:]
    grid.shape = len(x) // 2, 2
    grid[0, 1] = 7
    for i in range(3):
        if x[i] > 2:
            grid[i, 0] += x[i]
    return grid, tail, grid.shape


def searched_before(x: Any) -> Any:
    grid, n = x * 2, 0
    while n < 5 and grid[n] < 6:
        n += 1
    grid.shape = 3, 2
    for k in range(40):
        grid[k % 3] += k
    turned = grid.T
    if x[0] > 0:
        turned[0] = 5
    grid.shape = 6
    return grid, turned, n


def made_in_each_iteration(x: Any) -> Any:
    rows = []
    for k in range(30):
        row = x + k
        if row[0] > 3:
            row[0] = 0
        row.shape = 2, 3
        rows.append(row.sum(0))
    return np.array(rows)


def recorded_twice(x: Any) -> Any:
    grid = x * 2
    for k in range(20):
        grid.shape = (2, 3) if k % 2 else (3, 2)
        grid[0, 0] += k
    return grid


def made_smaller(x: Any) -> Any:
    kept, count = x + 1, 0
    if x[0] > 0:
        count = 1
    kept.resize(4)
    for i in range(4):
        if kept[i] > 2:
            count += 1
    kept.setflags(write=False)
    return kept, count


@pytest.mark.parametrize(
    "program", [filled_by_a_loop, searched_before, made_in_each_iteration, recorded_twice, made_smaller]
)
def test_an_array_of_the_function_has_another_shape_from_there_on(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    for x in (np.arange(6.0) + 1, np.arange(6.0)[::-1] * 0.5):
        assert_same(compiled(x), program(x))


def test_a_branch_does_not_change_a_shape() -> None:
    @weft.function
    def maybe(x: Any) -> Any:
        grid = x + 1
        if x[0] > 0:
            grid.shape = 2, 3
        return grid

    with pytest.raises(weft.UnsupportedError, match="the shape of an array is changed in place"):
        maybe(np.arange(6.0))
