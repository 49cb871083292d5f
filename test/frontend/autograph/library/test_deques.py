"""Deques and queues that a program makes: their methods in branches and loops that only the program decides on."""

from __future__ import annotations

import copy
import dataclasses
import queue
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

GRID = np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 0]])


def steps_to_the_corner(grid: Any) -> Any:
    rows, columns = grid.shape
    waiting, seen = deque([(0, 0, 0)]), {(0, 0)}
    while waiting:
        row, column, steps = waiting.popleft()
        if (row, column) == (rows - 1, columns - 1):
            return steps
        for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            to = row + down, column + right
            if 0 <= to[0] < rows and 0 <= to[1] < columns and not grid[to] and to not in seen:
                seen.add(to)
                waiting.append((*to, steps + 1))
    return -1


def in_levels(grid: Any) -> Any:
    seen, level, sizes = np.zeros(len(grid), bool), deque([0]), []
    while level:
        following: Any = deque()
        for node in level:
            for other in range(len(grid)):
                if grid[node, other] and not seen[other]:
                    seen[other] = True
                    following.append(other)
        sizes.append(len(level))
        level = following
    return sizes


def last_ones(x: Any) -> Any:
    recent: Any = deque(maxlen=3)
    means = []
    for v in x.ravel():
        if v > 0:
            recent.append(v)
        else:
            recent.appendleft(2 * v)
        means.append(sum(recent) / len(recent))
    return means, list(recent), recent.maxlen, max(recent), 1 in recent, np.array(recent)


def largest_of_windows(x: Any) -> Any:
    x, found = x.ravel(), []
    places: Any = deque()
    for i in range(len(x)):
        while places and x[places[-1]] <= x[i]:
            places.pop()
        places.append(i)
        if places[0] <= i - 3:
            places.popleft()
        if i >= 2:
            found.append(x[places[0]])
    return found


def moved(x: Any) -> Any:
    items = deque(x[0])
    for v in x[1]:
        if v:
            items.rotate(v)
        else:
            items.extendleft([v, v + 1])
        items += [v]
        items[0] = v
    items.reverse()
    return items, [*items], list(reversed(items)), items[-1], sorted(items)


def looked_for(x: Any) -> Any:
    items: Any = deque()
    for v in x.ravel():
        if len(items) < 9:
            items.append(v)
    items.remove(1)
    del items[0]
    items.insert(2, 7)
    return items, items.index(1), items.index(1, 3), items.count(0), 5 in items, items == items.copy()


def in_order(x: Any) -> Any:
    waiting: Any = queue.PriorityQueue()
    for v in x.ravel():
        if v >= 0:
            waiting.put((v, len(waiting.queue)))
    found = []
    while not waiting.empty():
        found.append(waiting.get())
    return found


def first_and_last(x: Any) -> Any:
    first: Any = queue.Queue(maxsize=4)
    last: Any = queue.LifoQueue()
    for v in x.ravel():
        if not first.full():
            first.put(v)
        if v:
            last.put(v)
    return first.get(), last.get(), first.qsize(), last.get_nowait()


@dataclasses.dataclass
class Waiting:
    items: Any = dataclasses.field(default_factory=deque)


def in_objects(x: Any) -> Any:
    waiting, others = Waiting(), {"a": deque(), "b": deque(maxlen=2)}
    for v in x.ravel():
        waiting.items.append(v)
        others["a" if v else "b"].append(v)
        if v:
            waiting.items.popleft()
    return waiting.items, others


def as_objects(x: Any) -> Any:
    items = deque([1, 2], maxlen=2)
    traced = deque(x[0])
    print(items, traced, f"{items}")
    return (
        isinstance(items, deque), isinstance(items, list), type(items) is deque, type(items).__name__, items,
        traced, copy.copy(items), items * 2, items + deque([3]), items != traced, {"items": items}, repr(items),
    )  # fmt: skip


@pytest.mark.parametrize(
    "function",
    [
        steps_to_the_corner, in_levels, last_ones, largest_of_windows, moved, looked_for, in_order, first_and_last,
        in_objects, as_objects,
    ],
    ids=lambda function: str(function.__name__),
)  # fmt: skip
def test_as_eagerly(function: Callable[..., Any]) -> None:
    same(function, GRID, GRID - 1, GRID.T[:, ::-1], traces=None, joined=True)


def _mistakes(x: Any) -> Any:
    items = deque([1, 2], maxlen=2)
    found = []
    for mistake in (
        lambda: items[5], lambda: deque().pop(), lambda: deque().popleft(), lambda: items.remove(9),
        lambda: items[0:1], lambda: items.insert(0, 1), lambda: deque(maxlen=-1), lambda: items + [1],
        lambda: {items: 1}, lambda: items < [1],
    ):  # fmt: skip
        try:
            mistake()
        except Exception as error:
            found.append((type(error).__name__, str(error)))
    return found


def test_mistakes_are_pythons() -> None:
    assert weft.function(_mistakes)(GRID) == _mistakes(GRID)


def test_an_empty_one_raises_when_the_program_runs() -> None:
    @weft.function
    def taken(x: Any) -> Any:
        items: Any = deque()
        for v in x:
            if v > 0:
                items.append(v)
        return items.popleft(), items.popleft()

    assert taken(np.array([1, -1, 2])) == (1, 2)
    with pytest.raises(IndexError, match="pop from an empty deque"):
        taken(np.array([1, -1, -2]))


def test_a_deque_does_not_change_its_length_while_a_loop_walks_it() -> None:
    def doubled(x: Any) -> Any:
        numbers = deque([1.0, 2.0])
        for number in numbers:
            numbers.append(number * x[0])
        return numbers

    def taken(x: Any) -> Any:
        numbers, found = deque(x.tolist()), 0.0
        try:
            for number in numbers:
                found += number
                numbers.append(number)
        except RuntimeError as error:
            return found, str(error)
        return found

    def left(x: Any) -> Any:
        numbers = deque([3.0, 1.0, 2.0])
        for number in numbers:
            if number == 1.0:
                numbers.remove(number)
                break
        return [number * x[0] for number in numbers]

    for program in (doubled, taken, left):
        same(program, np.array([2.0, 3.0]), traces=None)


def added_at_a_place(n: Any, k: Any) -> Any:
    d = deque(range(n))
    for v in d:
        if v == k:
            d.append(5)
    return list(d)


def moved_at_a_place(n: Any, k: Any) -> Any:
    d = deque([1, 2, 3])
    for v in d:
        if v == k:
            d.rotate(1)
    return list(d)


def as_long_as_before(n: Any, k: Any) -> Any:
    d, found = deque(), []
    for i in range(n):
        d.append(i)
    for v in d:
        found.append(v)
        if v == k:
            d.append(v)
            d.popleft()
        d[0] = v
    return found, list(d)


@pytest.mark.parametrize("function", [added_at_a_place, moved_at_a_place, as_long_as_before])
def test_a_deque_that_a_loop_walks_is_not_changed_where_values_decide(function: Callable[..., Any]) -> None:
    compiled = weft.function(function)
    for n, k in ((4, 1), (4, 9), (1, 0), (3, 2)):
        try:
            expected = function(n, k)
        except RuntimeError as error:
            with pytest.raises(RuntimeError, match=str(error)):
                compiled(np.int64(n), np.int64(k))
        else:
            assert compiled(np.int64(n), np.int64(k)) == expected
