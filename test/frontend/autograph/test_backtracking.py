"""Functions that call themselves with other constants, and longer lists, in each call: how deep, values decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same

programs: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = []


def program(*calls: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        programs.append((function, [call if isinstance(call, tuple) else (call,) for call in calls]))
        return function

    return add


@program(np.int64(4), np.int64(5), 4)
def queens(n: Any) -> Any:
    def is_safe(places: Any, row: Any, column: Any) -> Any:
        for r, c in enumerate(places):
            if c == column or abs(c - column) == row - r:
                return False
        return True

    found = []

    def place(places: Any, row: Any) -> None:
        if row == n:
            found.append(list(places))
            return
        for column in range(n):
            if is_safe(places, row, column):
                places.append(column)
                place(places, row + 1)
                places.pop()

    place([], 0)
    return len(found), found


@program(np.int64(4), np.int64(1))
def queens_with_sets(n: Any) -> Any:
    def place(row: Any, columns: Any, falling: Any, rising: Any) -> Any:
        if row == n:
            return 1
        count = 0
        for c in range(n):
            if c in columns or row - c in falling or row + c in rising:
                continue
            count += place(row + 1, columns | {c}, falling | {row - c}, rising | {row + c})
        return count

    return place(0, set(), set(), set())


@program([1, 2, 3], np.array([5, 6]))
def permutations(items: Any) -> Any:
    found = []

    def visit(path: Any, is_used: Any) -> None:
        if len(path) == len(items):
            found.append(path[:])
            return
        for i in range(len(items)):
            if is_used[i]:
                continue
            is_used[i] = True
            path.append(items[i])
            visit(path, is_used)
            path.pop()
            is_used[i] = False

    visit([], [False] * len(items))
    return found


@program((np.int64(4), np.int64(2)), (np.int64(3), np.int64(3)))
def combinations(n: Any, k: Any) -> Any:
    found = []

    def choose(start: Any, chosen: Any) -> None:
        if len(chosen) == k:
            found.append(chosen[:])
            return
        for i in range(start, n + 1):
            chosen.append(i)
            choose(i + 1, chosen)
            chosen.pop()

    choose(1, [])
    return found


@program(([2, 3, 6, 7], 7), (np.array([2, 3, 5]), np.int64(8)))
def sums(coins: Any, total: Any) -> Any:
    found = []

    def choose(i: Any, rest: Any, path: Any) -> None:
        if rest == 0:
            found.append(path[:])
            return
        if rest < 0 or i == len(coins):
            return
        path.append(coins[i])
        choose(i, rest - coins[i], path)
        path.pop()
        choose(i + 1, rest, path)

    choose(0, total, [])
    return found


@program(np.int64(3), np.int64(2))
def brackets(n: Any) -> Any:
    found = []

    def write(text: Any, opened: Any, closed: Any) -> None:
        if len(text) == 2 * n:
            found.append(text)
            return
        if opened < n:
            write(text + "(", opened + 1, closed)
        if closed < opened:
            write(text + ")", opened, closed + 1)

    write("", 0, 0)
    return found


@program(np.int64(3), np.int64(5))
def towers(n: Any) -> Any:
    moves = []

    def move(k: Any, start: Any, end: Any, spare: Any) -> None:
        if k == 0:
            return
        move(k - 1, start, spare, end)
        moves.append((start, end))
        move(k - 1, spare, end, start)

    move(n, 0, 1, 2)
    return moves


@program(np.int64(3), np.int64(4))
def partitions(n: Any) -> Any:
    found = []

    def split(rest: Any, largest: Any, parts: Any) -> None:
        if rest == 0:
            found.append(tuple(parts))
            return
        for k in range(min(rest, largest), 0, -1):
            split(rest - k, k, [*parts, k])

    split(n, n, [])
    return found


@program(np.int64(4), np.int64(2))
def collected(n: Any) -> Any:
    def rows(k: Any, table: Any, names: Any, pair: Any) -> Any:
        if k == n:
            return sum(table.values()), names, len(pair)
        return rows(k + 1, {**table, k: k * k}, names + "x", (*pair, k))

    return rows(0, {}, "", ())


@program(np.int64(6), np.int64(3))
def counted(n: Any) -> Any:
    def depth(k: Any) -> Any:
        return 0 if k == n else 1 + depth(k + 1)

    return depth(0)


@pytest.mark.parametrize(("function", "calls"), programs, ids=[one.__name__ for one, _ in programs])
def test_backtracking(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    compiled = weft.function(function)
    for call in calls:
        assert_same(compiled(*call), function(*call))


def test_constants_that_end_a_recursion_stay_constants() -> None:
    """A shape needs the number: calls are recorded one by one then, as they end."""

    @weft.function
    def f(x: Any) -> Any:
        def part(k: int) -> Any:
            if k == 0 or x[k] < 0:
                return 0.0
            return np.zeros(k).shape[0] * x[:k].sum() + part(k - 1)

        return part(20)

    def expected(x: Any) -> Any:
        return sum(k * x[:k].sum() for k in range(1, 21))

    x = np.arange(30.0)
    np.testing.assert_allclose(f(x), expected(x))


def test_what_no_call_for_all_takes_is_refused() -> None:
    @weft.function
    def f(n: Any) -> Any:
        def nested(k: Any, inner: Any) -> Any:
            return inner if k == n else nested(k + 1, [inner])

        return nested(0, [])

    with pytest.raises(weft.TraceSizeError, match=r"nested\(\) calls itself, and more calls of it"):
        f(np.int64(2))
