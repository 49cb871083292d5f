"""Long lists of numbers among the arguments, whose items are the elements of one array: they become lists that grow."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, cast

from .....dialect.ops.arrangement import Stack
from ....indexing.python_sequences import stacked_entries
from ....source.plain_items import examples
from ....tracing.array import TracedArray, wrap
from ....tracing.current import required_trace
from ....tracing.packed_items import are_of_one_array, is_packed, stacked_items
from ....tracing.staging import emit, value_of
from ..values.abstract import as_arrays, flatten, kind_of
from ..values.kinds import ArrayKind, Container, Kind
from .items_of_types import known_columns
from .widened_items import join_items


def stacked_columns(items: list[Any], kind: Kind | None) -> list[TracedArray] | None:
    """The columns of items of an abstract type, where they are numbers out of one array, or tuples of such."""
    trace = required_trace()
    if isinstance(kind, Container) and kind.kind is tuple:
        if not all(type(item) is tuple and len(item) == len(kind.children) for item in items):
            return None
        parts = [
            stacked_columns(list(column), child)
            for column, child in zip(zip(*items, strict=True), kind.children, strict=True)
        ]
        found = [column for part in parts if part is not None for column in part]
        return None if None in parts else found
    if not isinstance(kind, ArrayKind):
        return None
    if kind.types:
        if (known := known_columns(items, kind)) is not None:
            return [wrap(trace, value_of(trace, column)) for column in known]
        rows = ((wrap(trace, value) for value in flatten(trace, item, kind)) for item in items)
        return [emit(trace, Stack, list(column), {"axis": 0}) for column in zip(*rows, strict=True)]
    stacked = stacked_items(trace, items)
    if stacked is None and kind_of_numbers(items) == kind:
        stacked = stacked_entries(trace, items)
    return [stacked] if stacked is not None and stacked.dtype == kind.type.dtype else None


def kind_of_numbers(items: Sequence[Any]) -> ArrayKind | None:
    """The abstract type of the items of a list, if they are numbers, perhaps of several types; else None."""
    joined: ArrayKind | None = None
    for kind in dict.fromkeys(as_arrays(kind_of(item)) for item in examples_of(items)):
        if not isinstance(kind, ArrayKind) or kind.type.rank or kind.is_array:
            return None
        found = kind if joined is None else join_items(joined, kind)
        assert isinstance(found, ArrayKind), "numbers are carried as numbers"
        joined = found
    return joined


def examples_of(items: Any) -> Collection[Any]:
    """Items that tell what types of values all are: one of many that are elements of an array among the arguments."""
    if not isinstance(items, (list, tuple)):
        return cast("Collection[Any]", items)
    first = items[0] if items else None
    if type(first) is tuple and all(type(item) is tuple and len(item) == len(first) for item in items):
        is_alike = all(map(are_of_one_array, zip(*items, strict=True)))
    else:
        is_alike = are_of_one_array(items)
    return items[:1] if is_alike else examples(items)


def holds_packed(items: Any) -> bool:
    """Whether a list holds numbers out of one array, or lists or tuples of such."""
    first = items[0]
    while isinstance(first, (list, tuple)) and first:
        first = first[0]
    return is_packed(first) and _are_packed(items)


def _are_packed(items: Any) -> bool:
    kind = type(items[0])
    if kind in (list, tuple):
        return all(type(item) is kind and item and _are_packed(item) for item in items)
    return all(map(is_packed, items))
