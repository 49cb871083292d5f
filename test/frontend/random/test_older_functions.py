"""The functions of `np.random` and of Python's `random`: native code draws of their own states, to the bit."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.frontend.random.twister import home_of

from ...fuzz.reference import interpreting

LEGACY = np.random.RandomState(4)
PYTHON = random.Random(4)


def begin_again() -> None:
    for owner in (LEGACY, PYTHON, np.random, random):
        owner.seed(4)  # type: ignore[attr-defined]


def states() -> Any:
    return repr((np.random.get_state(), LEGACY.get_state(), PYTHON.getstate(), random.getstate()))


def floats(x: Any) -> Any:
    return (
        np.random.rand(),
        np.random.rand(0, 3),
        np.random.randn(3),
        np.random.normal(x.sum(), 2.0, (2, 3)),
        np.random.uniform(5, 1),
        np.random.uniform(x, 9.0),
        np.random.exponential(3.0),
        np.random.standard_exponential(4),
        np.random.random_sample((2, 2)),
        LEGACY.standard_normal(),
        LEGACY.normal(size=3),
        np.random.binomial(5, 0.5),
        np.random.randn(),
    )


def integers(x: Any) -> Any:
    return (
        np.random.randint(0, 10, 4),
        np.random.randint(7),
        np.random.randint(5, 6, 2),
        np.random.randint(0, 255, 5, dtype=np.uint8),
        np.random.randint(0, 256, 7, np.uint8),
        np.random.randint(-3, 2**40),
        np.random.randint(0, 2**32),
        np.random.randint(-(2**63), 2**63 - 1),
        np.random.randint(0, 2, 9, dtype=bool),
        np.random.randint(3, 9, 3, np.int16),
        np.random.randint(0, 2**31, 3, np.int32),
        np.random.randint(np.int64(x[3]), np.int64(x[5])),
        np.random.randint([1, 2], [5, 9]),
    )


def choices(x: Any) -> Any:
    np.random.shuffle(x)
    names = ["a", "b", "c"]
    np.random.shuffle(names)
    return (
        np.random.choice(5),
        np.random.choice(x, 3),
        np.random.choice(6, 3, replace=False),
        np.random.choice(3, 5, p=[0.2, 0.3, 0.5]),
        np.random.choice(x),
        np.random.permutation(10),
        np.random.permutation(x),
        np.random.permutation(x.reshape(2, 3)),
        names,
        x,
    )


def pythons(x: Any) -> Any:
    items = [1, 2, 3, 4, 5]
    random.shuffle(items)
    return (
        random.random(),
        random.randint(1, 6),
        random.uniform(x[1], 3),
        random.randrange(10),
        random.randrange(3, 2**45),
        random.randrange(2, 9, 3),
        random.choice(["a", "b"]),
        random.choice(x),
        items,
        random.gauss(0, 1),
        random.normalvariate(1, 2),
        random.expovariate(2.5),
        random.getrandbits(40),
        random.getrandbits(3),
        random.choices([1.5, 2.5, 3.5], k=4),
        random.randint(int(x[1]), int(x[4])),
        random.sample(range(10), 3),
        PYTHON.random(),
    )


def in_branches_of_loops(x: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        if np.random.random() > 0.5:
            total += random.random() * x[i]
        elif random.randint(0, 3) == 2:
            total -= np.random.normal()
        if i % 3 == 0:
            np.random.seed(i)
            total += np.random.binomial(7, 0.5)  # by Python
    return total


def of_run_time_size(x: Any) -> Any:
    n = int((x > 2).sum())
    return (
        np.random.rand(n),
        np.random.randint(0, n, n),
        np.random.permutation(n),
        np.random.normal(size=(n, 2)),
    )


@pytest.mark.parametrize(
    "program",
    [floats, integers, choices, pythons, in_branches_of_loops, of_run_time_size],
    ids=lambda program: program.__name__,
)
def test_numbers_and_states_to_the_bit(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    seen = []
    for function in (program, compiled):
        begin_again()
        seen.append((repr([function(np.arange(6.0)) for _ in range(3)]), states()))
    assert seen[0] == seen[1]


def test_loops_call_no_python() -> None:
    def walk(n: Any) -> Any:
        place = 0
        for _ in range(n):
            place += 2 * random.randint(0, 1) - 1
            place += np.random.randint(2)
        return place

    concrete = weft.function(walk).get_concrete_function(np.int64(3))
    assert not concrete.cost_analysis().python_calls


@pytest.mark.parametrize(
    "draw",
    [
        lambda x: np.random.normal(0.0, x - 5),
        lambda x: np.random.exponential(x - 5),
        lambda x: np.random.uniform(0, x * np.inf),
        lambda x: np.random.randint(int(x), 1),
        lambda x: np.random.choice(int(x), 9, replace=False),
        lambda x: np.random.choice(2, p=[x, x]),
        lambda x: np.random.choice(np.zeros((2, 2))),
        lambda x: random.randint(int(x), 1),
        lambda x: random.randrange(int(x) - 3),
        lambda x: random.randint(3, 1) + x,
    ],
)
def test_errors_are_those_of_numpy_and_python(draw: Callable[..., Any]) -> None:
    with pytest.raises(Exception) as eager:  # noqa: PT011 - whatever it is
        draw(np.float64(3))
    with pytest.raises(type(eager.value), match=re.escape(str(eager.value))):
        weft.function(draw)(np.float64(3))


def test_another_bit_generator_is_noticed() -> None:
    draw = weft.function(lambda x: x + np.random.rand())
    before = np.random.get_bit_generator()
    try:
        np.random.seed(1)
        assert draw(0.0) == np.random.RandomState(1).rand()
        np.random.set_bit_generator(np.random.MT19937(5))
        assert draw(0.0) == np.random.RandomState(np.random.MT19937(5)).rand()
        np.random.set_bit_generator(np.random.PCG64(5))
        assert draw(0.0) == np.random.RandomState(np.random.PCG64(5)).rand()
    finally:
        np.random.set_bit_generator(before)


def test_other_classes_are_drawn_of_by_python() -> None:
    class Constant(random.Random):
        def random(self) -> float:
            return 0.25

    constant = Constant()
    assert home_of(constant) is None
    assert home_of(np.random.RandomState(np.random.PCG64(1))) is None
    assert weft.function(lambda x: x + constant.random() + constant.uniform(0, 4))(1.0) == 2.25


def test_draws_are_constants_of_derivatives() -> None:
    def loss(scale: Any) -> Any:
        total = 0.0
        for _ in range(3):
            total += np.random.normal(0.0, scale)
        return total

    np.random.seed(2)
    expected = np.random.RandomState(2).normal(size=3).sum()
    np.testing.assert_allclose(weft.grad(loss)(1.0), expected)


def test_the_interpreter_draws_the_same() -> None:
    def draw(n: Any) -> Any:
        order = [1, 2, 3]
        random.shuffle(order)
        numbers = np.random.randint(3, 9, 5, np.int16), np.random.permutation(4), np.random.randn(2)
        return *numbers, np.random.rand(), random.randint(1, n), random.expovariate(1.0), *order

    begin_again()
    expected = repr(draw(5))
    begin_again()
    with interpreting("optimized"):
        assert repr(weft.function(draw)(np.int64(5))) == expected
