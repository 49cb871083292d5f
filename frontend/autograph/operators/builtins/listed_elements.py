"""`x.tolist()` of many elements: a list of which the program knows the items, in one array, and not each by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .....dialect.dtypes import kind
from ....tracing.array import TracedArray
from ..lists.dynamic_lists import GrowingList


def method_of(function: Any) -> Callable[..., Any] | None:
    """What to call instead of `tolist` of an array of one axis that is not small; None for another function."""
    array = getattr(function, "__self__", None)
    if not isinstance(array, TracedArray) or function.__name__ != "tolist" or array.ndim != 1:
        return None
    from ....numpy_api.methods import MOST_LISTED, as_numbers  # which need much of the namespace

    length = array.type.shape[0]
    is_small = length is not None and length <= MOST_LISTED
    if is_small or array._known() is not None or (kind(array.dtype) == "u" and array.dtype.itemsize == 8):
        return None  # numbers that int64 does not hold are checked one by one
    return lambda: GrowingList.of_array(*as_numbers(array))


__all__ = ["method_of"]
