"""Calls with arrays of other libraries that are computed later, or have labels: who makes what such calls return.

Those that know them say so when the library is imported; calls without them ask nothing before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from ...dialect.records import NamedTuple
from ..source.own_attributes import has_fields

Call: TypeAlias = "Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]"
"""Calls a function with arguments by position and name."""


class _Taken(NamedTuple):
    kind: type
    call: Call
    concrete: Call | None
    is_first: bool


_calls: list[_Taken] = []


def take(kind: type, call: Call, concrete: Call | None = None, is_first: bool = False) -> None:
    """Let calls with arguments of a class, or with containers of such, go to a function; the last one first.

    `concrete` makes what `get_concrete_function` returns for such arguments. What `is_first` is asked before others,
    whatever is imported when.
    """
    place = 0 if is_first else sum(taken.is_first for taken in _calls)
    _calls.insert(place, _Taken(kind, call, concrete, is_first))


def call_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    """What makes the result of a call; None for those of compiled functions' own."""
    taken = _taken(args, kwargs)
    return None if taken is None else taken.call


def concrete_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    """What makes the concrete function for arguments; None for those of compiled functions' own."""
    taken = _taken(args, kwargs)
    return None if taken is None else taken.concrete


def is_other(value: Any, kind: type) -> bool:
    """Whether a value is one of those arrays, but none of the class `kind`."""
    return not isinstance(value, kind) and any(isinstance(value, taken.kind) for taken in _calls)


def _taken(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Taken | None:
    if not _calls:
        return None
    found = list(_parts((args, kwargs)))
    return next((taken for taken in _calls if any(isinstance(part, taken.kind) for part in found)), None)


_MOST_DEEP = 8


def _parts(value: Any, depth: int = 0) -> Iterator[Any]:
    """A value, and what containers of Python's hold."""
    yield value
    if depth > _MOST_DEEP:
        return
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from _parts(item, depth + 1)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _parts(item, depth + 1)
    elif has_fields(type(value)):
        for item in vars(value).values() if hasattr(value, "__dict__") else ():
            yield from _parts(item, depth + 1)
