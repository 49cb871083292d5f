"""A list at a place that only the program knows is the list itself: what is returned and stored holds it once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

ROWS: list[list[float]] = []
TABLE: dict[int, list[float]] = {}
FIRST: list[float] = []


def _reset() -> None:
    FIRST[:] = [1.0, 2.0]
    ROWS[:] = [FIRST, [3.0]]
    TABLE.clear()
    TABLE.update({0: FIRST, 1: [3.0]})


def made_inside(n: Any) -> Any:
    rows = [[1.0, 2.0], [3.0]]
    return rows, rows[n], rows[1]


def two_of_many(n: Any) -> Any:
    rows = [[1.0, 2.0], [3.0]]
    return rows[n], rows[1]


def made_with_the_program(n: Any) -> Any:
    rows: defaultdict[int, list[float]] = defaultdict(list)
    for number in (n, n + 1, n):
        rows[int(number)].append(1.0)
    return rows, rows[int(n)]


def from_outside(n: Any) -> Any:
    return ROWS[int(n)], ROWS


def changed_outside(n: Any) -> Any:
    ROWS[n].append(4.0)
    return ROWS[n], FIRST


def put_behind(n: Any) -> Any:
    ROWS[n].append(4.0)
    ROWS.append(ROWS[n])
    return len(ROWS)


def values_of_a_dict(n: Any) -> Any:
    TABLE[int(n)].append(4.0)
    return TABLE[int(n)], TABLE[1]


def put_under_a_new_key(n: Any) -> Any:
    TABLE[int(n) + 5] = TABLE[int(n)]
    TABLE[int(n)].append(4.0)
    return TABLE


PROGRAMS: tuple[Callable[[Any], Any], ...] = (
    made_inside, two_of_many, made_with_the_program, from_outside, changed_outside, put_behind, values_of_a_dict,
    put_under_a_new_key,
)  # fmt: skip


def _shape(value: Any, known: list[Any]) -> Any:
    """A value with the first place of each list or dict wherever it is met again."""
    if not isinstance(value, (list, dict, tuple)):
        return type(value).__name__, value
    place = next((place for place, one in enumerate(known) if one is value), None)
    if place is not None:
        return "again", place
    if not isinstance(value, tuple):
        known.append(value)
    items = value.items() if isinstance(value, dict) else value
    return type(value).__name__, [_shape(item, known) for item in items]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_list_at_a_computed_place_is_the_list_itself(program: Callable[[Any], Any]) -> None:
    compiled = weft.function(program)
    for n in (1, 0):
        _reset()
        expected = _shape((program(np.int64(n)), FIRST, ROWS, TABLE), [])
        _reset()
        assert _shape((compiled(np.int64(n)), FIRST, ROWS, TABLE), []) == expected
