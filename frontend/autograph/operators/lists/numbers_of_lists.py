"""Numbers in the places of lists of pools, which compiled code hands on, and the lists that Python makes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..values.abstract import Container, Kind
from .lists_in_lists import pool_of, pools_in


def with_numbers(kind: Kind) -> Kind:
    """An abstract type with the numbers of lists in their places."""
    if not isinstance(kind, Container):
        return kind
    if pool_of(kind) is not None:
        return kind.children[1]
    return Container(kind.kind, kind.keys, tuple(map(with_numbers, kind.children)))


def with_lists(kind: Kind) -> Callable[[Any], Any]:
    """Makes items of rows with numbers of lists, and for each pool the items of all lists, and where each lies."""
    pools = pools_in(kind)

    def made(parts: Any) -> Any:
        rows, *found = parts
        lists = {pool: _lists_of(*parts) for pool, parts in zip(pools, found, strict=True)}
        return _with(kind, rows, lists)

    return made


def _lists_of(items: list[Any], starts: Any, counts: Any) -> list[list[Any]]:
    """The lists of a pool, given where each begins and how many items it has."""
    return [items[s : s + n] for s, n in zip(starts.tolist(), counts.tolist(), strict=True)]


def _with(kind: Kind, rows: Sequence[Any], lists: dict[Any, list[list[Any]]]) -> Any:
    """Items with lists in the places of numbers, column by column."""
    if (pool := pool_of(kind)) is not None:
        return [lists[pool][number] for number in rows]
    if not pools_in(kind) or not rows:
        return rows
    assert isinstance(kind, Container)
    assert issubclass(kind.kind, tuple)
    columns = zip(*rows, strict=True)
    children = [_with(child, column, lists) for child, column in zip(kind.children, columns, strict=True)]
    return list(zip(*children, strict=True) if kind.kind is tuple else map(kind.kind, *children))
