"""Python's iterators over sequences: how many items were taken is state, which branches and loops follow.

`iter(x)`, `enumerate(x)`, `zip(a, b)`, `map(f, x)`, `reversed(x)` and generator expressions are such: what took items
of one leaves the others for what comes next.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import GeneratorType
from typing import Any, NoReturn

import numpy as np

from .....dialect.errors import UnsupportedError
from .....dialect.records import dataclass
from ....tracing.flat_items import FlatItems
from ..interface import operators
from .iterables import OneByOne, Part, Sequence, characters_of, is_text, item_or_default, sequence_of
from .ranges import Range
from .resolve_grown_lists import resolve_grown_list


def fail(error: Exception) -> NoReturn:
    """Raise what Python raises."""
    raise error


@dataclass(frozen=True)
class PythonItems(Sequence):
    """The items of a list, tuple or string, as they are when they are taken."""

    inner: Any

    @property
    def length(self) -> Any:
        now = resolve_grown_list(self.inner)
        return len(now) if now is self.inner else now.length

    def item(self, position: Any) -> Any:
        now = resolve_grown_list(self.inner)
        return (
            now[position]
            if isinstance(position, int) and now is self.inner
            else operators().item(now, position)
        )


@dataclass(frozen=True)
class HashedItems(Sequence):
    """The items of a dict, set or view, whose number must not change while they are taken."""

    inner: Any
    items: tuple[Any, ...]

    @property
    def length(self) -> int:
        if len(self.inner) != len(self.items):
            kind = "Set" if isinstance(self.inner, (set, frozenset)) else "dictionary"
            fail(RuntimeError(f"{kind} changed size during iteration"))
        return len(self.items)

    def item(self, position: Any) -> Any:
        return operators().item(self.items, position)


def positions_of(sequence: Sequence) -> Iterator[int]:
    """The positions of the items, also of those that come to a list meanwhile."""
    position = 0
    while True:
        length = sequence.length
        if not isinstance(length, int):
            raise UnsupportedError(
                "a list becomes longer or shorter in a branch while a loop walks it, and its length is known only when "
                "the program runs: walk a copy (for item in items.copy()), or write `while i < len(items)`"
            )
        if position >= length:
            return
        yield position
        position += 1


def python_sequence(iterable: Any) -> Sequence | None:
    """The items of a list, tuple or text as a sequence, as `sequence_of` has others."""
    now = resolve_grown_list(iterable)
    return PythonItems(iterable) if now is iterable and type(now) in (list, tuple, str) else sequence_of(now)


def _lies_in_python(sequence: Sequence) -> bool:
    """Whether items are those of a container of Python's, which may hold anything."""
    return isinstance(sequence, (PythonItems, HashedItems)) or any(map(_lies_in_python, sequence.sources))


class SequenceIterator:
    """An iterator over a sequence."""

    __weft_state__ = ("position", "_taker")

    def __init__(self, sequence: Sequence, python_type: type) -> None:
        self.sequence = sequence
        self.python_type = python_type
        """What Python has in its place: a list_iterator, an enumerate, ..."""
        self.position: Any = 0
        """How many items were taken."""
        self._taker: Any = None
        """What takes the items from now on, however many."""

    @property
    def is_in_python(self) -> bool:
        """Whether the items lie in a container of Python's, which may hold anything."""
        return _lies_in_python(self.sequence) and isinstance(self.sequence.length, int)

    @property
    def is_known(self) -> bool:
        """Whether tracing knows which items are left."""
        return isinstance(self.position, int) and isinstance(self.sequence.length, int)

    @property
    def _is_begun(self) -> bool:
        return not isinstance(self.position, int) or self.position > 0

    def require_items(self) -> None:
        """Refuse to take items of an iterator that something else takes items of."""
        if self._taker is not None:
            raise UnsupportedError(
                f"items of this {self.python_type.__name__} are taken that was given to another one or to what ends "
                f"early ({self._taker if isinstance(self._taker, str) else 'on one path'}), and how many that takes is "
                "not followed: make a list of the items before (items = list(iterator)), and take slices of it"
            )

    def taken(self) -> Any:
        """All items that are left, which are taken now: a sequence, or a list of Python's."""
        self.require_items()
        length = self.sequence.length
        if self.is_in_python and isinstance(self.position, int):
            left: Any = list(self)
        else:
            left = Part(self.sequence, self.position) if self._is_begun else self.sequence
        self.position = length
        return left

    def given(self, taker: str) -> Any:
        """The items that are left, for something that takes some of them when it is asked to."""
        self.require_items()
        self._taker = taker
        return Part(self.sequence, self.position) if self._is_begun else self.sequence

    def end(self) -> None:
        """Skip the items that are left, unless something else takes them."""
        if self._taker is None:
            self.position = self.sequence.length

    def take(self) -> Any:
        """The next item, which is known to be there."""
        here = self.position
        self.position = here + 1
        return self.sequence.item(here)

    def __iter__(self) -> SequenceIterator:
        return self

    def __weft_next__(self, *default: Any) -> Any:
        if self.is_known:
            return next(self, *default)
        self.require_items()
        return item_or_default(np.less(self.position, self.sequence.length), self.take, default)

    def __next__(self) -> Any:
        self.require_items()
        if not self.is_known:
            raise UnsupportedError(
                f"the next item of a {self.python_type.__name__} is asked for by Python or a library, and only the "
                "program knows which one that is: take it in converted code, or pass a list of the items"
            )
        if self.position >= self.sequence.length:
            raise StopIteration
        return self.take()

    def __getitem__(self, key: Any) -> NoReturn:
        fail(TypeError(f"'{self.python_type.__name__}' object is not subscriptable"))

    def __repr__(self) -> str:
        return f"<{self.python_type.__name__} object>"


class Held:
    """An iterator that a loop walks, and that something else may take items of later."""

    def __init__(self, iterator: SequenceIterator) -> None:
        self.iterator = iterator


def walked(iterable: Any) -> Any:
    """What a `for` statement walks, where that is no call of a builtin that makes an iterator."""
    return Held(iterable) if isinstance(iterable, SequenceIterator) else iterable


def iterator_over(sequence: Sequence, kind: type) -> SequenceIterator:
    """An iterator over the items of a sequence; TypeError for an array of rank 0."""
    _ = sequence.length
    return SequenceIterator(sequence, kind)


def iter_(iterable: Any, *sentinel: Any) -> Any:
    """`iter`."""
    if sentinel:
        return iter(iterable, *sentinel)
    now = resolve_grown_list(iterable)
    sequence = sequence_of(now)
    if sequence is not None:
        return iterator_over(sequence, _KINDS.get(type(now), _ARRAY_ITERATOR))
    if isinstance(now, (list, tuple, str, bytes)):
        return SequenceIterator(PythonItems(now), type(iter(now)))
    if isinstance(now, (dict, set, frozenset, type({}.keys()), type({}.values()), type({}.items()))):
        return SequenceIterator(HashedItems(now, tuple(now)), type(iter(now)))
    return iter(now)


_ARRAY_ITERATOR = type(iter(np.empty(0)))
_KINDS: dict[type, type] = {range: type(iter(range(0))), Range: type(iter(range(0)))}


def generator_of(items: Any) -> SequenceIterator:
    """What a generator expression gives: its items are made when it is."""
    sequence = PythonItems(items) if type(items) is list else sequence_of(items)
    assert sequence is not None
    return SequenceIterator(sequence, GeneratorType)


def left_of(iterable: Any, taker: str | None = None) -> Any:
    """What is walked in the place of an iterator: all items that are left, or those that a taker will ask for."""
    if isinstance(iterable, FlatItems):
        return iterable.left()
    if isinstance(iterable, OneByOne) and (rest := iterable.rest) is not None:
        return rest.given(taker or "a loop")
    if is_text(iterable):
        return characters_of(iterable)
    if not isinstance(iterable, SequenceIterator):
        return operators().as_walked(iterable) if type(iterable) is list else iterable
    return iterable.taken() if taker is None else iterable.given(taker)


def left_of_each(iterables: tuple[Any, ...], taker: str) -> tuple[Any, ...]:
    """As `left_of`, of iterators that are asked in turn, of which some may be the same one."""
    counts = {id(iterable): 0 for iterable in iterables}
    together = [sum(other is iterable for other in iterables) for iterable in iterables]
    left: dict[int, Any] = {}
    made = []
    for iterable, step in zip(iterables, together, strict=True):
        if isinstance(iterable, SequenceIterator):
            if id(iterable) not in left:
                left[id(iterable)] = iterable.given(taker)
            items = left[id(iterable)]
            made.append(items if step == 1 else Part(items, counts[id(iterable)], step=step))
            counts[id(iterable)] += 1
        else:
            made.append(iterable)
    return tuple(made)
