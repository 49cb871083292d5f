"""Deques that were there before a call, in names, attributes, containers and arguments."""

from __future__ import annotations

import collections
import copy
import dataclasses
from collections import deque
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

import weft

SIGNED = np.array([3, -1, 4, 0, -5, 2])
RECENT: Any = deque([1])


class Window:
    def __init__(self) -> None:
        self.items: Any = deque(maxlen=3)
        self.total = 0

    def push(self, value: Any) -> Any:
        if len(self.items) == 3:
            self.total -= self.items[0]
        self.items.append(value)
        self.total += value
        return self.total / len(self.items)


@dataclasses.dataclass
class Named:
    items: Any
    count: int = 0


def in_a_name() -> tuple[Callable[[Any], Any], Callable[[], Any]]:
    waiting: Any = deque([1, 2])

    def run(x: Any) -> Any:
        for v in x:
            if v > 0:
                waiting.append(int(v))
            elif waiting:
                waiting.popleft()
        return len(waiting), waiting == deque([1]), isinstance(waiting, deque), [*waiting]

    return run, lambda: waiting


def in_an_attribute() -> tuple[Callable[[Any], Any], Callable[[], Any]]:
    window = Window()

    def run(x: Any) -> Any:
        means = []
        for v in x:
            if v > 0:
                means.append(window.push(int(v)))
        return means

    return run, lambda: (window.items, window.total)


def in_containers() -> tuple[Callable[[Any], Any], Callable[[], Any]]:
    one: Any = deque([0])
    several: Any = {"one": one, "pair": (one, [deque([[3]])])}

    def run(x: Any) -> Any:
        for v in x:
            if v > 0:
                several["one"].appendleft(int(v))
                several["pair"][1][0][0].append(int(v))
        return several["pair"][0] is one, sum(one)

    return run, lambda: several


def by_all_methods() -> tuple[Callable[[Any], Any], Callable[[], Any]]:
    items: Any = deque([1, 2, 3, 4], maxlen=6)

    def run(x: Any) -> Any:
        for v in x:
            if v > 3:
                items.rotate(2)
            elif v > 2:
                items.extendleft([int(v), 9])
            elif v == 0:
                items.reverse()
            elif v < -3:
                items[0] = 5
            else:
                del items[1]
        return items[-1]

    return run, lambda: items


def of_a_class() -> tuple[Callable[[Any], Any], Callable[[], Any]]:
    class Log:
        entries: ClassVar[Any] = deque([1])

    def run(x: Any) -> Any:
        if x[0] > 0:
            Log.entries.append(int(x[0]))
        Log().entries.append(7)
        return len(Log.entries)

    return run, lambda: Log.entries


def bound_anew() -> tuple[Callable[[Any], Any], Callable[[], Any]]:
    items: Any = deque([1])

    def run(x: Any) -> Any:
        nonlocal items
        if x[0] > 0:
            items = deque([2, 3], maxlen=4)
        items.append(int(x[1]))
        return len(items)

    return run, lambda: items


def before_an_exception() -> tuple[Callable[[Any], Any], Callable[[], Any]]:
    items: Any = deque([1])

    def run(x: Any) -> Any:
        for v in x:
            items.append(int(v))
            if v > 3:
                raise ValueError("too large")
        return len(items)

    return run, lambda: items


@pytest.mark.parametrize(
    "make",
    [
        in_a_name,
        in_an_attribute,
        in_containers,
        by_all_methods,
        of_a_class,
        bound_anew,
        before_an_exception,
    ],
)
def test_they_change_as_in_python(make: Callable[[], Any]) -> None:
    (eager, seen), (run, changed) = make(), make()
    compiled = weft.function(run)
    for x in (SIGNED, -SIGNED):
        results = []
        for function in (eager, compiled):
            try:
                results.append(repr(function(x)))
            except ValueError as error:
                results.append(str(error).partition("\n")[0])
        assert results[0] == results[1]
        assert repr(seen()) == repr(changed())


def filled(items: Any, x: Any) -> Any:
    if x[0] > 0:
        items.append(int(x[0]))
    return items, len(RECENT)


def test_those_among_arguments_are_the_callers() -> None:
    compiled, own = weft.function(filled), deque([5])
    for items in (own, own, RECENT):
        before, length = copy.copy(items), len(RECENT) + (items is RECENT)
        found, count = compiled(items, SIGNED)
        assert found is items
        assert list(items) == [*before, 3]
        assert count == length
    own.clear()
    assert compiled(own, SIGNED)[0] == deque([3])


def test_those_in_dataclasses_are_the_callers() -> None:
    @weft.function
    def add(named: Any, x: Any) -> None:
        for v in x:
            if v > 0:
                named.items.append(int(v))
                named.count += 1

    first, second = Named(deque([1])), Named(deque(maxlen=2), 3)
    for named in (first, second):
        add(named, SIGNED)
    assert first == Named(deque([1, 3, 4, 2]), 3)
    assert second == Named(deque([4, 2], maxlen=2), 6)


def test_what_changes_at_each_call_becomes_data() -> None:
    window: Any = deque([1, 2, 3], maxlen=3)

    @weft.function
    def total(x: Any) -> Any:
        if x > -10:
            window.append(x)
        return sum(window)

    assert [int(total(np.int64(i))) for i in range(8)] == [5, 4, 3, 6, 9, 12, 15, 18]
    assert total.trace_count == 5


def test_another_greatest_length_is_another_deque() -> None:
    holder = Window()
    mean = weft.function(lambda x: holder.push(x))
    assert mean(np.int64(1)) == 1
    holder.items, holder.total = deque([5, 5, 5], maxlen=4), 15
    assert mean(np.int64(1)) == 11 / 4
    assert holder.items == deque([5, 5, 5, 1])


PUSH = RECENT.append


def test_a_method_that_was_taken_of_one_is_refused() -> None:
    with pytest.raises(weft.UnsupportedError, match="a deque from outside of the compiled function"):
        weft.function(lambda x: PUSH(x))(np.int64(1))


class OwnDeque(collections.deque):  # type: ignore[type-arg]
    pass


OWN = OwnDeque([1])


def test_one_of_a_class_of_the_program_is_refused() -> None:
    with pytest.raises(weft.UnsupportedError, match="an OwnDeque from outside of the compiled function"):
        weft.function(lambda x: x + OWN[0])(np.int64(1))


HELD_IN_TUPLE = (deque([1, 2]), "fixed")


def test_deque_in_a_tuple_is_itself():
    @weft.function
    def f(x):
        HELD_IN_TUPLE[0].append(3)
        return x + 1, HELD_IN_TUPLE[0], HELD_IN_TUPLE

    for length in (3, 4):
        _, found, held = f(np.ones(2))
        assert found is HELD_IN_TUPLE[0]
        assert held[0] is found
        assert list(found) == [1, 2, 3, 3][:length]


SLIDING: deque[Any] = deque()
"""What functions keep of call after call."""


def _slides(x: Any) -> Any:
    SLIDING.appendleft(x[0])
    return x + 1


def _writes_the_oldest(x: Any) -> Any:
    SLIDING.append(x * 2)
    SLIDING[0][0] += 1
    return x + 1


def _gives_the_oldest(x: Any) -> Any:
    SLIDING.append(x * 2)
    return SLIDING[0]


@pytest.mark.parametrize(
    ("function", "begins"),
    [
        (_slides, [1.0, 2.0]),
        (_writes_the_oldest, [np.ones(2), np.zeros(2)]),
        (_gives_the_oldest, [np.ones(2), np.zeros(2)]),
    ],
)
def test_deques_outside_slide_from_call_to_call(
    function: Callable[..., Any], begins: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a call returns or writes was put there by another call, under a place that each recording finds again."""
    runs = []
    for called in (function, weft.function(function)):
        kept = deque(copy.deepcopy(begins), maxlen=4)
        monkeypatch.setitem(globals(), "SLIDING", kept)
        runs.append([(repr(called(np.array([v, 2], np.int16))), repr(kept)) for v in range(3, 8)])
    assert runs[0] == runs[1]
