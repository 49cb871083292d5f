"""Whole programs, with loops and branches on values, done for all rows: each has what it has alone."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import weft
from programs.catalogue import program

ROWS = 3

NAMES = (
    *("bisection", "newton", "merge_sort", "viterbi", "lu_in_place", "edit_distance", "run_lengths", "sieve"),
    *("longest_collatz", "adaptive_decay", "thomas", "find_pattern"),
)


def row_of(argument: Any, number: int) -> Any:
    """Another argument of the same kind for each row."""
    if isinstance(argument, np.ndarray) and argument.dtype.kind == "f":
        return argument * (1 + 0.25 * number)
    if isinstance(argument, np.ndarray):
        return np.roll(argument, number, 0)
    return type(argument)(max(0, argument - number)) if isinstance(argument, np.integer) else argument


def leaves(value: Any) -> list[Any]:
    """The arrays and numbers of a result."""
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, tuple) else [value]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
def test_rows_of_programs(name: str) -> None:
    known = program(name)
    arguments = known.arguments(known.sizes[1])
    axes = tuple(0 if isinstance(argument, (np.ndarray, np.generic)) else None for argument in arguments)
    rows = [[row_of(argument, number) for argument in arguments] for number in range(ROWS)]
    expected = [leaves(known.function(*copy.deepcopy(row))) for row in rows]
    stacked = [
        np.stack(column) if axis == 0 else column[0]
        for column, axis in zip(zip(*rows, strict=True), axes, strict=True)
    ]
    found = leaves(weft.vmap(known.function, axes)(*stacked))
    for place, leaf in enumerate(found):
        wanted = np.stack([row[place] for row in expected])
        np.testing.assert_allclose(leaf, wanted, rtol=max(known.tolerance, 1e-10), atol=1e-10)
