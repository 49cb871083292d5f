"""Loops in bodies and tests of others are recorded as often as there are of them, not twice for each around them."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest

import weft
from weft.frontend.autograph.operators.loops.loops import _Recording


class Numbers:
    """A place in the numbers from 1 on."""

    def __init__(self, count: Any) -> None:
        self.count = count
        self.number = 0
        self.item = 0.0

    def advance(self) -> Any:
        found = self.number < self.count
        if found:
            self.number += 1
            self.item = self.number * 1.5
        return found


class Without:
    """A place in the numbers of another that a divisor does not divide."""

    def __init__(self, inner: Any, divisor: float) -> None:
        self.inner = inner
        self.divisor = divisor
        self.item = 0.0

    def advance(self) -> Any:
        found = False
        while not found and self.inner.advance():
            self.item = self.inner.item
            found = self.item % self.divisor != 0
        return found


def total(count: Any, divisors: tuple[float, ...]) -> Any:
    place: Any = Numbers(count)
    for divisor in divisors:
        place = Without(place, divisor)
    found = 0.0
    while place.advance():
        found = found * 0.5 + place.item
    return found


DIVISORS = (2.0, 3.5, 4.5, 6.0)


def recordings(function: Any, *arguments: Any) -> int:
    """How many times bodies of loops are recorded for a count that is known when the function runs."""
    begin = _Recording.__init__
    with mock.patch.object(_Recording, "__init__", autospec=True, side_effect=begin) as begun:
        weft.eval_shape(function, weft.TensorSpec((), "int64"), *arguments)
    return int(begun.call_count)


@pytest.mark.parametrize("depth", [1, 4])
def test_values(depth: int) -> None:
    function = weft.function(total)
    for count in np.array([0, 40]):
        assert function(count, DIVISORS[:depth]) == total(count, DIVISORS[:depth])


def test_each_loop_around_adds_a_few_recordings() -> None:
    two, three, four = (recordings(total, DIVISORS[:depth]) for depth in (2, 3, 4))
    assert four - three <= three - two + 2


def listed(count: Any, depth: int) -> Any:
    """Loops in one another that leave early, each of which puts numbers into a list from before all of them."""
    found: list[Any] = []

    def walk(level: int, start: Any) -> None:
        for number in range(count):
            if number > start + level:
                break
            found.append(number * 2)
            if level:
                walk(level - 1, number)

    walk(depth - 1, count // 2)
    return found


def test_loops_that_fill_a_list_add_a_few_recordings() -> None:
    assert weft.function(listed)(np.int64(3), 2) == listed(3, 2)
    two, three, four = (recordings(listed, depth) for depth in (2, 3, 4))
    assert four - three <= three - two + 2
