"""`x.tolist()` of many elements: lists of which the program knows the items, in one array, and not each by itself."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .....dialect.dtypes import kind
from ....numpy_api import lookup
from ....source.modules import told
from ....tracing.array import TracedArray
from ..interface import operators
from ..lists.dynamic_lists import ROOM, GrowingList, as_length
from ..lists.lists_in_lists import are_changed, pool_of
from ..values.abstract import kind_of
from ..values.kinds import Container, Kind

MOST_ROWS = 8
"""Up to how many rows of unknown or great length are lists in a list of Python's."""

MOST_COLUMNS = 16
"""How many numbers a row has at most that lie in columns, one for each place in a row."""


def method_of(function: Any) -> Callable[..., Any] | None:
    """What to call instead of `tolist` of an array that is not small; None for another function."""
    array = told(function, "__self__")
    if not isinstance(array, TracedArray) or function.__name__ != "tolist" or array.ndim == 0:
        return None
    from ....numpy_api.methods import MOST_LISTED, as_numbers  # which need much of the namespace

    shape = array.type.shape
    size = array.type.size
    is_small = size is not None and size <= MOST_LISTED
    if is_small or array._known() is not None or (kind(array.dtype) == "u" and array.dtype.itemsize == 8):
        return None  # numbers that int64 does not hold are checked one by one
    if None in shape[2:] or math.prod(extent or 0 for extent in shape[2:]) > MOST_COLUMNS:
        return None
    return lambda: _listed(*as_numbers(array))


def _listed(array: TracedArray, number: type) -> Any:
    """The list of the numbers in an array, or of the lists of those in its rows."""
    if array.ndim == 1:
        return GrowingList.of_array(array, number)
    rows = array.type.shape[0]
    if rows is not None and rows <= MOST_ROWS and not _is_in_columns(array):
        return [_listed(array[row].copy(), number) for row in range(rows)]
    return _rows_in_columns(array, number) if _is_in_columns(array) else _rows_in_pool(array, number)


def _is_in_columns(array: TracedArray) -> bool:
    """Whether rows are parts of the items of a list: those of a length that is small, and that nothing changes."""
    extents = array.type.shape[1:]
    width = math.prod(extent or 0 for extent in extents)
    return None not in extents and 0 < width <= MOST_COLUMNS and not are_changed()


def _rows_in_columns(array: TracedArray, number: type) -> GrowingList:
    """A list whose items are lists of one length, which lie in columns."""
    return _list_of(array, _kind_of(array, number), _columns(array))


def _rows_in_pool(array: TracedArray, number: type) -> GrowingList:
    """A list whose items are lists of their own."""
    rows, width, *rest = array.shape
    items: Any = np.reshape(array, (rows * width, *rest))
    kind = operators().lists_in_pool(_kind_of(items, number))
    places = lookup("arange")(rows + ROOM)
    widths = lookup("full")((rows + ROOM,), width)
    pool_of(kind).carry(
        [*_columns(items), places * width, widths, widths.copy(), as_length(rows * width), as_length(rows)]
    )
    return _list_of(array, kind, (lookup("arange")(rows),))


def _list_of(array: TracedArray, kind: Kind, columns: tuple[TracedArray, ...]) -> GrowingList:
    made = GrowingList()
    made.hold(kind, columns, as_length(array.shape[0]))
    if (known := array.type.shape[0]) is not None:
        made.know_length(known)
    return made


def _columns(array: TracedArray) -> tuple[TracedArray, ...]:
    """For each place in a row the numbers there."""
    places = itertools.product(*(range(extent or 0) for extent in array.type.shape[1:]))
    indices: Any = ((slice(None), *place) for place in places)
    return tuple(array[index].copy() for index in indices)


def _kind_of(array: TracedArray, number: type) -> Kind:
    """The abstract type of an item of a list: a number, or a list of known length of such."""
    kind: Kind = kind_of(lookup("zeros")((), array.dtype)._like_python(number))
    for extent in reversed(array.type.shape[1:]):
        kind = Container(list, (), (kind,) * (extent or 0))
    return kind
