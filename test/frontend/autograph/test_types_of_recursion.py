"""What functions that call themselves return has the type that its path leaves, as behind branches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

I64 = np.int64


def best_of(n, prices):
    """The best value of what starts as minus infinity: an int, but for no items at all."""
    if n < 0:
        return float("-inf")
    if n == 0:
        return 0
    best = float("-inf")
    for i in range(1, n + 1):
        best = max(best, prices[i - 1] + best_of(n - i, prices))
    return best


def total(n):
    return 0 if n == 0 else 1.5 + total(n - 1)


def kept_where_greater(n):
    if n <= 0:
        return 0
    found, best = 1 + kept_where_greater(n - 1), -1.0
    if found > best:
        best = found
    return best


def pair(n):
    if n == 0:
        return 0, 1.0
    low, high = pair(n - 1)
    return high, low + 1


def halved(n, x):
    if n == 0:
        return x
    return halved(n - 1, x) * np.float32(0.5) if n % 2 == 0 else halved(n - 1, x)


@pytest.mark.parametrize(
    ("function", "others"),
    [(best_of, ([1, 5, 8, 9],)), (total, ()), (kept_where_greater, ()), (pair, ()), (halved, (np.int8(3),))],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_results_keep_the_types_of_their_paths(function: Callable[..., Any], others: tuple[Any, ...]) -> None:
    calls = [(n, *others) for n in (2, 0, 1, 3, 4)]
    compiled = weft.function(lambda n, *others: function(int(n), *others))
    for number, *given in calls:
        expected, found = function(number, *given), compiled(I64(number), *given)
        assert (found, _types(found)) == (expected, _types(expected))


def _types(value: Any) -> Any:
    return [type(part) for part in value] if isinstance(value, tuple) else type(value)


def test_what_is_computed_of_a_result_has_its_type() -> None:
    def shown(n: Any) -> Any:
        found = total(n)
        return f"{found}", found * 2, isinstance(found, int), [found, found + 1]

    same(shown, (I64(0),), (I64(1),), (I64(4),))
