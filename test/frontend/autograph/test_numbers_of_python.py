"""Numbers of Python's that only the program knows: what they are not, as arrays are, is what Python says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import refused, same

X = np.array([1.0, 5.0, 7.0])

WRONG: dict[str, Callable[[Any], Any]] = {
    "item": lambda n: n[0],
    "size": lambda n: n.size,
    "shape": lambda n: n.shape,
    "sum method": lambda n: n.sum(),
    "product": lambda n: n @ n,
    "product with a number": lambda n: n @ 2.0,
    "length": lambda n: len(n),
    "items": lambda n: [*n],
    "list": lambda n: list(n),
    "sum": lambda n: sum(n),
    "in": lambda n: 1 in n,
    "list added": lambda n: n + [1],
    "taken from a list": lambda n: [1, 2] - n,
    "order": lambda n: [1, 2] < n,
    "list times a float": lambda n: [1] * (n * 1.0),
}


@pytest.mark.parametrize("kind", [int, float])
@pytest.mark.parametrize("name", WRONG)
def test_what_numbers_cannot(kind: Any, name: str) -> None:
    function = WRONG[name]
    with pytest.raises((TypeError, AttributeError)) as wanted:
        function(kind(5))

    def converted(x: Any) -> Any:
        return function(int(x[1]) if kind is int else float(x[1]))

    with pytest.raises(type(wanted.value)):
        weft.function(converted)(X)


def comparisons(x: Any) -> Any:
    n, m = int(x[1]), float(x[2])
    return n == [5], [5] != m, n == (5,), n == 5, m in [7.0, 2], [1, 2] * n, hasattr(n, "size")


def bits_of_floats(x: Any) -> Any:
    m, found = float(x[2]), 0
    try:
        found = m | 1
    except TypeError:
        found = -1
    return found


def copied(x: Any) -> Any:
    small, n = np.zeros(3, np.uint8), int(x[1])
    np.copyto(small, n)
    return small


def maybe_none(x: Any) -> Any:
    largest = None
    for v in x:
        if v > 6:
            largest = v
    floats, flags, numbers = np.zeros(3), np.ones(2, bool), np.zeros(2, complex)
    floats[0] = largest
    floats[1:] = largest
    flags[0] = largest
    numbers[...] = largest
    floats.fill(largest)
    return floats, flags, numbers


def test_as_eagerly() -> None:
    same(comparisons, X)
    same(bits_of_floats, X)
    same(copied, X)
    same(maybe_none, X, np.zeros(3))


def test_none_among_integers() -> None:
    @weft.function
    def store(x: Any) -> Any:
        largest = None
        for v in x:
            if v > 6:
                largest = v
        counts = np.zeros(2, int)
        counts[0] = largest
        return counts

    assert store(X).tolist() == [7, 0]
    with pytest.raises(TypeError, match="int\\(\\) argument must be"):
        store(np.zeros(3))


def _counted(x: Any) -> Any:
    import functools

    @functools.lru_cache
    def fibonacci(n: int) -> int:
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

    return x * fibonacci(10), fibonacci.cache_info().hits


def test_hits_of_a_cache_are_refused() -> None:
    refused(_counted, X, match="cache_info")
