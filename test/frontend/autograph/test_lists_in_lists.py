"""Lists whose lengths the program decides on, in lists whose lengths it decides on: tables, rows, graphs, buckets."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

N = np.int64(9)
X = np.array([3.0, 1.0, 2.0, 5.0, 4.0])


def table(n):
    a = [[0] * n for _ in range(n)]
    for i in range(1, n):
        for j in range(1, n):
            a[i][j] = max(a[i - 1][j], a[i][j - 1]) + i
    return a[n - 1][n - 1], a[0], len(a)


def triangle(n):
    rows = [[1] * (i + 1) for i in range(n)]
    for i in range(2, n):
        for j in range(1, i):
            rows[i][j] = rows[i - 1][j - 1] + rows[i - 1][j]
    return rows


def graph(n):
    adjacent = [[] for _ in range(n)]
    for i in range(n):
        adjacent[i].append(i)
        adjacent[(i * 7) % n].append(i + 1)
    order, stack, seen = [], [0], [False] * n
    while stack:
        u = stack.pop()
        if seen[u]:
            continue
        seen[u] = True
        order.append(u)
        for v in adjacent[u]:
            if v < n and not seen[v]:
                stack.append(v)
    return order, adjacent


def buckets(n):
    found = [[] for _ in range(4)]
    for i in range(n):
        found[(i * 3) % 4].append(i)
    return found


NEIGHBOURS = [[1, 2], [3], [0, 3, 1], []]


def walked(n):
    out, u = [], 0
    for i in range(n):
        u = (u * 3 + i) % 4
        for v in NEIGHBOURS[u]:
            out.append(v)
    return out


def generations(n):
    grid = [[(i * 7 + j * 3) % 5 == 0 for j in range(n)] for i in range(n)]
    for _ in range(3):
        new = [[False] * n for _ in range(n)]
        for i in range(n):
            for j in range(n):
                new[i][j] = grid[(i + 1) % n][j] != grid[i][(j + 2) % n]
        grid = new
    return grid


def shared(n):
    a = [[0] * n for _ in range(n)]
    first = a[0]
    first[1] = 7
    a[n - 1], a[0] = a[0], a[n - 1]
    a[1] = a[2]
    a[2].append(3)
    copied = [row[:] for row in a]
    copied[2][0] = 9
    return a, first, copied, a[1] is a[2], a[0] is a[1]


def rows_that_grow_later(n):
    rows = []
    for i in range(n):
        row = []
        rows.append(row)
        for j in range(i):
            row.append(j)
    return rows


def one_list_again_and_again(n):
    row, rows = [0] * n, []
    for _ in range(n):
        rows.append(row)
    rows[0][1] = 5
    return rows[n - 1][1], row[1]


def chosen(n):
    best, rows = None, [[i, (i * 5) % 7] for i in range(n)]
    for row in rows:
        if best is None or row[1] > best[1]:
            best = row
    best[0] = -1
    return rows


def taken_and_turned(n):
    rows = [[i, 2] for i in range(n)]
    last = rows.pop()
    last[0] = 50
    rows.insert(0, last)
    rows.reverse()
    rows[0][1] = 8
    return rows, last is rows[-1], len(rows)


def in_order(n):
    rows = [[(i * 7) % 5, i] for i in range(n)]
    rows[0].append(3)
    return max(rows), min(rows), rows[0] < rows[1], rows[0] >= rows[0], rows[1] > [2], [] < rows[0]


def powers(n):
    m = [[i + j for j in range(n)] for i in range(n)]
    for _ in range(2):
        m = [[m[i][0] + m[0][j] for j in range(n)] for i in range(n)]
    return m


def replaced(n):
    a = [[0] * n for _ in range(n)]
    i = 0
    while i < n:
        a[i][i] = i
        if i == 5:
            a[i] = [7] * n
        i += 1
    return a


def chunks(n):
    chunks, chunk, sizes = [], [], []
    for i in range(n):
        chunk.append(i)
        if i % 2:
            chunks.append(chunk)
            chunk = []
        else:
            sizes.append(len(chunk))
    chunk.append(100)
    return chunks, chunk, sizes


def runs(n):
    runs, run = [], [0]
    for i in range(1, n):
        if i % 4:
            run.append(i)
        else:
            runs.append(run)
            run = [j for j in range(i)] if i > 5 else [i, i]
    runs.append(run)
    return runs, run is runs[-1]


def bound_before_its_items(n):
    rows, row = [], []
    for i in range(n):
        if i % 3 == 0:
            row = []
            rows.append(row)
        row.append(i)
    row.append(100)
    return rows, row


def bound_in_each_iteration(n):
    rows, row = [], [-1]
    for i in range(n):
        row = []
        rows.append(row)
        row.append(i)
    row.append(100)
    return rows, row


def bound_by_handlers(n):
    rows, row = [], []
    for i in range(n):
        try:
            row.append(10 // (i - 1))
            rows.append(row)
            row = []
        except ZeroDivisionError:
            row = [7]
    return rows, row


def one_list_or_the_other(n):
    rows, row, spare = [], [], [5]
    for i in range(n):
        row.append(i)
        if i % 2:
            rows.append(row)
            row = spare
    return rows, row, spare


def of_each_other(n):
    rows = [[] for _ in range(2)]
    for i in range(n):
        rows[i % 2].append(i)
        rows[i % 2].extend(rows[(i + 1) % 2])
        rows[0] += rows[1][:2]
    return rows


PROGRAMS = [
    table,
    triangle,
    graph,
    buckets,
    walked,
    generations,
    shared,
    rows_that_grow_later,
    one_list_again_and_again,
    chosen,
    taken_and_turned,
    in_order,
    powers,
    replaced,
    chunks,
    runs,
    bound_before_its_items,
    bound_in_each_iteration,
    bound_by_handlers,
    one_list_or_the_other,
    of_each_other,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program):
    def of_ints(n):
        return program(int(n))

    same(of_ints, (N,))


def test_as_an_array():
    def f(x):
        rows = [[v] * 3 for v in x]
        for i in range(len(x)):
            rows[i][i % 3] = x[0]
        return np.array(rows), np.stack(rows).sum(axis=0)

    compiled = weft.function(f, input_signature=[weft.TensorSpec([None])])
    for got, expected in zip(compiled(X), f(X), strict=True):
        assert np.array_equal(got, expected)


def test_lists_of_several_lengths_are_no_array():
    @weft.function
    def f(n):
        rows = [[1.0] * (i + 1) for i in range(n)]
        rows[0][0] = 2.0
        return np.array(rows)

    with pytest.raises(ValueError, match="the lists in a list are of different lengths"):
        f(np.int64(3))


def test_lists_of_arguments_grow():
    def f(rows, n):
        for i in range(n):
            rows[i % 2].append(i)

    eager, compiled = [[1], [2, 3]], [[1], [2, 3]]
    f(eager, 5)
    weft.function(f)(compiled, np.int64(5))
    assert compiled == eager


def test_lists_in_two_lists_are_not_changed():
    @weft.function
    def f(n):
        a, b = [[i] * 2 for i in range(n)], [[-i] * 2 for i in range(n)]
        c = a + b
        c[0].append(4)
        return a, c

    with pytest.raises(
        weft.UnsupportedError,
        match="a list whose length only the program knows holds lists that are in another",
    ):
        f(np.int64(3))


def test_putting_lists_of_other_things_in_order():
    @weft.function
    def f(x, n):
        rows = [[x] * (i + 1) for i in range(n)]
        rows[0].append(x)
        return rows[0] < rows[1]

    with pytest.raises(weft.UnsupportedError, match="putting lists of other things than numbers in order"):
        f(X, np.int64(3))
