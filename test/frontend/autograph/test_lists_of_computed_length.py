"""Lists that are repeated, sliced and cut at computed places, and those that a loop replaces by longer ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same
from support.interpreted import interpreted

XS = [1.0, 2.0, 3.0, 4.0]


def same(function: Callable[..., Any], *arguments: Any) -> None:
    given = [list(a) if isinstance(a, list) else a for a in arguments]
    expected = function(*given)
    found = [list(a) if isinstance(a, list) else a for a in arguments]
    assert_same(interpreted(function)(*found), expected)
    assert_same(found, given)


def powers(n: Any) -> Any:
    table = [1.0] * n
    for i in range(1, n):
        table[i] = 2 * table[i - 1]
    more = n * [0, 1]
    more *= n
    more += [7]
    return table, more, [] * n, len([None] * n)


@pytest.mark.parametrize("n", [3, 0, -2, 9])
def test_lists_are_repeated_by_data(n: int) -> None:
    same(powers, np.int64(n))


def sieve(n: Any, x: Any) -> Any:
    prime = [True] * (n + 1)
    prime[0] = prime[1] = False
    for k in range(2, n + 1):
        if prime[k]:
            for j in range(k * k, n + 1, k):
                prime[j] = False
    counts, rows = [0] * n, [x] * n
    for v in x:
        counts[int(v)] += 1
    filled = [None] * n
    for k in range(n):
        filled[k] = k * 2.0
    return [k for k in range(n + 1) if prime[k]], counts, len(rows), rows[1], filled


def test_repeated_lists_are_written() -> None:
    same(sieve, np.int64(20), np.array(XS))


def slices(xs: Any, i: Any) -> Any:
    ys = xs[i:]
    ys.append(7.0)
    xs[0] = 9.0
    return [
        *(ys, xs[:i], xs[i:], xs[i::-1], xs[-i:], xs[i : i + 1], xs[:i] + xs[i + 1 :], xs[::i]),
        *(sum(xs[i:]), len(xs[i:]), [[1, 2], [3, 4], [5, 6]][i:]),
    ]


@pytest.mark.parametrize("i", [1, 2, 3])
def test_lists_are_sliced_at_computed_places(i: int) -> None:
    same(slices, XS, np.int64(i))


def cut(xs: Any, i: Any, where: Any) -> Any:
    if where > 0:
        xs[i:] = [0.0, 5.0, 6.0]
    else:
        del xs[:i]
    del xs[i - 1]
    xs[i:i] = xs[:1]
    return xs, len(xs)


@pytest.mark.parametrize("where", [1, -1])
def test_parts_of_lists_are_replaced(where: int) -> None:
    same(cut, XS, np.int64(2), np.int64(where))


def cut_straight(xs: Any, i: Any) -> Any:
    del xs[i:]
    ys = [1, 2, 3]
    ys[i:] = [4, 5]
    del ys[i]
    return xs, ys


def test_parts_of_lists_are_replaced_outside_of_branches() -> None:
    same(cut_straight, XS, np.int64(2))


def replaced(n: Any) -> Any:
    row, ends, triangle, doubled, window = [1], [0], [1], [1.0], [0, 1]
    for _ in range(n):
        row = [left + right for left, right in zip(row + ends, ends + row, strict=True)]
        triangle = [1, *[triangle[j] + triangle[j + 1] for j in range(len(triangle) - 1)]] + [1]
        doubled = doubled + [doubled[-1] * 2]
        window = window[1:] + [window[0] + window[1]]
    digits = []
    while n > 0:
        digits.append(n % 2)
        n //= 2
    return row, triangle, doubled, window, digits[::-1]


@pytest.mark.parametrize("n", [5, 0])
def test_loops_replace_lists_by_longer_ones(n: int) -> None:
    same(replaced, np.int64(n))


def test_numbers_of_python_stay_known() -> None:
    @weft.function
    def table(n: Any) -> Any:
        return [[0.0] * n for _ in range(n)]

    for n in (2, 3, 4):
        assert table(n) == [[0.0] * n for _ in range(n)]


def test_tuples_are_sliced_at_computed_places() -> None:
    same(lambda i: (1, 2, 3)[i:], np.int64(1))
