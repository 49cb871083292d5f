"""Steps that put elements together in other ways: windows, data sets of elements, padded batches, what is kept."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...dialect.errors import WeftTypeError
from ..runtime_values.results import present
from ..signature.element_kinds import names_in
from ..tracing.current import current_trace
from . import cursors
from .batches import BatchStream, room, with_row
from .elements import Key, Pipeline, applied, batched_spec, mapped, parts_of, rows_of, stacked
from .rows import Rows, RowStep, Slices
from .settled import settled
from .streams import ENDLESS, INFINITE, UNKNOWN, Items, StreamStep, cursor_at, first_spec, known

# Windows


@dataclass(eq=False)
class Part(RowStep):
    """Elements of rows at equal distances, in orders that were drawn before."""

    orders: Any
    first: Any
    stride: int
    count: Any
    may_end: bool = False
    """Whether the row of another shape may be one of them."""

    def size(self) -> Any:
        return self.count

    def full(self) -> Any:
        if not self.may_end:
            return self.count
        ends = self.first + (self.count - 1) * self.stride == self.inner.full()
        return self.count - (1 if ends else 0)

    def has_last(self) -> bool:
        return self.may_end and Rows.has_last(self)

    def begin(self, key: Key) -> Any:
        return self.orders

    def at(self, orders: Any, index: Any) -> Any:
        return self.inner.at(orders, self.first + index * self.stride)


@dataclass(eq=False)
class Component(RowStep):
    """One part of each element, which the steps to it tell."""

    path: tuple[Any, ...]

    def at(self, orders: Any, index: Any) -> Any:
        return picked(self.inner.at(orders, index), self.path)

    def last(self, orders: Any) -> Any:
        return picked(self.inner.last(orders), self.path)

    def spec(self) -> Any:
        return picked(self.inner.spec(), self.path)


def picked(value: Any, path: tuple[Any, ...]) -> Any:
    """The part of a structure that steps lead to."""
    for step in path:
        value = value[step] if isinstance(value, (tuple, dict)) else getattr(value, step)
    return value


def components(make: Callable[[Any], Any], structure: Any, rows: Rows, path: tuple[Any, ...]) -> Any:
    """A structure with a data set of its rows in the place of each part."""
    if isinstance(structure, tuple):
        parts = [components(make, part, rows, (*path, place)) for place, part in enumerate(structure)]
        return type(structure)(*parts) if names_in(structure) else tuple(parts)
    if isinstance(structure, dict):
        return {name: components(make, part, rows, (*path, name)) for name, part in structure.items()}
    return make(Component(rows, path) if path else rows)


@dataclass(eq=False)
class Windows(StreamStep):
    """Data sets of so many elements, at equal distances from each other."""

    make: Callable[[Any], Any]
    width: int
    shift: int
    stride: int
    drops: bool

    def size(self) -> Any:
        size = known(self.inner.size())
        return size if size < 0 else self.count(size, self.drops)

    def count(self, size: Any, drops: bool) -> Any:
        """How many windows there are; those that are full, or all."""
        reach = (self.width - 1) * self.stride if drops else 0
        return max((size - reach + self.shift - 1) // self.shift, 0)

    def spec(self) -> Any:
        return first_spec(self)

    def walk(self, key: Key, start: Any) -> Iterator[Any]:
        if isinstance(self.inner, Rows):
            structure, orders, size = self.inner.spec(), self.inner.begin(key), self.inner.size()
            alike = self.count(self.inner.full(), True)
            for number in range(start, alike):
                part = Part(self.inner, orders, number * self.shift, self.stride, self.width)
                yield components(self.make, structure, part, ())
            for number in range(max(start, alike), self.count(size, self.drops)):
                yield self.element(orders, number)
        else:
            ring: Any  # of no value in front of the loop
            number, first = 0, 0
            for item in self.inner.walk(key, 0):
                ring = self.begun(item) if number == 0 else self.placed(ring, number, item)  # noqa: F821
                number += 1
                if number == first + self.reach():
                    if first >= start * self.shift:
                        yield self.held(ring, first, self.width)
                    first += self.shift
            while first < number and not self.drops:
                if first >= start * self.shift:
                    yield self.held(ring, first, self.rest(number, first))
                first += self.shift

    def element(self, orders: Any, number: Any) -> Any:
        """The window of a number, of rows."""
        first = number * self.shift
        count = self.width if self.drops else self.rest(self.inner.size(), first)
        part = Part(self.inner, orders, first, self.stride, count, self.inner.has_last())
        return components(self.make, self.inner.spec(), part, ())

    def rest(self, size: Any, first: Any) -> Any:
        """How many of so many elements are in the window that begins at one of them."""
        return min((size - first + self.stride - 1) // self.stride, self.width)

    def cursor(self, key: Key) -> Any:
        if isinstance(self.inner, Rows):
            return cursors.RowsCursor(self, self.inner.begin(key), self.count(self.inner.size(), self.drops))
        return cursors.WindowCursor(self.inner.cursor(key), self)

    # Of streams: the last elements, as many as a window reaches over, in a ring

    def reach(self) -> int:
        """How many elements there are from the first to the last of a window."""
        return (self.width - 1) * self.stride + 1

    def begun(self, item: Any) -> Any:
        """A ring, with the first element in it."""
        if current_trace() is None:
            return [item] * self.reach()
        return mapped(lambda part: with_row(0, room(self.reach(), part), part), item)

    def placed(self, ring: Any, number: Any, item: Any) -> Any:
        """The ring, with the element of a number."""
        place = number % self.reach()
        if current_trace() is None:
            ring[place] = item
            return ring
        return mapped(functools.partial(with_row, place), ring, item)

    def held(self, ring: Any, first: Any, count: Any) -> Any:
        """The window of so many elements from a number on, out of the ring; compiled code knows its greatest size."""
        if current_trace() is None:
            places = [(first + number * self.stride) % self.reach() for number in range(count)]
            found = [ring[place] for place in places]
            return components(self.make, found[0], listed(found), ())
        found = rows_of(ring, (first + np.arange(self.width) * self.stride) % self.reach())
        return components(self.make, ring, Part(Slices(found), (), 0, 1, count), ())


def listed(items: list[Any]) -> Any:
    """A pipeline of elements that are there: rows, where their arrays are of one shape each."""
    shapes = [[np.shape(part) for _, part in parts_of(item)] for item in items]
    return Slices(stacked(items)) if all(shape == shapes[0] for shape in shapes) else Items(items, None)


# Data sets of elements


@dataclass(eq=False)
class FlatMap(StreamStep):
    """The elements of the data set that a function makes of each element."""

    function: Callable[..., Any]

    def size(self) -> Any:
        return UNKNOWN

    def spec(self) -> Any:
        return first_spec(self)

    def opened(self, item: Any, key: Key) -> Any:
        """A place in front of the elements of the data set of an element."""
        pipeline = pipeline_of(applied(self.function, item))
        if current_trace() is not None:
            pipeline = settled(pipeline)
        return cursor_at(pipeline, key, 0)

    def elements(self, key: Key) -> Iterator[Any]:
        for place, item in enumerate(self.inner.walk(key, 0)):
            yield from pipeline_of(applied(self.function, item)).walk((*key, place), 0)

    def cursor(self, key: Key) -> Any:
        places = cursors.Slots([cursors.Slot()])
        return cursors.InterleaveCursor(cursor_at(self.inner, key, 0), self, key, places, ENDLESS)


@dataclass(eq=False)
class Interleave(FlatMap):
    """As `FlatMap`, of several data sets in turn."""

    cycle: int
    block: int

    def elements(self, key: Key) -> Iterator[Any]:
        cursor = self.cursor(key)
        while cursor.is_left():
            if cursor.step():
                yield mapped(begun_anew, present(cursor.item))

    def cursor(self, key: Key) -> Any:
        trace = current_trace()
        places: Any = cursors.Slots([cursors.Slot() for _ in range(self.cycle)])
        if trace is None:
            return cursors.InterleaveCursor(cursor_at(self.inner, key, 0), self, key, places, self.block)
        from ..autograph.operators.calls.turns import Form, as_data  # no part of plain Python

        form = Form(trace, functools.partial(self.first_place, key, functools.partial(as_data, trace)))
        if form.is_even:
            places = cursors.Ring(form, np.zeros(self.cycle, np.bool_), [])
        sources = cursor_at(self.inner, key, 0)
        return as_data(trace, cursors.InterleaveCursor(sources, self, key, places, self.block))

    def first_place(self, key: Key, as_data: Callable[[Any], Any]) -> Any:
        """A place behind the first element of the first data set, to see of what it is."""
        elements = as_data(cursor_at(self.inner, key, 0))
        elements.advance()
        item = present(elements.item)
        if item is None:
            return None
        cursor = self.opened(item, (*key, 0))
        cursor.advance()
        return cursor


def begun_anew(part: Any) -> Any:
    """A part of an element; of a window, in which a walk has its place, one that no place in a pipeline holds."""
    window: Any = part
    return type(window)(window.pipeline, np.zeros(3, np.int64)) if isinstance(part, Pipeline) else part


def pipeline_of(made: Any) -> Any:
    """The pipeline of a data set that a function has made."""
    if not isinstance(made, Pipeline) or not hasattr(made, "pipeline"):
        raise WeftTypeError(
            f"flat_map and interleave take a function that makes a data set of each element, not "
            f"{type(made).__name__}: Dataset.from_tensor_slices(array) makes one of its rows"
        )
    return made.pipeline


# Batches of what comes again


@dataclass(eq=False)
class RepeatedBatches(StreamStep):
    """Batches of rows that come several times, or (with a count of None) again and again, in orders drawn each time.

    A batch has elements of two repetitions at most.
    """

    repetitions: int | None
    count: int
    drops: bool

    def size(self) -> Any:
        if self.repetitions is None:
            return INFINITE
        total = self.inner.size() * self.repetitions
        return total // self.count if self.drops else -(-total // self.count)

    def spec(self) -> Any:
        return batched_spec(self.inner.spec(), self.count if self.drops else None)

    def walk(self, key: Key, start: Any) -> Iterator[Any]:
        size = self.inner.size()
        # A number also where there is no end, so that the loop is one of the program's from its first turn on.
        total = ENDLESS if self.repetitions is None else size * self.repetitions
        place = start * self.count
        repetition = place // size
        orders, following = self.inner.begin((*key, repetition)), self.inner.begin((*key, repetition + 1))
        while place + self.count <= total:
            first = place - repetition * size
            if first + self.count <= size:
                batch = self.inner.at(orders, first + np.arange(self.count))
            else:
                batch = rows_of_both(self.inner, orders, following, first + np.arange(self.count))
            place += self.count
            yield batch
            if place >= (repetition + 1) * size:
                repetition += 1
                orders, following = following, self.inner.begin((*key, repetition + 1))
        if self.repetitions is not None and not self.drops and total % self.count and place < total:
            first = place - repetition * size
            yield rows_of_both(self.inner, orders, following, first + np.arange(total % self.count))

    def cursor(self, key: Key) -> Any:
        again = cursors.RepeatCursor(self.inner, key, self.repetitions, self.inner.cursor((*key, 0)))
        return cursors.BatchCursor(again, BatchStream(again, self.count, self.drops))


def rows_of_both(rows: Rows, orders: Any, following: Any, numbers: Any) -> Any:
    """The rows at some numbers, of which those behind the last are of the next repetition."""
    size = rows.size()
    present = rows.at(orders, np.minimum(numbers, size - 1))
    next_ones = rows.at(following, np.maximum(numbers - size, 0))
    return mapped(functools.partial(chosen_rows, numbers < size), present, next_ones)


def chosen_rows(is_first: Any, first: Any, second: Any) -> Any:
    """The rows of one array where a mask says so, else of another."""
    return np.where(is_first.reshape(-1, *[1] * (first.ndim - 1)), first, second)


# What is kept


@dataclass(eq=False)
class CacheRows(RowStep):
    """Elements that are computed at the beginning of the first epoch, and kept in arrays."""

    columns: Any
    is_filled: Any

    def begin(self, key: Key) -> Any:
        if not self.is_filled[0]:
            orders = self.inner.begin((0,))
            for number in range(self.inner.size()):
                store(self.columns, number, self.inner.at(orders, number))
            self.is_filled[0] = True
        return ()

    def at(self, orders: Any, index: Any) -> Any:
        return rows_of(self.columns, index)


def store(columns: Any, number: Any, item: Any) -> None:
    """Put an element into arrays."""
    for (_, column), (_, part) in zip(parts_of(columns), parts_of(item), strict=True):
        column[number] = part


def columns_for(rows: Rows) -> Any:
    """Arrays that hold all elements of rows."""
    size = rows.size()
    return mapped(lambda part: np.zeros((size, *part.shape), part.dtype), rows.spec())


@dataclass(eq=False)
class CacheStream(StreamStep):
    """The elements of the first walk to the end, which Python keeps; in compiled code they are computed anew."""

    kept: list[Any]
    is_filled: Any

    def walk(self, key: Key, start: Any) -> Iterator[Any]:
        if current_trace() is not None:
            yield from self.inner.walk((0,), start)
        elif self.is_filled[0]:
            yield from self.kept[int(start) :]
        else:
            found: list[Any] = []
            for number, item in enumerate(self.inner.walk((0,), 0)):
                found.append(item)
                if number >= start:
                    yield item
            self.kept[:] = found
            self.is_filled[0] = True

    def cursor(self, key: Key) -> Any:
        return self.inner.cursor((0,))
