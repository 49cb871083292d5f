"""What a container or buffer held before, compared with what it holds now."""

from __future__ import annotations

import collections
import operator
from collections.abc import Iterator
from typing import Any

from ....guards.unbound import UNBOUND


def is_changed(buffer: Any, saved: Any) -> bool:
    """Whether a buffer holds something else than it did."""
    if isinstance(buffer, collections.deque):
        return len(buffer) != len(saved) or any(
            one is not other for one, other in zip(buffer, saved, strict=True)
        )
    return bool(buffer != saved)


def refill(buffer: Any, saved: Any) -> None:
    """Let a buffer hold what it held."""
    if isinstance(buffer, collections.deque):
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
