"""Functions that compiled functions define and that call themselves under a run-time condition."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

F64, I64 = np.float64, np.int64


def test_a_nested_function_may_call_itself():
    def fibonacci(n):
        def number(k):
            if k < 2:
                return k
            return number(k - 1) + number(k - 2)

        return number(n)

    same(fibonacci, I64(10), I64(1))


def test_it_sees_arrays_of_the_function_around_it():
    def search(x, value):
        def find(low, high):
            if low >= high:
                return low
            middle = (low + high) // 2
            if x[middle] < value:
                return find(middle + 1, high)
            return find(low, middle)

        return find(0, len(x))

    same(search, *[(np.arange(7.0), F64(value)) for value in (-1, 3, 9)], joined=True)


def test_it_writes_them():
    def sort(x):
        def quick(low, high):
            if low >= high:
                return
            last = low
            for j in range(low, high):
                if x[j] < x[high]:
                    x[last], x[j] = x[j], x[last]
                    last += 1
            x[last], x[high] = x[high], x[last]
            quick(low, last - 1)
            quick(last + 1, high)

        quick(I64(0), I64(len(x) - 1))

    same(sort, np.array([3.0, 1, 2, 7, 5, 4, 6]), np.arange(7.0))


def test_python_decides_on_known_depths():
    def grow(x):
        def tree(depth):
            return x if depth == 0 else tree(depth - 1) * 2 + depth

        return tree(4)

    same(grow, F64(1.5))


def test_calls_that_end_are_traced_deeper_than_python_nests_its_own() -> None:
    def down(n, x):
        return x if n == 0 else down(n - 1, x + 1)

    limit = sys.getrecursionlimit()
    assert weft.function(down)(400, np.float64(0)) == 400
    assert sys.getrecursionlimit() == limit
    with pytest.raises(RecursionError, match="some hundreds deep"):
        weft.function(down)(limit, np.float64(0))
    assert sys.getrecursionlimit() == limit
