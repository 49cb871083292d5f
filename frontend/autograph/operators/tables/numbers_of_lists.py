"""Numbers in the places of lists of a pool, which compiled code hands on, and the lists that Python makes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..lists.lists_in_lists import pool_in, pool_of
from ..values.abstract import Container, Kind


def with_numbers(kind: Kind) -> Kind:
    """An abstract type with the numbers of lists in their places."""
    if not isinstance(kind, Container):
        return kind
    if pool_of(kind) is not None:
        return kind.children[1]
    return Container(kind.kind, kind.keys, tuple(map(with_numbers, kind.children)))


def with_lists(kind: Kind) -> Callable[[Any], Any]:
    """Makes items of rows with numbers of lists, the items of all lists, and where each begins and how many it has."""

    def made(parts: Any) -> Any:
        rows, items, starts, counts = parts
        lists = [items[s : s + n] for s, n in zip(starts.tolist(), counts.tolist(), strict=True)]
        return _with(kind, rows, lists)

    return made


def _with(kind: Kind, rows: Any, lists: list[Any]) -> Any:
    """Items with lists in the places of numbers, column by column."""
    if pool_of(kind) is not None:
        return [lists[number] for number in rows]
    if pool_in(kind) is None or not rows:
        return rows
    assert isinstance(kind, Container)
    assert issubclass(kind.kind, tuple)
    columns = zip(*rows, strict=True)
    children = [_with(child, column, lists) for child, column in zip(kind.children, columns, strict=True)]
    return list(zip(*children, strict=True) if kind.kind is tuple else map(kind.kind, *children))
