"""What a generator is, besides its numbers: its class, its copies, which one it is, and what must not draw of it."""

from __future__ import annotations

import copy
import dataclasses
import random
import sys
import threading
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import weft

RNG = np.random.default_rng(1)
SHARED = np.random.PCG64(7)
ONE, OTHER = np.random.Generator(SHARED), np.random.Generator(SHARED)
Pair = namedtuple("Pair", "rng factor")
PAIR = Pair(np.random.default_rng(3), 2)


@dataclasses.dataclass
class Record:
    rng: Any


class Owner:
    rng = np.random.default_rng(2)


def draws(rng: Any, count: int = 1) -> list[float]:
    return [float(rng.random()) for _ in range(count)]


def test_classes_texts_and_identities(capsys: pytest.CaptureFixture[str]) -> None:
    @weft.function
    def told(rng: Any) -> Any:
        print(rng, RNG)
        generator = np.random.Generator
        return (
            type(rng) is generator,
            isinstance(rng, generator),
            rng is RNG,
            rng == RNG,
            rng is rng,
            RNG is ONE,
        )

    for given in (RNG, np.random.default_rng(0), RNG):
        same = given is RNG
        assert told(given) == (True, True, same, same, True, False)
    assert capsys.readouterr().out == "Generator(PCG64) Generator(PCG64)\n" * 3


def test_copies() -> None:
    compiled = weft.function(lambda rng: (copy.deepcopy(rng).random(), copy.copy(rng).random(), rng.random()))
    first, second = draws(np.random.default_rng(0), 2)
    assert compiled(np.random.default_rng(0)) == (first, first, second)


def test_methods_of_the_class() -> None:
    compiled = weft.function(lambda rng: np.random.Generator.random(rng))
    assert compiled(np.random.default_rng(0)) == draws(np.random.default_rng(0))[0]


def test_generators_of_one_bit_generator() -> None:
    global OTHER
    compiled = weft.function(lambda: (ONE.random(), OTHER.random()))
    expected = np.random.default_rng(7)
    for _ in range(2):
        assert compiled() == tuple(draws(expected, 2))
    OTHER, replaced = np.random.default_rng(9), np.random.default_rng(9)
    for _ in range(2):
        assert compiled() == (*draws(expected), *draws(replaced))


def test_places() -> None:
    compiled = weft.function(
        lambda record: (record.rng.random(), PAIR.rng.random() * PAIR.factor, Owner.rng.random())
    )
    record = Record(np.random.default_rng(4))
    mine, pairs, owners = (np.random.default_rng(seed) for seed in (4, 3, 2))
    for _ in range(3):
        assert compiled(record) == (mine.random(), pairs.random() * 2, owners.random())
    Owner.rng, owners = np.random.default_rng(5), np.random.default_rng(5)
    assert compiled(record)[2] == owners.random()


def test_a_function_of_python_gets_no_generator() -> None:
    scalar = weft.TensorSpec((), "float64")
    for function in (
        lambda rng: weft.py_call(lambda g: g.random(), rng, result=scalar),
        lambda rng: weft.py_call(lambda g: g.random(), RNG, result=scalar),
    ):
        with pytest.raises(weft.UnsupportedError, match="would draw of a copy"):
            weft.function(function)(np.random.default_rng(0))


@pytest.mark.parametrize(
    "draw",
    [
        lambda: RNG.random(2) * np.ones(2),
        lambda: np.random.rand(2) * np.ones(2),
        lambda: random.random() * np.ones(2),
        lambda: random.gauss(0, 1) * np.ones(2),
        lambda: random.choice([1, 2, 3]) * np.ones(2),
    ],
)
def test_nothing_is_frozen_that_is_not_converted(draw: Any) -> None:
    before = str(RNG.bit_generator.state)
    with pytest.raises(weft.UnsupportedError, match="drawn while the function is traced"):
        weft.function(autograph=False)(draw)()
    assert str(RNG.bit_generator.state) == before


def test_what_other_threads_draw_is_nothing_to_a_trace() -> None:
    def traced(x: Any) -> Any:
        # Another thread draws each time that this is traced.
        thread = threading.Thread(target=random.random)
        thread.start()
        thread.join()
        return x + 1

    profile = sys.getprofile()
    assert weft.function(autograph=False)(traced)(np.zeros(1))[0] == 1
    assert sys.getprofile() is profile


def test_an_argument_of_what_is_not_converted_is_drawn_of() -> None:
    compiled = weft.function(autograph=False)(lambda rng: rng.random() * np.ones(1))
    rng, expected = np.random.default_rng(0), np.random.default_rng(0)
    assert [compiled(rng)[0] for _ in range(2)] == draws(expected, 2)


FIRST, SECOND = np.random.default_rng(1), np.random.default_rng(1)


def test_comparisons_of_generators_from_outside_are_those_of_the_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def told() -> Any:
        return FIRST == SECOND, FIRST != SECOND, (FIRST, 1) == (SECOND, 1), FIRST in [SECOND], FIRST is SECOND

    compiled = weft.function(told)
    for second in (SECOND, FIRST, SECOND):
        monkeypatch.setitem(globals(), "SECOND", second)
        assert compiled() == told()
