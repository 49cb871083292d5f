"""What stands in brackets, as it is handed to what is looked up.

Bounds of slices may be None for some run-time values (`x[: -n or None]`), and lists and ranges of run-time length index
arrays as the arrays that NumPy makes of them.
"""

from __future__ import annotations

import operator
import sys
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from ....runtime_values.values import RuntimeValue
from ....signature.traced_value import CompositeValue
from ....tracing.array import TracedArray
from ..values.optional import Chosen, Optional
from ..values.resolve_grown_lists import resolve_grown_list


def plain_key(container: Any, key: Any) -> Any:
    """A key with numbers for bounds that may be None and, for arrays, with arrays for lists of run-time length.

    >>> plain_key([1, 2], slice(1, None))
    slice(1, None, None)
    """
    is_array = isinstance(container, (TracedArray, CompositeValue, np.ndarray))
    entries = _without_optional_bounds(key)
    if isinstance(key, tuple):
        bounded = tuple(map(_without_optional_bounds, key))
        entries = key if all(map(operator.is_, bounded, key)) else bounded  # a named tuple is a key as it is
    if isinstance(entries, Optional) and (
        is_array or isinstance(container, _SEQUENCES) or hasattr(type(container), "stacked")
    ):
        name = "an array" if is_array else "a list"
        entries = entries._get("TypeError", _NONE_AS_INDEX.format(name))
    if not is_array:
        return entries
    if isinstance(entries, tuple):
        message = _NONE_AS_INDEX.format("an array")
        entries = tuple(e._get("TypeError", message) if isinstance(e, Optional) else e for e in entries)
    return tuple(map(_as_array, entries)) if isinstance(entries, tuple) else _as_array(entries)


_SEQUENCES = (list, tuple, str, bytes, range)

_NONE_AS_INDEX = (
    "an index of {} is None, where the program knows only at run time whether it is a number: test it before (if i is "
    "not None), and write x[None] for a new axis"
)


def _as_array(entry: Any) -> Any:
    """A list or range whose length is known at run time as an array; any other entry as it is."""
    entry = resolve_grown_list(entry)
    if isinstance(entry, Chosen) and all(isinstance(option, int) for option in entry.options):
        return entry.each(int)  # members of an IntEnum
    if isinstance(entry, Chosen):
        raise entry._refusal("an array is indexed with it")
    stacked = getattr(type(entry), "stacked", None) if isinstance(entry, RuntimeValue) else None
    return entry if stacked is None else stacked(entry).copy()


def _without_optional_bounds(index: Any) -> Any:
    """An entry of an index, in which a bound that may be None is the number that means the same."""
    if not isinstance(index, slice) or not any(
        isinstance(bound, Optional) for bound in (index.start, index.stop, index.step)
    ):
        return index
    if not (index.step is None or isinstance(index.step, int)):
        raise UnsupportedError(
            "the step of a slice, beside a bound that may be None, is known only at run time: compiled code must know "
            "which way it goes; choose between two slices (if bound is None: ...)"
        )
    goes_up = index.step is None or index.step > 0
    first, last = (0, sys.maxsize) if goes_up else (sys.maxsize, -sys.maxsize)
    return slice(_bound(index.start, first), _bound(index.stop, last), index.step)


def _bound(bound: Any, instead: int) -> Any:
    """A number, also where the bound is None."""
    if not isinstance(bound, Optional):
        return bound
    chosen: Any = np.where(bound.is_none, np.int64(instead), bound.value)
    return chosen._like_python(int)


def there(container: Any, message: str) -> Any:
    """What an item is set or deleted in; the call of the program ends with an error where it is None."""
    container = resolve_grown_list(container)
    return (
        resolve_grown_list(container._get("TypeError", message))
        if isinstance(container, Optional)
        else container
    )
