"""Long loops over numbers and texts that tracing knows: recorded once over a table, where the body records much."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same
from support.interpreted import interpreted

NUMBERS = [float(i * 7 % 100) for i in range(100)]
PAIRS = [(i % 7, float(i)) for i in range(60)]
NAMED = {f"k{i}": i for i in range(20)}
TEXT = "the quick brown fox jumps over the lazy dog; " * 2


def above(t: Any) -> Any:
    total = 0
    for v in NUMBERS:
        if v > t:
            total += v
    return total


def counted(t: Any) -> Any:
    return sum(1 for v in NUMBERS if v > t)


def kept(t: Any) -> Any:
    return [b * a for a, b in PAIRS if b > t]


def found(t: Any) -> Any:
    for place, (a, b) in enumerate(PAIRS):
        if b > t and a > 2:
            return place, b
    return None


def of_a_dict(t: Any) -> Any:
    return {v: v + 0.5 for v in NAMED.values() if v > 0.5 * t}, [
        name for name, v in NAMED.items() if v > 0.5 * t
    ]


def characters(t: Any) -> Any:
    count = 0
    for c in TEXT:
        if c in "aeiou" and ord(c) > 3 * t:
            count += 1
        elif c.isspace() and t > 3:
            count -= 1
    return count


def deciphered(t: Any) -> Any:
    return "".join(chr((ord(c) - 97 + int(t)) % 26 + 97) for c in "helloworldhowareyoudoingtoday")


def that_become_keys(t: Any) -> Any:
    counts: dict[str, Any] = {}
    for word in TEXT.split():
        counts[word] = counts.get(word, 0) + t
    return counts


def that_grow(t: Any) -> Any:
    queue, total = list(range(20)), 0.0
    for v in queue:
        total += v if v > t else 0.5 * t
        if v == 3:
            queue.append(50)
    return total, queue


def of_a_list_that_changes(t: Any) -> Any:
    items, total = [1.0] * 20, 0.0
    for i, v in enumerate(items):
        total += v if v * i > t else 0.5 * t
        if i < 19:
            items[i + 1] = v + 1
    return total, items


FUNCTIONS = [
    above, counted, kept, found, of_a_dict, characters, deciphered, that_become_keys, that_grow, of_a_list_that_changes,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_tables_give_what_the_items_do(function: Callable[..., Any]) -> None:
    t = np.array(30.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same(interpreted(function)(t), function(t))


def _recorded(function: Callable[..., Any]) -> int:
    """How many lines the program of a function of a number has."""
    return len(weft.function(function).get_concrete_function(np.array(3.0)).as_text("weft").splitlines())


def test_twice_as_many_items_record_no_more() -> None:
    def above(count: int) -> Callable[..., Any]:
        items, text = [float(i) for i in range(count)], "abcdefgh" * (count // 8)

        def function(t: Any) -> Any:
            total = 0
            for v in items:
                if v > t:
                    total += v
            for c in text:
                if ord(c) - 97 > t:
                    total += 1
            return total

        return function

    lines = _recorded(above(40))
    assert _recorded(above(80)) <= lines + 8
    assert lines < 150


def test_loops_that_record_little_stay_unrolled() -> None:
    coefficients = [float(i) for i in range(20)]

    def horner(x: Any) -> Any:
        total = 0.0
        for c in coefficients:
            total = total * x + c
        return total

    assert "scf.for" not in weft.function(horner).get_concrete_function(np.array(3.0)).as_text("weft")


def test_a_text_that_only_the_program_knows_may_be_among_characters() -> None:
    def function(i: Any) -> Any:
        return ["a", "b", "xy"][i] in "abc", ["a", "b", "xy"][i] not in "abc"

    for i in range(3):
        assert_same(interpreted(function)(np.int64(i)), function(i))


def test_loops_that_are_to_be_unrolled_never_are_recorded_once() -> None:
    def program(x: Any) -> Any:
        for i in weft.unroll(range(30)):
            x = x * 0.5 + i
        return x

    with weft.settings.scope(unroll_ops=20):
        concrete = weft.function(program).get_concrete_function(np.ones(3))
    assert "scf.for" not in concrete.as_text("weft")


def test_a_few_pairs_of_numbers_with_much_for_each_are_recorded_once() -> None:
    """As the neighbours of a cell in a grid, each of which may find a shorter way."""

    def relaxed(steps: list[tuple[int, int]]) -> Callable[..., Any]:
        def function(cost: Any) -> Any:
            best = np.full(cost.shape, 1e9)
            best[0, 0] = 0.0
            queue = [(0, 0)]
            while queue:
                r, c = queue.pop(0)
                for down, right in steps:
                    y, x = r + down, c + right
                    if 0 <= y < cost.shape[0] and 0 <= x < cost.shape[1]:
                        found = best[r, c] + cost[y, x]
                        if found < best[y, x]:
                            best[y, x] = found
                            queue.append((y, x))
            return best

        return function

    cost = np.arange(12.0).reshape(3, 4) % 5
    all_four, two = relaxed([(0, 1), (1, 0), (0, -1), (-1, 0)]), relaxed([(0, 1), (1, 0)])
    assert_same(interpreted(all_four)(cost), all_four(cost))

    def lines(function: Callable[..., Any]) -> int:
        return len(weft.function(function).get_concrete_function(cost).as_text("weft").splitlines())

    assert lines(all_four) <= lines(two) + 8
