"""Lists of lists of lengths that only the program knows, made on one path of a branch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same
from weft.dialect.errors import ControlFlowError


def grid(x: Any) -> Any:
    return [[i + j for i in range(x[1])] for j in range(x[0])]


def of_one_path(x: Any) -> Any:
    rows: Any = []
    if x[0] > 1:
        rows = [[0] * x[1] for _ in range(x[0])]
    return rows


def appended(x: Any) -> Any:
    rows: Any = []
    if x[0] > 1:
        rows = grid(x)
        rows.append([1, 2])
    rows.append([5])
    return rows


def or_none(x: Any) -> Any:
    rows = None
    if x[0] > 1:
        rows = grid(x)
    return -1 if rows is None else sum(sum(row) for row in rows)


def early(x: Any) -> Any:
    if x[0] > 2:
        return grid(x)
    return []


def best(x: Any) -> Any:
    found, most = [[0]], -1
    for v in x:
        rows = [[j for j in range(v)] for _ in range(3)]
        if v > most:
            most, found = v, rows
    return found, most


@pytest.mark.parametrize("program", [of_one_path, appended, or_none, early, best])
def test_grids(program: Callable[..., Any]) -> None:
    same(program, *map(np.array, ([3, 1, 2, 4], [0, 2, 2, 1], [2, 2, 0, 0])))


def test_grids_beside_lists_that_are_known_are_refused() -> None:
    def either(x: Any) -> Any:
        return grid(x) if x[0] > 1 else [[1, 2]]

    with pytest.raises(ControlFlowError, match="one of the lists in a list"):
        weft.function(either)(np.array([3, 1]))
