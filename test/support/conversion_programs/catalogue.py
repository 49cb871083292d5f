"""Little programs with control flow of all kinds, and the calls by which their conversion is compared with them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

PROGRAMS: dict[str, tuple[Any, tuple[tuple[Any, ...], ...]]] = {}
"""Functions by name, with arguments for several calls."""


def program(*calls: Any) -> Callable[[Any], Any]:
    """Add a function; a call with one argument need not be a tuple."""

    def add(function: Any) -> Any:
        arguments = tuple(call if isinstance(call, tuple) else (call,) for call in calls) or ((),)
        assert function.__name__ not in PROGRAMS
        PROGRAMS[function.__name__] = (function, arguments)
        return function

    return add


@contextlib.contextmanager
def swallow(*errors: Any) -> Any:
    """A context manager that swallows exceptions."""
    try:
        yield "entered"
    except errors:
        print("swallowed")


class Box:
    """An object with attributes."""

    def __init__(self, value: Any = 0) -> None:
        self.value = value
        self.items = [1, 2, 3]

    def __repr__(self) -> str:
        return f"Box({self.value}, {self.items})"

    def get(self) -> Any:
        """The value."""
        return self.value
