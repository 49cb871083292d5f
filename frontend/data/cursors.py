"""Places in pipelines: elements one at a time, where one loop walks several pipelines.

A loop over one pipeline runs its `walk`. Where pipelines lie side by side (`zip`) or take turns (`interleave`) each has
a cursor, whose state is part of the loop in compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...dialect.callbacks import name_of
from ...dialect.errors import UnsupportedError
from ..runtime_values.results import present
from ..signature.feeds import Called
from ..tracing.current import current_trace
from .elements import Key, Pipeline, applied, mapped, parts_of, row_of


@dataclass(eq=False)
class Cursor(Pipeline):
    """A place in a pipeline."""

    item: Any = field(default=None, kw_only=True)
    """The element that was found last."""

    def advance(self) -> Any:
        """Go to the next element; whether there is one. Behind the end there is none any more."""
        raise NotImplementedError

    def follow(self, cursor: Any) -> Any:
        """Go to the next element of another place, which is this one's; whether there is one."""
        found = cursor.advance()
        if found:
            self.item = present(cursor.item)
        return found


def skip_elements(cursor: Any, count: Any) -> None:
    """Go on by so many elements, or to the end."""
    number = 0
    while number < count and cursor.advance():
        number += 1


@dataclass(eq=False)
class WalkCursor(Cursor):
    """A place in a walk of plain Python."""

    iterator: Iterator[Any]

    def advance(self) -> bool:
        for item in self.iterator:
            self.item = item
            return True
        return False


@dataclass(eq=False)
class FetchedCursor(Cursor):
    """A place in an iterable whose items are fetched when the program runs."""

    items: Any
    turn: Any
    is_left: Any = True

    def advance(self) -> Any:
        if self.is_left:
            self.is_left, item = self.items.next(current_trace(), self.turn)
            if self.is_left:
                self.item = item
        return self.is_left


@dataclass(eq=False)
class NoElements(Cursor):
    """A place behind the end."""

    def advance(self) -> bool:
        return False


def cursor_of_items(iterable: Any, types: Any) -> Any:
    """A place in an iterable of Python's, or of another library."""
    trace = current_trace()
    if trace is None:
        return WalkCursor(iter(iterable))
    from ..autograph.operators.statements.fetched_items import made_of  # no part of plain Python

    source = made_of(trace, iterable, None if types is None else types.items)
    if source is None and types is None and isinstance(iterable, Called):
        raise UnsupportedError(
            f"{name_of(iterable.make)} makes items of arguments that are known when the program runs: so nothing tells "
            "their types but an output_signature, from_generator(..., output_signature=weft.TensorSpec(shape, dtype))"
        )
    if source is None:
        raise UnsupportedError(
            f"the items of this {type(iterable).__name__} are nothing that compiled code can hold: they are arrays and "
            "numbers in tuples, lists, dicts and dataclasses"
        )
    if source.items.spec is None and isinstance(iterable, Called) and iterable.arguments:
        raise UnsupportedError(
            f"{name_of(iterable.make)} has no items at its first arguments: so nothing tells the types of the items "
            "that others may have but an output_signature, from_generator(..., "
            "output_signature=weft.TensorSpec(shape, dtype))"
        )
    turn = source.start(_MOST_AT_ONCE)
    if source.items.spec is None:
        source.items.require_none(trace, turn)
        return NoElements()
    return FetchedCursor(source.items, turn)


_MOST_AT_ONCE = 1024
"""So many data sets of Python's items take turns."""


@dataclass(eq=False)
class RowsCursor(Cursor):
    """A place in elements that lie at numbers."""

    rows: Any
    orders: Any
    size: Any
    number: Any = 0

    def advance(self) -> Any:
        found = False
        if self.number < self.size:
            self.item = self.rows.element(self.orders, self.number)
            self.number += 1
            found = True
        return found


@dataclass(eq=False)
class MapCursor(Cursor):
    inner: Any
    function: Callable[..., Any]

    def advance(self) -> Any:
        found = self.inner.advance()
        if found:
            self.item = applied(self.function, present(self.inner.item))
        return found


@dataclass(eq=False)
class FilterCursor(Cursor):
    inner: Any
    pipeline: Any

    def advance(self) -> Any:
        found = False
        while not found and self.inner.advance():
            item = present(self.inner.item)
            if self.pipeline.passes(item):
                self.item = item
                found = True
        return found


@dataclass(eq=False)
class TakeCursor(Cursor):
    inner: Any
    count: Any
    taken: Any = 0

    def advance(self) -> Any:
        found = False
        if self.taken < self.count and self.follow(self.inner):
            self.taken += 1
            found = True
        return found


@dataclass(eq=False)
class SkipCursor(Cursor):
    inner: Any
    count: Any
    is_begun: Any = False

    def advance(self) -> Any:
        if not self.is_begun:
            skip_elements(self.inner, self.count)
            self.is_begun = True
        return self.follow(self.inner)


@dataclass(eq=False)
class EnumerateCursor(Cursor):
    inner: Any
    number: Any

    def advance(self) -> Any:
        found = self.inner.advance()
        if found:
            self.item = np.int64(self.number), present(self.inner.item)
            self.number += 1
        return found


@dataclass(eq=False)
class RepeatCursor(Cursor):
    """One repetition after the other, until one is empty; `count` is None for no end."""

    pipeline: Any
    key: Key
    count: int | None
    inner: Any
    repetition: Any = 0
    is_empty: Any = True

    def advance(self) -> Any:
        found = False
        is_left = self.count is None or self.repetition < self.count
        while is_left and not found:
            if self.inner.advance():
                self.item = present(self.inner.item)
                self.is_empty = False
                found = True
            else:
                is_left = not self.is_empty
                self.repetition += 1
                if self.count is not None and self.repetition >= self.count:
                    is_left = False
                self.inner = self.pipeline.cursor((*self.key, self.repetition))
                self.is_empty = True
        return found


@dataclass(eq=False)
class ConcatenateCursor(Cursor):
    first: Any
    second: Any

    def advance(self) -> Any:
        return self.follow(self.first) or self.follow(self.second)


@dataclass(eq=False)
class ZipCursor(Cursor):
    """Elements side by side, as long as each has one."""

    structure: Any

    def advance(self) -> Any:
        found = True
        for _, cursor in parts_of(self.structure):
            if found:
                found = cursor.advance()
        if found:
            self.item = mapped(lambda cursor: present(cursor.item), self.structure)
        return found


@dataclass(eq=False)
class BatchCursor(Cursor):
    """So many elements together, as the pipeline puts them; the last batch may be smaller."""

    inner: Any
    pipeline: Any

    def advance(self) -> Any:
        number = 0
        batch: Any  # of no value in front of the loop
        while number < self.pipeline.count and self.inner.advance():
            item = present(self.inner.item)
            if number == 0:
                batch = self.pipeline.begun(item)
            else:
                batch = self.pipeline.placed(batch, number, item)
            number += 1
        found = number == self.pipeline.count if self.pipeline.drops else number > 0
        if found:
            self.item = batch if self.pipeline.drops else self.pipeline.begin_of(batch, number)
        return found


@dataclass(eq=False)
class WindowCursor(Cursor):
    """The elements of one window after the other, out of the ring that the pipeline keeps."""

    inner: Any
    pipeline: Any
    ring: Any = None
    number: Any = 0
    first: Any = 0

    def advance(self) -> Any:
        found, is_left = False, True
        while is_left and not found:
            is_left = self.inner.advance()
            if is_left:
                item = present(self.inner.item)
                if self.number == 0:
                    self.ring = self.pipeline.begun(item)
                else:
                    # A copy: places that take turns hold one another's rings.
                    ring = mapped(lambda part: part.copy(), present(self.ring))
                    self.ring = self.pipeline.placed(ring, self.number, item)
                self.number += 1
                found = self.number == self.first + self.pipeline.reach()
        if not found:
            found = self.first < self.number and not self.pipeline.drops
        if found:
            count = self.pipeline.rest(self.number, self.first)
            self.item = self.pipeline.held(present(self.ring), self.first, count)
            self.first += self.pipeline.shift
        return found


@dataclass(eq=False)
class UnbatchCursor(Cursor):
    inner: Any
    batch: Any = None
    place: Any = 0
    size: Any = 0

    def advance(self) -> Any:
        is_left = True
        while is_left and self.place >= self.size:
            is_left = self.inner.advance()
            if is_left:
                self.batch = present(self.inner.item)
                self.size = parts_of(self.batch)[0][1].shape[0]
                self.place = 0
        if is_left:
            self.item = row_of(self.batch, self.place)
            self.place += 1
        return is_left


@dataclass(eq=False)
class ShuffleCursor(Cursor):
    """Elements out of a buffer, each from a place that is drawn."""

    inner: Any
    buffer: int
    draws: Any
    held: list[Any]
    order: Any = None
    number: Any = 0

    def advance(self) -> Any:
        found = False
        if self.order is None:
            while len(self.held) < self.buffer and self.inner.advance():
                self.held.append(present(self.inner.item))
            found = self.inner.advance()
            if found:
                place = self.draws.integers(self.buffer)
                self.item = self.held[place]
                self.held[place] = present(self.inner.item)
            else:
                self.order = self.draws.permutation(len(self.held))
        if not found and self.number < len(self.held):
            self.item = self.held[present(self.order)[self.number]]
            self.number += 1
            found = True
        return found


@dataclass(eq=False)
class InterleaveCursor(Cursor):
    """A block of the elements of each data set that is open in turn; another is opened where one is at its end."""

    sources: Any
    pipeline: Any
    key: Key
    places: Any
    block: int
    taken: Any = 0
    opened: Any = 0
    idle: Any = 0
    """How many places one after the other had nothing."""
    has_sources: Any = True

    def advance(self) -> Any:
        found = False
        while not found and self.is_left():
            found = self.step()
        return found

    def is_left(self) -> Any:
        """Whether elements may come."""
        return self.idle < self.places.count()

    def step(self) -> Any:
        """Ask the place whose turn it is for an element; whether it has one."""
        if not self.places.is_open() and self.has_sources:
            self.has_sources = self.sources.advance()
            item = self.sources.item
            self.sources.item = None  # no part of what a loop carries
            if self.has_sources:
                self.places.open(self.pipeline.opened(present(item), (*self.key, self.opened)))
                self.opened += 1
        found = False
        if self.places.is_open():
            found = self.places.advance()
        if found:
            self.item = present(self.places.item)
            self.taken += 1
            self.idle = 0
        else:
            self.idle += 1
            if self.has_sources:
                self.idle = 0
        if not found or self.taken >= self.block:
            self.taken = 0
            self.places.turn()
        return found


@dataclass(eq=False)
class Slot(Pipeline):
    """One of the places of `interleave`, with the data set that is open there."""

    cursor: Any = None
    is_open: Any = False


@dataclass(eq=False)
class Slots(Pipeline):
    """The places of `interleave`, with the data sets that are open there; the one whose turn it is comes first."""

    slots: list[Slot]
    item: Any = None

    def count(self) -> int:
        """How many places there are."""
        return len(self.slots)

    def is_open(self) -> Any:
        """Whether a data set is open at the place whose turn it is."""
        return self.slots[0].is_open

    def open(self, cursor: Any) -> None:
        """Have the elements of a data set at this place."""
        self.slots[0].cursor = cursor
        self.slots[0].is_open = True

    def advance(self) -> Any:
        """Go to the next element of this place; where there is none it is open no more."""
        slot = self.slots[0]
        found = slot.cursor.advance()
        if found:
            self.item = present(slot.cursor.item)
        else:
            slot.is_open = False
        return found

    def turn(self) -> None:
        """Let the next place have its turn."""
        cursor, is_open = self.slots[0].cursor, self.slots[0].is_open
        for place in range(1, len(self.slots)):
            self.slots[place - 1].cursor = self.slots[place].cursor
            self.slots[place - 1].is_open = self.slots[place].is_open
        self.slots[-1].cursor, self.slots[-1].is_open = cursor, is_open


@dataclass(eq=False)
class Ring(Pipeline):
    """As `Slots`, in compiled code: what changes of them lies in a list, and one text is for all."""

    form: Any
    """What they have in common."""
    opens: Any
    held: list[Any]
    place: Any = 0
    item: Any = None

    def count(self) -> int:
        return len(self.opens)

    def is_open(self) -> Any:
        return self.opens[self.place]

    def open(self, cursor: Any) -> None:
        values = self.form.taken(cursor)
        if self.place < len(self.held):
            self.held[self.place] = values
        else:
            self.held.append(values)
        self.opens[self.place] = True

    def advance(self) -> Any:
        cursor = self.form.made(self.held, self.place)
        found = cursor.advance()
        if found:
            self.item = present(cursor.item)
        else:
            self.opens[self.place] = False
        self.held[self.place] = self.form.taken(cursor)
        return found

    def turn(self) -> None:
        self.place = (self.place + 1) % len(self.opens)
