"""Values that may be None: what a test for None says about them in the branches behind it."""

from __future__ import annotations

import numpy as np
import pytest

from support.behaviour_harness import same
from support.interpreted import interpreted


def test_stretches_above_a_threshold():
    def stretches(signal, threshold):
        found, start = [], None
        for i, value in enumerate(signal):
            if value > threshold and start is None:
                start = i
            elif value <= threshold and start is not None:
                found.append((start, i))
                start = None
        return found

    wave = np.sin(np.linspace(0, 60, 500))
    same(stretches, *[(wave, np.float64(t)) for t in (0.5, -2.0, 2.0)])


def test_the_other_side_of_is_none():
    def f(x, n):
        best = None
        for i in range(n):
            if best is None:
                best = x[i]
            else:
                best = best if best > x[i] else x[i]
        return best if best is not None else -1.0

    same(f, *[(np.array([1.0, 3.0, 2.0]), np.int64(n)) for n in (0, 1, 3)], joined=True)


def test_not_and_or():
    def f(x, n):
        last = None
        hits = 0
        for i in range(n):
            if not (last is None) and last + 1 == x[i]:
                hits += 1
            if last is None or last < x[i]:
                last = x[i]
        return hits, last

    same(f, *[(np.array([1, 2, 2, 3, 9, 10]), np.int64(n)) for n in (1, 6)])


def test_items_that_are_none():
    def f(x):
        out = []
        for value in x:
            out.append(value if value > 0 else None)
        return out

    same(f, np.array([1.0, -1.0] * 12))


def test_values_that_may_be_none_are_compared():
    def f(n, x):
        name, number, row = None, None, None
        names = [None]
        if n > 0:
            name, number, row = "odd" if n % 2 else "even", int(n) * 2, x[n % 2]
        for i in range(n):
            names.append("odd" if i % 2 else "even")
        other = "odd" if n > 1 else None
        found = [
            name == "odd",
            "even" != name,
            name in ("odd", "x"),
            name == other,
            name != other,
            name is None,
        ]
        found += [names[-1] == "odd", number == 4, number != 4, (name, 1) == ("odd", 1)]
        if name == "odd":
            return 1, found
        elif name == "even" or row is None:
            return 2, found
        return 3, found

    same(f, *[(np.int64(n), np.arange(4.0).reshape(2, 2)) for n in range(4)])


def test_arrays_that_may_be_none_are_compared_by_element():
    def f(x):
        best = x * 2 if x[0] > 0 else None
        return best == x + 1

    same(f, np.array([1.0, 2.0]))


def found_index(x, n):
    at = None
    for i in range(n):
        if x[i] > 2:
            at = i
    return x[at], x[at:], [1.0, 2.0, 3.0, 4.0][at], x.reshape(2, 2)[at // 2, at % 2]


def test_an_index_that_may_be_none():
    compiled, x = interpreted(found_index), np.array([1.0, 3.0, 2.5, 0.0])
    for expected, got in zip(found_index(x, 4), compiled(x, 4), strict=True):
        np.testing.assert_array_equal(got, expected)
    with pytest.raises(
        TypeError, match="an index of an array is None, where the program knows only at run time"
    ):
        compiled(x * 0, 4)
