"""What nothing of the user's can change, or has a way of its own to be followed, and what has changed of the rest."""

from __future__ import annotations

import operator
import types
from collections import deque
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from ....guards.unbound import UNBOUND, Unbound
from ....reach.walks import attributes_of
from ....source.modules import is_library
from ....tracing.array import TracedArray

LEAVES = (
    TracedArray,
    np.ndarray,
    np.generic,
    np.dtype,
    str,
    bytes,
    int,
    float,
    complex,
    type(None),
    types.ModuleType,
    range,
    slice,
    Unbound,
)
"""The classes of such values."""

PLAIN = frozenset(
    {int, float, str, bool, type(None), bytes, complex, np.float64, np.int64, np.bool_, TracedArray}
)
"""Types of the most frequent of them."""


def can_change(value: Any) -> bool:
    """Whether a value is a container or an object whose changes are followed."""
    if isinstance(value, LEAVES) or is_library(type(value).__module__):
        return isinstance(value, (list, dict, set, deque))
    return not isinstance(value, types.FunctionType) and attributes_of(value) is not None


def same_items(one: Collection[Any], other: Collection[Any]) -> bool:
    """Whether two collections have the same items in one order."""
    return len(one) == len(other) and all(map(operator.is_, one, other))


def is_changed(buffer: Any, saved: Any) -> bool:
    """Whether a buffer holds something else than it did."""
    if isinstance(buffer, deque):
        return not same_items(buffer, saved)
    return bool(buffer != saved)


def refill(buffer: Any, saved: Any) -> None:
    """Let a buffer hold what it held."""
    if isinstance(buffer, deque):
        buffer.clear()
        buffer.extend(saved)
    else:
        buffer[:] = saved


def changed_entries(before: dict[Any, Any], now: dict[Any, Any]) -> Iterator[tuple[Any, Any, Any]]:
    """The keys whose values changed, with the old and the new value; one that is not there is unbound."""
    if before.keys() == now.keys() and all(map(operator.is_, before.values(), map(now.__getitem__, before))):
        return  # most are as they were: found without Python code for each entry
    for key in dict.fromkeys([*before, *now]):
        old, new = before.get(key, UNBOUND), now.get(key, UNBOUND)
        if new is not old:
            yield key, old, new


def in_order(before: dict[Any, Any], now: dict[Any, Any]) -> bool:
    """Whether the keys are those from before without some, and new ones behind them."""
    if before.keys() == now.keys():
        return all(one is other or one == other for one, other in zip(before, now, strict=True))
    expected = [key for key in before if key in now] + [key for key in now if key not in before]
    return expected == list(now)
