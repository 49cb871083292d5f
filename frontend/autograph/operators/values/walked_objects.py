"""Objects whose items come from methods that a user has written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Items:
    """The items of an object whose iterator, or `__getitem__`, a user has written: one call for each."""

    def __init__(self, following: Callable[[], Any], end: type[Exception]) -> None:
        self._following = following
        self._end: type[Exception] | None = end

    def __iter__(self) -> Items:
        return self

    def __next__(self) -> Any:
        if self._end is None:
            raise StopIteration
        try:
            return self._following()
        except self._end:
            self._end = None
            raise StopIteration from None
