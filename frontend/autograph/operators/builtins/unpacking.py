"""Items one by one: `first, *rest = items` and `[*items, last]`, also where the program decides how many there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....tracing.array import TracedArray
from ....tracing.current import current_trace
from ....tracing.staging import raise_where
from ..lists.dynamic_lists import GrowingList
from ..lists.grown_tuples import GrownTuple
from ..lists.kept_items import keep_read
from ..tables.table_walks import listed
from ..values.hidden_state import require_own
from ..values.iterables import Sequence
from ..values.known_arrays import is_plain
from ..values.optional import Chosen, Optional
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.sequence_iterators import left_of
from ..values.special_methods import iterated
from .builtins_on_lists import has_unknown_length, is_open, list_, tuple_


def unpack(value: Any, before: int, after: int | None = None) -> Any:
    """What `a, b = value` takes apart, into `before` items; with `after`, a list of what lies between is an item.

    >>> unpack((1, 2, 3, 4), 1, 1)
    [1, [2, 3], 4]
    """
    value = resolve_grown_list(left_of(value))
    if isinstance(value, Optional):
        value = value._get("TypeError", "cannot unpack non-iterable NoneType object")
    if isinstance(value, Chosen) and value.held:
        return value.each(lambda one: [*unpack(one, before, after)])
    value = listed(value)
    if has_unknown_length(value):
        _check_length(value.shape[0], before, after)
        return _rows(value, before, after)
    if isinstance(value, Sequence) and after is None and not isinstance(value.length, int):
        _check_length(value.length, before, after)
        return [value.item(position) for position in range(before)]
    items = _items_of(value)
    if isinstance(items, GrowingList):
        _check_length(items.length, before, after)
        return _taken_apart(items, before, after)
    if after is None:
        return items
    (*items,) = items
    if len(items) < before + after:
        raise ValueError(_TOO_FEW.format(_expected(before, after), len(items)))
    end = len(items) - after
    return [*items[:before], items[before:end], *items[end:]]


def _items_of(value: Any) -> Any:
    """What is taken apart: a growing list where only the program knows the number of items."""
    if has_unknown_length(value):
        return GrowingList.of_array(value)
    trace = current_trace()
    require_own(trace, value)
    if trace is not None and is_plain(value):
        trace.watch(value)
    return list_(value) if is_open(value) else value


def _read(items: GrowingList, position: Any) -> Any:
    item = items.item(position)
    keep_read(item)
    return item


def _rows(array: TracedArray, before: int, after: int | None) -> list[Any]:
    """The rows of an array of unknown length, as views; a list of those between is one of copies."""
    first = [array[position] for position in range(before)]
    if after is None:
        return first
    between = array[before : -after if after else None]
    return [*first, GrowingList.of_array(between), *(array[place] for place in range(-after, 0))]


def _taken_apart(items: GrowingList, before: int, after: int | None) -> list[Any]:
    first = [_read(items, position) for position in range(before)]
    if after is None:
        return first
    end = items.length - after
    return [*first, items.taken(slice(before, end)), *(_read(items, end + place) for place in range(after))]


_TOO_FEW = "not enough values to unpack (expected {}, got {})"
_TOO_MANY = "too many values to unpack (expected {})"


def _expected(before: int, after: int | None) -> str:
    return str(before) if after is None else f"at least {before + after}"


def _check_length(length: Any, before: int, after: int | None) -> None:
    """Raise what Python raises for a number of items that does not fit the targets."""
    expected, least = _expected(before, after), before + (after or 0)
    raise_where(length < least, ValueError, _TOO_FEW.format(expected, "{}"), length)
    if after is None:
        raise_where(length > before, ValueError, _TOO_MANY.format(expected))


@dataclass(frozen=True)
class Spread:
    """`*items` in a list display: a list of its own."""

    items: Any


def is_spread(part: Any) -> bool:
    """Whether a part of a display is what `*items` stands for."""
    return isinstance(part, Spread)


def spread(value: Any) -> Spread:
    """`*value` in a list display; its items are made before what follows is evaluated."""
    if isinstance(value, Chosen) and all(isinstance(one, (tuple, GrownTuple)) for one in value.options):
        value = GrownTuple.of(value)
    items = _items_of(listed(left_of(iterated(resolve_grown_list(left_of(value))))))
    return Spread(items if isinstance(items, GrowingList) else [*items])


def tuple_display(*parts: Any) -> Any:
    """`(a, *b)`.

    >>> tuple_display(1, spread((2, 3)))
    (1, 2, 3)
    """
    return tuple_(list_display(*parts))


def list_display(*parts: Any) -> Any:
    """`[a, *b, c]`; a growing list where only the program knows how many items there are.

    >>> list_display(1, spread((2, 3)))
    [1, 2, 3]
    """
    made: Any = []
    for part in parts:
        if not isinstance(part, Spread):
            made.append(part)
            continue
        if isinstance(part.items, GrowingList) and not isinstance(made, GrowingList):
            made = GrowingList(made)
        made.extend(part.items)
    return made
