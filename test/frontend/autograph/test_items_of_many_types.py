"""Lists that grow, or that are written at computed places, keep the type that each number in them has in Python."""

from __future__ import annotations

import heapq
from collections import defaultdict

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

LARGE = 2**53
"""From here on a float64 is no longer every integer."""


def shortest(starts, ends, costs, n, source):
    distances = [float("inf")] * n
    distances[source] = 0
    for _ in range(n - 1):
        for start, end, cost in zip(starts, ends, costs, strict=True):
            if distances[start] + int(cost) < distances[end]:
                distances[end] = distances[start] + int(cost)
    return distances, [distance == float("inf") for distance in distances]


def numbers(x, limit):
    found = []
    for value in x:
        if value > limit:
            found.append(int(value))
        elif value < 0:
            found.append(value / 4)
        else:
            found.append(LARGE + int(value) if value > 1 else float(LARGE))
    return found


def in_order(x, limit):
    found = numbers(x, limit)
    return found, sorted(found), sorted(found, reverse=True), max(found), min(found), sum(found)


def looked_for(x, limit):
    found = numbers(x, limit)
    is_there = LARGE + 3 in found, float(LARGE) in found, -0.25 in found, "a" in found
    return is_there, found.count(LARGE), found.index(LARGE), found == found[:], found < [LARGE]


def changed(x, limit):
    found = numbers(x, limit)
    found.insert(2, np.float32(0.5))
    found.reverse()
    found[1], found[3] = found[3], found[1]
    last = found.pop()
    found += [True, last]
    return found, last, found[1:4], found * 2, str(found), [isinstance(each, int) for each in found]


def as_arrays(x, limit):
    found = []
    for value in x:
        if value > limit:
            found.append(value / 2)
        elif value == limit:
            found.append(True)
        else:
            found.append(int(value))
    return np.array(found), np.array(found, np.float32), np.sum(found), np.array(found[:0])


def in_containers(x, limit):
    sums, lists, rows = {}, defaultdict(list), []
    for value in x:
        key = int(value) % 3
        sums[key] = sums.get(key, 0) + (0.5 if value > limit else 1)
        lists[key].append(value if value > limit else 2)
        rows.append((value / 2 if value > limit else key, key))
    heapq.heapify(rows)
    return sums, dict(lists), heapq.heappop(rows), sorted(rows), max(sums.values())


def at_places(x, limit):
    halves, grid, known = [0] * 4, [[0] * 3 for _ in range(3)], (1, 2.5, False, "no", None, (1, 2))
    for place, value in enumerate(x):
        halves[place % 4] = value / 2 if value > limit else 1
        grid[place % 3][int(value) % 3] += 0.5
    return halves, grid, [known[int(value) % 6] for value in x], known[int(x[0]) % 6] == 2.5


def among_unlike(x, limit):
    found = []
    for value in x:
        found.append(("a", 2) if value > limit else None if value < 0 else int(value))
    return None in found, ("a", 2) in found, 2 in found, found.count(None)


PROGRAMS = [among_unlike, in_order, looked_for, changed, as_arrays, in_containers, at_places]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_items_have_their_types(program):
    values = np.array([3, -1, 0, 2, 5, -6, 1, 3, 0])
    limit = np.int64(2)
    same(program, (values, limit), (values[::-1], limit), (np.arange(9), limit), (np.full(9, 7), limit))


def test_distances_are_integers_beside_infinity():
    edges = np.array([[0, 0, 1, 2], [1, 2, 2, 3], [4, 1, 2, 7]])
    same(shortest, (*edges, 5, np.int64(0)), (*edges, 5, np.int64(2)))


def test_what_items_may_be_is_told():
    values, limit = weft.TensorSpec((None,), "int64"), weft.TensorSpec((), "int64")
    assert str(weft.eval_shape(numbers, values, limit)) == "list of int or float or float64"


@pytest.mark.parametrize(
    "values", [[1, 2, 3], [True, False, True], [2.5, 1.0, -0.5], [1, 2.0, True], [2**60, 1]]
)
def test_items_of_one_of_several_types_come_as_they_are(values) -> None:
    """What could be of several types is of one in a call: lists are made of whole columns then."""

    def spread(xs, n):
        rows = [[] for _ in range(3)]
        for i in range(n):
            rows[i % 3].append(xs[i % len(xs)])
        rows[n % 3].append(n)
        return rows

    def gathered(xs, n, which):
        found = []
        for i in range(n):
            if i % 2 == which:
                found.append(i)
            if which == 5:
                found.append(xs[0])
            elif which == 6:
                found.append(0.5)
        return found

    compiled_spread, compiled_gathered = weft.function(spread), weft.function(gathered)
    assert repr(compiled_spread(values, 7)) == repr(spread(values, 7))
    for which in (np.int64(0), np.int64(1), np.int64(5), np.int64(6), np.int64(7)):
        assert repr(compiled_gathered(values, 6, which)) == repr(gathered(values, 6, which))


def test_values_of_dicts_keep_their_types():
    def looked_up(n):
        known = {0: 1, 1: 2.5, 2: np.float32(3)}
        computed = {0: n, 1: n / 2, 2: 7}
        return (
            known[n % 3],
            computed[n % 3],
            {0: 1, 1: 2.5}.get(n, 0),
            {"a": 1, "b": n}["a" if n > 1 else "b"],
        )

    same(looked_up, *map(np.int64, range(4)))


def test_values_that_were_written_at_computed_places_are_looked_up():
    def added(n, places):
        counts, rows = {0: 0, 1: 5}, [0, 5]
        counts[n] += n
        rows[n] += n
        place = len(places[places > 0]) % 2
        counts[place] += 1
        rows[place] += 1
        return counts, rows, counts[place], rows[place], counts[place] + 1

    same(added, *((np.int64(n), np.arange(length)) for n in (0, 1) for length in (2, 3)), traces=None)
