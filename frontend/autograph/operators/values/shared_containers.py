"""Containers and arrays from before a branch or loop that are the same object on all its paths keep their identity.

`if c: result = log` leaves the list itself under a further name, or none; what is changed in it later is seen through
both. Only a list that may be another one is joined by what it holds, and an array by its value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....runtime_values.results import RuntimeContainer
from ....tracing.array import TracedArray
from ....tracing.several_types import SeveralTypes
from .abstract import as_promoted_kind, kind_of, parts_of, texts_grow, with_carried_texts
from .aliases import is_another, same_value
from .composites import IMMUTABLE, container_class
from .copies import Originals
from .joins import join
from .kinds import Container, Kind, Mismatch, Partial, Static, Text
from .optional import MaybeUnbound, Optional
from .program_locations import UNBOUND
from .resolve_grown_lists import resolve_grown_list

_NONE: Originals = {}

Knows = Callable[[Any], bool]
"""Whether an object was there before."""


def joined_kind(
    values: Sequence[Any],
    contents: Sequence[Any],
    knows: Knows,
    by_type: bool = False,
    originals: Originals = _NONE,
) -> Kind:
    """The least abstract type of the values of all paths, of which `contents` are copies as they were at their ends.

    Numbers and arrays of two types are promoted, unless they are joined by type. Raises `Mismatch` when there is none.
    """
    try:
        return _join_all(_kinds(values, contents, knows, originals), by_type)
    except Mismatch:
        return _join_all(list(map(kind_of, contents)), by_type)


def widened_kind(before: Kind, initial: Any, end: Any, knows: Knows, by_type: bool = False) -> Kind:
    """The abstract type of what a loop carries, with a value at the end of an iteration.

    Raises `Mismatch` when there is none.
    """
    try:
        kind = join(before, _kinds([initial, end], [initial, end], knows)[1], by_type)
    except Mismatch:
        kind = join(_by_content(before), kind_of(end), by_type)
    return Text() if texts_grow(before, kind) else with_carried_texts(kind)


def _join_all(kinds: Sequence[Kind], by_type: bool) -> Kind:
    joined, *others = kinds
    for kind in others:
        joined = join(joined, kind, by_type)
    return with_carried_texts(joined if by_type else as_promoted_kind(joined))


def _kinds(
    values: Sequence[Any], contents: Sequence[Any], knows: Knows, originals: Originals = _NONE
) -> list[Kind]:
    """The abstract types of values on several paths, with containers that are one object as constants."""
    there = [value for value in map(_present, values) if value is not UNBOUND and value is not None]
    if not there or not (_is_array(there[0]) or _is_mutable(there[0])) or not knows(there[0]):
        return _kinds_of_parts(contents, knows, originals)
    if not all(_is_same_object(value, there[0]) for value in there):
        return list(map(kind_of, contents))
    return [_wrapped(value, Static(there[0])) for value in values]


def _kinds_of_parts(contents: Sequence[Any], knows: Knows, originals: Originals) -> list[Kind]:
    """The abstract types of new containers whose entries may be such objects.

    The containers themselves hold what they held before the paths; what they held at the ends, the copies tell.
    """
    present = list(map(_present, contents))
    found = {
        position: parts for position, value in enumerate(present) if (parts := parts_of(value)) is not None
    }
    layouts = {
        (container_class(present[position]), keys, len(items)) for position, (keys, items) in found.items()
    }
    if len(layouts) != 1:
        return list(map(kind_of, contents))
    ((kind, keys, _),) = layouts
    columns = []
    for column in zip(*(items for _, items in found.values()), strict=True):
        held = [originals.get(id(item), (item, item))[1] for item in column]
        columns.append(_kinds(held, list(column), knows, originals))
    kinds = list(map(kind_of, contents))
    for row, position in enumerate(found):
        children = tuple(column[row] for column in columns)
        kinds[position] = _wrapped(contents[position], Container(kind, keys, children))
    return kinds


def _wrapped(value: Any, kind: Kind) -> Kind:
    """The abstract type of a value that is perhaps absent, with that of what is there."""
    if value is UNBOUND or value is None:
        return kind_of(value)
    if isinstance(value, MaybeUnbound):
        inner = _wrapped(value.value, kind)
        is_partial = isinstance(inner, Partial)
        return Partial(inner.inner, True, inner.none) if is_partial else Partial(inner, unbound=True)  # type: ignore[union-attr]
    return Partial(kind, none=True) if isinstance(value, Optional) else kind


def _by_content(kind: Kind) -> Kind:
    """An abstract type in which containers are what they hold."""
    made: Kind = kind.with_parts(map(_by_content, kind.parts))
    return kind_of(kind.value) if isinstance(kind, Static) else made


def _present(value: Any) -> Any:
    while isinstance(value, (MaybeUnbound, Optional)):
        value = value.value
    return resolve_grown_list(value)


def _is_array(value: Any) -> bool:
    """Whether a value is an array that is not a number, and of one type."""
    return isinstance(value, TracedArray) and not value._is_scalar and not isinstance(value, SeveralTypes)


def _is_same_object(one: Any, other: Any) -> bool:
    """Whether two values are one object, with nothing that only one of them assumes or is."""
    if one is other or not isinstance(one, TracedArray):
        return one is other
    return (
        same_value(one, other)
        and is_another(one) is is_another(other)
        and one._assumptions == other._assumptions
    )


def _is_mutable(value: Any) -> bool:
    return isinstance(value, RuntimeContainer) or (
        not isinstance(value, IMMUTABLE) and parts_of(value) is not None
    )


def holds_container(kind: Kind | None) -> bool:
    """Whether an abstract type names a container that there is in this recording only."""
    if isinstance(kind, Static):
        return isinstance(kind.value, TracedArray) or _is_mutable(kind.value)
    return kind is not None and any(map(holds_container, kind.parts))
