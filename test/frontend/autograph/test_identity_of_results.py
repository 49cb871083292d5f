"""Containers that are returned twice, and that are one on some path: the caller gets one there, and two elsewhere."""

from __future__ import annotations

import array
import collections
import types
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import weft


@dataclass
class Held:
    items: list[float]


class Keeper:
    def __init__(self, items: list[float]) -> None:
        self.items = items


def twice(x, limit, one, other):
    first, second = [1.0], [2.0]
    if x.sum() > limit:
        second = first
    return first, second, second


def of_three(x, limit, one, other):
    first, second, third = [1.0], [2.0], [3.0]
    if x.sum() > limit:
        chosen = first
    elif x.sum() == limit:
        chosen = second
    else:
        chosen = third
    return [chosen, first], {"third": third, "second": second}


def nested(x, limit, one, other):
    first, second, chosen = [1.0], [2.0], [3.0]
    if x.sum() >= limit:
        if x.sum() > limit:
            chosen = first
        else:
            chosen = second
    return first, chosen, second


def chained(x, limit, one, other):
    first = [1.0]
    chosen = first if x.sum() > limit else [2.0]
    last = chosen if x.sum() != limit else [3.0]
    return first, last, len(last)


def new_on_a_path(x, limit, one, other):
    first, second = [1.0], [2.0]
    if x.sum() > limit:
        first = second = [3.0]
    return first, second


def exchanged(x, limit, one, other):
    first, second = {"a": 1.0}, {"a": 2.0}
    before = first
    if x.sum() > limit:
        first, second = second, first
    return first, second, before


def objects(x, limit, one, other):
    held, keeper = Held([1.0]), Keeper([2.0])
    first = held if x.sum() > limit else Held([3.0])
    second = keeper if x.sum() > limit else Keeper([4.0])
    return held, first, keeper, second, first.items, keeper.items


def grown(x, limit, one, other):
    low, high = [], []
    for value in x:
        if value < limit:
            low.append(value)
        else:
            high.append(value)
    return low, low if len(low) > len(high) else high, high


def of_arguments(x, limit, one, other):
    best = one
    for each in (other, [9.0]):
        if sum(each) * x[1] > limit * 3:
            best = each
    return best


def exchanged_in_a_loop(x, limit, one, other):
    low, high, at = [0.0], [9.0], 0
    while at < x.size:
        middle = [(low[0] + high[0]) / 2]
        if middle[0] > limit:
            high = middle
        else:
            low = middle
        at = at + int(x[1])
    return low, high


def beside_what_grows(x, limit, one, other):
    grown, held = [], Keeper([1.0])
    for value in x:
        if value < limit:
            grown.append(value)
    chosen = one if x.sum() > limit else other
    held.items = grown
    around = [grown, one, held, [[[[[[[[[grown]]]]]]]]]]
    around.append(around)
    return one, grown, chosen, around, held, {"grown": grown}


PROGRAMS = [
    twice, of_three, nested, chained, new_on_a_path, exchanged, objects, grown, of_arguments, exchanged_in_a_loop,
    beside_what_grows,
]  # fmt: skip


def _shown(value: Any, places: dict[int, int]) -> Any:
    """A value, with the number of each container in it where that has been met before."""
    if isinstance(value, (float, np.number)) or type(value) in (int, tuple):
        return [_shown(part, places) for part in value] if type(value) is tuple else repr(value)
    if id(value) in places:
        return places[id(value)]
    places[id(value)] = len(places)
    if isinstance(value, list):
        return [_shown(part, places) for part in value]
    parts = value if isinstance(value, dict) else vars(value)
    return type(value).__name__, [(name, _shown(part, places)) for name, part in parts.items()]


def _results(function: Callable[..., Any], limit: float) -> Any:
    one, other = [1.0], [2.0, 3.0]
    return _shown((one, other, function(np.arange(4.0), np.float64(limit), one, other)), {})


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_what_is_one_on_a_path_is_one_in_results(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    for limit in (1.0, 6.0, 10.0):
        assert _results(compiled, limit) == _results(program, limit)


def kept(x, limit):
    best = now = []
    for value in x:
        now = [value]
        if value < limit:
            best = now
    return best, now


def kept_from_before(x, limit):
    first = now = [1.0]
    for value in x:
        if value > limit:
            now = [value]
    return first, now


@pytest.mark.parametrize("program", [kept, kept_from_before])
def test_what_a_loop_may_leave_as_one_is_refused(program: Callable[..., Any]) -> None:
    with pytest.raises(weft.UnsupportedError, match="one list with another that the function returns"):
        weft.function(program)(np.arange(50.0), np.float64(20))


def test_one_of_what_a_loop_may_leave_as_one_is_returned() -> None:
    best = weft.function(lambda x, limit: kept(x, limit)[0])
    assert best(np.arange(50.0), np.float64(20)) == kept(np.arange(50.0), 20)[0]


def test_what_the_caller_can_change_is_made_at_each_call() -> None:
    held = [5.0]

    def made(x: Any) -> Any:
        unique, by_name = {1, 2}, defaultdict(list, {"held": held})
        return unique, [unique], Counter("aab"), by_name, x

    compiled = weft.function(made)
    for _ in range(2):
        unique, within, counts, by_name, _ = compiled(np.float64(1))
        assert (unique, counts, by_name) == made(1.0)[:1] + made(1.0)[2:4]
        assert within[0] is unique
        assert by_name["held"] is held
        unique.add(3)
        counts.update("b")
        by_name["more"].append(1)


OUTSIDE = (
    types.SimpleNamespace(a=1),
    collections.deque([1, 2]),
    {1, 2},
    bytearray(b"ab"),
    array.array("d", [1.0]),
    collections.Counter("ab"),
)


def test_what_was_there_before_stays_itself():
    compiled = weft.function(lambda x, one: (x * 1, one, [OUTSIDE[0], OUTSIDE[1]]))
    for one in OUTSIDE:
        for _ in range(2):
            _, found, listed = compiled(np.ones(2), one)
            assert found is one
            assert listed[0] is OUTSIDE[0]
            assert listed[1] is OUTSIDE[1]


ROW, TABLE, UNIQUE, ARRAY = [1.0], {"a": 1.0}, {1, 2}, np.arange(3.0)


def _unlike(x: Any) -> Any:
    tested = x > 0 and UNIQUE
    chosen = ROW if x > 0 else False
    table = TABLE if x > 0 else (ROW if x < -1 else "neither")
    return tested, chosen, table, ROW if x < 0 else ARRAY, [UNIQUE if x < 0 else None], {3} if x > 0 else 4


def test_what_was_there_before_stays_itself_where_it_may_be_something_unlike():
    compiled = weft.function(_unlike)
    for number in (1.0, -1.0, -2.0):
        found, expected = compiled(np.float64(number)), _unlike(number)
        assert found[-1] == expected[-1]
        assert found[4][0] is expected[4][0]
        for one, other in zip(found[:4], expected[:4], strict=True):
            assert one is other or one == other in (False, "neither")
    compiled(np.float64(1))[-1].add(4)
    assert compiled(np.float64(1))[-1] == {3}


class Holder:
    def __init__(self, items: list[float]) -> None:
        self.items = items


def _of_several_lengths(one: Any, other: Any, x: Any) -> Any:
    found: Any = False
    if x > 0:
        found = one
    if x > 1:
        found = other
    return found


def _of_chosen(one: Any, other: Any, x: Any) -> Any:
    first, second = Holder(one), Holder(other)
    chosen = first if x > 1 else second
    chosen.items.append(x)
    items: Any = chosen.items
    return items if x > 0 else False, items if x < 1 else one


def test_one_of_lists_of_several_lengths_is_itself_where_it_may_be_something_unlike():
    for function in (_of_several_lengths, _of_chosen):
        compiled = weft.function(function)
        for number in (-1.0, 0.5, 2.0):
            ours, theirs = ([1.0], [1.0, 2.0]), ([1.0], [1.0, 2.0])
            found = compiled(*ours, np.float64(number))
            expected = function(*theirs, np.float64(number))
            assert (found, ours) == (expected, theirs)
            pairs = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
            for one, wanted in pairs:
                assert [one is each for each in ours] == [wanted is each for each in theirs]


def test_what_is_one_of_several_behind_a_branch_that_chooses_again_is_that():
    def left(one: Any, other: Any, x: Any, is_read: bool) -> Any:
        first, second = Holder(one), Holder(other)
        found = [3.0]
        if x > 0:
            chosen = first if x > 1 else second
            chosen.items.append(x)
            found = chosen.items
        return len(found) if is_read else found

    compiled = weft.function(left)
    for number in (-1.0, 0.5, 2.0):
        assert compiled([1.0], [], np.float64(number), True) == left([1.0], [], np.float64(number), True)
        ours, theirs = ([1.0], []), ([1.0], [])
        found, wanted = (
            f(*given, np.float64(number), False) for f, given in ((compiled, ours), (left, theirs))
        )
        assert (found, *ours) == (wanted, *theirs)
        assert [found is each for each in ours] == [wanted is each for each in theirs]


def test_what_a_loop_may_leave_as_what_was_there_before_is_refused():
    def last(x: Any, unlike: bool) -> Any:
        found: Any = 0 if unlike else [2.0]
        for i in range(100):
            if x > i:
                found = ROW
        return found

    for unlike in (True, False):
        with pytest.raises(weft.UnsupportedError, match="or that was there before"):
            weft.function(last)(np.float64(1), unlike)


def test_buffers_are_made_at_each_call():
    compiled = weft.function(lambda x: (x * 1, bytearray(b"ab"), array.array("d", [1.0])))
    _, first, second = compiled(np.ones(2))
    first.append(1)
    second.append(2.0)
    assert compiled(np.ones(2))[1:] == (bytearray(b"ab"), array.array("d", [1.0]))


def test_whether_arrays_are_one_that_a_condition_decides_on_is_refused():
    def of_paths(one: Any, other: Any, x: Any) -> Any:
        chosen = one if x > 0 else other
        return chosen is one

    def of_iterations(one: Any, other: Any, x: Any) -> Any:
        last = one
        for _ in range(int(x)):
            last = other
        return last is other

    def apart(one: Any, other: Any, x: Any) -> Any:
        new = one.copy() if x > 0 else other * 2
        return new is one, one is other, one is one[:]

    given = np.zeros(2), np.ones(2), np.float64(1)
    assert weft.function(apart)(*given) == apart(*given)
    for function in (of_paths, of_iterations):
        with pytest.raises(weft.UnsupportedError, match="whether these are one array"):
            weft.function(function)(*given)
