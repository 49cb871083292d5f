"""Named tuples as structures: their items, and further attributes that objects of derived classes have."""

from __future__ import annotations

from typing import Any


def parts_of_record(value: Any) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """The names and values of the items and attributes."""
    more = getattr(value, "__dict__", {})
    return (*value._fields, *more), (*value, *more.values())


def is_plain_record(kind: Any, keys: tuple[str, ...]) -> bool:
    """Whether a class makes a tuple of the parts alone: a named tuple that is its items, or a tuple without names."""
    return len(keys) == len(getattr(kind, "_fields", keys)) and kind.__init__ is object.__init__


def record_of(kind: Any, keys: tuple[str, ...], parts: tuple[Any, ...]) -> Any:
    """A named tuple of its items and further attributes, whose own `__init__` may take other things."""
    if is_plain_record(kind, keys):
        return kind(*parts)
    count = len(kind._fields)
    made = tuple.__new__(kind, parts[:count])
    vars(made).update(zip(keys[count:], parts[count:], strict=True))
    return made


def with_items(value: Any, items: Any) -> Any:
    """A tuple like another one, with other items; a named tuple keeps its attributes."""
    if not hasattr(value, "_fields"):
        return type(value)(items)
    keys, parts = parts_of_record(value)
    items = tuple(items)
    return record_of(type(value), keys, (*items, *parts[len(items) :]))
