"""What a staged `for` loop can walk over: anything with a length and an item at a run-time position."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from .....dialect.records import dataclass
from ....signature.traced_value import CompositeValue
from ....source.modules import told
from ....tracing.array import TracedArray
from ....tracing.current import current_trace
from ..interface import operators

ENDLESS = sys.maxsize
"""The length of what has no end."""


class Sequence:
    """A sequence whose items are made when a loop asks for them, at positions that may be run-time numbers."""

    @property
    def length(self) -> Any:
        """The number of items: an int, or a traced one."""
        raise NotImplementedError

    @property
    def known_length(self) -> int | None:
        """The number of items where tracing knows it now, also of what may grow while a loop walks it; else None."""
        return self.length if isinstance(self.length, int) else None

    def item(self, position: Any) -> Any:
        """The item at a position, an int or a traced one, that is known to be there."""
        raise NotImplementedError

    @property
    def sources(self) -> tuple[Sequence, ...]:
        """The sequences each of whose items is, or goes into, one of these."""
        return ()

    def __iter__(self) -> Iterator[Any]:
        length = self.length
        return (self.item(position) for position in range(length))

    def __len__(self) -> int:
        return int(self.length)


@dataclass(frozen=True)
class ArrayItems(Sequence):
    """The entries of an array along its first axis."""

    array: Any

    @property
    def length(self) -> Any:
        if self.array.ndim == 0:
            iter(self.array)  # raises what Python does
        return self.array.shape[0]

    def item(self, position: Any) -> Any:
        trace = current_trace()
        if trace is not None and isinstance(self.array, np.ndarray) and not isinstance(position, TracedArray):
            trace.watch(self.array)
        return self.array[position]


@dataclass(frozen=True)
class Counted(Sequence):
    """The items of a `range` of known bounds."""

    inner: range

    @property
    def length(self) -> int:
        return len(self.inner)

    def item(self, position: Any) -> Any:
        return self.inner.start + position * self.inner.step


@dataclass(frozen=True)
class Made(Sequence):
    """So many items, each made of its position."""

    count: Any
    make: Callable[[Any], Any]

    @property
    def length(self) -> Any:
        return self.count

    def item(self, position: Any) -> Any:
        return self.make(position)


def indices_of(shape: tuple[Any, ...]) -> Made:
    """All indices of an array of a shape, as tuples: `np.ndindex`."""
    length: Any = 1
    for extent in shape:
        length = length * extent

    def index_at(position: Any) -> tuple[Any, ...]:
        index: list[Any] = []
        for extent in reversed(shape):
            index.insert(0, position % extent)
            position = position // extent
        return tuple(index)

    return Made(length, index_at)


class Derived(Sequence):
    """A sequence with an item for each of another one, or of several."""

    inner: Any

    @property
    def sources(self) -> tuple[Sequence, ...]:
        return self.inner if isinstance(self.inner, tuple) else (self.inner,)

    @property
    def length(self) -> Any:
        return self.inner.length

    def item(self, position: Any) -> Any:
        return self.inner.item(position)


@dataclass(frozen=True)
class Enumerated(Derived):
    """`enumerate`."""

    inner: Sequence
    start: Any = 0

    @property
    def known_length(self) -> int | None:
        return self.inner.known_length

    def item(self, position: Any) -> Any:
        return self.start + position, self.inner.item(position)


@dataclass(frozen=True)
class Zipped(Derived):
    """`zip`."""

    inner: tuple[Sequence, ...]
    strict: bool = False

    @property
    def length(self) -> Any:
        lengths = [sequence.length for sequence in self.inner]
        if all(isinstance(length, int) for length in lengths):
            return min(lengths)
        shortest = lengths[0]
        for length in lengths[1:]:
            shortest = np.minimum(shortest, length)
        return shortest._like_python(int)

    @property
    def known_length(self) -> int | None:
        lengths = [
            length for length in (sequence.known_length for sequence in self.inner) if length is not None
        ]
        return min(lengths) if len(lengths) == len(self.inner) else None

    def item(self, position: Any) -> Any:
        return tuple(sequence.item(position) for sequence in self.inner)


@dataclass(frozen=True)
class Reversed(Derived):
    """`reversed`."""

    inner: Sequence

    def item(self, position: Any) -> Any:
        return self.inner.item(self.inner.length - 1 - position)


@dataclass(frozen=True)
class Part(Derived):
    """So many items of a sequence, or all, at equal distances from a position on."""

    inner: Sequence
    start: Any
    count: Any = None
    step: Any = 1

    @property
    def length(self) -> Any:
        if self.count is not None:
            return self.count
        left = self.inner.length - self.start
        return left if self._is_dense else (left + self.step - 1) // self.step

    @property
    def _is_dense(self) -> bool:
        return isinstance(self.step, int) and self.step == 1

    def item(self, position: Any) -> Any:
        return self.inner.item(self.start + (position if self._is_dense else position * self.step))


@dataclass(frozen=True)
class Mapped(Derived):
    """`map`."""

    function: Callable[..., Any]
    inner: Zipped

    def item(self, position: Any) -> Any:
        return self.function(*self.inner.item(position))


class OneByOne:
    """Items that come one after the other: how many, is known behind the last one.

    What `next` gives of those that tell it themselves, and of iterators over sequences, is `__weft_next__`.
    """

    rest: Any = None
    """An iterator over what was not taken, of those of which a list was made where an item was asked for."""


def item_or_default(is_there: Any, item: Callable[[], Any], default: tuple[Any, ...]) -> Any:
    """What `next` gives: an item where there is one, else a default, or without one the end of the iterator."""
    if default:
        return operators().if_exp(is_there, item, lambda: default[0])
    operators().if_(operators().not_(is_there), lambda: operators().raise_(StopIteration))
    return item()


@dataclass(frozen=True)
class Unrolled:
    """An iterable whose loop is to be unrolled (`weft.unroll`)."""

    items: Any

    def sequence(self) -> Sequence | None:
        """What has its items, where compiled code does."""
        sequence = sequence_of(self.items)
        if sequence is not None and not isinstance(sequence.length, int):
            raise UnsupportedError(
                "weft.unroll needs to know the number of iterations, which is known only at run time here; leave it "
                "out, so that the loop is compiled as a loop"
            )
        return sequence

    def __iter__(self) -> Iterator[Any]:
        sequence = self.sequence()
        return iter(self.items if sequence is None else sequence)


@dataclass(frozen=True)
class Staged(Derived):
    """A sequence whose loop is not to be unrolled (`weft.range`)."""

    inner: Sequence


def is_never_unrolled(sequence: Sequence) -> bool:
    """Whether a loop over a sequence is to be compiled as a loop."""
    return isinstance(sequence, Staged) or any(map(is_never_unrolled, sequence.sources))


def is_text(value: Any) -> bool:
    """Whether a value is a string that is made when the program runs."""
    return told(type(value), "__weft_text__") is not None


def characters_of(text: Any) -> Made:
    """The characters of a string that is made when the program runs."""
    return Made(text.length, text.__getitem__)


def sequence_of(iterable: Any) -> Sequence | None:
    """The sequence that a loop over an iterable can be staged on; None for what only Python can walk."""
    if isinstance(iterable, Sequence):
        return iterable
    as_sequence = getattr(type(iterable), "__weft_items__", None)
    if as_sequence is not None:
        sequence: Sequence = as_sequence(iterable)
        return sequence
    if isinstance(iterable, TracedArray) or (isinstance(iterable, CompositeValue) and iterable.shape):
        return ArrayItems(iterable)
    if isinstance(iterable, range):
        return Counted(iterable)
    if is_text(iterable):
        return characters_of(iterable)
    if isinstance(iterable, np.ndarray) and iterable.ndim and iterable.dtype.kind in "biufc":
        trace = current_trace()
        return None if trace is None else ArrayItems(iterable)
    return None
