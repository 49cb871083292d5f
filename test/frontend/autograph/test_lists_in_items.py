"""Lists of any length in tuples that are items of lists that grow: queues of nodes and paths, groups, searches."""

from __future__ import annotations

from collections import deque, namedtuple

import numpy as np
import pytest

from support.behaviour_harness import same

N = np.int64(4)
GRAPH = np.array([[0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 0]])
Visit = namedtuple("Visit", "node path done")


def shortest_path(n):
    queue = deque([(0, [0])])
    while queue:
        node, path = queue.popleft()
        if node == n - 1:
            return path
        for k in range(len(GRAPH)):
            if GRAPH[node, k] and k not in path:
                queue.append((k, path + [k]))
    return None


def subsets(n):
    found, stack = [], [(0, [])]
    while stack:
        i, chosen = stack.pop()
        if i == n:
            found.append(chosen)
            continue
        stack.append((i + 1, chosen))
        stack.append((i + 1, chosen + [i]))
    return found


def lists_of_two_kinds(n):
    rows = []
    for i in range(n):
        rows.append(([i] * (i % 3), [0.5] * (i % 2), i))
    rows[1][0].append(7)
    rows[0][1].append(2.5)
    return rows, len(rows[-1][1]), [a for a, _, _ in rows if a]


def named(n):
    rows = []
    for i in range(n):
        rows.append(Visit(i, [i] * (i % 3), i > 1))
        if i > 2:
            rows[0].path.append(i)
    return rows, [len(visit.path) for visit in rows], max(rows, key=lambda visit: len(visit.path)).node


def one_list_in_two_tuples(n):
    rows = []
    for i in range(n):
        row = [i]
        rows.append((i, row))
        rows.append((-i, row))
        if i > 1:
            row.append(9)
    rows[0][1].append(5)
    return rows, rows[0][1] is rows[1][1]


def lists_from_before(n):
    first, rows = [1], [("a", [2, 3])]
    rows.append(("b", first))
    for i in range(n):
        if i > 1:
            rows.append(("c", [i]))
    for _, row in rows:
        row.append(0)
    return rows, first


def put_back_longer(n):
    groups = []
    for i in range(n):
        if groups and i % 3:
            groups[-1] = (groups[-1][0] + [i], i)
        else:
            groups.append(([i], i))
    copies = list(groups)
    copies[0][0].append(-1)
    return groups, copies, groups[::-1]


PROGRAMS = [
    shortest_path,
    subsets,
    lists_of_two_kinds,
    named,
    one_list_in_two_tuples,
    lists_from_before,
    put_back_longer,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program):
    def of_ints(n):
        return program(int(n))

    same(of_ints, (N,))
