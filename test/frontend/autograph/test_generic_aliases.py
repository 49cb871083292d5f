"""Classes that are called by generic aliases: `list[int](items)`, `Stack[int]()`."""

from __future__ import annotations

import collections
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import pytest

import weft
from support.differential import assert_same

T = TypeVar("T")
Polygon = list[float]
Row = tuple[float, ...]
Names = dict[str, float]


class Stack(Generic[T]):
    """Items, of which the last is on top."""

    def __init__(self) -> None:
        self.items: list[T] = []

    def push(self, item: T) -> None:
        self.items.append(item)


@dataclass(frozen=True)
class Pair(Generic[T]):
    """Two of a kind."""

    left: T
    right: T


def containers(x: Any) -> Any:
    names = Names(first=x[0])
    names["sum"] = x.sum()
    row = Row(x[i] * 2 for i in range(3))
    seen = set[int]()
    for value in x:
        seen.add(int(value))
    counts = collections.Counter[int]()
    counts[3] += 1
    return Polygon(x), names, row, sorted(seen), counts


def grown(x: Any) -> Any:
    large = Polygon()
    for value in x:
        if value > 1:
            large.append(value * 2)
    return large


def objects(x: Any) -> Any:
    stack = Stack[int]()
    stack.push(x[0])
    pair = Pair[float](x[0], right=2)
    if x[0] > 0.7:
        pair = Pair[float](x[1], 3)
    return stack.items, pair.left * pair.right, stack.__orig_class__ is Stack[int]  # type: ignore[attr-defined]


def objects_of_a_loop(x: Any) -> Any:
    tops = Polygon()
    for i in range(20):
        stack = Stack[float]()
        stack.push(x[0] * i)
        tops.append(stack.items[-1])
    return tops


@pytest.mark.parametrize("program", [containers, grown, objects, objects_of_a_loop])
def test_an_alias_makes_what_its_class_makes(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    for x in (np.arange(3.0) + 0.5, np.arange(3.0) + 1):
        assert_same(compiled(x), program(x))


def test_an_object_that_is_returned_keeps_its_alias() -> None:
    def made(x: Any) -> Any:
        stack = Stack[float]()
        stack.push(x.sum())
        return stack

    stack = weft.function(made)(np.arange(3.0))
    assert vars(stack) == {"items": [3.0], "__orig_class__": Stack[float]}


def test_aliases_that_python_does_not_call_raise_as_in_python() -> None:
    with pytest.raises(TypeError, match="Type List cannot be instantiated"):
        weft.function(lambda x: typing.List[int](x))(np.arange(3.0))  # noqa: UP006


def test_classes_are_called_without_arguments() -> None:
    def empty(n: Any) -> Any:
        made = [kind() for kind in (tuple, list, set, frozenset, dict, int, float, str)]
        return tuple(), Row(), made, n

    assert_same(weft.function(empty)(3), empty(3))
