"""Long lists that are shuffled: one permutation of their items, in the list that they lie in."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same


def shared(n: Any) -> Any:
    cards = list(range(30))
    again, held = cards, {"cards": cards}
    random.shuffle(cards)
    cards.append(n)
    again[0] += 1
    return cards is again, held["cards"][:3], again, len(cards)


def in_a_loop(n: Any) -> Any:
    cards, drawn = list(range(25)), []
    for _ in range(30):
        random.shuffle(cards)
        if cards[0] > n:
            drawn.append(cards[0])
    return cards, drawn


def of_several_kinds(n: Any) -> Any:
    mixed, maybe, none, pairs = [1, 2.5, True, n], [None, 2, n], [], [(i, i * 0.5) for i in range(30)]
    words = [f"word {i}" for i in range(20)]
    for items in (mixed, maybe, none, pairs, words):
        random.shuffle(items)  # type: ignore[arg-type]
    return mixed, maybe, none, pairs[:5], words


def by_numpy(n: Any) -> Any:
    cards = list(range(40))
    np.random.shuffle(cards)
    return cards[:n], cards[n:]


@pytest.mark.parametrize("program", [shared, in_a_loop, of_several_kinds, by_numpy])
def test_lists_are_shuffled_as_in_python(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    for n in (5, 12):
        results = []
        for run in (compiled, program):
            random.seed(n)
            np.random.seed(n)
            results.append(run(n))
        assert_same(*results)


def split(data: Any, share: Any) -> Any:
    data = data[:]
    random.shuffle(data)
    cut = int(len(data) * share)
    return data[:cut], data[cut:]


def test_a_long_list_is_put_in_order_by_few_operations() -> None:
    data, compiled, results = [i * 0.5 for i in range(100)], weft.function(split), []
    before = copy.copy(data)
    for run in (compiled, split):
        random.seed(3)
        results.append(run(data, 0.75))
    assert_same(*results)
    assert data == before
    assert compiled.get_concrete_function(data, 0.75).as_text("weft").count("weft.") < 80


@pytest.mark.parametrize("least", [0, 60])
def test_samples_of_lists_and_ranges_whose_length_is_data(least: int) -> None:
    """Python draws from few items by a pool, from many by numbers that were not there yet."""

    def program(seed: Any, least: Any) -> Any:
        numbers = random.Random(int(seed))
        items = [v for v in range(100) if v > least]
        pairs = []
        for v in items:
            pairs.append([v, v + 1])
        few, many = numbers.sample(items, 2), numbers.sample(pairs, 7)
        return few, many, numbers.sample(range(least + 9), 3), numbers.random()

    for seed in (3, 4):
        arguments = np.int64(seed), np.int64(least + 30)
        assert_same(program(*arguments), weft.function(program)(*arguments))


def test_a_sample_that_is_too_large_is_an_error() -> None:
    def program(n: Any) -> Any:
        return random.Random(1).sample([v for v in range(9) if v > n], 4)

    compiled = weft.function(program)
    assert compiled(np.int64(3)) == program(np.int64(3))
    with pytest.raises(ValueError, match="Sample larger than population or is negative"):
        compiled(np.int64(6))


def test_tuples_with_texts_are_shuffled_and_chosen() -> None:
    def program(seed: Any) -> Any:
        random.seed(int(seed))
        deck = [(suit, rank) for suit in "SHD" for rank in range(3)]
        random.shuffle(deck)
        return random.choice(deck), deck, random.sample(deck, 2), deck[int(seed) % 4][0] + "!"

    for seed in (3, 4):
        assert_same(program(np.int64(seed)), weft.function(program)(np.int64(seed)))
