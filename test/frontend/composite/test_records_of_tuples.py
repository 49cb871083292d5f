"""Records that are filled, made of tuples, and stacked; and where a tuple or list has a computed number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same
from support.interpreted import interpreted

PAIR = np.dtype([("a", float), ("b", float)])
NESTED = np.dtype([("i", int), ("v", float, 2)])


def filled(r: Any, q: Any, n: Any) -> Any:
    r[1].fill(0)
    r[n].fill((7.5, n))
    r[3:].fill(3)
    q.fill(2)
    return r, q


def made(x: Any, n: Any, r: Any) -> Any:
    rows = []
    for i in range(3):
        rows.append((i, x * i))
    kind = [("i", int), ("v", float)]
    return [
        *(np.array([(1, x), (n, x * 2)], dtype=kind), np.array(rows, dtype=kind)),
        *(np.array([[(1, x)], [(2, x)]], kind), np.array([tuple(r[0]), tuple(r[1])], dtype=r.dtype)),
        *(
            np.array([r[0], r[n]]),
            np.array((r[0], r[1])),
            np.array([(r, r)]),
            np.array([tuple(r[0]), tuple(r[1])]),
        ),
    ]


def test_records_are_filled() -> None:
    given, found = (np.ones(5, PAIR), np.zeros(2, NESTED)), (np.ones(5, PAIR), np.zeros(2, NESTED))
    assert_same(interpreted(filled)(*found, np.int64(2)), filled(*given, np.int64(2)))
    assert_same(found, given)


def test_records_are_made_of_tuples() -> None:
    arguments = np.float64(3), np.int64(1), np.ones(2, PAIR)
    assert_same(weft.function(made)(*arguments), made(*arguments))


LOOKED_UP: list[Callable[[Any], Any]] = [
    lambda n: ((1, 2, 3).index(n), (2, 2).count(n), ("a", "b").index("b")),
    lambda n: [3, 2, 1].index(n),
]


@pytest.mark.parametrize("function", LOOKED_UP)
def test_computed_numbers_are_found_in_tuples(function: Callable[[Any], Any]) -> None:
    assert_same(interpreted(function)(np.int64(2)), function(np.int64(2)))
    with pytest.raises(ValueError, match="not in") as expected:
        function(np.int64(9))
    with pytest.raises(ValueError, match="not in") as found:
        interpreted(function)(np.int64(9))
    assert str(found.value).startswith(str(expected.value))
