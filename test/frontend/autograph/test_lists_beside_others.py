"""A new list on one path, in the place of one of the lists in a list on the other: both lie together from then on."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import weft


def _rows(n: Any) -> list[list[Any]]:
    rows: list[list[Any]] = []
    for i in range(n):
        rows.append([i, i * i])
    rows[0].append(7)
    return rows


def _row(rows: list[list[Any]], i: Any) -> list[Any]:
    if i < 0:
        return []
    return rows[i]


def new_list_first(n: Any, i: Any) -> Any:
    rows = _rows(n)
    row = _row(rows, i)
    row.append(5)
    return rows, row


def new_list_last(n: Any, i: Any) -> Any:
    rows = _rows(n)
    row = rows[i] if i >= 0 else [1]
    row.append(5)
    return rows, row


def behind_a_loop_in_a_tuple(n: Any, i: Any) -> Any:
    rows, seen = _rows(n), SimpleNamespace(last=None)

    def found() -> Any:
        for k in range(len(rows)):
            if k == i:
                return k, rows[k]
        seen.last = []
        return -1, seen.last

    k, row = found()
    row.append(9)
    return rows, k, row, seen.last


def behind_a_loop_in_a_dict(n: Any, i: Any) -> Any:
    rows = _rows(n)
    for k in range(len(rows)):
        if k == i:
            return {"row": rows[k], "found": 1}
    return {"row": [], "found": 0}


def one_from_before_in_a_tuple(n: Any, i: Any) -> Any:
    rows, spare = _rows(n), [1, 2]

    def found() -> Any:
        for k in range(len(rows)):
            if k == i:
                return rows[k], 1
        return spare, 0

    row, _ = found()
    row.append(4)
    return rows, spare, row


def in_an_entry(n: Any, i: Any) -> Any:
    rows, state = _rows(n), {"row": [0]}
    if i > 0:
        state["row"] = rows[i]
    else:
        state["row"] = [3, 3]
    state["row"].append(8)
    return rows, state


PROGRAMS: tuple[Callable[[Any, Any], Any], ...] = (
    new_list_first, new_list_last, behind_a_loop_in_a_tuple, behind_a_loop_in_a_dict, one_from_before_in_a_tuple,
    in_an_entry,
)  # fmt: skip


def _shape(value: Any, known: list[Any]) -> Any:
    """A value with the place of each list where it is met again."""
    if not isinstance(value, (list, dict, tuple)):
        return value
    place = next((place for place, one in enumerate(known) if one is value), None)
    if place is not None:
        return "again", place
    if isinstance(value, list):
        known.append(value)
    items = value.items() if isinstance(value, dict) else value
    return type(value).__name__, [_shape(item, known) for item in items]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_list_of_a_path_is_one_of_those_of_the_other(program: Callable[[Any, Any], Any]) -> None:
    compiled = weft.function(program)
    for numbers in ((3, 1), (3, -1), (4, 0)):
        n, i = map(np.int64, numbers)
        assert _shape(compiled(n, i), []) == _shape(program(n, i), [])


@pytest.mark.soak
def test_no_path_is_an_empty_list() -> None:
    def cheapest(edges: Any, first: Any, last: Any) -> Any:
        waiting, seen = [(0.0, first, [])], set()
        while waiting:
            cost, place, path = heapq.heappop(waiting)
            if place in seen:
                continue
            seen.add(place)
            path = [*path, place]
            if place == last:
                return cost, path
            for a, b, length in edges:
                if a == place and b not in seen:
                    heapq.heappush(waiting, (cost + length, b, path))
        return -1.0, []

    edges = [(0, 1, 1.0), (0, 2, 3.0), (1, 2, 1.0), (2, 3, 0.5)]
    compiled = weft.function(cheapest)
    for last in (3, 2, 5):
        assert compiled(edges, np.int64(0), np.int64(last)) == cheapest(edges, 0, last)


def test_lists_of_other_items_are_refused() -> None:
    @weft.function
    def f(n: Any, i: Any) -> Any:
        rows = _rows(n)
        return [0.5] if i < 0 else rows[i]

    with pytest.raises(weft.ControlFlowError, match=r"a list of 1 \(0.5\) on one path and one of the lists"):
        f(np.int64(3), np.int64(1))
