"""Lists of many tuples of numbers are sorted at once: what is compared one with another would be recorded each time."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import pytest

import weft


def in_order(pairs: Any) -> Any:
    return sorted(pairs)


def by_second(pairs: Any) -> Any:
    return sorted(pairs, key=lambda pair: pair[1])


def largest(pairs: Any) -> Any:
    return sorted(pairs, reverse=True)[0]


def by_both(pairs: Any) -> Any:
    ordered = sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
    return [pair[0] for pair in ordered], len(ordered), ordered[-1]


def in_place(pairs: Any) -> Any:
    pairs.sort()
    return pairs[0]


def in_place_by_second(pairs: Any) -> Any:
    pairs.sort(key=lambda pair: pair[1], reverse=True)


def merged(spans: Any) -> Any:
    spans = sorted(spans)
    found = [list(spans[0])]
    for low, high in spans[1:]:
        if low <= found[-1][1]:
            found[-1][1] = max(found[-1][1], high)
        else:
            found.append([low, high])
    return found


@pytest.mark.parametrize(
    "program",
    [in_order, by_second, largest, by_both, in_place, in_place_by_second, merged],
    ids=lambda program: program.__name__,
)
def test_many_tuples(program: Callable[[Any], Any]) -> None:
    compiled, draw = weft.function(program), random.Random(3)
    start = time.process_time()
    for count in (5, 13, 40, 40, 41, 100, 101):
        given = [(draw.randrange(9), draw.randrange(50)) for _ in range(count)]
        same = list(given)
        assert repr(compiled(given)) == repr(program(same))
        assert given == same
    assert time.process_time() - start < 15
