"""Dicts, tuples with texts and tuples with objects in a list, of which data say which one is meant."""

from __future__ import annotations

import copy
import heapq
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

NUMBERS = (np.array([3, 2, 5, 1]), np.array([1, 4, 3, 2]), np.array([7, 7, 7, 0]))
OUTSIDE = [{"p": 1, "v": 2.5}, {"p": 2, "v": 3.5}, {"p": 3, "v": 1.0}, {"p": 4, "v": 2.0}]


def people() -> list[dict[str, Any]]:
    names, ages = ("Ann", "Bob", "Cy", "Di"), (3, 7, 1, 9)
    return [{"name": name, "age": age} for name, age in zip(names, ages, strict=True)]


class Task:
    def __init__(self, name: str, size: Any) -> None:
        self.name, self.size = name, size


def read(a: Any) -> Any:
    rows = people()
    best = rows[int(np.argmax(a))]
    total = 0
    for k in a:
        total += rows[k % 4]["age"]
    return best, best["name"], total, OUTSIDE[a[3]]["v"], tuple(rows)[a[0] % 4]["name"]


def searched(a: Any) -> Any:
    rows, i = people(), 0
    while rows[i]["age"] < a[2]:
        i += 1
    rows[i]["age"] = 100
    return rows, i


def seen_by_other_names(a: Any) -> Any:
    rows = people()
    first, others = rows[1], [rows[0], rows[1], rows[0]]
    rows[a[3]]["age"] += 10
    first["age"] += 100
    others[a[3]]["age"] -= 1
    chosen = rows[a[3]]
    rows[1]["age"] *= 2
    return rows, first, others, chosen["age"], chosen is rows[1]


def changed_in_branches(a: Any) -> Any:
    rows = people()
    if a[0] > 2:
        rows[a[3]]["age"] = 5
    rows.append({"name": "Ed", "age": a[0]})
    return rows, sorted(rows, key=lambda row: -row["age"]), [row for row in rows if row["age"] > 4]


def in_tuples(a: Any) -> Any:
    rows = [(i, {"p": i}) for i in range(4)]
    known, chosen = rows[1][1], rows[a[3]]
    chosen[1]["p"] += 10
    known["p"] += 100
    return chosen[0], rows, known


def with_lists(a: Any) -> Any:
    rows: list[dict[str, Any]] = [{"p": 1, "k": [1, 2]}, {"p": 2, "k": []}, {"p": 3, "k": [4]}]
    rows[a[3]]["k"].append(9)
    return rows, len(rows[a[0] % 3]["k"])


def fights(a: Any) -> Any:
    rows = [{"name": name, "hp": hp, "alive": True} for name, hp in (("A", 10.0), ("B", 12.0), ("C", 5.0))]
    turn, log = 0, []
    while sum(row["alive"] for row in rows) > 1:
        me = rows[turn % 3]
        if me["alive"]:
            other = (turn + 1) % 3
            while not rows[other]["alive"]:
                other = (other + 1) % 3
            rows[other]["hp"] -= a[turn % 4] + 1
            if rows[other]["hp"] <= 0:
                rows[other]["alive"] = False
                log.append((me["name"], rows[other]["name"]))
        turn += 1
    return rows, log, turn


def texts_on_a_heap(a: Any) -> Any:
    heap: list[tuple[Any, str]] = []
    for i in range(4):
        heapq.heappush(heap, (a[i], f"task{i}"))
    first = heap[0]
    return first, heapq.heappushpop(heap, (0, "z")), [heapq.heappop(heap) for _ in range(4)]


def objects_on_a_heap(a: Any) -> Any:
    heap: list[tuple[Any, int, Task]] = []
    counted = itertools.count()
    for i, v in enumerate(a):
        heapq.heappush(heap, (v, next(counted), Task(f"n{i}", v * 2)))
    taken = []
    while heap:
        task = heapq.heappop(heap)[2]
        taken.append((task.name, task.size))
    return taken


def dicts_on_a_heap(a: Any) -> Any:
    heap: list[tuple[Any, int, dict[str, int]]] = []
    for i, v in enumerate(a):
        heapq.heappush(heap, (v, i, {"p": i}))
    return [heapq.heappop(heap)[2]["p"] for _ in range(4)]


PROGRAMS: list[Callable[..., Any]] = [
    read,
    searched,
    seen_by_other_names,
    changed_in_branches,
    in_tuples,
    with_lists,
    fights,
    texts_on_a_heap,
    objects_on_a_heap,
    dicts_on_a_heap,
]


@pytest.mark.filterwarnings("ignore::weft.FallbackWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_programs(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    for numbers in NUMBERS:
        try:
            wanted = program(numbers.copy())
        except IndexError as error:
            with pytest.raises(IndexError, match=str(error)):
                compiled(numbers.copy())
            continue
        assert repr(copy.deepcopy(compiled(numbers.copy()))) == repr(wanted)


def test_dicts_of_other_keys_are_not_alike() -> None:
    @weft.function
    def f(a: Any) -> Any:
        return [{"p": 1}, {"q": 2}][a]

    with pytest.raises(weft.UnsupportedError, match="holds a dict is indexed by a traced value"):
        f(np.int64(1))
