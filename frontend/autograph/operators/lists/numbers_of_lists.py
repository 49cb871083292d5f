"""Numbers in the places of lists of pools, which compiled code hands on, and the lists that Python makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .....dialect.records import replace
from ..values.abstract import ArrayKind, Container, Kind
from .lists_in_lists import pool_of, pools_in


def with_numbers(kind: Kind) -> Kind:
    """An abstract type with the numbers of lists in their places."""
    if not isinstance(kind, Container):
        return kind
    if pool_of(kind) is not None:
        number = kind.children[1]
        assert isinstance(number, ArrayKind)
        return replace(number, number=int)
    return Container(kind.kind, kind.keys, tuple(map(with_numbers, kind.children)))


def with_lists(kind: Kind, rows: Any, lists: Sequence[Any]) -> Any:
    """Items with lists in the places of numbers, given all lists of each pool."""
    return _with(kind, rows, dict(zip(pools_in(kind), lists, strict=True)))


def _with(kind: Kind, rows: Sequence[Any], lists: dict[Any, list[list[Any]]]) -> Any:
    """Items with lists in the places of numbers, column by column."""
    if (pool := pool_of(kind)) is not None:
        return list(map(lists[pool].__getitem__, rows))
    if not pools_in(kind) or not rows:
        return rows
    assert isinstance(kind, Container)
    assert issubclass(kind.kind, tuple)
    columns = zip(*rows, strict=True)
    children = [_with(child, column, lists) for child, column in zip(kind.children, columns, strict=True)]
    return list(zip(*children, strict=True) if kind.kind is tuple else map(kind.kind, *children))
