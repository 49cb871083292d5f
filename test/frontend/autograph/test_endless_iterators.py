"""Generator expressions over iterators without end: each item is made when it is asked for."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same
from support.interpreted import interpreted
from weft.dialect.errors import TraceSizeError, UnsupportedError
from weft.frontend.autograph.operators.statements import comprehensions


def first(x: Any) -> Any:
    return next(n for n in itertools.count(1) if n > 12) + x


def several(x: Any) -> Any:
    numbers = (n * 2 for n in itertools.count(1) if n % 3)
    a, b = next(numbers), next(numbers)
    pairs = list(zip(numbers, [7, 8], strict=False))
    some = list(itertools.islice(numbers, 2))
    cycled = next(n for n in itertools.cycle([10, 20, 30]) if n > 10)
    for square in (n * n for n in itertools.count()):
        if square > 50:
            break
    return a, b, pairs, some, cycled, square + x + next(n for n in itertools.repeat(5))


@pytest.mark.parametrize("function", [first, several])
def test_items_are_made_when_they_are_asked_for(function: Any) -> None:
    x = np.arange(3.0)
    assert_same(interpreted(function)(x), function(x))


def decided_by_data(x: Any) -> Any:
    numbers = (n for n in itertools.count(1) if n > x[0])
    return next(numbers)


def odd() -> Any:
    for n in itertools.count(1):
        if n % 2:
            yield n


def of_a_generator(x: Any) -> Any:
    return sum(n for n in odd() if n > 12) + x


def test_what_has_no_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.arange(3.0)
    with pytest.raises(UnsupportedError, match="its items one by one, and only the program knows") as caught:
        weft.function(decided_by_data)(x)
    assert "return next(numbers)" in str(caught.value)
    monkeypatch.setattr(comprehensions, "MOST_FED", 100)
    with pytest.raises(TraceSizeError, match="more than 100 items of an iterator are taken here"):
        weft.function(of_a_generator)(x)
