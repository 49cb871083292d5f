"""Dicts and sets from outside get other items: as their classes have them, and with the keys that they had."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from typing import Any

import numpy as np
import pytest

import weft

NUMBERS = np.array([3, 1, 3])


class Holder:
    def __init__(self, items: Any) -> None:
        self.items = items


class Cell:
    def __init__(self, row: Any) -> None:
        self.row = row

    def __eq__(self, other: object) -> Any:
        return isinstance(other, Cell) and self.row == other.row

    def __hash__(self) -> int:
        return hash((self.row,))


def counted(holder: Holder, numbers: Any) -> int:
    for v in numbers:
        holder.items[int(v)] = holder.items.get(int(v), 0) + 1
    return len(holder.items)


def thinned(holder: Holder, numbers: Any) -> int:
    for v in numbers:
        if int(v) in holder.items:
            del holder.items[int(v)]
    return len(holder.items)


@pytest.mark.parametrize("function", [counted, thinned])
@pytest.mark.parametrize("kind", [dict, Counter, OrderedDict, lambda items: defaultdict(int, items)])
def test_items_are_those_of_python(function: Any, kind: Any) -> None:
    compiled, own, expected = weft.function(function), *(Holder(kind({7: 2, 1: 5, 3: 1})) for _ in range(2))
    for _ in range(2):
        assert compiled(own, NUMBERS) == function(expected, NUMBERS)
        assert own.items == expected.items
        assert list(own.items) == list(expected.items)


def test_keys_and_members_that_stay_are_the_objects_that_they_were() -> None:
    @weft.function
    def added(holder: Holder, numbers: Any) -> None:
        for v in numbers:
            holder.items[0][Cell(int(v))] = int(v)
            holder.items[1].add(Cell(int(v)))

    key, member = Cell(1), Cell(1)
    holder = Holder(({key: 5}, {member}))
    added(holder, NUMBERS)
    entries, members = holder.items
    assert next(iter(entries)) is key
    assert any(one is member for one in members)
    assert (sorted(one.row for one in entries), sorted(one.row for one in members)) == ([1, 3], [1, 3])


def test_keys_behind_one_that_went_are_the_objects_that_they_were() -> None:
    @weft.function
    def moved(holder: Holder, numbers: Any) -> None:
        for v in numbers:
            holder.items.pop(Cell(int(v)), 0)
            holder.items[Cell(int(v) + 10)] = int(v)

    gone, kept = Cell(1), Cell(2)
    holder = Holder({gone: 1, kept: 2})
    moved(holder, NUMBERS)
    assert [one.row for one in holder.items] == [2, 13, 11]
    assert next(iter(holder.items)) is kept
