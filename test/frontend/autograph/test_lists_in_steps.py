"""`items[start:stop:step] = ...` and `del items[::step]` of lists whose length only the program knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same


def primes(n: Any, step: Any) -> Any:
    sieve = [True] * (n + 1)
    sieve[0:2] = [False] * min(2, n + 1)
    for i in range(2, int(n**0.5) + 1):
        if sieve[i]:
            sieve[i * i :: i] = [False] * len(range(i * i, n + 1, i))
    return [i for i, is_prime in enumerate(sieve) if is_prime], step


def overwritten(n: Any, step: Any) -> Any:
    items = list(range(n))
    for i in range(1, step):
        items[::i] = [10 * i] * len(items[::i])
    items[::-1] = (2 * item for item in items)
    items[1::2] = map(float, range(n // 2))
    return items


def texts(n: Any, step: Any) -> Any:
    items: list[str | None] = []
    for i in range(n):
        items.append("odd" if i % 2 else None)
    items[::step] = ["new"] * len(items[::step])
    return items


def other_length(n: Any, step: Any) -> Any:
    items = list(range(n))
    items[::step] = [7, 8]
    return items


def deleted(n: Any, step: Any) -> Any:
    items = list(range(n))
    del items[1::step]
    del items[n // 3 :: -step]
    return items


def no_step(n: Any, step: Any) -> Any:
    items = list(range(n))
    items[:: step - step] = [1]
    return items


@pytest.mark.parametrize("function", [primes, overwritten, texts, other_length, deleted, no_step])
def test_slices_with_steps_are_replaced(function: Callable[..., Any]) -> None:
    calls = [(np.int64(n), np.int64(step)) for n, step in ((12, 3), (6, 1), (4, 2), (1, 2), (30, 7))]
    same(function, *calls, traces=None)


def lengths_of_ranges(n: Any) -> Any:
    repeated = [[0] * len(range(1, n, k)) for k in range(1, 4)]
    text = "ab" * len(range(2))
    return [False] * len(range(n)), (1, 2) * len(range(n)[::2]), repeated, text


def test_lists_are_repeated_as_often_as_a_range_has_numbers() -> None:
    """The length of a range is an int of Python's, whatever it is computed by."""
    compiled = weft.function(lengths_of_ranges)
    for n in (5, 0, 8):
        assert compiled(np.int64(n)) == lengths_of_ranges(np.int64(n))
