"""Lists of Python's whose length becomes known when the program runs: repeated, sliced and cut at computed places."""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from ....indexing.python_sequences import MOST_WRITTEN, place_in
from ....numpy_api import lookup
from ....runtime_values.results import RuntimeContainer, RuntimeLength, RuntimeObject
from ....settings import settings
from ....tracing.array import TracedArray
from ....tracing.current import current_trace, required_trace
from ....tracing.needed_numbers import need_length
from ....tracing.number_types import number_type
from ....tracing.recorder import Recorder
from ..interface import operators
from ..values import iterables
from ..values.abstract import as_arrays, holds_types, kind_of
from ..values.control_flow_state import control_flow
from ..values.kinds import Container, Growing, Kind, is_plain_kind
from ..values.made_objects import is_made
from ..values.optional import Optional
from ..values.resolve_grown_lists import resolve_grown_list
from .dynamic_lists import GrowingList, Widened, is_known_outside, kind_of_items
from .grown_tuples import GrownTuple
from .lists_in_lists import entries_of, freed, is_held, is_record, joined_kind
from .packed_lists import examples_of, holds_packed, kind_of_numbers
from .ragged_arrays import as_item, hold_ragged
from .widened_items import join_items

_OF_KNOWN_LENGTH = (list, tuple, str, bytes, dict, set, frozenset, range)
"""The classes of what is added to a list by Python itself."""


def is_count(value: Any) -> bool:
    """Whether a value says how often a list is repeated, and only the program knows it."""
    is_integer = isinstance(value, TracedArray) and (value.dtype.kind in "iu" or number_type(value) is bool)
    return is_integer and value._is_scalar and value._known() is None


def require_count(left: Any, right: Any) -> None:
    """Raise what Python does where NumPy's number beside a list, tuple or text is no integer: it repeats these."""
    for items, times in ((left, right), (right, left)):
        kind = items.python_type if isinstance(items, RuntimeContainer) else type(items)
        is_number = isinstance(times, TracedArray) and times._is_scalar and number_type(times) is None
        if is_number and kind in (list, tuple, str, bytes) and times.dtype.kind not in "iu":
            name = times.dtype.type.__name__.removesuffix("_")
            raise TypeError(f"can't multiply sequence by non-int of type 'numpy.{name}'")


def repeated(items: list[Any] | tuple[Any, ...], times: Any) -> Any:
    """`items * times`."""
    need_length(times, "the length of a list")
    if not items:
        return items[:0]
    grown, count = GrowingList(list(items)), operators().call(max, operators().call(int, times), 0)
    length = len(items) * count
    places: Any = np.remainder(lookup("arange")(length), len(items))
    grown.rearrange(lambda array: lookup("take")(array, places, axis=0), length)
    return GrownTuple(grown) if isinstance(items, tuple) else grown


def is_extended(items: Any, added: Any) -> bool:
    """Whether `items += added` makes a list longer by items whose number only the program may know."""
    kind = type(added)
    is_added_by_itself = hasattr(kind, "__radd__") and not isinstance(added, RuntimeLength)  # as arrays are
    return type(items) is list and kind not in _OF_KNOWN_LENGTH and not is_added_by_itself


def replace_part(items: list[Any], key: slice, added: Any) -> None:
    """`items[key] = added`, of items whose number only the program knows."""
    if items:
        growing(items, key)[key] = added
    else:
        extend(items, added)


def extend(items: list[Any], added: Any) -> None:
    """`items.extend(added)`, and `items += added`: of items whose number only the program may know."""
    added = resolve_grown_list(added)
    if type(added) not in _OF_KNOWN_LENGTH:
        added = operators().call(list, added)
    if not isinstance(added, GrowingList) or added.known_length is not None:
        items.extend(added)
        return

    def add(item: Any) -> None:
        operators().call(items.append, item)

    operators().for_(added, add)


def has_computed_bounds(key: Any) -> bool:
    """Whether a key is a slice of which only the program knows how long it is."""
    bounds = (key.start, key.stop, key.step) if isinstance(key, slice) else ()
    return any(isinstance(bound, TracedArray) and bound._known() is None for bound in bounds)


def is_of_lists(items: Any, key: Any) -> bool:
    """Whether a key says a part, with computed bounds, or which of the lists in a list, or of values of many kinds."""
    if isinstance(key, TracedArray):
        return _hold_lists(items) or hold_ragged(items) or _are_mixed(items) or _hold_dicts(items)
    return has_computed_bounds(key)


def part(items: Any, key: Any) -> Any:
    """`items[key]` with computed bounds, or the list or value at a computed place."""
    if isinstance(key, TracedArray):
        are_held = _hold_lists(items) or hold_ragged(items)
        if _hold_dicts(items):
            return _rows(items)[key]
        return _grown_lists(items)[key] if are_held else _of_mixed(items, key)
    _need_bounds(key)
    if not items:
        return items[:0]
    if isinstance(items, tuple):
        return GrownTuple(GrowingList(list(items))[key])
    if not isinstance(items, list):
        kind = type(items).__name__
        raise UnsupportedError(
            f"a {kind} is sliced with a traced bound: only the program knows how long the result is, and that of a "
            f"{kind} is known in compiled code; slice a list (list(items)[a:b]) or an array"
        )
    return GrowingList(items)[key]


def growing(items: list[Any], key: Any) -> Any:
    """What a list becomes of which items at computed places are deleted or replaced by others: one that grows."""
    _need_bounds(key)
    trace = current_trace()
    if trace is None or not items:
        return items
    return _grown(trace, items, kind_of_items(items))


def as_walked(items: Any) -> Any:
    """What a list becomes that is walked, or changed at a computed place: one that grows, if it is long and holds the
    numbers of an argument. So a loop over it is recorded once, and carries arrays.
    """
    trace = current_trace()
    if trace is None or len(items) <= settings.unroll_limit or not holds_packed(items):
        return items
    if resolve_grown_list(items) is not items or any(resolve_grown_list(item) is not item for item in items):
        return resolve_grown_list(items)
    return _grown_lists(items) if _hold_lists(items) else _grown(trace, items, kind_of_items(items))


def as_written(items: Any, *added: Any) -> Any:
    """What a list becomes in which items at computed places are put: one that grows, if it holds many numbers, or
    numbers of several types. So the program writes one element, and not each item or itself. One of texts, or of
    tuples with texts, always does, and one with places for objects that may be empty.
    """
    walked, trace = as_walked(items), current_trace()
    if walked is not items or trace is None:
        return walked
    if items and all(map(_has_text, (*items, *added))):
        return _grown(trace, items, reduce(join_items, map(as_arrays, map(kind_of, (*items, *added)))))
    if any(map(_is_place, (*items, *added))):
        return _grown(trace, items, kind_of_items([*items, *added]))
    kind = kind_of_numbers([*items, *added])
    if kind is None or (not kind.types and len(items) <= settings.unroll_limit):
        return items
    return _grown(trace, items, kind)


def puts_array(items: Any, place: Any, value: Any) -> bool:
    """Put an array in the place that data say of a list of arrays; False for other lists, of which nothing is changed.

    Each place holds the array or what it held, as the condition says that the place is meant.
    """
    if type(items) is not list or len(items) > MOST_WRITTEN or not all(map(_is_array, (*items, value))):
        return False
    found = place_in(items, place)
    for number, item in enumerate(items):
        items[number] = operators().if_exp(np.equal(found, number), lambda: value, partial(_same, item))
    return True


def _same(value: Any) -> Any:
    return value


def _is_array(value: Any) -> bool:
    return isinstance(value, TracedArray) and not value._is_scalar


def is_text(value: Any) -> bool:
    """Whether a value is a text, made while tracing or when the program runs."""
    return isinstance(value, str) or iterables.is_text(value)


def _has_text(value: Any) -> bool:
    return is_text(value) or (isinstance(value, tuple) and any(map(_has_text, value)))


def columns_to_choose_from(container: Any) -> list[tuple[Any, ...]] | None:
    """The entries of tuples by their places, where some are no numbers and no arrays: each is found by itself."""
    if type(container) not in (list, tuple) or not container:
        return None
    kinds = {(type(one), len(one)) for one in container if isinstance(one, tuple)}
    if len(kinds) != 1 or not all(isinstance(one, tuple) for one in container):
        return None
    columns = list(zip(*container, strict=True))
    return None if all(map(_is_stacked, columns)) else columns


def _is_stacked(entry: Any) -> bool:
    """Whether an entry is a number or an array, or a tuple of such."""
    if isinstance(entry, tuple):
        return all(map(_is_stacked, entry))
    return isinstance(entry, (TracedArray, np.ndarray, np.generic, int, float, complex))


def _is_place(value: Any) -> bool:
    """Whether a value is None, may be None, or is an object or dict that the program makes, or a tuple with one."""
    if isinstance(value, tuple):
        return any(map(_is_place, value))
    if value is None or type(value) is dict:
        return True
    return isinstance(value, (Optional, RuntimeObject)) or is_made(required_trace(), value)


def _are_mixed(items: Any) -> bool:
    """Whether the values that a list or tuple holds are not alike, or of several types each, and nothing changes them.

    Those that are alike lie in one array, and tuples of such in one for each entry.
    """
    if type(items) not in (list, tuple):
        return False
    kinds = dict.fromkeys(as_arrays(kind_of(item)) for item in examples_of(items))
    are_unlike = len(kinds) > 1 or any(map(holds_types, kinds))
    return are_unlike and all(map(is_plain_kind, kinds))


def _of_mixed(items: Any, key: TracedArray) -> Any:
    place = place_in(items, key)
    return GrowingList(list(items)).item(place)


def _hold_lists(items: Any) -> bool:
    """Whether the items of a list are lists, or tuples that hold some, beside what is not told from a copy."""
    return type(items) is list and bool(items) and all(map(_holds_lists, items))


def _holds_lists(item: Any) -> bool:
    if not isinstance(item, tuple):
        return isinstance(resolve_grown_list(item), (list, RuntimeLength))
    others = [kind_of(entry) for entry in item if not _holds_lists(entry)]
    return len(others) < len(item) and all(
        is_plain_kind(kind) or not isinstance(kind, Container) for kind in others
    )


def _hold_dicts(items: Any) -> bool:
    """Whether items are dicts of the same keys, as the rows of a table are."""
    if type(items) not in (list, tuple) or not items or any(type(item) is not dict for item in items):
        return False
    return all(item.keys() == items[0].keys() for item in items)


def _rows(items: Any) -> Any:
    """Dicts as rows of a table, which they stay for all their names."""
    kind = kind_of_items(items)
    return _grown(required_trace(), items, kind) if type(items) is list else GrowingList(list(items), kind)


def _grown_lists(items: list[Any]) -> Any:
    """What a list becomes of which an item at a computed place is meant that holds lists: all of them grow."""
    return _grown(required_trace(), items, reduce(join_items, map(_kind_of_growing, items)))


def _kind_of_growing(item: Any) -> Kind:
    """The abstract type of an item in which all lists grow."""
    item = resolve_grown_list(item)
    if type(item) is list:
        found = reduce(join_items, map(_kind_of_growing, item)) if _hold_lists(item) else joined_kind(item)
        return Growing(found)
    kind = freed(as_item(as_arrays(kind_of(item))))
    assert kind is not None, "an item"
    if not is_record(kind) or is_held(kind):
        return kind
    return kind.with_parts(map(_kind_of_growing, entries_of(kind, item)))


def _grown(trace: Recorder, items: list[Any], kind: Kind) -> Any:
    if is_known_outside(items):
        raise Widened(items, kind)
    known = GrowingList(items, kind)
    control_flow(trace).grown[id(items)] = (items, known)
    return known


def _need_bounds(key: Any) -> None:
    for bound in (key.start, key.stop, key.step) if isinstance(key, slice) else (key,):
        need_length(bound, "the length of a list")
