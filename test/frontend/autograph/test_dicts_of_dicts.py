"""Dicts and sets that are values of dicts whose keys only the program knows: graphs as dicts of dicts."""

from __future__ import annotations

import heapq
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

RANDOM = np.random.default_rng(0)
EDGES = (RANDOM.integers(0, 4, 30), RANDOM.integers(0, 6, 30), RANDOM.random(30))
OTHERS = tuple(column[::-1].copy() for column in EDGES)
FEW = tuple(column[:9] for column in EDGES)


def made(a: Any, b: Any, w: Any) -> Any:
    graph: dict[int, dict[int, float]] = {}
    for i in range(len(a)):
        graph.setdefault(int(a[i]), {})[int(b[i])] = float(w[i])
    return graph


def looked_into(a: Any, b: Any, w: Any) -> Any:
    graph, first, total = made(a, b, w), int(a[0]), 0.0
    for one, row in graph.items():
        for other, weight in row.items():
            total = total * 0.5 + weight * (one + 2 * other)  # tells the order
    for other in graph.get(99, {}):
        total += other
    return (
        graph,
        total,
        [len(graph[one]) for one in graph],
        [list(row) for row in graph.values()],
        sorted(graph[first]),
        max(graph[first].values()),
        (3 in graph[first], 77 in graph[first], graph[first].get(77, -1.0)),
        max(graph, key=lambda one: len(graph[one])),
        isinstance(graph[first], dict),
        type(graph[first]) is dict,
    )


def changed(a: Any, b: Any, w: Any) -> Any:
    graph, empty = made(a, b, w), {}  # type: ignore[var-annotated]
    row = graph[int(a[0])] if w[0] > 0.5 else graph[int(a[1])]
    row[100] = 5.0
    row[100] += 1
    graph[50] = empty
    graph[51] = empty
    empty[7] = 1.0
    graph[52] = {}
    graph[52][7] = 1.0
    taken = graph[int(a[2])].pop(int(b[2]), 0.0)
    del graph[int(a[0])][100 if w[0] > 0.5 else int(b[0])]
    return (
        graph,
        taken,
        graph[50] is graph[51],
        graph[50] is graph[52],
        graph[50] == graph[52],
        graph[50] != graph[int(a[0])],
        graph[52] == {7: 1.0},
        not graph[50],
    )


def shortest(a: Any, b: Any, w: Any) -> Any:
    graph = defaultdict(dict)  # type: ignore[var-annotated]
    for i in range(len(a)):
        graph[int(a[i])][int(b[i])] = float(w[i])
        graph[int(b[i])][int(a[i])] = float(w[i])
    start = int(a[0])
    distances, heap = {start: 0.0}, [(0.0, start)]
    while heap:
        distance, one = heapq.heappop(heap)
        if distance > distances[one]:
            continue
        for other, weight in graph[one].items():
            if other not in distances or distance + weight < distances[other]:
                distances[other] = distance + weight
                heapq.heappush(heap, (distance + weight, other))
    return distances


def counted(a: Any, b: Any, w: Any) -> Any:
    counts = defaultdict(lambda: defaultdict(int))  # type: ignore[var-annotated]
    for i in range(len(a)):
        counts[int(a[i])][int(b[i])] += 1
    best = {}
    for one in counts:
        best[one] = max(counts[one], key=counts[one].get)
    return counts == {}, best, [(one, other, n) for one in counts for other, n in counts[one].items()]


def neighbours(a: Any, b: Any, w: Any) -> Any:
    graph, first, other = defaultdict(set), int(a[0]), int(a[1])  # type: ignore[var-annotated]
    for i in range(len(a)):
        graph[int(a[i])].add(int(b[i]))
    graph[first].discard(int(b[0]))
    graph[other] |= {8, 9}
    return (
        {**graph},
        [sorted(members) for members in graph.values()],
        sorted(graph[first] & graph[other]),
        sorted(graph[other] - graph[first]),
        graph[first] == graph[other],
        len(graph[first]),
    )


def sets_combined(a: Any, b: Any, w: Any) -> Any:
    graph, words = defaultdict(set), {}  # type: ignore[var-annotated]
    for i in range(len(a)):
        graph[int(a[i])].add(int(b[i]))
        if int(b[i]) in words:
            words[int(b[i])].add(i)
        else:
            words[int(b[i])] = {i}
    one, other = graph[int(a[0])], graph[int(a[1])]
    seen = {77}
    seen |= one
    return (
        [
            sorted(each)
            for each in (one | other, one & other, one - other, one ^ other, one | {9}, {1, 9} - one)
        ],
        (one <= other, one < other, one >= other, one != other, one.isdisjoint(other), {1} <= one),
        sorted(seen),
        [sorted(one.union(other, [5])), sorted(one.intersection([1, 2]))],
        words,
    )


def sets_changed(a: Any, b: Any, w: Any) -> Any:
    graph = defaultdict(set)  # type: ignore[var-annotated]
    for i in range(len(a)):
        graph[int(a[i])].add(int(b[i]))
    one, other = graph[int(a[0])], graph[int(a[1])]
    one.update(other, {11})
    other |= {12, 13}
    other -= {12}
    graph[50] = one & other
    graph[51] = set(one)
    graph[51].clear()
    graph[52] = {1, 2, 3}
    graph[52] ^= {3, 4}
    one &= {1, 2, 3, 4, 5}
    return {key: sorted(members) for key, members in graph.items()}


def dicts_combined(a: Any, b: Any, w: Any) -> Any:
    graph = made(a, b, w)
    one, other = graph[int(a[0])], graph[int(a[1])]
    both, copied, plain = one | other, {**one}, dict(other)
    last = one.popitem() if len(one) > 1 else (0, 0.0)
    one.update(other)
    one |= {101: 2.0}
    return (
        both,
        copied,
        plain,
        last,
        one,
        3 in one.keys(),
        list(reversed(one)),
        sorted(one.items()),
        one == other,
    )


def counters(a: Any, b: Any, w: Any) -> Any:
    groups, ordered = defaultdict(Counter), defaultdict(OrderedDict)  # type: ignore[var-annotated]
    for i in range(len(a)):
        groups[int(a[i])][int(b[i])] += 1
        ordered[int(a[i])][int(b[i])] = i
    groups[77].update([1, 2, 2])
    return groups, ordered, {key: group.most_common(1)[0] for key, group in groups.items()}


def put_with_items(a: Any, b: Any, w: Any) -> Any:
    graph, records = {}, {}
    for i in range(len(a)):
        row = {}
        for j in range(i, len(a)):
            row[int(b[j])] = float(w[j])
        row[70] = 7.0
        graph[int(a[i])] = row
        row[71] = 8.0
        records[int(b[i])] = {"weight": float(w[i]), "number": i}
        records[int(b[i])]["number"] += 1
    return (
        graph,
        records,
        {one: {other: w for other, w in row.items() if w > 0.5} for one, row in graph.items()},
    )


def put_with_other_names(a: Any, b: Any, w: Any) -> Any:
    graph, row, members = {}, {}, set()  # type: ignore[var-annotated]
    row[int(b[0])] = 1.0
    graph[int(a[0])] = row
    row[40] = 2.0
    graph[int(a[0])][41] = 3.0
    groups = {}
    for one in a[:5]:
        members.add(int(one))
        groups[int(one)] = members
        members.add(50)
    same = [groups[int(one)] is members for one in a[:5]]
    return (
        graph,
        row,
        row is graph[int(a[0])],
        len(row),
        40 in row,
        [sorted(each) for each in groups.values()],
        same,
    )


@pytest.mark.parametrize(
    "program",
    [
        looked_into,
        changed,
        shortest,
        counted,
        neighbours,
        sets_combined,
        sets_changed,
        dicts_combined,
        counters,
        put_with_items,
        put_with_other_names,
    ],
    ids=lambda p: p.__name__,
)
def test_programs(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    for edges in (EDGES, OTHERS):
        assert repr(compiled(*edges)) == repr(program(*edges))


class Graph:
    def __init__(self) -> None:
        self.rows: Any = {}

    def connect(self, one: Any, other: Any, weight: Any) -> None:
        if one not in self.rows:
            self.rows[one] = {}
        self.rows[one][other] = weight


def test_objects_hold_them() -> None:
    def program(a: Any, b: Any, w: Any) -> Any:
        graph = Graph()
        for i in range(len(a)):
            graph.connect(int(a[i]), int(b[i]), float(w[i]))
        return graph.rows

    assert repr(weft.function(program)(*EDGES)) == repr(program(*EDGES))


@pytest.mark.parametrize(
    "change",
    [
        lambda graph, one: graph[one][77],
        lambda graph, one: [graph[one].setdefault(other + 100, 1.0) for other in graph[one]],
    ],
)
def test_errors_are_those_of_python(change: Callable[..., Any]) -> None:
    def program(a: Any, b: Any, w: Any) -> Any:
        return change(made(a, b, w), int(a[0]))

    with pytest.raises((KeyError, RuntimeError)) as expected:
        program(*FEW)
    with pytest.raises(expected.type) as found:
        weft.function(program)(*FEW)
    assert str(found.value).startswith(str(expected.value))


def test_what_is_refused() -> None:
    def on_a_path(a: Any, b: Any, w: Any) -> Any:
        graph, row = {}, {}  # type: ignore[var-annotated]
        row[int(b[0])] = 1.0
        if w[0] > 0.5:
            graph[int(a[0])] = row
        return graph

    with pytest.raises(
        weft.UnsupportedError, match=r"a dict from before a loop or branch is put .*put a copy in"
    ):
        weft.function(on_a_path)(*EDGES)

    def shown(a: Any, b: Any, w: Any) -> Any:
        print(made(a, b, w)[int(a[0])])

    with pytest.raises(weft.UnsupportedError, match="a dict that is a value of a dict is given to Python"):
        weft.function(shown)(*FEW)
