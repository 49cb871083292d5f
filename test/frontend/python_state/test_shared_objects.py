"""What a function puts into several places is one object there, as in Python, and what was there before is itself."""

from __future__ import annotations

import dataclasses
from collections import defaultdict, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft


class Node:
    def __init__(self, item: Any) -> None:
        self.item = item
        self.next: Any = None


class Queue:
    def __init__(self) -> None:
        self.front: Any = None
        self.rear: Any = None


@dataclasses.dataclass
class Pair:
    first: Any
    second: Any


@dataclasses.dataclass
class Slots:
    __slots__ = ("first", "second")
    first: Any
    second: Any


def _two_attributes(q: Queue, x: Any) -> Any:
    q.front = q.rear = Node(x)
    return q.front


def _in_a_result(q: Queue, x: Any) -> Any:
    row = [x, x + 1]
    return [row, (row, {"row": row}), row + [x]]


def _inside_of_another(q: Queue, x: Any) -> Any:
    inner = Pair(x, [x])
    q.front = Pair(inner, inner.second)
    q.rear = [inner]


def _grown(q: Queue, x: Any) -> Any:
    items = []
    for k in range(x):
        items.append(k)
    q.front = q.rear = items
    return {"items": items}


def _appended_twice(q: Queue, x: Any) -> Any:
    rows: list[Any] = []
    row = [x]
    rows.append(row)
    rows.append(row)
    rows.append([x])
    q.front = rows


def _equal_ones(q: Queue, x: Any) -> Any:
    q.front, q.rear = [x], [x]
    return [x]


def _a_ring(q: Queue, x: Any) -> Any:
    first, second = Node(x), Node(x + 1)
    first.next, second.next = second, first
    q.front, q.rear = first, [first, second]
    return second


def _a_chain(q: Queue, x: Any) -> Any:
    for k in range(20):
        node = Node(x + k)
        node.next = q.front
        q.front = node
    return Pair(q.front.next, q.front)


def places(*values: Any) -> list[Any]:
    """Which places of nested values hold one object, by the number of the first of them."""
    seen: dict[int, int] = {}
    found = []

    def walk(value: Any) -> None:
        is_known = id(value) in seen
        if isinstance(value, (list, dict, Node, Queue, Pair)):
            found.append(seen.setdefault(id(value), len(seen)))
        if is_known:
            return
        if isinstance(value, (list, tuple, dict)):
            for part in value.values() if isinstance(value, dict) else value:
                walk(part)
        elif hasattr(value, "__dict__"):
            for part in vars(value).values():
                walk(part)
        else:
            found.append(value)

    walk(values)
    return found


def _in_slots(q: Queue, x: Any) -> Any:
    row = [x]
    q.front = Slots(row, [row])
    return q.front.first, q.front.second


PROGRAMS = [
    _two_attributes,
    _in_a_result,
    _inside_of_another,
    _grown,
    _appended_twice,
    _equal_ones,
    _a_ring,
    _a_chain,
    _in_slots,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.__name__ for program in PROGRAMS])
def test_one_object_in_several_places(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    for x in (3, 4, 5):
        eager, given = Queue(), Queue()
        expected, result = program(eager, x), compiled(given, x)
        assert places(result, given) == places(expected, eager)


def test_a_linked_queue() -> None:
    @weft.function
    def put(q: Queue, x: float) -> None:
        node = Node(x)
        if q.front is None:
            q.front = q.rear = node
        else:
            q.rear.next = node
            q.rear = node

    queue = Queue()
    for x in (1.0, 2.5, 4.0):
        put(queue, x)
    assert (queue.front.item, queue.front.next.item, queue.rear.item) == (1.0, 2.5, 4.0)
    assert queue.front.next.next is queue.rear


def test_what_was_there_before_is_itself_in_what_is_stored() -> None:
    @weft.function
    def kept(q: Queue, items: list[float], pair: Pair) -> Any:
        q.front = [items, (items, pair)]
        q.rear = Node(pair)
        return q.front

    for end in (1.0, 2.0):
        queue, items, pair = Queue(), [1.0, end], Pair(end, 2.0)
        result = kept(queue, items, pair)
        assert result is queue.front
        assert queue.front[0] is items
        assert queue.front[1][0] is items
        assert queue.front[1][1] is pair
        assert queue.rear.item is pair


def test_each_call_makes_its_own() -> None:
    @weft.function
    def twice(x: Any) -> Any:
        row = [x]
        return row, row

    first, second = twice(np.float64(1)), twice(np.float64(2))
    assert first[0] is first[1]
    assert second[0] is second[1]
    assert first[0] is not second[0]
    assert (first[0], second[0]) == ([1.0], [2.0])


def test_what_python_makes_of_items() -> None:
    """What makes a deque or a defaultdict again is no container that is filled later."""

    @weft.function
    def twice(x: Any) -> Any:
        waiting, groups, slots = deque([x]), defaultdict(list, a=[x]), Slots(x, None)
        slots.second = slots
        return (waiting, groups), [waiting, groups], slots

    (waiting, groups), (same_waiting, same_groups), slots = twice(np.float64(1))
    assert waiting is same_waiting
    assert groups is same_groups
    assert (list(waiting), dict(groups)) == ([1.0], {"a": [1.0]})
    assert slots.second is slots


def test_described_and_saved(tmp_path: Path) -> None:
    """Where results are told or saved, each place has one of its own."""

    def twice(x: Any) -> Any:
        row = [x * 2]
        return {"a": row, "b": row}

    compiled = weft.function(twice, input_signature=[weft.TensorSpec([2])])
    assert weft.eval_shape(compiled, np.zeros(2))["b"] == [weft.TensorSpec([2])]
    assert "b" in str(compiled.get_concrete_function().result_types)
    weft.save(tmp_path / "twice.weft", run=compiled)
    found = weft.load(tmp_path / "twice.weft").run(np.ones(2))
    assert found["a"][0].tolist() == found["b"][0].tolist() == [2.0, 2.0]


@dataclasses.dataclass
class Branch:
    item: Any
    above: Any = None
    below: Any = None


def test_dataclasses_that_lead_to_themselves() -> None:
    """They are objects, whose attributes are read and changed where they are."""

    @weft.function
    def last(top: Branch) -> Any:
        branch = top
        while branch.below is not None:
            branch = branch.below
        return branch.item, branch.above is top

    @weft.function
    def grown(top: Branch, item: Any) -> Branch:
        branch = top
        while branch.below is not None:
            branch = branch.below
        branch.below = Branch(item, branch)
        return branch

    top = Branch(1)
    top.below = below = Branch(2, top)
    for _ in range(2):
        assert last(top) == (2, True)
    below.item = 5
    assert last(top) == (5, True)
    for item in (3.0, 4.0):
        above = grown(top, item)
        assert above.below.above is above
        assert last(top)[0] == item
    assert top.below is below


def test_views_inside_of_them_are_one_object_with_those_outside() -> None:
    @weft.function
    def several(x: Any) -> Any:
        part = x[1:4]
        known = {"part": part}
        known["self"] = known
        return part, known

    x = np.arange(5.0)
    part, known = several(x)
    assert known["part"] is part
    assert np.shares_memory(part, x)
