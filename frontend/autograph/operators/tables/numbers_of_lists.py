"""Numbers in the places of lists of a pool, which compiled code hands on, and the lists that Python makes of them."""

from __future__ import annotations

from typing import Any

from ..lists.lists_in_lists import pool_of
from ..values.abstract import Container, Kind


class InPool(tuple[Any, ...]):
    """A list of a pool, by its number."""

    __slots__ = ()

    def __new__(cls, number: Any) -> InPool:
        return tuple.__new__(cls, (int(number),))


def with_numbers(kind: Kind) -> Kind:
    """An abstract type with the numbers of lists in their places."""
    if not isinstance(kind, Container):
        return kind
    if pool_of(kind) is not None:
        return Container(InPool, (), kind.children[1:])
    return Container(kind.kind, kind.keys, tuple(map(with_numbers, kind.children)))


def with_lists(parts: Any) -> Any:
    """A value with lists in the places of their numbers."""
    value, items, starts, counts = parts
    lists = [items[s : s + n] for s, n in zip(starts.tolist(), counts.tolist(), strict=True)]
    return _with(value, lists)


def _with(value: Any, lists: list[Any]) -> Any:
    if type(value) is InPool:
        return lists[value[0]]
    if type(value) is list:
        return [lists[item[0]] if type(item) is InPool else _with(item, lists) for item in value]
    if type(value) is tuple:
        return tuple(_with(item, lists) for item in value)
    return value
