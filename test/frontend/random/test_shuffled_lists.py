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
