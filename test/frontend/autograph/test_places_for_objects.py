"""Lists of places that are empty or hold objects, `cells = [None] * 6`, into which the program puts some."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.behaviour_harness import same

X = np.array([0.5, -1.0, 2.0, 3.0, 0.25])


class Box:
    def __init__(self, value: Any) -> None:
        self.value = value


class Slot:
    def __init__(self, key: Any) -> None:
        self.key = key
        self.value: Any = 0.0


class Table:
    def __init__(self, size: int) -> None:
        self.size = size
        self.slots: list[Any] = [None] * size
        self.count = 0

    def place(self, key: Any) -> Any:
        i = key % self.size
        while self.slots[i] is not None and self.slots[i].key != key:
            i = (i + 1) % self.size
        return i

    def put(self, key: Any, value: Any) -> None:
        i = self.place(key)
        if self.slots[i] is None:
            self.slots[i] = Slot(key)
            self.count += 1
        self.slots[i].value = value

    def get(self, key: Any) -> Any:
        slot = self.slots[self.place(key)]
        return -1.0 if slot is None else slot.value


def one_place(n: Any, x: Any) -> Any:
    cells: list[Any] = [None] * 6
    cells[n] = Box(x[0])
    cells[0] = Box(x[1])
    return [-1.0 if cell is None else cell.value for cell in cells]


def filled_in_a_loop(n: Any, x: Any) -> Any:
    cells: list[Any] = [None] * 6
    for i in range(n):
        j = int(x[i]) % 6
        if cells[j] is None:
            cells[j] = Box(x[i])
        else:
            cells[j].value += x[i]
    return [cell.value if cell else 0.0 for cell in cells]


def one_object_by_two_names(n: Any, x: Any) -> Any:
    cells = [Box(1.0), Box(2.0), Box(3.0)]
    box = Box(x[0])
    cells[n % 3] = box
    box.value += 1
    return [cell.value for cell in cells], cells[n % 3] is box


def numbers(n: Any, x: Any) -> Any:
    cells: list[Any] = [None] * 5
    cells[n % 5] = x[0]
    cells[1] = 3.0
    return cells, cells[n % 5] is None


def tuples(n: Any, x: Any) -> Any:
    cells: list[Any] = [None, None, None, None]
    cells[n % 4] = (x[0], n)
    cells[(n + 1) % 4] = (x[1], n + 1)
    return cells


def dicts(n: Any, x: Any) -> Any:
    cells: list[Any] = [None] * 4
    cells[n % 4] = {"a": x[0]}
    cells[n % 4]["a"] += 1
    return cells


def hash_table(n: Any, x: Any) -> Any:
    table = Table(8)
    for i in range(n):
        table.put(int(x[i] * 4) + 4, x[i])
    return table.count, table.get(6), table.get(100)


def on_paths(n: Any, x: Any) -> Any:
    team: list[Any] = [None, None]
    for i in range(n):
        if x[i] > 0:
            team[i % 2] = Box(x[i])
    if team[0] is not None:
        team[0].value += 1
    return team[0].value if team[0] else 0.0, team[1] is None


def board(n: Any, x: Any) -> Any:
    cells: list[list[Any]] = [[None] * 3 for _ in range(3)]
    for i in range(n):
        cells[i % 3][(i * 2) % 3] = Box(x[i])
    total = 0.0
    for row in range(3):
        for column in range(3):
            if cells[row][column] is not None:
                total += cells[row][column].value
                cells[row][column].value = 0.0
    return total, [len([cell for cell in row if cell is not None]) for row in cells]


PROGRAMS = [
    one_place, filled_in_a_loop, one_object_by_two_names, numbers, tuples, dicts, hash_table, on_paths, board,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_places_are_filled_where_the_program_says(program: Callable[..., Any]) -> None:
    for n in (3, 5):
        same(program, (np.int64(n), X))
