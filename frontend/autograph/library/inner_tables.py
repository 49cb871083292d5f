"""Dicts and sets that are values of a dict whose keys only the program knows, as in `adj[a][b] = w`.

Each is an object of a pool, whose keys and values lie in lists in the order in which they came in; a key is looked for
from the first one on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

_MISSING = "no default"


class InnerTable:
    """What such dicts and sets have in common."""

    python_type: type
    changed = "dictionary changed size during iteration"

    def __init__(self) -> None:
        self._keys: Any = []

    def _place(self, key: Any) -> int:
        hash(key)
        for place in range(len(self._keys)):
            if self._keys[place] == key:
                return place
        return -1

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: Any) -> bool:
        return self._place(key) >= 0

    def _require_size(self, size: int) -> None:
        if len(self._keys) != size:
            raise RuntimeError(self.changed)

    def __iter__(self) -> Iterator[Any]:
        size = len(self._keys)
        place = 0
        while place < size:
            self._require_size(size)
            yield self._keys[place]
            place += 1
        self._require_size(size)

    __hash__ = None  # type: ignore[assignment]


class InnerDict(InnerTable):
    """What compiled code has in the place of a `dict`.

    >>> made = InnerDict()
    >>> made["a"] = 1
    >>> made["a"], made.get("b", 2), "a" in made, len(made), list(made.items())
    (1, 2, True, 1, [('a', 1)])
    """

    python_type: type = dict

    def __init__(self) -> None:
        super().__init__()
        self._values: Any = []

    @staticmethod
    def fill(made: Any, attributes: dict[str, Any]) -> None:
        """Put what one of these holds into a dict of Python's."""
        made.update(zip(attributes["_keys"], attributes["_values"], strict=True))

    def __getitem__(self, key: Any) -> Any:
        place = self._place(key)
        if place < 0:
            raise KeyError(key)
        return self._values[place]

    def __setitem__(self, key: Any, value: Any) -> None:
        place = self._place(key)
        if place >= 0:
            self._values[place] = value
        else:
            self._keys.append(key)
            self._values.append(value)

    def __delitem__(self, key: Any) -> None:
        place = self._place(key)
        if place < 0:
            raise KeyError(key)
        del self._keys[place]
        del self._values[place]

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
            self._keys.append(key)
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
        value = self._values[place]
        del self._keys[place]
        del self._values[place]
        return value

    def update(self, other: Any) -> None:
        """Take over the items of another dict."""
        for key, value in other.items():
            self[key] = value

    def clear(self) -> None:
        """Take all items out."""
        self._keys.clear()
        self._values.clear()

    def copy(self) -> Any:
        """Another dict of the same items."""
        return dict(self.items())

    def keys(self) -> Any:
        """The keys."""
        return iter(self)

    def values(self) -> Iterator[Any]:
        """The values."""
        for key in self:
            yield self[key]

    def items(self) -> Iterator[Any]:
        """Pairs of keys and values."""
        size = len(self._keys)
        place = 0
        while place < size:
            self._require_size(size)
            yield self._keys[place], self._values[place]
            place += 1
        self._require_size(size)


class InnerDefaultDict(InnerDict):
    """What compiled code has in the place of a `defaultdict`.

    >>> made = InnerDefaultDict(int)
    >>> made["a"] += 1
    >>> made["a"], made["b"], len(made)
    (1, 0, 2)
    """

    python_type: type = defaultdict

    def __init__(self, factory: Any) -> None:
        super().__init__()
        self.default_factory = factory

    @staticmethod
    def fill(made: Any, attributes: dict[str, Any]) -> None:
        """Put what one of these holds into a dict of Python's."""
        made.default_factory = attributes["default_factory"]
        made.update(zip(attributes["_keys"], attributes["_values"], strict=True))

    def __getitem__(self, key: Any) -> Any:
        place = self._place(key)
        if place < 0:
            self._keys.append(key)
            self._values.append(self.default_factory())
        return self._values[place]


class InnerSet(InnerTable):
    """What compiled code has in the place of a `set`.

    >>> made = InnerSet()
    >>> made.add(3), made.add(3), 3 in made, len(made)
    (None, None, True, 1)
    """

    python_type: type = set
    changed = "Set changed size during iteration"

    @staticmethod
    def fill(made: Any, attributes: dict[str, Any]) -> None:
        """Put what one of these holds into a set of Python's."""
        made.update(attributes["_keys"])

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, (set, frozenset)):
            return NotImplemented
        if len(self) != len(other):
            return False
        return all(key in other for key in self._keys)

    __hash__ = None

    def add(self, key: Any) -> None:
        """Add a member."""
        if self._place(key) < 0:
            self._keys.append(key)

    def discard(self, key: Any) -> None:
        """Take a member out, if it is there."""
        place = self._place(key)
        if place >= 0:
            del self._keys[place]

    def remove(self, key: Any) -> None:
        """Take a member out, which has to be there."""
        place = self._place(key)
        if place < 0:
            raise KeyError(key)
        del self._keys[place]

    def update(self, other: Any) -> None:
        """Add the members of another one."""
        for key in other:
            self.add(key)

    def clear(self) -> None:
        """Take all members out."""
        self._keys.clear()

    def copy(self) -> Any:
        """Another set of the same members."""
        return set(self)

    def intersection(self, other: Any) -> Any:
        """The members that are in another one, too."""
        return {key for key in self._keys if key in other}

    def difference(self, other: Any) -> Any:
        """The members that are not in another one."""
        return {key for key in self._keys if key not in other}

    def __and__(self, other: Any) -> Any:
        return self.intersection(other)

    def __sub__(self, other: Any) -> Any:
        return self.difference(other)

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self
