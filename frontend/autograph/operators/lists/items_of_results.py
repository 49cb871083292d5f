"""The items of a list that grows, as results of functions: their structure, and numbers in the places of lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import getitem, setitem
from typing import Any

from .....dialect.records import replace
from ....runtime_values import kept_texts
from ....runtime_values.result_spec import OfNumber
from ....runtime_values.results import HeldInList
from ....signature.composite_arrays import ArrayParts
from ....signature.signature import Leaf, Node, Structure, static, static_key
from ....signature.signature import Static as Constant
from ....signature.traced_value import CompositeValue
from ....source.own_attributes import own_attribute, set_own_attribute
from ..values.abstract import array_leaves
from ..values.array_kinds import INT
from ..values.kinds import ArrayKind, Choice, Container, Kind, Option, Partial, Static, Text
from ..values.object_handles import object_pool_of
from .items_of_types import number_of_types
from .lists_in_lists import pool_of


def structure_of_item(kind: Kind, positions: Iterator[int]) -> Structure:
    """The structure of an item for the results of a function."""
    if isinstance(kind, ArrayKind) and kind.types:
        leaves = [Leaf(next(positions)) for _ in array_leaves(kind)]
        return Node(number_of_types(kind), (), tuple(leaves))
    if isinstance(kind, ArrayKind):
        return Leaf(next(positions))
    if isinstance(kind, Container):
        children = tuple(structure_of_item(child, positions) for child in kind.children)
        if kind.kind is CompositeValue:
            return Node(ArrayParts, (), (static(kind.keys[0][0]), *children))
        return Node(kind.kind, kind.keys, children)
    if isinstance(kind, Partial) and kind.inner is not None:
        return Node(_PresentOrNone, (), (Leaf(next(positions)), structure_of_item(kind.inner, positions)))
    if isinstance(kind, Choice):
        number = Leaf(next(positions))
        held = [structure_of_item(option, positions) for option in kind.held]
        return Node(_one_of(kind.options), (), (number, *held))
    if isinstance(kind, Text):
        return Node(_TextOfNumber, (), (Leaf(next(positions)),))
    value = kind.value if isinstance(kind, Static) else None
    return Constant(static_key(value), value)


def _one_of(options: tuple[Option, ...]) -> type:
    """Made of a number, and of what is carried of the options: the option with that number."""
    constants = [option.value if isinstance(option, Static) else None for option in options]
    carried = [number for number, option in enumerate(options) if not isinstance(option, Static)]
    places = {number: place for place, number in enumerate(carried)}

    class OneOf(OfNumber):
        @classmethod
        def listed(cls, *columns: list[Any]) -> list[Any]:
            numbers, *held = columns
            if not held:
                return list(map(constants.__getitem__, numbers))
            return [
                held[places[number]][row] if number in places else constants[number]
                for row, number in enumerate(numbers)
            ]

    return OneOf


class _TextOfNumber(OfNumber):
    """Made of a number: the text with that number."""

    shown_as = "a string"

    @classmethod
    def listed(cls, *columns: list[Any]) -> list[Any]:
        return list(map(kept_texts.kept_text, *columns))


class _PresentOrNone(OfNumber):
    """Made of whether an item is None and of its value: the item itself."""

    shown_as = "a value or None"

    @classmethod
    def listed(cls, *columns: list[Any]) -> list[Any]:
        return [None if is_none else value for is_none, value in zip(*columns, strict=True)]


def with_numbers(kind: Kind) -> Kind:
    """An abstract type with the numbers of lists in their places."""
    if _holder_of(kind) is not None:
        number = kind.parts[1]
        assert isinstance(number, ArrayKind)
        return replace(number, number=int)
    if isinstance(kind, Container) and issubclass(kind.kind, HeldInList):
        return with_numbers(kind.children[0])
    if isinstance(kind, Choice) and _has_numbers(kind):  # which option it is tells whose number is meant
        return Container(tuple, (), (ArrayKind(INT, int), *map(with_numbers, kind.held)))
    made: Kind = kind.with_parts(map(with_numbers, kind.parts))
    return made


def lists_put_in(kind: Kind, pools: Sequence[Any]) -> Callable[[Any, Sequence[Any]], Any]:
    """What makes items with lists and objects in the places of numbers, given all of each pool."""
    return _picked if [_holder_of(kind)] == [*pools] else partial(with_lists, kind, pools)


def _picked(rows: Sequence[Any], lists: Sequence[Any]) -> Any:
    """The same where each item is one of the only pool."""
    return list(map(lists[0].__getitem__, rows))


def with_lists(kind: Kind, pools: Sequence[Any], rows: Any, lists: Sequence[Any]) -> Any:
    """Items with lists and objects in the places of numbers, given all of each pool."""
    return _with(kind, rows, dict(zip(pools, lists, strict=True)))


def _holder_of(kind: Kind | None) -> Any:
    """The pool in which lists or objects lie that items are; None for other items."""
    pool = pool_of(kind)
    return object_pool_of(kind) if pool is None else pool


def _has_numbers(kind: Kind) -> bool:
    """Whether items hold numbers in the places of lists or objects."""
    return _holder_of(kind) is not None or any(map(_has_numbers, kind.parts))


def _with(kind: Kind, rows: Sequence[Any], lists: dict[Any, list[list[Any]]]) -> Any:
    """Items with lists and objects in the places of numbers, column by column."""
    if (pool := _holder_of(kind)) is not None:
        return list(map(lists[pool].__getitem__, rows))
    if not _has_numbers(kind) or not rows:
        return rows
    if isinstance(kind, Partial):
        assert kind.inner is not None, "there are numbers in it"
        there = iter(_with(kind.inner, [row for row in rows if row is not None], lists))
        return [row if row is None else next(there) for row in rows]
    if isinstance(kind, Choice):
        return _chosen(kind, rows, lists)
    assert isinstance(kind, Container)
    if issubclass(kind.kind, HeldInList):
        return [kind.kind.made_of(kind.keys, held) for held in _with(kind.children[0], rows, lists)]
    if issubclass(kind.kind, tuple):
        columns = zip(*rows, strict=True)
        children = [_with(child, column, lists) for child, column in zip(kind.children, columns, strict=True)]
        return list(zip(*children, strict=True) if kind.kind is tuple else map(kind.kind, *children))
    get, put = (getitem, setitem) if issubclass(kind.kind, dict) else (own_attribute, set_own_attribute)
    for key, child in zip(kind.keys, kind.children, strict=True):
        for row, entry in zip(rows, _with(child, [get(row, key) for row in rows], lists), strict=True):
            put(row, key, entry)
    return rows


def _chosen(kind: Choice, rows: Sequence[Any], lists: dict[Any, list[list[Any]]]) -> list[Any]:
    """Items that are one of several values each, given which one it is and what is carried of each."""
    numbers, *columns = zip(*rows, strict=True)
    held = iter([_with(each, column, lists) for each, column in zip(kind.held, columns, strict=True)])
    options = [option.value if isinstance(option, Static) else next(held) for option in kind.options]
    known = [isinstance(option, Static) for option in kind.options]
    return [options[n] if known[n] else options[n][row] for row, n in enumerate(numbers)]
