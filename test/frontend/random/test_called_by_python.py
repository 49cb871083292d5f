"""What is not compiled draws when the program runs, in order: NumPy's functions, other generators, Python's own."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

LEGACY = np.random.RandomState(4)
OTHER = np.random.Generator(np.random.SFC64(4))
PYTHON = random.Random(4)


def begin_again() -> None:
    LEGACY.seed(4)
    OTHER.bit_generator.state = np.random.SFC64(4).state
    for module in (PYTHON, np.random, random):
        module.seed(4)


def legacy(x: Any) -> Any:
    numbers = np.random.rand(), np.random.randn(3), np.random.normal(x), np.random.randint(0, 10, 4)
    np.random.shuffle(x)
    return numbers, np.random.choice(5), np.random.permutation(4), LEGACY.normal(size=2), x.sum()


def other(x: Any) -> Any:
    return OTHER.random(2), OTHER.integers(10), OTHER.gamma(x + 1), OTHER.standard_normal()


def pythons(x: Any) -> Any:
    names = ["a", "b", "c"]
    random.shuffle(names)
    numbers = random.random(), random.randint(1, 6), functools.partial(random.uniform, 1)(2), PYTHON.random()
    return (
        numbers,
        names,
        random.choice(("x", "y")),
        random.sample([10, 20, 30], 2),
        random.choices([1, 2, 3], k=2),
    )


def in_branches(x: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        if np.random.rand() > 0.5:
            total += random.random() * x[i]
    return total


def seeded(x: Any) -> Any:
    np.random.seed(3)
    random.seed(5)
    return np.random.rand(), random.random()


@pytest.mark.parametrize(
    "program", [legacy, other, pythons, in_branches, seeded], ids=lambda program: program.__name__
)
def test_same_numbers_in_the_same_order(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    results = []
    for function in (program, compiled, compiled):
        begin_again()
        results.append(repr([function(np.arange(6.0)) for _ in range(2)]))
    assert results[1:] == results[:1] * 2


@functools.cache
def remembered() -> float:
    return random.random()


def test_what_python_remembers_is_not_drawn_anew() -> None:
    with pytest.raises(weft.UnsupportedError, match="remembered draws a random number, and Python remembers"):
        weft.function(lambda x: x + remembered())(1.0)
