"""Long lists of numbers are seen at once, and not item by item."""

from __future__ import annotations

import cProfile
import pstats

import weft
from weft.frontend.source.plain_items import compound, examples


def test_plain_items_are_left_out() -> None:
    assert compound([1, 2.5, "a", None, b"c", True, 1j]) == ()
    assert compound({"a": [1], "b": 2}.values()) == [[1]]


def test_examples_have_each_type_and_the_ends_of_ints() -> None:
    assert examples([5.0, 2**70, 1, True, 3, 4.0, 6, False]) == [4.0, 1, 2**70, False]
    assert examples([2.0, 1.0, 3.0, 4.0]) == [4.0]
    assert examples([1, "a", 2, 3, 4, 5]) == [1, "a", 2, 3, 4, 5]
    assert examples([]) == []


def _calls_of_compiling(count: int) -> int:
    @weft.function
    def total(values: list[int]) -> int:
        found = 0
        for value in values:
            found += value * value
        return found

    values = [index % 7 for index in range(count)]
    profile = cProfile.Profile()
    profile.enable()
    result = total(values)
    profile.disable()
    assert result == sum(value * value for value in values)
    return pstats.Stats(profile).total_calls  # type: ignore[attr-defined, no-any-return]


def test_a_long_list_costs_little_for_each_number() -> None:
    assert _calls_of_compiling(9_000) - _calls_of_compiling(1_000) < 8_000 * 130
