"""The functions of `heapq` and `bisect` on lists and arrays that are known when the compiled function runs."""

from __future__ import annotations

import bisect
import heapq

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

NUMBERS = [np.array([3.0, 1.0, 2.0, 1.0, 5.0]), np.array([2.0]), np.random.default_rng(0).random(40)]


def _items(x):
    """A list of a length that is known at run time."""
    items = []
    for v in x:
        if v > 0:
            items.append(v)
    return items


class TestHeaps:
    def test_push_and_pop(self):
        def f(x):
            heap = []
            for v in x:
                heapq.heappush(heap, v)
            made = heap.copy()
            taken = []
            while len(heap) > 1:
                taken.append(heapq.heappop(heap))
            return made, taken, heap

        same(f, *NUMBERS, traces=3)

    def test_heapify_and_replace(self):
        def f(x):
            heap = _items(x)
            heapq.heapify(heap)
            made = heap.copy()
            replaced = heapq.heapreplace(heap, x[0] + 1)
            less = heapq.heappushpop(heap, x[0] - 10)
            more = heapq.heappushpop(heap, x[0] + 10)
            return made, replaced, less, more, heap

        same(f, *NUMBERS, traces=3)

    def test_the_smallest_and_the_largest(self):
        def f(x):
            return (
                heapq.nsmallest(2, x),
                heapq.nlargest(2, _items(x)),
                heapq.nlargest(3, x, key=lambda v: abs(v - 2)),
            )

        same(f, *NUMBERS[:2], traces=2)

    def test_a_heap_that_is_known_while_tracing(self):
        def f(x):
            heap = [5, 3, 4]
            heapq.heapify(heap)
            return x * heapq.heappop(heap), heap

        same(f, NUMBERS[0])

    def test_shortest_paths(self):
        def shortest(starts, ends, lengths, source):
            distances = np.full(len(starts) - 1, np.inf)
            distances[source] = 0
            heap = [(0.0, source)]
            while heap:
                distance, node = heapq.heappop(heap)
                if distance > distances[node]:
                    continue
                for edge in range(starts[node], starts[node + 1]):
                    found = distance + lengths[edge]
                    if found < distances[ends[edge]]:
                        distances[ends[edge]] = found
                        heapq.heappush(heap, (found, ends[edge]))
            return distances

        random = np.random.default_rng(1)
        starts = np.arange(0, 61, 3)
        ends, lengths = random.integers(0, 20, 60), random.random(60)
        expected = shortest(starts, ends, lengths, np.int64(4))
        np.testing.assert_array_equal(weft.function(shortest)(starts, ends, lengths, np.int64(4)), expected)

    def test_an_empty_heap(self):
        def pop(x):
            return heapq.heappop(_items(x))

        def replace(x):
            return heapq.heapreplace(_items(x), 1.0)

        for f in (pop, replace):
            with pytest.raises(IndexError, match="index out of range"):
                weft.function(f)(-NUMBERS[0])


class TestBisections:
    def test_places(self):
        def f(x, v):
            x = np.sort(x)
            items = sorted(_items(x))
            return (
                bisect.bisect_left(x, v),
                bisect.bisect_right(items, v),
                bisect.bisect(items, v, lo=1),
                bisect.bisect_left(items, v, 0, 1),
                bisect.bisect_left(items, 2 * v, key=lambda item: 2 * item),
            )

        compiled = weft.function(f)
        for x in NUMBERS:
            for v in (0.0, 1.0, 2.5, 100.0):
                assert compiled(x, np.float64(v)) == f(x, np.float64(v))

    def test_insertion(self):
        def f(x):
            items, pairs = [], []
            for i, v in enumerate(x):
                bisect.insort(items, v)
                bisect.insort_left(pairs, (v, i), key=lambda pair: pair[0])
            return items, pairs

        same(f, *NUMBERS, traces=3)

    def test_a_negative_place(self):
        def f(x, i):
            return bisect.bisect_left(x, 2.0, i)

        with pytest.raises(ValueError, match="lo must be non-negative"):
            weft.function(f)(NUMBERS[0], np.int64(-1))
