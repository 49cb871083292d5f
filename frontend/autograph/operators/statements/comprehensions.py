"""Comprehensions and generator expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .....dialect.errors import ConcreteValueError, ControlFlowError, UnsupportedError
from ....settings import settings
from ....tracing.current import current_trace
from ....tracing.recorder import Recorder
from ..branches.checkpoints import Checkpoint
from ..branches.conditions import is_staged
from ..interface import operators
from ..lists.dynamic_lists import GrowingList
from ..values.control_flow_state import control_flow
from ..values.hidden_state import require_own
from ..values.iterables import Filtered, Prefix, Sequence, Staged, Unrolled, is_never_unrolled, sequence_of
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.sequence_iterators import generator_of, left_of
from ..values.special_methods import iterated
from .for_loops import for_
from .generators import Walk
from .statements import if_

_KINDS: dict[str, Callable[[Any], Any]] = {
    "list": list,
    "set": set,
    "dict": dict,
    "generator": generator_of,  # its items are made when it is
}


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
    trace, iterable = current_trace(), iterated(resolve_grown_list(left_of(iterable)))
    require_own(trace, iterable)
    if trace is None or not _is_staged(trace, iterable):
        return _collected(kind, iterable, element, condition, flat, [])
    sequence = sequence_of(iterable)
    length = None if sequence is None else sequence.known_length
    if sequence is None or length is None or is_never_unrolled(sequence):
        return _collected(kind, iterable, element, condition, flat, GrowingList())
    checkpoint = Checkpoint.take(trace, (element, condition))
    try:
        return _collected(kind, Staged(sequence), element, condition, flat, GrowingList())
    except (ConcreteValueError, ControlFlowError, UnsupportedError):
        checkpoint.roll_back()
    # A loop cannot make the items, or one array not hold them: Python makes each.
    made = _unrolled(trace, kind, Prefix(sequence, length), element, condition, flat)
    if sequence.known_length != length:
        raise UnsupportedError("a comprehension changes the list that it walks; walk a copy of it")
    return made


def _unrolled(
    trace: Recorder,
    kind: str,
    sequence: Sequence,
    element: Callable[[Any], Any],
    condition: Callable[[Any], Any] | None,
    flat: bool,
) -> Any:
    """The collection, each item recorded by itself; loops inside may not multiply what that makes."""
    flow = control_flow(trace)
    before = flow.unrolled
    flow.unrolled = before * max(sequence.length, 1)
    try:
        return _collected(kind, Unrolled(sequence), element, condition, flat, [])
    finally:
        flow.unrolled = before


def _collected(
    kind: str,
    iterable: Any,
    element: Callable[[Any], Any],
    condition: Callable[[Any], Any] | None,
    flat: bool,
    items: Any,
) -> Any:
    """The collection, begun with no items."""

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
        if kind == "generator":
            return generator_of(items)
        return items if kind == "list" else operators().call(_KINDS[kind], items)
    return operators().call(_KINDS[kind], items)


def _is_staged(trace: Recorder, iterable: Any) -> bool:
    """Whether a loop over an iterable is recorded once."""
    if isinstance(iterable, Filtered):
        return True
    sequence = sequence_of(iterable)
    if sequence is None:
        return False
    length = sequence.length
    if not isinstance(length, int) or is_never_unrolled(sequence):
        return True
    return control_flow(trace).unrolled * length > settings.unroll_limit


__all__ = ["comprehension"]
