"""Dicts and sets that are values of a dict whose keys only the program knows, as in `adj[a][b] = w`.

Each is an object of a pool, whose keys and values lie in lists in the order in which they came in. One dict for all of
them says where the key of one of them lies, or lay before others were taken out that were in front of it.
"""

from __future__ import annotations

import operator
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

_MISSING = "no default"


def _by_copy(function: Callable[..., Any]) -> Any:
    """An operator of Python's, of copies that are Python's."""
    return lambda self, other: function(self.copy(), other)


def _method(name: str) -> Any:
    """A method of Python's, of a copy that is Python's."""
    return lambda self, *args: getattr(self.copy(), name)(*args)


class InnerTable:
    """What such dicts and sets have in common."""

    python_type: type
    changed = "dictionary changed size during iteration"
    _number: Any
    """Its number among all of the class, which the pool knows."""
    _places: Any
    """Where the keys of all of them lie, by their numbers."""

    def __init__(self) -> None:
        self._keys: Any = []

    def _place(self, key: Any) -> int:
        place: int = min(self._places.get((self._number, key), -1), len(self._keys) - 1)
        while place >= 0 and self._keys[place] != key:
            place -= 1
        return place

    def _add(self, key: Any) -> None:
        self._places[self._number, key] = len(self._keys)
        self._keys.append(key)

    def _required(self, key: Any) -> int:
        place = self._place(key)
        if place < 0:
            raise KeyError(key)
        return place

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: Any) -> bool:
        return self._place(key) >= 0

    def _require_size(self, size: int) -> None:
        if len(self._keys) != size:
            raise RuntimeError(self.changed)

    def _walk(self) -> Iterator[int]:
        size = len(self._keys)
        place = 0
        while place < size:
            self._require_size(size)
            yield place
            place += 1
        self._require_size(size)

    def __iter__(self) -> Iterator[Any]:
        for place in self._walk():
            yield self._keys[place]

    __hash__ = None  # type: ignore[assignment]
    copy: Any
    __and__, __or__ = _by_copy(operator.and_), _by_copy(operator.or_)
    __sub__, __xor__ = _by_copy(operator.sub), _by_copy(operator.xor)


class InnerDict(InnerTable):
    """What compiled code has in the place of a `dict`."""

    python_type: type = dict

    def __init__(self) -> None:
        super().__init__()
        self._values: Any = []

    @staticmethod
    def fill(made: Any, attributes: dict[str, Any]) -> None:
        """Put what one of these holds into a dict of Python's."""
        dict.update(made, zip(attributes["_keys"], attributes["_values"], strict=True))  # a Counter would add

    def __getitem__(self, key: Any) -> Any:
        return self._values[self._required(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        place = self._place(key)
        if place >= 0:
            self._values[place] = value
        else:
            self._add(key)
            self._values.append(value)

    def __delitem__(self, key: Any) -> None:
        self._take(self._required(key))

    def _take(self, place: int) -> Any:
        self._keys.pop(place)
        return self._values.pop(place)

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        if len(self) != len(other):
            return False
        for place in range(len(self._keys)):
            key = self._keys[place]
            if key not in other or other[key] != self._values[place]:
                return False
        return True

    __hash__ = None

    def __reversed__(self) -> Iterator[Any]:
        return iter(self._keys[::-1])

    def get(self, key: Any, default: Any = None) -> Any:
        """The value of a key, or the default."""
        place = self._place(key)
        if place < 0:
            return default
        return self._values[place]

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """The value of a key, which has the default from now on if it had none."""
        place = self._place(key)
        if place < 0:
            self._add(key)
            self._values.append(default)
            return default
        return self._values[place]

    def pop(self, key: Any, default: Any = _MISSING) -> Any:
        """The value of a key, which is taken out; the default where it is not there."""
        place = self._place(key)
        if place < 0:
            if default is _MISSING:
                raise KeyError(key)
            return default
        return self._take(place)

    def popitem(self) -> Any:
        """The last key with its value, which are taken out."""
        if not self._keys:
            raise KeyError("popitem(): dictionary is empty")
        return self._keys.pop(), self._values.pop()

    def update(self, other: Any = (), **named: Any) -> None:
        """Take over the items of another dict, or pairs of keys and values."""
        for key, value in other.items() if hasattr(other, "items") else other:
            self[key] = value
        for key in named:
            self[key] = named[key]

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]
        self.update(other)
        return self

    def clear(self) -> None:
        """Take all items out."""
        self._keys.clear()
        self._values.clear()

    def copy(self) -> Any:
        """Another dict of the same items."""
        return dict(self.items())

    def keys(self) -> Any:
        """The keys."""
        return InnerKeys(self)

    def values(self) -> Iterator[Any]:
        """The values."""
        for place in self._walk():
            yield self._values[place]

    def items(self) -> Iterator[Any]:
        """Pairs of keys and values."""
        for place in self._walk():
            yield self._keys[place], self._values[place]


class InnerDefaultDict(InnerDict):
    """What compiled code has in the place of a `defaultdict`."""

    python_type: type = defaultdict

    def __init__(self, factory: Any) -> None:
        super().__init__()
        self.default_factory = factory

    @staticmethod
    def fill(made: Any, attributes: dict[str, Any]) -> None:
        """Put what one of these holds into a dict of Python's."""
        made.default_factory = attributes["default_factory"]
        InnerDict.fill(made, attributes)

    def __getitem__(self, key: Any) -> Any:
        place = self._place(key)
        if place < 0:
            self._add(key)
            self._values.append(self.default_factory())
        return self._values[place]


class InnerOrderedDict(InnerDict):
    """What compiled code has in the place of an `OrderedDict`."""

    python_type: type = OrderedDict

    @staticmethod
    def fill(made: Any, attributes: dict[str, Any]) -> None:
        """Put what one of these holds into a dict of Python's."""
        made.update(zip(attributes["_keys"], attributes["_values"], strict=True))

    def copy(self) -> Any:
        """Another one of the same items."""
        return OrderedDict(self.items())

    def popitem(self, last: Any = True) -> Any:
        """The last key with its value, or the first, which are taken out."""
        if not self._keys:
            raise KeyError("dictionary is empty")
        place = len(self._keys) - 1 if last else 0
        return self._keys[place], self._take(place)

    def move_to_end(self, key: Any) -> None:
        """Put an item behind all others."""
        self[key] = self.pop(key)

    def __eq__(self, other: Any) -> Any:
        is_equal = InnerDict.__eq__(self, other)
        if isinstance(other, OrderedDict):
            return is_equal and self._keys == list(other)
        return is_equal

    __hash__ = None


class InnerCounter(InnerDict):
    """What compiled code has in the place of a `Counter`."""

    python_type: type = Counter

    def __getitem__(self, key: Any) -> Any:
        return self.get(key, 0)

    def __delitem__(self, key: Any) -> None:
        self.pop(key, 0)

    def update(self, other: Any = (), **named: Any) -> None:
        """Count items, or add the counts of another one."""
        counts = Counter(other, **named)
        for key in counts:
            self[key] = self.get(key, 0) + counts[key]

    def subtract(self, other: Any) -> None:
        """Take the counts of others away."""
        counts = Counter(other)
        for key in counts:
            self[key] = self.get(key, 0) - counts[key]

    def copy(self) -> Any:
        """Another one of the same counts."""
        return Counter(dict(self.items()))

    most_common, elements, total = _method("most_common"), _method("elements"), _method("total")
    __add__ = _by_copy(operator.add)


class InnerKeys:
    """The keys of such a dict, as they are when they are asked for."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __len__(self) -> int:
        return len(self._table)

    def __contains__(self, key: Any) -> bool:
        return key in self._table

    def __iter__(self) -> Iterator[Any]:
        return iter(self._table)

    def copy(self) -> Any:
        """The keys as a set of Python's."""
        return set(self._table)

    __and__, __or__ = _by_copy(operator.and_), _by_copy(operator.or_)
    __sub__, __xor__ = _by_copy(operator.sub), _by_copy(operator.xor)
    __eq__, __hash__ = _by_copy(operator.eq), None  # type: ignore[assignment]


class InnerSet(InnerTable):
    """What compiled code has in the place of a `set`."""

    python_type: type = set
    changed = "Set changed size during iteration"

    @staticmethod
    def fill(made: Any, attributes: dict[str, Any]) -> None:
        """Put what one of these holds into a set of Python's."""
        made.update(attributes["_keys"])

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, (set, frozenset)):
            return NotImplemented
        return len(self) == len(other) and all(key in other for key in self._keys)

    __hash__ = None

    def add(self, key: Any) -> None:
        """Add a member."""
        if self._place(key) < 0:
            self._add(key)

    def discard(self, key: Any) -> None:
        """Take a member out, if it is there."""
        place = self._place(key)
        if place >= 0:
            del self._keys[place]

    def remove(self, key: Any) -> None:
        """Take a member out, which has to be there."""
        del self._keys[self._required(key)]

    def pop(self) -> Any:
        """A member, which is taken out."""
        if not self._keys:
            raise KeyError("pop from an empty set")
        return self._keys.pop(0)

    def clear(self) -> None:
        """Take all members out."""
        self._keys.clear()

    def copy(self) -> Any:
        """Another set of the same members."""
        return set(self)

    def __and__(self, other: Any) -> Any:
        return {key for key in self._keys if key in other}

    def __sub__(self, other: Any) -> Any:
        return {key for key in self._keys if key not in other}

    __le__, __lt__ = _by_copy(operator.le), _by_copy(operator.lt)
    __ge__, __gt__ = _by_copy(operator.ge), _by_copy(operator.gt)
    union, intersection = _method("union"), _method("intersection")
    difference, symmetric_difference = _method("difference"), _method("symmetric_difference")
    issubset, issuperset, isdisjoint = _method("issubset"), _method("issuperset"), _method("isdisjoint")

    def update(self, *others: Any) -> None:
        """Add the members of others."""
        for other in others:
            for key in other:
                self.add(key)

    def _hold(self, members: Any) -> Any:
        self._keys.clear()
        for key in members:
            self._add(key)
        return self

    def intersection_update(self, *others: Any) -> None:
        """Keep the members that are in all others, too."""
        self._hold(self.intersection(*others))

    def difference_update(self, *others: Any) -> None:
        """Take the members of others out."""
        self._hold(self.difference(*others))

    def symmetric_difference_update(self, other: Any) -> None:
        """Keep the members that are not in another one, and add those that are only there."""
        self._hold(self.symmetric_difference(other))

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]
        self.update(other)
        return self

    def __iand__(self, other: Any) -> Any:
        return self._hold(self & other)

    def __isub__(self, other: Any) -> Any:
        return self._hold(self - other)

    def __ixor__(self, other: Any) -> Any:  # type: ignore[misc]
        return self._hold(self ^ other)


for _kind in (InnerDict, InnerDefaultDict, InnerOrderedDict, InnerCounter, InnerSet):
    _kind.__name__ = _kind.python_type.__name__  # as Python says in its messages
