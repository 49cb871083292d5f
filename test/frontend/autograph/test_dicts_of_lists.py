"""Dicts whose keys only the program knows, and whose values are lists."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import weft
from support.behaviour_harness import refused, same
from weft.frontend.runtime_values import result_spec

RANDOM = np.random.default_rng(1)
KEYS = [RANDOM.integers(-3, 12, 40), np.array([5] * 40)]


def test_groups():
    def f(k, v):
        a, b, c = defaultdict(list), {}, {}
        for i in range(len(k)):
            a[k[i]].append(v[i])
            b.setdefault(k[i] % 3, []).append(i)
            if k[i] not in c:
                c[k[i]] = []
            c[k[i]].append((i, v[i]))
        means = {x: sum(a[x]) / len(a[x]) for x in a}
        return a, b, c, means, list(b.values()), [len(items) for items in c.values()], c[k[0]], len(a[1000])

    same(f, *((k, RANDOM.normal(size=40)) for k in KEYS), rtol=1e-14)  # as a device adds in another order


def test_walking_a_graph():
    def f(k):
        graph = defaultdict(list)
        for i in range(len(k) - 1):
            graph[k[i]].append(k[i + 1])
            graph[k[i + 1]].append(k[i])
        far, queue, head = {k[0]: 0}, [k[0]], 0
        while head < len(queue):
            here = queue[head]
            head += 1
            for there in graph[here]:
                if there not in far:
                    far[there] = far[here] + 1
                    queue.append(there)
        stack, order = [k[0]], []
        while stack:
            here = stack.pop()
            if here not in order:
                order.append(here)
                for there in graph.get(here, []):
                    stack.append(there)
        return far, order

    same(f, *KEYS)


def test_the_lists_are_those_in_the_dict():
    def f(k):
        groups = defaultdict(list)
        for i, x in enumerate(k):
            groups[x].append(i)
        row = groups[k[0]]
        row.append(100)
        row[0] = -5
        groups[k[0]].pop()
        for x in groups:
            groups[x].sort(reverse=True)
        for items in groups.values():
            items.insert(0, 7)
        taken = groups.pop(k[1])
        taken.append(8)
        return groups, taken, groups.pop(1000, []), 3 in taken, taken[-1], taken[1:3]

    same(f, *KEYS)


def test_on_paths_and_in_loops():
    def f(k):
        groups, total = defaultdict(list), 0
        if k[0] > 3:
            for i in range(len(k)):
                groups[k[i]].append(i)
        else:
            groups[5].append(k.sum() * 0)
        for size in range(2, 5):
            parts = {}
            for x in k:
                parts.setdefault(x % size, []).append(x)
            total += len(parts[k[0] % size])
        return groups, total

    same(f, *KEYS, joined=True)


def test_known_keys():
    graph = {0: [1, 2], 1: [2], 2: [0, 1, 2]}

    def read(k):
        total = 0
        for x in k:
            for y in graph[x]:
                total += y
        return total

    def made(k):
        lists = {i: [] for i in range(4)}
        for i in range(len(k)):
            lists[k[i] % 4].append(i)
        return lists

    inner = graph[0]
    same(read, KEYS[0] % 3)
    assert graph[0] is inner
    same(made, *KEYS)


def test_the_caller_keeps_its_lists():
    graph = {0: [1, 2], 1: [2], 2: [0, 1, 2]}
    expected, before = {key: list(row) for key, row in graph.items()}, dict(graph)

    @weft.function
    def f(k):
        for x in k:
            graph[int(x)].append(7)

    for x in KEYS[0] % 3:
        expected[x].append(7)
    f(KEYS[0] % 3)
    assert graph == expected
    assert all(graph[key] is row for key, row in before.items())


def test_one_list_for_several_keys():
    def f(k):
        row, groups = [1], {}
        for x in k:
            groups[x] = row
        row.append(7)
        return groups, row

    same(f, *KEYS)


def test_a_list_that_grows_behind_the_dict():
    def f(k):
        row, groups = [], {}
        for x in k:
            if x > 3:
                row.append(x)
        groups[k[0]] = row
        row.append(7)
        return groups, row

    same(f, *KEYS, joined=True)


def test_a_list_that_is_in_the_dict_under_two_keys():
    def grown(k, n):
        row, d = [], {}
        for i in range(n):
            row.append(k[i])
        d[5] = row
        d.setdefault(6, row).append(7)
        for i in range(n):
            d[k[i] + 100] = row
        row.append(8)
        d[6].append(9)
        return d, row, {k[0]: row, k[1]: row}

    def displays(k, n):
        row, own = [1, 2], [3]
        made = {x: row for x in k[:n]}, dict.fromkeys(k[:n], row), {k[0]: own, k[0] + 1: own}
        made[0][k[0]].append(5)
        made[2][k[0]].append(6)
        return made[0], made[2], row, own

    def kept_in_a_variable(k, n):
        d = defaultdict(list)
        row = d[k[0]]
        for i in range(n):
            row.append(i)
            if i % 2 == 0:
                row = d[k[i]]
        return d, row

    for f in (grown, kept_in_a_variable):
        same(f, *((k, np.int64(5)) for k in KEYS), joined=True)
    refused(displays, KEYS[0], np.int64(5), match="holds lists that are in another dict or list, too")


def test_a_list_that_is_another_one_later():
    def replaced(k, n):
        row, d = [], {}
        for i in range(n):
            if i % 3 == 0:
                row = []
            row.append(k[i])
            d[k[i]] = row
        return d

    def emptied(k, n):
        row, d = [], {}
        for i in range(n):
            row.append(k[i])
            if k[i] > 5:
                d[i] = row
                row = []
        return d

    def of_another_type(k, n):
        row, d = [], {}
        for i in range(n):
            row.append(k[i])
            if k[i] > 5:
                d[i] = row
                row = [0.5]
        return d

    for program in (replaced, emptied):
        same(program, *((k, np.int64(n)) for k in KEYS for n in (0, 9)), joined=True)
    problem = r"row is a list of 1 .* one of the lists in a dict \(i64"
    refused(of_another_type, KEYS[0], np.int64(5), error=TypeError, match=problem)


def test_lists_of_another_dict():
    def read(k, n):
        d = defaultdict(list)
        for i in range(n):
            d[k[i]].append(i)
        e = {x: items for x, items in d.items() if len(items) > 1}
        f = {x: sorted(items, reverse=True) for x, items in d.items()}
        g, h = dict((x, [x]) for x in d), dict(d)
        for i in range(n):
            f[k[i]].append(7)
            g[k[i]].append(8)
        return d, e, f, g, h

    def changed(k, n):
        d = {x: [] for x in k[:n]}
        e = {x: items for x, items in d.items()}
        d[k[0]].append(7)
        return d, e

    def changed_there(k, n):
        d, e = {x: [] for x in k[:n]}, {}
        for i in range(n):
            d[k[i]].append(i)
            e[i] = d[k[i]]
        return d, e

    same(read, *((k, np.int64(5)) for k in KEYS), joined=True)
    for f in (changed, changed_there):
        refused(f, KEYS[0], np.int64(5), match="holds lists that are in another dict or list, too")


def test_lists_of_a_comprehension_are_the_own_ones_of_the_dict():
    def neighbours(maze):
        height, width = maze.shape
        graph = {(i, j): [] for j in range(width) for i in range(height) if not maze[i][j]}
        for row, column in graph.keys():
            if row < height - 1 and not maze[row + 1][column]:
                graph[(row, column)].append(("S", (row + 1, column)))
                graph[(row + 1, column)].append(("N", (row, column)))
        return graph

    compiled = weft.function(neighbours)
    for free in ([4, 5, 8], [0, 4, 5, 7, 8]):
        maze = np.ones(9, int)
        maze[free] = 0
        assert compiled(maze.reshape(3, 3)) == neighbours(maze.reshape(3, 3))


def test_changes_of_lists_that_a_dict_or_generator_shares_are_refused():
    def positive(x):
        return [[i] for i in range(len(x)) if x[i] > 0]

    def of_dict(x):
        rows = positive(x)
        shared = {(i, j): rows[0] for i in range(len(x)) for j in range(2) if x[i] > j}
        for key in shared:
            shared[key].append(7)
        return rows

    def of_generator(x):
        rows = positive(x)
        for row in (rows[0] for i in range(len(x)) if x[i] > 0):
            row.append(7)
        return rows

    for program in (of_dict, of_generator):
        with pytest.raises(weft.UnsupportedError, match="lists that are in another dict or list, too"):
            weft.function(program)(np.ones(2))


def test_lists_of_defaults_are_made_for_missing_keys_alone() -> None:
    """A list made at each look took memory, and time in what is returned, for each of them."""

    def grouped(values):
        places = defaultdict(list)
        for place, value in enumerate(values):
            places[value].append(place)
        return places

    compiled = weft.function(grouped)
    values = [place % 7 for place in range(2000)]
    assert compiled(values) == grouped(values)
    made = []
    lists_of = result_spec.lists_of
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(result_spec, "MANY_NUMBERS", len(values) * len(values))
        patch.setattr(result_spec, "lists_of", lambda *parts: made.append(parts) or lists_of(*parts))
        assert compiled(values) == grouped(values)
    ((_, starts, _),) = made
    assert len(starts) == 7


def test_items_in_order():
    def f(n):
        pairs = {}
        for i in n:
            for j in n:
                if i < j:
                    pairs.setdefault(int(i + j), []).append((int(i), int(j)))
        return (
            sorted(pairs.items()),
            sorted(pairs.items(), reverse=True),
            max(pairs.items()),
            min(pairs.items()),
        )

    same(f, np.array([3, 1, 2, 5, 4]))
