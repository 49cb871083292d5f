"""The abstract types of values of dicts whose keys only the program knows: lists among them are of any length."""

from __future__ import annotations

from types import NoneType
from typing import Any

from .....dialect.errors import UnsupportedError
from ..lists.joined_items import join_items
from ..lists.lists_in_lists import pool_of
from ..values.abstract import (
    Container,
    Growing,
    Kind,
    Static,
    Tabled,
    as_arrays,
    kind_of,
    require_no_growing,
)


def kind_of_value(value: Any) -> Kind:
    """The abstract type of a value of a dict, in which a list is one of any length."""
    return as_value(kind_of(value))


def as_value(kind: Kind) -> Kind:
    """An abstract type as that of a value."""
    if isinstance(kind, Growing):
        return kind
    if isinstance(kind, Container) and kind.kind is list:
        item: Kind | None = None
        for child in kind.children:
            item = join_items(item, as_arrays(child))
        return Growing(item)
    if _is_hashed(kind):
        raise UnsupportedError(
            "a dict or set is a value of a dict whose keys only the program knows: use keys that are tuples (d[a, b] "
            "instead of d[a][b], a set of pairs instead of a dict of sets), or lists as values"
        )
    if (pool := pool_of(kind)) is not None:
        return Growing(pool.kind)
    return as_arrays(kind)


def _is_hashed(kind: Kind) -> bool:
    """Whether a value is a dict or set."""
    if isinstance(kind, Container):
        return isinstance(kind.kind, type) and issubclass(kind.kind, dict)
    return isinstance(kind, Tabled) or (
        isinstance(kind, Static) and isinstance(kind.value, (dict, set, frozenset))
    )


def joined_values(one: Kind | None, other: Kind) -> Kind:
    """The abstract type of values of two kinds."""
    if not isinstance(other, Growing) or not isinstance(one, (Growing, NoneType)):
        joined = join_items(one, other)
        if not isinstance(joined, Growing):  # there is a pool for lists, and none for those in tuples
            require_no_growing(joined)
        return joined
    if one is None or one.item is None:
        return other
    return one if other.item is None else Growing(join_items(one.item, other.item))
