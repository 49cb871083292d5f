"""Sorting by comparing, of what has no numbers to be sorted by: objects with `__lt__`, keys of `functools.cmp_to_key`.

The comparisons are those of Python's own sort, in its order, up to 63 items; more are merged, as they are there, too.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ....source.modules import is_users_object
from ..interface import operators
from ..statements.expressions import if_exp
from .converted_functions import convert_once, converted

Comes = Callable[[Any, Any], Any]
"""Whether the first of two comes before the second."""

_RUN = 63
"""So many items are sorted by being inserted one after another; more are merged."""


class KnownItems:
    """Items of which tracing knows how many there are, of any kinds that one value may be of behind a branch."""

    def __init__(self, items: Sequence[Any]) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, place: Any) -> Any:
        return self._chosen(place, 0, len(self._items))

    def _chosen(self, place: Any, start: int, end: int) -> Any:
        """The item at a place of which is known between which ones it lies."""
        if end - start == 1:
            return self._items[start]
        middle = (start + end) // 2
        lower, upper = (partial(self._chosen, place, *part) for part in ((start, middle), (middle, end)))
        return if_exp(place < middle, lower, upper)


def item_at(items: Sequence[Any], place: Any) -> Any:
    """The item of a list at a place that only the program knows.

    >>> item_at([1, "a"], 1)
    'a'
    """
    seen = _seen(items)
    return seen[place] if isinstance(seen, KnownItems) else operators().item(seen, place)


def _seen(items: Any) -> Any:
    """What is indexed in the place of items: objects are, as loops look into lists for what is changed of them."""
    return items if not isinstance(items, list) or all(map(is_users_object, items)) else KnownItems(items)


@converted
def is_less(one: Any, other: Any) -> Any:
    """`one < other`, which asks `__lt__`."""
    return one < other


def comparing(key: Any, symbol: str = "<") -> Comes | None:
    """What compares by a key of `functools.cmp_to_key`, by `<` or `>`; None for a key that is another function.

    >>> comparing(functools.cmp_to_key(lambda one, other: other - one))(1, 2)
    False
    """
    if not isinstance(key, type(functools.cmp_to_key(is_less))):
        return None
    (compare,) = (held for held in gc.get_referents(key) if held is not type(key))
    return partial(convert_once(_is_below_zero if symbol == "<" else _is_above_zero), compare)


def places_by_comparing(items: Any, comes_before: Comes, reverse: bool) -> Any:
    """The positions of items in order, as an array; equal ones keep their places, also in reverse."""
    places = convert_once(_sorted_places)(_seen(items), comes_before, reverse)
    return places[::-1] if reverse else places


def _is_below_zero(compare: Any, one: Any, other: Any) -> Any:
    return compare(one, other) < 0


def _is_above_zero(compare: Any, one: Any, other: Any) -> Any:
    return compare(one, other) > 0


def _sorted_places(items: Any, comes_before: Any, reverse: Any) -> Any:
    length = len(items)
    places = np.arange(length)
    if reverse:
        places = places[::-1].copy()
    if length <= _RUN:
        _insert_all(items, comes_before, places, 0, length)
    else:
        for start in range(0, length, _RUN):
            _insert_all(items, comes_before, places, start, min(start + _RUN, length))
        width = _RUN
        while width < length:
            _merge_all(items, comes_before, places, width)
            width = 2 * width
    return places


@converted
def _insert_all(items: Any, comes_before: Any, places: Any, start: Any, end: Any) -> None:
    """Sort a part of some places: find the run that it begins with, and put the others where they belong by halving."""
    first = start + 1
    descends = False
    while first < end:
        before = bool(comes_before(items[places[first]], items[places[first - 1]]))
        if first > start + 1 and before != descends:
            break
        descends = before
        first += 1
    if descends:
        places[start:first] = places[start:first][::-1].copy()
    for position in range(first, end):
        pivot = places[position]
        low, high = start, position
        while low < high:
            middle = (low + high) // 2
            if comes_before(items[pivot], items[places[middle]]):
                high = middle
            else:
                low = middle + 1
        for k in range(position, low, -1):
            places[k] = places[k - 1]
        places[low] = pivot


@converted
def _merge_all(items: Any, comes_before: Any, places: Any, width: Any) -> None:
    """Merge each two runs of a width, of which the left ones come first where they are equal."""
    length, before = len(places), places.copy()
    for start in range(0, length, 2 * width):
        middle, end = min(start + width, length), min(start + 2 * width, length)
        left, right = start, middle
        for k in range(start, end):
            if left < middle and (
                right >= end or not comes_before(items[before[right]], items[before[left]])
            ):
                places[k] = before[left]
                left += 1
            else:
                places[k] = before[right]
                right += 1
