"""What lists can do, for lists whose length is known only at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...array import TracedArray
from ...numpy_api import lookup
from ...staging import current_trace
from .abstract import ArrayKind
from .namespace import OPERATORS

if TYPE_CHECKING:
    from .growing import GrowingList


class ListMethods:
    """The methods and operators of lists, in terms of arrays of the items that are rearranged."""

    # Adding

    def extend(self: GrowingList, items: Any) -> None:
        """Add several items."""
        OPERATORS.for_(items.copy() if items is self else items, self.append)

    def insert(self: GrowingList, index: Any, item: Any) -> None:
        """Put an item in front of a position."""
        place = self._clamped(index, self.length)
        self.append(item)
        last = self.length - 1
        self.rearrange(
            lambda a: _joined(a[:place], a[last : last + 1], a[place:last], a[last + 1 :]), self.length
        )

    def __iadd__(self: GrowingList, items: Any) -> GrowingList:
        self.extend(items)
        return self

    def __add__(self: GrowingList, items: Any) -> GrowingList:
        made = self.copy()
        made.extend(items)
        return made

    def __radd__(self: GrowingList, items: Any) -> GrowingList:
        made = type(self)(items)
        made.extend(self)
        return made

    def __mul__(self: GrowingList, times: Any) -> GrowingList:
        made = self.taken(slice(0, 0))

        def again(_: Any) -> None:
            made.extend(self)

        OPERATORS.for_(OPERATORS.call(range, times), again)
        return made

    __rmul__ = __mul__

    # Taking away

    def pop(self: GrowingList, index: Any = -1) -> Any:
        """Take an item away, and return it."""
        trace = current_trace()
        assert trace is not None, "a list grows only while a trace is recorded"
        trace.raise_if(np.equal(self.length, 0), "IndexError", "pop from empty list")
        position = self._checked(index, "pop index out of range")
        item = self.item(position)
        self._remove(position, position + 1)
        return item

    def remove(self: GrowingList, item: Any) -> None:
        """Take the first item away that equals another."""
        position = self._found(item, lambda: [].remove(0))
        self._remove(position, position + 1)

    def __delitem__(self: GrowingList, index: Any) -> None:
        if not isinstance(index, slice):
            position = self._checked(index, "list assignment index out of range")
            self._remove(position, position + 1)
            return
        self._remove(*self._bounds(index, "deleting"))

    def _remove(self: GrowingList, start: Any, stop: Any) -> None:
        """Take the items of a range away: they go behind the end."""
        self.rearrange(
            lambda a: _joined(a[:start], a[stop:], a[start:stop]), _as_int(self.length - (stop - start))
        )

    # Reading and writing

    def __getitem__(self: GrowingList, index: Any) -> Any:
        if isinstance(index, slice):
            return self.taken(index)
        return self.item(self._checked(index, "list index out of range"))

    def __setitem__(self: GrowingList, index: Any, item: Any) -> None:
        if not isinstance(index, slice):
            position = self._checked(index, "list assignment index out of range")
            self.put(position, item)
            return
        start, stop = self._bounds(index, "assigning to")
        made = self.taken(slice(0, start))
        made.extend(item)
        made.extend(self.taken(slice(stop, None)))
        self.adopt(made)

    def _checked(self: GrowingList, index: Any, message: str) -> Any:
        """A position from the start; out of range is an `IndexError` when the program runs."""
        if not isinstance(index, TracedArray):
            index = index.__index__()
        elif index.dtype.kind not in "iub":
            raise TypeError(f"list indices must be integers or slices, not {index.dtype.name}")
        length = self.length
        outside = np.logical_or(np.greater_equal(index, length), np.less(index, -length))
        trace = current_trace()
        assert trace is not None, "a list grows only while a trace is recorded"
        trace.raise_if(trace.wrap(trace.value_of(outside)), "IndexError", message)
        return _as_int(np.where(np.less(index, 0), index + length, index))

    def _clamped(self: GrowingList, index: Any, length: Any) -> Any:
        """A bound from the start, moved into the list."""
        from_start = np.where(np.less(index, 0), index + length, index)
        return _as_int(np.clip(from_start, 0, length))

    def _bounds(self: GrowingList, index: slice, what: str) -> tuple[Any, Any]:
        """Start and stop of a slice without a step."""
        if index.step not in (None, 1):
            self.refuse(f"{what} a slice with a step")
        length = self.length
        start = 0 if index.start is None else self._clamped(index.start, length)
        stop = length if index.stop is None else self._clamped(index.stop, length)
        return start, _as_int(np.maximum(start, stop))

    # Order

    def reverse(self: GrowingList) -> None:
        """Turn the order around."""
        length = self.length
        self.rearrange(lambda a: _joined(a[:length][::-1], a[length:]), length)

    def sort(self: GrowingList, *, key: Callable[[Any], Any] | None = None, reverse: bool = False) -> None:
        """Sort the items."""
        self.adopt(OPERATORS.sorted_list(self, key, reverse))

    # Comparing

    def __contains__(self: GrowingList, item: Any) -> bool:
        return bool(self.holds(item))

    def holds(self: GrowingList, item: Any) -> Any:
        """Whether an item is there."""
        return np.any(self._equal(item))._like_python(bool)

    def count(self: GrowingList, item: Any) -> Any:
        """How many items equal another."""
        return _as_int(np.sum(self._equal(item)))

    def index(self: GrowingList, item: Any) -> Any:
        """The position of the first item that equals another."""
        return self._found(item, lambda: [].index(0))

    def _equal(self: GrowingList, item: Any) -> Any:
        """Which items equal another."""
        kind = self.kind
        if kind is None:
            return lookup("zeros")((0,), bool)
        if not isinstance(kind, ArrayKind) or kind.type.rank:
            self.refuse("looking for an item in a list of other things than numbers")
        return np.equal(self.stacked(), item)

    def _found(self: GrowingList, item: Any, fails: Callable[[], Any]) -> Any:
        """The position of an item; a `ValueError` as Python raises it where there is none."""
        equal = self._equal(item)
        missing = np.logical_not(np.any(equal))
        OPERATORS.if_(missing, lambda: OPERATORS.raise_(lambda: _not_found(item, fails)))
        return _as_int(np.sum(np.cumsum(equal) == 0))

    def __eq__(self: GrowingList, other: Any) -> Any:
        if not isinstance(other, (list, type(self))):
            return NotImplemented
        length = OPERATORS.call(len, other)
        return OPERATORS.and_(np.equal(self.length, length)._like_python(bool), lambda: self._all_equal(other))

    def __ne__(self: GrowingList, other: Any) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else OPERATORS.not_(equal)

    def _all_equal(self: GrowingList, other: Any) -> Any:
        """Whether all items equal those of a list of the same length."""
        return OPERATORS.call(all, (one == two for one, two in ())) if other == [] and False else _same(self, other)


def _same(one: GrowingList, other: Any) -> Any:
    pairs = OPERATORS.call(zip, one, type(one).of(other))
    return OPERATORS.call(all, OPERATORS.call(map, lambda a, b: a == b, *_unzipped(pairs)))


def _not_found(item: Any, fails: Callable[[], Any]) -> ValueError:
    """What Python says where an item is not found, which differs between its versions."""
    try:
        fails()
    except ValueError as error:
        head, shows_item, tail = str(error).partition("0")
        return ValueError(OPERATORS.fstring(head, (item, "r", ""), tail) if shows_item else head)
    raise AssertionError("nothing is found in an empty list")


def _joined(*parts: Any) -> Any:
    return lookup("concatenate")(parts)


def _as_int(number: Any) -> Any:
    """A number that was just computed, as Python's int."""
    return number.copy()._like_python(int) if isinstance(number, TracedArray) else int(number)


__all__ = ["ListMethods"]
