"""Lists and objects from outside of the function, behind branches and in lists: they are the caller's, or refused."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import weft


class Node:
    """An object with a number and a list."""

    def __init__(self, x: float, items: list[Any] | None = None) -> None:
        self.x = x
        self.items = [1.0] if items is None else items


def _replaced(o: Node, x: Any) -> Any:
    items = o.items
    if x[0] > 1:
        o.items = [x[0]]
    items.append(x[1])
    return o.items


def _shared(o: Node, x: Any) -> Any:
    other = Node(2.0, [3.0])
    if x[0] > 1:
        other.items = o.items
    o.items.append(x[1])
    return other.items


def _of_dict(o: dict[str, Any], x: Any) -> None:
    items = o["a"]
    if x[0] > 1:
        o["a"] = o["b"]
    items.append(x[1])


@pytest.mark.parametrize(
    ("program", "given"),
    [(_replaced, Node(1.0)), (_of_dict, {"a": [1.0], "b": [2.0]})],
)
def test_changes_of_lists_with_other_names_are_refused(program: Callable[..., Any], given: Any) -> None:
    with pytest.raises(weft.UnsupportedError, match="a list that has other names too or another one"):
        weft.function(program)(given, np.array([0.5, 2.5]))


def test_a_list_that_a_new_object_shares_is_changed() -> None:
    for first in (0.5, 1.5):
        ours, theirs, x = Node(1.0), Node(1.0), np.array([first, 2.5])
        found, wanted = weft.function(_shared)(ours, x), _shared(theirs, x)
        assert (found, ours.items) == (wanted, theirs.items)
        assert (found is ours.items) is (wanted is theirs.items)


def _until_large(o: Node, x: Any) -> int:
    stack, count = [o], 0
    while stack:
        node = stack.pop()
        count += 1
        node.x = node.x + 1
        if node.x * x[0] < 5:
            stack.append(node)
    return count


def _first_in_first_out(o: Node, x: Any) -> None:
    queue = [o]
    while queue:
        node = queue.pop(0)
        node.x = node.x - x[0]
        if node.x > 0:
            queue.append(node)


def _handed_on(o: Node, x: Any) -> float:
    def same() -> Node:
        return o

    node = same() if x[0] > 1 else Node(5.0)
    node.x = node.x + 1.0
    return node.x


@pytest.mark.parametrize("program", [_until_large, _first_in_first_out, _handed_on])
def test_objects_that_calls_hand_on_stay_the_callers(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    for x in (np.array([1.5]), np.array([0.5])):
        expected, got = Node(3.0), Node(3.0)
        assert compiled(got, x) == program(expected, x)
        assert got.x == expected.x


def test_objects_that_are_copied_are_new() -> None:
    def program(o: Node, x: Any) -> float:
        node = copy.copy(o)
        if x[0] > 1:
            node.x = x[0]
        else:
            node = Node(x[0])
        node.x = node.x * 2
        return node.x

    given = Node(3.0)
    assert weft.function(program)(given, np.array([1.5])) == 3.0
    assert given.x == 3.0


@dataclass
class Point:
    """What is compared by two of its three fields."""

    x: Any
    y: float = 1.0
    note: float = field(default=0.0, compare=False)


def test_dataclasses_are_compared_by_their_fields() -> None:
    def program(given: Point, x: Any, c: float) -> tuple[Any, ...]:
        one, other = Point(x[0]), Point(1.5, note=x[0])
        chosen = one if x[0] > c else given
        return one == other, one != given, chosen == one, one == 3, Point(1, 2) == Point(1, 2)

    compiled = weft.function(program)
    for value in (1.5, 0.5, 2.5):
        for call in ((Point(0.5), np.array([value]), 1.0), (Point(value), np.array([value]), 3.0)):
            assert compiled(*call) == program(*call)


class Reflected:
    """What has no ufuncs, and a method of its own for operators."""

    __array_ufunc__ = None

    def __radd__(self, other: Any) -> str:
        return "added"


def test_updates_of_arrays_ask_no_reflected_method() -> None:
    def update(x: Any) -> Any:
        x += Reflected()
        return x

    with pytest.raises(
        TypeError, match=r"operand 'Reflected' does not support ufuncs \(__array_ufunc__=None\)"
    ):
        weft.function(update)(np.ones(2))
    assert weft.function(lambda x: (x + Reflected(), x[0] + Reflected()))(np.ones(2)) == ("added", "added")
