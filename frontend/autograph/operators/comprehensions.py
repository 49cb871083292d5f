"""Comprehensions and generator expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...settings import settings
from ...staging import current_trace
from .conditions import is_staged
from .for_loops import for_
from .generators import Walk
from .growing import GrowingList
from .iterables import Filtered, is_never_unrolled, sequence_of
from .statements import if_

_KINDS: dict[str, Callable[[Any], Any]] = {"list": list, "set": set, "dict": dict, "generator": list}


def comprehension(
    kind: str,
    iterable: Any,
    element: Callable[[Any], Any],
    condition: Callable[[Any], Any] | None = None,
    flat: bool = False,
) -> Any:
    """`[element(item) for item in iterable if condition(item)]`; with `flat`, what `element` gives is walked too.

    Over an array of many entries, or with a condition on run-time values, the list grows when the program runs.
    """
    items: Any = GrowingList() if _is_staged(iterable) else []

    def add(item: Any) -> None:
        nonlocal items
        value = element(item)
        if flat:
            for_(value, append)
        else:
            append(value)

    def append(value: Any) -> None:
        items.append(value)

    def body(item: Any) -> None:
        nonlocal items
        if condition is None:
            add(item)
            return
        test = condition(item)
        if is_staged(test) and isinstance(items, list) and not isinstance(iterable, Walk):
            items = GrowingList(items)
        if_(test, lambda: add(item))

    for_(iterable, body)
    if isinstance(items, GrowingList):
        return items if kind in ("list", "generator") else items.as_python(kind)
    return _KINDS[kind](items)


def _is_staged(iterable: Any) -> bool:
    """Whether a loop over an iterable is recorded once."""
    trace = current_trace()
    if trace is None:
        return False
    if isinstance(iterable, Filtered):
        return True
    sequence = sequence_of(iterable)
    if sequence is None:
        return False
    length = sequence.length
    if not isinstance(length, int) or is_never_unrolled(sequence):
        return True
    return trace.unrolled * length > settings.unroll_limit


__all__ = ["comprehension"]
