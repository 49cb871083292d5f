"""Pipelines of elements that come one after the other: their number, or their shapes, are known when they have come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError, WeftTypeError
from ..runtime_values.results import present
from ..signature.feeds import Called, Typed
from ..tracing.current import current_trace
from . import cursors
from .elements import Key, Pipeline, applied, mapped, parts_of, row_of, spec_of, stacked
from .rows import Slices, drawing, drawn_order
from .settled import unsettled

ENDLESS = 2**62
"""More elements than there are."""

INFINITE = -1
"""The number of elements of what has no end."""

UNKNOWN = -2
"""The number of elements where only walking them tells."""


class Stream(Pipeline):
    """Elements that come one after the other."""

    def size(self) -> Any:
        """How many elements there are, or `INFINITE`, or `UNKNOWN`."""
        return UNKNOWN

    def spec(self) -> Any:
        """The types of an element, as nested `TensorSpec`."""
        raise NotImplementedError

    def walk(self, key: Key, start: Any) -> Iterator[Any]:
        """The elements of an epoch, from a number on."""
        for number, item in enumerate(self.elements(key)):
            if number >= start:
                yield item

    def elements(self, key: Key) -> Any:
        """An iterable of the elements of an epoch, where those before a number cannot be passed over."""
        raise NotImplementedError

    def cursor(self, key: Key) -> Any:
        """A place in front of the elements of an epoch, for compiled code that walks several pipelines at once."""
        raise NotImplementedError


def cursor_at(pipeline: Any, key: Key, start: Any) -> Any:
    """A place in an epoch, in front of the element of a number."""
    if current_trace() is None:
        return cursors.WalkCursor(iter(pipeline.walk(key, start)))
    cursor = pipeline.cursor(key)
    if not isinstance(start, int) or start > 0:
        cursors.skip_elements(cursor, start)
    return cursor


def walked(cursor: Any) -> Iterator[Any]:
    """The elements behind a place."""
    trace = current_trace()
    if trace is not None:
        from ..autograph.operators.calls.turns import as_data  # no part of plain Python

        # A loop over what is known while tracing would make lists that have no places.
        cursor = as_data(trace, cursor)
    while cursor.advance():
        yield present(cursor.item)


def first_spec(pipeline: Any) -> Any:
    """The types of the first element of a pipeline, which is computed for it."""
    for item in pipeline.walk((0,), 0):
        return spec_of(item)
    raise UnsupportedError("element_spec: the data set has no elements to tell the types of")


@dataclass(eq=False)
class StreamStep(Stream):
    """A step on a pipeline."""

    inner: Any

    def size(self) -> Any:
        return self.inner.size()

    def spec(self) -> Any:
        return self.inner.spec()


@dataclass(eq=False)
class Calls(Stream):
    """What a function that makes an iterable gives, called anew for each epoch."""

    make: Callable[..., Any]
    arguments: tuple[Any, ...]
    types: Any

    def spec(self) -> Any:
        return first_spec(self) if self.types is None else self.types.nested

    def elements(self, key: Key) -> Any:
        return typed(Called(self.make, self.arguments), self.types)

    def cursor(self, key: Key) -> Any:
        return cursors.cursor_of_items(Called(unsettled(self.make), self.arguments), self.types)


@dataclass(eq=False)
class Items(Stream):
    """The items of any iterable."""

    iterable: Any
    types: Any

    def spec(self) -> Any:
        return first_spec(self) if self.types is None else self.types.nested

    def elements(self, key: Key) -> Any:
        return typed(self.iterable, self.types)

    def cursor(self, key: Key) -> Any:
        items = typed(self.iterable, self.types)
        if isinstance(items, (list, tuple, np.ndarray)):  # arrays that compiled code has
            return Slices(stacked(list(items))).cursor(key) if len(items) > 0 else cursors.NoElements()
        return cursors.cursor_of_items(self.iterable, self.types)


def typed(items: Any, types: Any) -> Any:
    """Items of types that someone has said, or of those that they have."""
    if types is None:
        return items
    if current_trace() is not None and isinstance(items, (list, tuple, np.ndarray)):
        return [mapped(lambda spec, part: np.asarray(part, spec.dtype), types.nested, item) for item in items]
    return Typed(items, types)


@dataclass(eq=False)
class MapStream(StreamStep):
    """A function of each element."""

    function: Callable[..., Any]

    def spec(self) -> Any:
        return first_spec(self)

    def walk(self, key: Key, start: Any) -> Iterator[Any]:
        for item in self.inner.walk(key, start):
            yield applied(self.function, item)

    def cursor(self, key: Key) -> Any:
        return cursors.MapCursor(self.inner.cursor(key), self.function)


@dataclass(eq=False)
class FilterStream(StreamStep):
    """The elements that a function is true of."""

    predicate: Callable[..., Any]

    def size(self) -> Any:
        return INFINITE if known(self.inner.size()) == INFINITE else UNKNOWN

    def passes(self, item: Any) -> Any:
        """Whether an element is one of them."""
        return as_bool("filter", applied(self.predicate, item))

    def elements(self, key: Key) -> Iterator[Any]:
        for item in self.inner.walk(key, 0):
            if self.passes(item):
                yield item

    def cursor(self, key: Key) -> Any:
        return cursors.FilterCursor(self.inner.cursor(key), self)


def as_bool(what: str, given: Any) -> Any:
    """What a predicate gave, which has to be a bool."""
    given_array = np.asarray(given)
    if given_array.dtype != np.bool_ or given_array.shape != ():
        raise WeftTypeError(
            f"{what}: the predicate returned {given_array.dtype} of shape {given_array.shape}, and has to return a "
            "bool, as x > 0 of a number x gives; np.any or np.all make one of several"
        )
    return given


@dataclass(eq=False)
class TakeStream(StreamStep):
    """The first elements; no more are asked for."""

    count: int

    def size(self) -> Any:
        size = known(self.inner.size())
        return self.count if size == INFINITE else size if size == UNKNOWN else min(size, self.count)

    def walk(self, key: Key, start: Any) -> Iterator[Any]:
        number = start
        if number < self.count:
            for item in self.inner.walk(key, start):
                number += 1
                yield item
                if number >= self.count:
                    break

    def cursor(self, key: Key) -> Any:
        return cursors.TakeCursor(self.inner.cursor(key), self.count)


@dataclass(eq=False)
class SkipStream(StreamStep):
    """All elements but the first."""

    count: int

    def size(self) -> Any:
        size = known(self.inner.size())
        return size if size < 0 else max(size - self.count, 0)

    def walk(self, key: Key, start: Any) -> Iterator[Any]:
        yield from self.inner.walk(key, start + self.count)

    def cursor(self, key: Key) -> Any:
        return cursors.SkipCursor(self.inner.cursor(key), self.count)


@dataclass(eq=False)
class EnumerateStream(StreamStep):
    """The elements with their numbers."""

    first: int

    def spec(self) -> Any:
        return spec_of(np.int64(0)), self.inner.spec()

    def walk(self, key: Key, start: Any) -> Iterator[Any]:
        number = self.first + start
        for item in self.inner.walk(key, start):
            yield np.int64(number), item
            number += 1

    def cursor(self, key: Key) -> Any:
        return cursors.EnumerateCursor(self.inner.cursor(key), self.first)


@dataclass(eq=False)
class RepeatStream(StreamStep):
    """The elements several times, or (with a count of None) again and again; each time is drawn anew."""

    count: int | None

    def size(self) -> Any:
        size = known(self.inner.size())
        if self.count is None:
            return 0 if size == 0 else INFINITE
        return size if size < 0 else size * self.count

    def walk(self, key: Key, start: Any) -> Iterator[Any]:
        number = 0
        repetition = (
            0 * start
        )  # as the place, the program's own: so the loop is recorded from its first turn on
        most = ENDLESS if self.count is None else self.count
        is_left = True
        while is_left and repetition < most:
            is_left = False
            for item in self.inner.walk((*key, repetition), 0):
                is_left = True
                if number >= start:
                    yield item
                number += 1
            repetition += 1

    def cursor(self, key: Key) -> Any:
        return cursors.RepeatCursor(self.inner, key, self.count, self.inner.cursor((*key, 0)))


@dataclass(eq=False)
class ConcatenateStream(StreamStep):
    """The elements of one pipeline, and then those of another."""

    second: Any

    def size(self) -> Any:
        first, second = known(self.inner.size()), known(self.second.size())
        if INFINITE in (first, second):
            return INFINITE
        return UNKNOWN if UNKNOWN in (first, second) else first + second

    def elements(self, key: Key) -> Iterator[Any]:
        yield from self.inner.walk(key, 0)
        yield from self.second.walk(key, 0)

    def cursor(self, key: Key) -> Any:
        return cursors.ConcatenateCursor(self.inner.cursor(key), self.second.cursor(key))


@dataclass(eq=False)
class ZipStream(Stream):
    """The elements of several pipelines side by side."""

    inner: Any

    def size(self) -> Any:
        sizes = [known(part.size()) for _, part in parts_of(self.inner)]
        finite = [size for size in sizes if size != INFINITE]
        if UNKNOWN in finite:
            return UNKNOWN
        return min(finite) if finite else INFINITE

    def spec(self) -> Any:
        return mapped(lambda part: part.spec(), self.inner)

    def walk(self, key: Key, start: Any) -> Iterator[Any]:
        if current_trace() is None:
            yield from side_by_side(self.inner, key, start)
        else:
            yield from walked(cursor_at(self, key, start))

    def cursor(self, key: Key) -> Any:
        return cursors.ZipCursor(mapped(lambda part: part.cursor(key), self.inner))


def side_by_side(structure: Any, key: Key, start: Any) -> Iterator[Any]:
    """The elements of several pipelines, each walked for itself."""
    walks = mapped(lambda part: Walk(part.walk(key, start)), structure)
    while True:
        try:
            item = mapped(lambda walk: next(walk.iterator), walks)
        except StopIteration:
            return
        yield item


@dataclass(eq=False)
class Walk(Pipeline):
    """A walk that has begun, as a part of a structure."""

    iterator: Iterator[Any]


@dataclass(eq=False)
class UnbatchStream(StreamStep):
    """The rows of each element, one by one."""

    def size(self) -> Any:
        size = known(self.inner.size())
        return size if size in (INFINITE, 0) else UNKNOWN

    def spec(self) -> Any:
        return mapped(lambda part: spec_of(np.empty(part.shape[1:], part.dtype)), self.inner.spec())

    def elements(self, key: Key) -> Iterator[Any]:
        for batch in self.inner.walk(key, 0):
            for place in range(count_of_rows(batch)):
                yield row_of(batch, place)

    def cursor(self, key: Key) -> Any:
        return cursors.UnbatchCursor(self.inner.cursor(key))


def count_of_rows(batch: Any) -> Any:
    """How many rows the arrays of a batch have."""
    return parts_of(batch)[0][1].shape[0]


@dataclass(eq=False)
class ShuffleStream(StreamStep):
    """The elements out of a buffer, each from a place that is drawn."""

    buffer: int
    seed: Any
    each_epoch: bool

    def elements(self, key: Key) -> Iterator[Any]:
        yield from walked(self.cursor(key))

    def cursor(self, key: Key) -> Any:
        draws = drawing(self.seed, key if self.each_epoch else ())
        return cursors.ShuffleCursor(cursor_at(self.inner, key, 0), self.buffer, draws, [])


@dataclass(eq=False)
class ShuffleLast(StreamStep):
    """The elements of rows in an order that is drawn, of which one has another shape."""

    buffer: int | None
    seed: Any
    each_epoch: bool

    def order(self, key: Key) -> Any:
        """The row numbers of an epoch."""
        draws = drawing(self.seed, key if self.each_epoch else ())
        return drawn_order(draws, self.inner.size(), self.buffer)

    def walk(self, key: Key, start: Any) -> Iterator[Any]:
        orders = self.order(key), self.inner.begin(key)
        for number in range(start, self.inner.size()):
            yield self.element(orders, number)

    def element(self, orders: Any, number: Any) -> Any:
        """The element of a number in the drawn order."""
        return self.inner.element(orders[1], orders[0][number])

    def cursor(self, key: Key) -> Any:
        return cursors.RowsCursor(self, (self.order(key), self.inner.begin(key)), self.inner.size())


def known(size: Any) -> int:
    """A number of elements as tracing knows it: `UNKNOWN` where only the program does."""
    return size if isinstance(size, int) else UNKNOWN
