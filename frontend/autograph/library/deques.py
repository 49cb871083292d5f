"""`collections.deque`, as a class of the program's own around a list, which branches and loops follow."""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import InPlaceOf


class Deque(InPlaceOf):
    """What compiled code has in the place of a deque: the same methods, messages and order.

    >>> recent = Deque("abcd", maxlen=3)
    >>> recent.appendleft("z")
    >>> recent
    deque(['z', 'b', 'c'], maxlen=3)
    >>> recent.popleft(), len(recent), "c" in recent
    ('z', 2, True)
    """

    python_type = collections.deque
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, iterable: Iterable[Any] = (), maxlen: int | None = None) -> None:
        if maxlen is not None and maxlen < 0:
            raise ValueError("maxlen must be non-negative")
        self._maxlen = maxlen
        self._changes = 0
        self._items = list(iterable)
        if maxlen is not None and len(self._items) > maxlen:
            self._items = self._items[len(self._items) - maxlen :]

    def __weft_parts__(self) -> tuple[Any, Callable[[Any], Any]]:
        return (self._items, self._maxlen), lambda parts: collections.deque(*parts)

    def items_of(self) -> list[Any]:
        return self._items

    @property
    def changes(self) -> int:
        """How often items were added, taken away, or moved, which no loop over the deque may do."""
        return self._changes

    @property
    def maxlen(self) -> int | None:
        """How many items there are at most; None for any number."""
        return self._maxlen

    # Adding

    def append(self, item: Any) -> None:
        """Add an item at the right; a full deque loses the one at the left."""
        self._changes += 1
        self._items.append(item)
        if self._maxlen is not None and len(self._items) > self._maxlen:
            self._items.pop(0)

    def appendleft(self, item: Any) -> None:
        """Add an item at the left; a full deque loses the one at the right."""
        self._changes += 1
        self._items.insert(0, item)
        if self._maxlen is not None and len(self._items) > self._maxlen:
            self._items.pop()

    def extend(self, iterable: Iterable[Any]) -> None:
        """Add items at the right."""
        for item in self.copy() if iterable is self else iterable:
            self.append(item)

    def extendleft(self, iterable: Iterable[Any]) -> None:
        """Add items at the left, one by one, so that the last is the first."""
        for item in self.copy() if iterable is self else iterable:
            self.appendleft(item)

    def insert(self, index: int, item: Any) -> None:
        """Put an item in front of a position."""
        if self._maxlen is not None and len(self._items) >= self._maxlen:
            raise IndexError("deque already at its maximum size")
        self._changes += 1
        self._items.insert(index, item)

    # Taking away

    def pop(self) -> Any:
        """Take the item at the right."""
        if not self._items:
            raise IndexError("pop from an empty deque")
        self._changes += 1
        return self._items.pop()

    def popleft(self) -> Any:
        """Take the item at the left."""
        if not self._items:
            raise IndexError("pop from an empty deque")
        self._changes += 1
        return self._items.pop(0)

    def remove(self, item: Any) -> None:
        """Take the first item away that equals another."""
        if item not in self._items:
            raise ValueError(f"{item!r} is not in deque")
        self._changes += 1
        self._items.remove(item)

    def clear(self) -> None:
        """Take all items away."""
        self._changes += len(self._items)
        self._items.clear()

    # Order

    def reverse(self) -> None:
        """Turn the order around."""
        self._items.reverse()

    def rotate(self, n: int = 1) -> None:
        """Move the last `n` items to the left; negative ones the other way."""
        count = len(self._items)
        if count > 1:
            self._changes += 1
            first = count - n % count
            self._items[:] = self._items[first:] + self._items[:first]

    # Reading and writing

    def copy(self) -> Deque:
        """Another one of the same items."""
        return Deque(self._items, self._maxlen)

    __copy__ = copy

    def count(self, item: Any) -> int:
        """How many items equal another."""
        return self._items.count(item)

    def index(self, item: Any, start: int = 0, stop: int | None = None) -> int:
        """The position of the first item that equals another, of those in a range."""
        items = self._items[start:stop]
        if item not in items:
            raise ValueError(f"{item!r} is not in deque")
        return items.index(item) + (start if start >= 0 else max(len(self._items) + start, 0))

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __reversed__(self) -> Iterator[Any]:
        return iter(reversed(self._items))

    def __contains__(self, item: Any) -> bool:
        return item in self._items

    def _checked(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        if index >= len(self._items) or index < -len(self._items):
            raise IndexError("deque index out of range")
        return index

    def __getitem__(self, index: int) -> Any:
        return self._items[self._checked(index)]

    def __setitem__(self, index: int, item: Any) -> None:
        self._items[self._checked(index)] = item

    def __delitem__(self, index: int) -> None:
        place = self._checked(index)
        self._changes += 1
        del self._items[place]

    # Operators

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Deque):
            raise TypeError(f'can only concatenate deque (not "{type(other).__name__}") to deque')
        made = self.copy()
        made.extend(other)
        return made

    def __iadd__(self, iterable: Any) -> Any:
        self.extend(iterable)
        return self

    def __mul__(self, times: int) -> Deque:
        return Deque(self._items * times, self._maxlen)

    __rmul__ = __mul__

    def __imul__(self, times: int) -> Deque:
        self._items[:] = Deque(self._items * times, self._maxlen)._items
        return self

    def _compared(self, other: Any, compare: Callable[[Any, Any], Any]) -> Any:
        return compare(self._items, other._items) if isinstance(other, Deque) else NotImplemented

    def __eq__(self, other: object) -> Any:
        return self._compared(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._compared(other, operator.ne)

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._compared(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, operator.ge)

    def __repr__(self) -> str:
        return (
            f"deque({self._items!r})"
            if self._maxlen is None
            else f"deque({self._items!r}, maxlen={self._maxlen})"
        )


Deque.__name__ = Deque.__qualname__ = "collections.deque"  # as Python says in its messages


IN_PLACE = (Deque,)
