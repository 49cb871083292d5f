"""Generators that are made inside, are chosen by branches, or go through loops, functions and recursion."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.programs import same_bits


def drawn(rng: Any) -> Any:
    return rng.random()


def deep(rng: Any, n: Any) -> Any:
    if n <= 0:
        return rng.random()
    return rng.random() + deep(rng, n - 1)


def seeds(n: Any) -> Any:
    philox = np.random.Generator(np.random.Philox(n))
    again = np.random.default_rng(np.random.default_rng(1))
    return (
        np.random.default_rng(n).random(3),
        philox.normal(),
        np.random.default_rng([1, 2]).normal(),
        again.random(),
    )


def in_loops(n: Any) -> Any:
    rng, total = np.random.default_rng(n), 0.0
    for i in range(n):
        total += np.random.default_rng(7).random() + rng.random()  # begins again, and goes on
        if total > 2:
            total -= np.random.default_rng(i).random()
        else:
            total += drawn(rng)
    while rng.random() < 0.9:
        total += 1
    return (
        total,
        deep(rng, n),
        rng.random(),
        [rng.random() for _ in range(n)],
        [rng.random() for _ in range(3)],
    )


def chosen(n: Any) -> Any:
    one, other = np.random.default_rng(0), np.random.default_rng(1)
    either = one if n > 1 else other
    either.random()
    several = [one, other]
    return one.random(), other.random(), either.random(), several[n % 2].random()


def after_exceptions(n: Any) -> Any:
    rng = np.random.default_rng(0)
    try:
        total = rng.random()
        if n > 0:
            raise ValueError(total)
    except ValueError:
        total = rng.random()
    return total


@pytest.mark.parametrize("program", [seeds, in_loops, chosen, after_exceptions], ids=lambda p: p.__name__)
def test_programs(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    for n in (4, 1):
        assert repr(compiled(np.int64(n))) == repr(program(np.int64(n)))


def test_without_a_seed_each_call_has_another_one() -> None:
    compiled = weft.function(lambda: np.random.default_rng().random(4))
    assert not same_bits(compiled(), compiled())


def test_a_generator_that_is_returned_goes_on() -> None:
    rng = weft.function(lambda seed: np.random.default_rng(seed))(np.int64(3))
    assert rng.random() == np.random.default_rng(3).random()


class Lazy:
    rng: Any = None

    @weft.function
    def draw(self) -> Any:
        if self.rng is None:
            self.rng = np.random.default_rng(3)
        return self.rng.random()


def test_a_generator_that_is_stored_goes_on() -> None:
    lazy, expected = Lazy(), np.random.default_rng(3)
    assert [lazy.draw() for _ in range(4)] == [expected.random() for _ in range(4)]


@pytest.mark.parametrize("make", [np.random.SFC64, np.random.MT19937, random.SystemRandom])
def test_other_generators_cannot_be_made_inside(make: Any) -> None:
    with pytest.raises(
        weft.UnsupportedError, match=r"makes a random generator .* np.random.default_rng\(seed\)"
    ):
        weft.function(lambda: make())()


def test_words_of_a_seed_are_made_into_a_state_by_compiled_code():
    @weft.function
    def drawn(seed):
        draws = np.random.default_rng(seed)
        return draws.integers(1000, size=3), draws.random(2), draws.permutation(5)

    for length in (1, 2, 4, 5, 8):
        for seed in (np.zeros(length), np.full(length, 2**32 - 1), np.arange(length) * 123456789 % 2**32):
            words = seed.astype(np.uint32)
            draws = np.random.default_rng(words)
            wanted = draws.integers(1000, size=3), draws.random(2), draws.permutation(5)
            for found, same in zip(drawn(words), wanted, strict=True):
                np.testing.assert_array_equal(found, same)
    concrete = drawn.get_concrete_function(weft.TensorSpec((2,), "uint32"))
    assert "@host" not in concrete.as_text("weft")
    other = drawn.get_concrete_function(
        weft.TensorSpec((2,), "int64")
    )  # of which each entry is one word, or two
    assert "@host" in other.as_text("weft")
