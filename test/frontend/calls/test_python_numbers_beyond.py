"""Numbers that compiled code does not have: the call is made again with its numbers as constants, or refused."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft


def _cosine(x: float) -> float:
    return sum((-1) ** r * x ** (2 * r) / math.factorial(2 * r) for r in range(40))


def _choices(n: int, k: int) -> int:
    return math.comb(n, k) + math.factorial(n)


def _terms(count: int, power: int) -> list[float]:
    return [pow(i + 1, power) for i in range(count)]


PROGRAMS: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (_cosine, [(1,), (2,), (0.5,), (3,)]),
    (_choices, [(3, 1), (4, 2), (5, 3), (30, 7), (25, 3), (6, 3)]),
    (_terms, [(5, 2), (4, 3), (5, -2), (4, -1), (3, 2)]),
]


@pytest.mark.parametrize(("program", "calls"), PROGRAMS)
def test_numbers_among_the_arguments(program: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    compiled = weft.function(program)
    for call in calls:
        expected, got = program(*call), compiled(*call)
        assert (type(got), got) == (type(expected), pytest.approx(expected))


def test_what_changes_something_is_refused() -> None:
    """What a call did cannot be done again."""
    compiled = weft.function(lambda x, n: (x.fill(n), math.factorial(n))[1])
    x = np.zeros(2)
    assert [compiled(x, n) for n in (3, 4, 5)] == [6, 24, 120]
    with pytest.raises(weft.PythonNumberError, match=r"the result of factorial\(30\) has more than 64 bits"):
        compiled(x, 30)


@pytest.mark.parametrize(("draw", "seed"), [(np.random.rand, np.random.seed), (random.random, random.seed)])
def test_what_was_drawn_is_not_drawn_again(draw: Callable[[], float], seed: Callable[[int], None]) -> None:
    """The global generators have moved on when the call finds that it cannot compute the number."""
    compiled = weft.function(lambda n: (draw(), math.factorial(n)))
    seed(0)
    expected = [draw() for _ in range(3)]
    seed(0)
    assert compiled(3) == (expected[0], 6)
    with pytest.raises(weft.PythonNumberError, match="has more than 64 bits"):
        compiled(30)
    assert compiled(4) == (expected[2], 24)


def test_roots_of_negative_floats_are_refused() -> None:
    compiled = weft.function(lambda x, y: x**y)
    assert [compiled(x, 0.5) for x in (4.0, 9.0, 16.0, 25.0)] == [2.0, 3.0, 4.0, 5.0]
    with pytest.raises(weft.WeftValueError, match=r"a negative float to a fractional power is complex"):
        compiled(-4.0, 0.25)


def test_elements_of_arrays_are_refused() -> None:
    compiled = weft.function(lambda x, y: int(x[0]) ** int(x[1]) + y)
    assert compiled(np.array([2, 5]), 1) == 33
    for error in (weft.PythonNumberError, ValueError):
        with pytest.raises(error, match=r"an int to the power of a negative int is a float"):
            compiled(np.array([2, -5]), 2)
