"""Tuples, lists and dicts that hold values of the run time are compared, sorted and looked up as in Python."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same


def ordered(x):
    y, z = int(x[0]), int(x[1])
    numbers = [y, 3, z]
    numbers.sort(reverse=True)
    pairs = sorted([(x[0], "p"), (x[1], "q"), (x[2], "r"), (x[3], "s")])
    names = sorted("abcd", key=lambda name: (x[ord(name) - 97], name), reverse=True)
    best = min(range(4), key=lambda i: x[i]), max("abcd", key=lambda name: x[ord(name) - 97])
    return numbers, pairs, names, best, sorted(range(4), key=lambda i: x[i]), min(pairs)


def rows_in_order(x):
    rows = np.stack([x[:3], x[1:4]], axis=1)
    by_pairs = sorted(rows, key=lambda row: (row[0] > 1, -row[1]))
    return sorted(rows[:, :1]), sorted(rows[:, 1:], reverse=True), sorted(rows[:1]), by_pairs


def rows_without_an_order(x):
    return sorted(np.stack([x, x]), reverse=True)


def compared(x):
    y, z = int(x[0]), int(x[1])
    goal, steps = (3, 1), 0
    here = (y, z)
    equal = (here == goal, (z, y) == goal, here != goal, (y, (z, 1)) == (3, (1, 1)), [y] == [y, z])
    order = (here < goal, here <= goal, [y] > [z, 2], (y, z, 0) < (y, z), here >= (y, z))
    while here != (0, 0):
        here = (max(here[0] - 1, 0), max(here[1] - 1, 0))
        steps += 1
    return equal, order, steps


def looked_up(x):
    key = int(x[0])
    numbers, names = {1: 10, 3: 30, 7: 70}, {1: "one", 3: "three", 2: "two"}
    mixed: dict[int, Any] = {1: 2.5, 3: None}
    numbers[key] += 5
    found = numbers.get(key + 1, -1), names.get(key, "none"), mixed.get(key, 4.5), key in names, key in mixed
    return numbers[key], names[key], ["a", "b", "c", "d"][key], found, numbers


def sliced(x):
    n = int(x[1])
    return x[: -n or None], x[n or None :], x[: n or None : -1]


@pytest.mark.parametrize(
    "function", [ordered, rows_in_order, rows_without_an_order, compared, looked_up, sliced]
)
def test_as_in_python(function: Callable[..., Any]) -> None:
    compiled = weft.function(function)
    for values in ([3.0, 1.0, 2.0, 1.0], [1.0, 0.0, 1.0, 5.0], [8.0, 0.0, 1.0, 5.0]):
        x, found = np.array(values), []
        for called in (function, compiled):
            try:
                found.append(repr(called(x)))
            except (KeyError, IndexError, ValueError) as error:
                found.append(f"{type(error).__name__}: {str(error).splitlines()[0]}")
        assert found[1] == found[0]


class TestFunctionsOfTheOperatorModule:
    def test_they_change_what_they_get(self):
        def changed(x):
            items, table = [1, 2, 3], {}
            operator.delitem(items, 0)
            operator.setitem(items, 0, x[0])
            operator.iadd(items, [5])
            operator.setitem(table, "a", x[1])
            if operator.gt(x[0], 1):
                operator.setitem(items, 1, 7)
            return items, table, operator.contains(items, 5), operator.add(x, 1), operator.neg(x[0])

        same(changed, np.array([0.0, 3.0]), np.array([2.0, 4.0]))

    def test_they_write_arrays(self):
        def written(x, n):
            operator.iadd(x, 1)
            operator.setitem(x, 0, operator.mul(n, 2))
            return operator.getitem(x, 0), operator.is_(x, x), operator.not_(n > 1), operator.truth(n)

        same(written, (np.ones(3), np.float64(2)), (np.zeros(3), np.float64(0)))
