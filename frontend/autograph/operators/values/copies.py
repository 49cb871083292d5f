"""Containers and objects as they are at the end of a path, of which only what they hold is looked at."""

from __future__ import annotations

from typing import Any

from ....runtime_values.results import RuntimeContainer
from ..interface import operators
from .made_objects import attributes_to_copy, note_joined


def copied(value: Any) -> Any:
    """A list, tuple, dict or object, and those in it, as they are now; other values are themselves."""
    value = operators().latest(value)
    if type(value) is dict:
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, RuntimeContainer):
        return value.as_now()
    if type(value) is set:
        return value.copy()
    if type(value) in (list, tuple):
        return type(value)(map(copied, value))
    attributes = attributes_to_copy(value)
    return value if attributes is None else _copied_object(type(value), attributes)


def _copied_object(kind: type, attributes: dict[str, Any]) -> Any:
    made: Any = object.__new__(kind)
    for name, value in attributes.items():
        object.__setattr__(made, name, copied(value))
    note_joined(made)
    return made


__all__ = ["copied"]
