"""What iterables among the arguments are taken apart into, and compared by."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any


class FeedParts:
    """What an iterable among the arguments is taken apart into: itself as a constant, and its number (`feeds.py`)."""


class FeedKey:
    """What iterables among the arguments are compared by: their class, and the types of their items."""

    __slots__ = ("_told", "reference")

    def __init__(self, value: Any, items: Any) -> None:
        self._told = (type(value), items)
        try:
            self.reference: Callable[[], Any] = weakref.ref(value)
        except TypeError:
            self.reference = _nothing

    def __hash__(self) -> int:
        return hash(self._told)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FeedKey) and self._told == other._told

    def __repr__(self) -> str:
        return f"a {self._told[0].__qualname__} of {self._told[1] or 'nothing'}"


def _nothing() -> None:
    """The referent of what nothing can refer to weakly."""
