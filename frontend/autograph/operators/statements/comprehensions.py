"""Comprehensions and generator expressions."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import GeneratorType
from typing import Any

from .....dialect.errors import ConcreteValueError, ControlFlowError, TraceSizeError, UnsupportedError
from .....dialect.records import NamedTuple
from ....settings import settings
from ....tracing.array import TracedArray
from ....tracing.current import current_trace
from ....tracing.recorder import Recorder
from ..branches.checkpoints import Checkpoint
from ..branches.conditions import is_staged
from ..branches.exits import BREAK, Exit
from ..interface import operators
from ..lists.dynamic_lists import GrowingList
from ..lists.kept_items import is_new
from ..tables import carried_tables, hash_tables
from ..tables.python_classes import PythonClass
from ..values.control_flow_state import control_flow
from ..values.hidden_state import note_made, require_own
from ..values.iterables import (
    ENDLESS,
    Mapped,
    Part,
    Sequence,
    Staged,
    Unrolled,
    Zipped,
    is_never_unrolled,
    sequence_of,
)
from ..values.kinds import Tabled
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.sequence_iterators import (
    Held,
    SequenceIterator,
    generator_of,
    iter_,
    left_of,
    python_sequence,
    walked,
)
from ..values.special_methods import iterated
from .expressions import not_
from .fetched_items import walk_of
from .for_loops import for_
from .generators import Picked, Walk
from .items_in_turn import ItemsInTurn, lazily
from .statements import if_

_KINDS: dict[str, Callable[[Any], Any]] = {
    "list": list,
    "set": set,
    "dict": dict,
    "generator": generator_of,  # its items are made when it is
}

_ASKING = ("any", "all", "any_left", "all_left")

_PASSED = {"passed": "list", "passed_on": "generator"}


class _Parts(NamedTuple):
    """What a comprehension says, but for what it walks."""

    kind: str
    element: Callable[[Any], Any]
    condition: Callable[[Any], Any] | None
    flat: bool
    own: bool = False
    """Whether the items are copies."""


def comprehension(
    kind: str,
    iterable: Any,
    element: Callable[[Any], Any],
    condition: Callable[[Any], Any] | None = None,
    flat: bool = False,
) -> Any:
    """`[element(item) for item in iterable if condition(item)]`; with `flat`, what `element` gives is walked too.

    The kinds `any` and `all` ask the items in turn, as those functions do, `any_left` and `all_left` of iterators only,
    which keep those behind the one that decides; `walk` gives them in turn to what walks it; `each` makes one where it
    is asked for, and so does `picked`, of which a condition leaves some out. `passed` is a list, and `passed_on` a
    generator, for what keeps no item.
    Over an array of many entries, or with a condition on run-time values, the list grows when the program runs.
    """
    if kind in _ASKING:
        return _asking(kind, iterable, element, condition)
    trace, own = current_trace(), kind in _PASSED
    kind = _PASSED.get(kind, kind)
    walk = _taken_in_turn(trace, kind, iterable)
    if walk is not None:
        in_turn = ItemsInTurn(walk, element, condition, flat)
        return iter(in_turn) if trace is None else in_turn
    kind = "generator" if kind == "picked" else kind
    if isinstance(iterable, Held):
        is_lazy = trace is None or is_endless(iterable.iterator)
        iterable = iterable.iterator if is_lazy else iterable.iterator.given("a generator expression")
    if kind == "each":
        if (made := _each(trace, iterable, element)) is not None:
            return made
        kind = "generator"
    if kind == "generator" and trace is not None and is_endless(iterable):
        require_own(trace, iterable)
        lazy = lazily(iterable, element, condition, flat)
        note_made(trace, lazy, ())
        return lazy
    iterable = iterated(resolve_grown_list(left_of(walk_of(iterable))))
    require_own(trace, iterable)
    parts = _Parts(kind, element, condition, flat, own and trace is not None)
    if trace is None or not _is_staged(trace, iterable):
        return _collected(parts, iterable, [])
    sequence = sequence_of(iterable)
    length = None if sequence is None else sequence.known_length
    if sequence is None or length is None or is_never_unrolled(sequence):
        return _collected(parts, iterable, _begun(kind))
    checkpoint = Checkpoint.take(trace, (element, condition))
    before, trace.knows_counters = trace.knows_counters, True
    try:
        made = _collected(parts, Staged(sequence), _begun(kind))
        if isinstance(made, GrowingList) and condition is None and not flat:
            made.know_length(length)
        return made
    except (ConcreteValueError, ControlFlowError, UnsupportedError):
        checkpoint.roll_back()
    finally:
        trace.knows_counters = before
    # A loop cannot make the items, or one array not hold them: Python makes each.
    made = _unrolled(trace, parts, Part(sequence, 0, length))
    if sequence.known_length != length:
        raise UnsupportedError("a comprehension changes the list that it walks; walk a copy of it")
    return made


def _taken_in_turn(trace: Recorder | None, kind: str, iterable: Any) -> Any:
    """What a generator expression walks that makes its items when these are asked for; None for other comprehensions.

    One that has a name walks an iterator, which goes on where it was left.
    """
    is_walked = (
        isinstance(iterable, (Held, Walk))
        if kind == "picked"
        else isinstance(iterable, (ItemsInTurn, Picked))
    )
    if kind == "walk" or (kind == "picked" and trace is None) or (kind in ("picked", "each") and is_walked):
        return iterable
    made = iter_(walk_of(iterable)) if kind == "picked" else None
    return walked(made) if isinstance(made, SequenceIterator) else None


def _each(trace: Recorder | None, iterable: Any, element: Callable[[Any], Any]) -> SequenceIterator | None:
    """The items, each made where it is asked for; None where they lie at no places."""
    if trace is None:
        return None
    sequence = python_sequence(left_of(walk_of(iterable), "a generator expression"))
    return None if sequence is None else SequenceIterator(Mapped(element, Zipped((sequence,))), GeneratorType)


def _asking(
    kind: str, iterable: Any, element: Callable[[Any], Any], condition: Callable[[Any], Any] | None
) -> Any:
    """`any` or `all` of the items."""
    function = kind.removesuffix("_left")
    if function == kind or isinstance(iterable, (Held, Walk)):
        return _asked(function, iterable, element, condition)
    items = comprehension("generator", iterable, element, condition)
    return operators().call(any if function == "any" else all, items)


def _asked(
    kind: str, iterable: Any, element: Callable[[Any], Any], condition: Callable[[Any], Any] | None
) -> Any:
    """`any` or `all` of the items: those behind the one that decides are not made."""
    is_decided: Any = False

    def decide() -> Exit:
        nonlocal is_decided
        is_decided = True
        return BREAK

    def ask(item: Any) -> Exit:
        value = element(item)
        return if_(value, decide) if kind == "any" else if_(value, lambda: None, decide)

    for_(
        iterable,
        ask if condition is None else lambda item: if_(condition(item), lambda: ask(item)),
    )
    return is_decided if kind == "any" else not_(is_decided)


def _begun(kind: str) -> Any:
    """A collection whose size only the program knows, with no items."""
    if kind not in ("dict", "set"):
        return GrowingList()
    return carried_tables.make_table(Tabled(PythonClass(dict if kind == "dict" else set), None))


def is_endless(iterable: Any) -> bool:
    """Whether an iterator of Python's own gives items forever."""
    if isinstance(iterable, SequenceIterator):
        return iterable.is_known and iterable.sequence.length is ENDLESS
    if isinstance(iterable, itertools.repeat):
        try:
            iterable.__length_hint__()
        except TypeError:  # what an endless one says
            return True
    return isinstance(iterable, (itertools.count, itertools.cycle))


MOST_ITEMS, MOST_FED = 50_000, 10_000
"""How many items of an iterator without a length are taken while tracing, and how many of a generator, whose code
is recorded for each; most iterators with more do not end."""


class _Count:
    """How many items were taken of an iterable, and what was made of them; not part of the user's state."""

    __weft_state__: tuple[str, ...] = ()

    def __init__(self, iterable: Any) -> None:
        has_length = hasattr(type(iterable), "__len__") or isinstance(iterable, Sequence)
        most = MOST_FED if isinstance(iterable, Walk) else MOST_ITEMS
        self._most = None if has_length or current_trace() is None else most
        self._taken = 0
        self.are_new = True
        """Whether nothing that was there before is, or is in, an item."""

    def one_more(self) -> None:
        """Take note of an item; an error where there seems to be no end."""
        self._taken += 1
        if self._most is not None and self._taken > self._most:
            raise TraceSizeError(
                f"more than {self._most} items of an iterator are taken here while tracing, and no end is in sight: "
                "take the first of them (itertools.islice), or make the items before the call"
            )

    def note(self, value: Any) -> None:
        """Take note of an item that was made."""
        self.are_new = self.are_new and (current_trace() is None or is_new(value))


def _own(value: Any) -> Any:
    """An item with arrays of its own, which nothing else is: who gets the list looks at it now."""
    if isinstance(value, TracedArray) and value.ndim:
        return value.copy()
    return type(value)(map(_own, value)) if type(value) in (list, tuple) else value


def _unrolled(trace: Recorder, parts: _Parts, sequence: Sequence) -> Any:
    """The collection, each item recorded by itself; loops inside may not multiply what that makes."""
    flow = control_flow(trace)
    before = flow.unrolled
    flow.unrolled = before * max(sequence.length, 1)
    try:
        return _collected(parts, Unrolled(sequence), [])
    finally:
        flow.unrolled = before


def _collected(parts: _Parts, iterable: Any, items: Any) -> Any:
    """The collection, begun with no items."""
    kind, element, condition, flat, own = parts

    def add(item: Any) -> None:
        nonlocal items
        value = element(item)
        if own:
            value = _own(value)
        if flat:
            for_(value, append)
        else:
            append(value)

    def append(value: Any) -> None:
        count.note(value)
        if isinstance(items, hash_tables.Table):
            items.put(*value) if kind == "dict" else items.put(value)
        else:
            items.append(value)

    count = _Count(iterable)

    def body(item: Any) -> None:
        nonlocal items
        count.one_more()
        if condition is None:
            add(item)
            return
        test = condition(item)
        if is_staged(test) and isinstance(items, list) and not isinstance(iterable, Walk):
            items = GrowingList(items)
        if_(test, lambda: add(item))

    for_(iterable, body)
    if isinstance(items, hash_tables.Table):
        return items
    if not isinstance(items, GrowingList):
        return operators().call(_KINDS[kind], items)
    if kind == "list":
        return items
    items.is_passed_on = count.are_new
    return generator_of(items) if kind == "generator" else operators().call(_KINDS[kind], items)


def _is_staged(trace: Recorder, iterable: Any) -> bool:
    """Whether a loop over an iterable is recorded once."""
    sequence = sequence_of(iterable)
    if sequence is None:
        return False
    length = sequence.length
    if not isinstance(length, int) or is_never_unrolled(sequence):
        return True
    return control_flow(trace).unrolled * length > settings.unroll_limit
