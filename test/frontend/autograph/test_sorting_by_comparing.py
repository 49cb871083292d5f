"""`sorted`, `min`, `max` and heaps of what only comparing puts in order: objects, and keys of `cmp_to_key`."""

from __future__ import annotations

import dataclasses
import functools
import heapq

import numpy as np
import pytest

from support.behaviour_harness import refused, same

VALUES = [np.array([3.0, -1.0, 2.0, 0.5, -3.0]), np.array([0.0, 1.0, -1.0, 4.0, 1.0])]


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def norm(self):
        return self.x * self.x + self.y

    def __lt__(self, other):
        return self.norm() < other.norm()


def _points(x):
    return [Point(x[k], k % 2) for k in range(5)]


def _shown(points):
    return [(p.x, p.y) for p in points]


def _compared(one, other):
    if abs(one) == abs(other):
        return 0
    return 1 if abs(one) > abs(other) else -1


BY_SIZE = functools.cmp_to_key(_compared)


class TestObjects:
    def test_methods_that_call_others(self):
        def f(x):
            points = _points(x)
            points.sort(reverse=True)
            return _shown(points), _shown(sorted(points)), min(points).x, max(points).y

        same(f, *VALUES)

    def test_lists_of_an_unknown_length(self):
        def f(x):
            points = [Point(v, 0) for v in x if v > 0]
            return _shown(sorted(points)), [p.x for p in heapq.nsmallest(2, points)]

        same(f, *VALUES)

    def test_more_than_are_inserted(self):
        def f(x):
            points = [Point(v, 0.0) for v in x]
            return [p.x for p in sorted(points)], [p.x for p in sorted(points, reverse=True)]

        rng = np.random.default_rng(0)
        same(
            f, rng.random(150), rng.integers(-4, 5, 131).astype(float), rng.random(63), np.zeros(0), traces=3
        )

    def test_they_are_the_objects_that_were_sorted(self):
        def f(x):
            points = _points(x)
            first = sorted(points)[0]
            first.x = 100.0
            return _shown(points), first is points[0]

        same(f, *VALUES)

    def test_in_tuples(self):
        def f(x):
            return [(n, p.x) for n, p in sorted([(x[k] > 0, Point(x[k], k)) for k in range(4)])]

        same(f, *VALUES)

    def test_comparing_is_seen_as_often_as_in_python(self):
        def f(x):
            class Loud:
                def __init__(self, v):
                    self.v = v

                def __lt__(self, other):
                    print(self.v, other.v)
                    seen.append(self.v)
                    return self.v < other.v

            seen = []
            return [one.v for one in sorted([Loud(x[k]) for k in range(5)])], seen

        same(f, *VALUES)


class TestKeysOfComparingFunctions:
    def test_of_the_program_and_of_the_module(self):
        def f(x):
            by_place = functools.cmp_to_key(lambda one, other: one - other)
            known = sorted([x[0], x[1], x[2]], key=by_place, reverse=True)
            return known, sorted(x, key=BY_SIZE), max(x, key=BY_SIZE), min([x[0], x[1]], key=BY_SIZE)

        same(f, *VALUES)

    def test_equal_items_keep_their_places(self):
        def f(x):
            key = functools.cmp_to_key(lambda one, other: one[0] - other[0])
            pairs = [(int(v), k) for k, v in enumerate(x)]
            return sorted(pairs, key=key), sorted(pairs, key=key, reverse=True)

        same(f, np.array([1, 0, 2, 1, 0] * 14), np.array([1, 1, 0]), traces=2)

    @pytest.mark.filterwarnings("ignore:a text")
    def test_texts_that_are_put_together(self):
        def f(x):
            texts = [str(v) for v in x]
            texts.sort(key=functools.cmp_to_key(lambda a, b: 1 if a + b < b + a else -1))
            return "".join(texts)

        same(f, np.array([3, 30, 34, 5, 9]), np.array([10, 2, 21, 2, 1]))


@pytest.mark.filterwarnings("ignore:a text")
def test_texts_and_numbers_in_tuples():
    def f(x):
        pairs = []
        for v in x:
            if v > 0:
                pairs.append((str(v), v))
        return sorted(pairs), sorted([(str(x[k]), k) for k in range(3)], reverse=True)

    same(f, np.array([3, 12, 2, 3]), np.array([0, 5, 0, 1]))


@dataclasses.dataclass(frozen=True, order=True)
class Card:
    rank: float
    suit: int = 1


@dataclasses.dataclass(order=True)
class Job:
    rank: float
    number: int = dataclasses.field(default=0, compare=False)


@pytest.mark.parametrize("kind", [Card, Job])
def test_dataclasses_are_compared_by_their_fields_wherever_they_lie(kind) -> None:
    def f(x):
        made = [kind(v, k) for k, v in enumerate(x)]
        one = made[int(np.argmin(x))]
        ordered = sorted(made)
        return (
            ordered,
            sorted(made, reverse=True)[:2],
            max(made),
            one < made[0],
            ordered[0] <= ordered[-1],
            [one],
        )

    same(f, *VALUES)


def test_extremes_are_compared_in_the_order_that_python_asks_in() -> None:
    def f(x):
        shown = functools.cmp_to_key(lambda one, other: print(one, other) or one - other)
        turned = functools.cmp_to_key(lambda one, other: other - one)
        never = functools.cmp_to_key(lambda one, other: 1)
        found = [max(x.tolist(), key=shown), min(x.tolist(), key=shown), max(x, key=never), min(x, key=never)]
        return found, max([3, 1, 2], key=turned), min(3, 1, key=turned), max((), key=turned, default=0)

    same(f, np.array([3, 1, 2, 5]))


def test_whether_the_order_is_turned_may_be_data() -> None:
    def f(x, n):
        items, kept = x.tolist(), [v for v in x if v > 1]
        items.sort(reverse=bool(n))
        kept.sort(reverse=int(n) == 2)
        return items, kept, sorted(x, key=lambda v: v % 2, reverse=bool(n))

    same(f, *((np.array([3, 1, 2, 5]), np.int64(n)) for n in (0, 1, 2)))


def sorted_by_what_changes_it(x):
    items = x.tolist()
    items.sort(key=functools.cmp_to_key(lambda one, other: items.append(0) or one - other))
    return items


def test_lists_that_are_changed_while_they_are_sorted_are_refused() -> None:
    refused(sorted_by_what_changes_it, np.array([3, 1, 2]), match="a list is changed by what it is sorted by")
