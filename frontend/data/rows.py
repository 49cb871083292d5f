"""Pipelines of elements that lie at row numbers: shuffling, taking and batching are arithmetic on these numbers.

Elements 0 to `full()` have one shape; behind them may be one of another, as the smaller last batch is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...dialect.errors import WeftValueError
from .cursors import RowsCursor
from .elements import Key, Pipeline, applied, batched_spec, mapped, parts_of, rows_of, spec_of, stacked


class Rows(Pipeline):
    """Elements that lie at row numbers."""

    def size(self) -> Any:
        """How many elements there are."""
        raise NotImplementedError

    def full(self) -> Any:
        """How many of them have one shape."""
        return self.size()

    def has_last(self) -> bool:
        """Whether there may be one behind them; True where only the program knows."""
        rest = self.size() - self.full()
        return bool(rest) if isinstance(rest, int) else True

    def begin(self, key: Key) -> Any:
        """The orders of rows in an epoch, as nested tuples of arrays."""
        return ()

    def at(self, orders: Any, index: Any) -> Any:
        """The element at a number, or those at an array of numbers, stacked."""
        raise NotImplementedError

    def last(self, orders: Any) -> Any:
        """The element behind those of one shape."""
        raise NotImplementedError

    def element(self, orders: Any, number: Any) -> Any:
        """The element at a number, also behind those of one shape."""
        if self.has_last() and number == self.full():
            return self.last(orders)
        return self.at(orders, number)

    def spec(self) -> Any:
        """The types of an element, as nested `TensorSpec`."""
        raise NotImplementedError

    def walk(self, key: Key, start: Any) -> Iterator[Any]:
        """The elements of an epoch, from a number on."""
        orders = self.begin(key)
        for number in range(start, self.full()):
            yield self.at(orders, number)
        if self.has_last() and start < self.size() and self.full() < self.size():
            yield self.last(orders)

    def cursor(self, key: Key) -> Any:
        """A place in front of the elements of an epoch."""
        return RowsCursor(self, self.begin(key), self.size())


@dataclass(eq=False)
class Slices(Rows):
    """The rows of arrays."""

    columns: Any

    def size(self) -> Any:
        return parts_of(self.columns)[0][1].shape[0]

    def at(self, orders: Any, index: Any) -> Any:
        return rows_of(self.columns, index)

    def spec(self) -> Any:
        return mapped(_spec_of_row, self.columns)


def _spec_of_row(column: Any) -> Any:
    return spec_of(np.empty(column.shape[1:], column.dtype))


@dataclass(eq=False)
class Numbers(Rows):
    """The numbers of a range."""

    start: int
    step: int
    count: int

    def size(self) -> Any:
        return self.count

    def at(self, orders: Any, index: Any) -> Any:
        return as_numbers(self.start + index * self.step)

    def spec(self) -> Any:
        return spec_of(np.int64(0))


def is_number(index: Any) -> Any:
    """Whether an index is the number of one element."""
    return isinstance(index, (int, np.integer)) or np.ndim(index) == 0


def as_numbers(values: Any) -> Any:
    """An element that is a number, or several."""
    return np.int64(values) if is_number(values) else values


@dataclass(eq=False)
class RowStep(Rows):
    """A step on rows, which leaves as they are what its class does not change."""

    inner: Rows

    def size(self) -> Any:
        return self.inner.size()

    def full(self) -> Any:
        return self.inner.full()

    def has_last(self) -> bool:
        return self.inner.has_last()

    def begin(self, key: Key) -> Any:
        return self.inner.begin(key)

    def at(self, orders: Any, index: Any) -> Any:
        return self.inner.at(orders, index)

    def last(self, orders: Any) -> Any:
        return self.inner.last(orders)

    def spec(self) -> Any:
        return self.inner.spec()


@dataclass(eq=False)
class MapRows(RowStep):
    """A function of each element."""

    function: Callable[..., Any]

    def at(self, orders: Any, index: Any) -> Any:
        if is_number(index):
            return applied(self.function, self.inner.at(orders, index))
        return stacked([self.at(orders, index[place]) for place in range(len(index))])

    def last(self, orders: Any) -> Any:
        return applied(self.function, self.inner.last(orders))

    def spec(self) -> Any:
        return spec_of(self.at(self.begin((0,)), 0))


@dataclass(eq=False)
class ShuffleRows(RowStep):
    """The elements in an order that each epoch draws, or one for all."""

    buffer: int | None
    seed: Any
    each_epoch: bool

    def begin(self, key: Key) -> Any:
        draws = drawing(self.seed, key if self.each_epoch else ())
        return drawn_order(draws, self.size(), self.buffer), self.inner.begin(key)

    def at(self, orders: Any, index: Any) -> Any:
        return self.inner.at(orders[1], orders[0][index])


def drawing(seed: Any, key: Key) -> Any:
    """The generator that a seed and the number of an epoch make; in words, of which compiled code makes one itself."""
    return np.random.default_rng(np.array([seed[0], seed[1], *key]).astype(np.uint32))


def drawn_order(draws: Any, size: Any, buffer: int | None) -> Any:
    """An order of rows: each comes out of a buffer that is filled in their own order, at a place that is drawn."""
    if buffer is None:
        return draws.permutation(size)
    if size <= buffer:
        return draws.permutation(size)
    held = np.arange(buffer)
    order = np.empty(size, np.int64)
    for number in range(size - buffer):
        place = draws.integers(buffer)
        order[number] = held[place]
        held[place] = number + buffer
    order[size - buffer :] = held[draws.permutation(buffer)]
    return order


@dataclass(eq=False)
class TakeRows(RowStep):
    """The first elements."""

    count: int

    def size(self) -> Any:
        return min(self.inner.size(), self.count)

    def full(self) -> Any:
        return min(self.inner.full(), self.count)

    def has_last(self) -> bool:
        return Rows.has_last(self)


@dataclass(eq=False)
class SkipRows(RowStep):
    """All elements but the first."""

    count: int

    def size(self) -> Any:
        return max(self.inner.size() - self.count, 0)

    def full(self) -> Any:
        return max(self.inner.full() - self.count, 0)

    def has_last(self) -> bool:
        return Rows.has_last(self)

    def at(self, orders: Any, index: Any) -> Any:
        return self.inner.at(orders, index + self.count)


@dataclass(eq=False)
class EnumerateRows(RowStep):
    """The elements with their numbers."""

    start: int

    def at(self, orders: Any, index: Any) -> Any:
        return as_numbers(index + self.start), self.inner.at(orders, index)

    def last(self, orders: Any) -> Any:
        return np.int64(self.full() + self.start), self.inner.last(orders)

    def spec(self) -> Any:
        return spec_of(np.int64(0)), self.inner.spec()


@dataclass(eq=False)
class RepeatRows(RowStep):
    """The elements several times, in one order."""

    count: int

    def size(self) -> Any:
        return self.inner.size() * self.count

    def full(self) -> Any:
        return self.size()

    def at(self, orders: Any, index: Any) -> Any:
        return self.inner.at(orders, index % self.inner.size())


@dataclass(eq=False)
class ZipRows(Rows):
    """The elements of several pipelines side by side."""

    inner: Any

    def size(self) -> Any:
        return min([part.size() for _, part in parts_of(self.inner)])

    def full(self) -> Any:
        return min([part.full() for _, part in parts_of(self.inner)])

    def begin(self, key: Key) -> Any:
        return mapped(lambda part: Orders(part.begin(key)), self.inner)

    def at(self, orders: Any, index: Any) -> Any:
        return mapped(lambda part, own: part.at(own.orders, index), self.inner, orders)

    def last(self, orders: Any) -> Any:
        full = self.full()
        return mapped(lambda part, own: part.element(own.orders, full), self.inner, orders)

    def spec(self) -> Any:
        return mapped(lambda part: part.spec(), self.inner)


@dataclass(eq=False)
class Orders(Pipeline):
    """The orders of one of several pipelines, as a part of a structure."""

    orders: Any


@dataclass(eq=False)
class BatchRows(RowStep):
    """So many elements together, stacked; the last batch may be smaller."""

    count: int
    drops: bool

    def size(self) -> Any:
        return self.full() + (1 if self.has_last() and self._has_rest() else 0)

    def full(self) -> Any:
        return self.inner.full() // self.count

    def has_last(self) -> bool:
        rest = self._rest()
        if isinstance(rest, int):
            return bool(self._has_rest())
        return not self.drops

    def _rest(self) -> Any:
        """How many elements do not fill a batch of those of one shape."""
        return self.inner.size() - self.full() * self.count

    def _has_rest(self) -> Any:
        return self._rest() == self.count if self.drops else self._rest() > 0

    def at(self, orders: Any, index: Any) -> Any:
        if is_number(index):
            return self.inner.at(orders, np.arange(self.count) + index * self.count)
        inner = (index[:, None] * self.count + np.arange(self.count)).reshape(-1)
        rows = self.inner.at(orders, inner)
        return mapped(lambda part: part.reshape(len(index), self.count, *part.shape[1:]), rows)

    def last(self, orders: Any) -> Any:
        first = self.full() * self.count
        if not self.inner.has_last():
            return self.inner.at(orders, np.arange(first, self.inner.size()))
        items = [self.inner.element(orders, number) for number in range(first, self.inner.size())]
        return stacked(items)

    def spec(self) -> Any:
        return batched_spec(self.inner.spec(), self.count if self.drops else None)


def require_rows(what: str, columns: Any) -> None:
    """Raise unless the arrays of a structure have as many rows each, and at least one array is there."""
    found = parts_of(columns, what)
    if not found:
        raise WeftValueError(f"{what} holds no arrays: a data set has at least one")
    first_name, first = found[0]
    for name, column in found:
        if column.ndim == 0:
            raise WeftValueError(
                f"from_tensor_slices takes rows of arrays, and {name} is a number, which has none: from_tensors makes "
                "one element of it"
            )
        if column.shape[0] != first.shape[0]:
            raise WeftValueError(
                f"from_tensor_slices: {first_name} has {first.shape[0]} rows, but {name} has {column.shape[0]}; an "
                "element is a row of each"
            )
