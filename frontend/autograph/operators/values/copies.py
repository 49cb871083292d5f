"""Containers and objects as they are at the end of a path, of which only what they hold is looked at."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ....runtime_values.results import RuntimeContainer
from ....tracing.several_types import ToldApart
from ..interface import operators
from .made_objects import attributes_to_copy, note_joined
from .optional import Chosen, MaybeUnbound, Optional

Originals = dict[int, tuple[Any, Any]]
"""Copies by their identity, each with what it was made of."""


def copied(value: Any, originals: Originals | None = None, by_type: bool = False) -> Any:
    """A list, tuple, dict or object, and those in it, as they are now; other values are themselves.

    What is copied is noted among the originals. With `by_type`, numbers of several types are computed with by type.
    """
    value = operators().latest(value)
    copy = _copied(value, partial(copied, originals=originals, by_type=by_type))
    if by_type and isinstance(copy, ToldApart):
        return copy.by_type()
    if originals is not None and copy is not value:
        originals[id(copy)] = copy, value
    return copy


def _copied(value: Any, copy: Callable[[Any], Any]) -> Any:
    if isinstance(value, Optional):
        return Optional(value.is_none, copy(value.value))
    if isinstance(value, MaybeUnbound):
        return MaybeUnbound(value.unbound, copy(value.value))
    if isinstance(value, Chosen):
        options = (
            copy(option) if number in value.held else option for number, option in enumerate(value.options)
        )
        return Chosen(value.index, tuple(options), value.held) if value.held else value
    if type(value) is dict:
        return {key: copy(item) for key, item in value.items()}
    if isinstance(value, RuntimeContainer):
        return value.as_now()
    if type(value) is set:
        return value.copy()
    if type(value) in (list, tuple):
        return type(value)(copy(item) for item in value)
    attributes = attributes_to_copy(value)
    return value if attributes is None else _copied_object(type(value), attributes, copy)


def holds_items(value: Any) -> bool:
    """Whether a value is a container or an object that can hold something else later, or leads to one."""
    if isinstance(value, (Optional, MaybeUnbound)):
        return holds_items(value.value)
    if isinstance(value, Chosen):
        return bool(value.held)
    if type(value) is tuple:
        return any(map(holds_items, value))
    if type(value) in (list, dict, set) or isinstance(value, RuntimeContainer):
        return True
    return attributes_to_copy(value) is not None


def _copied_object(kind: type, attributes: dict[str, Any], copy: Callable[[Any], Any]) -> Any:
    made: Any = object.__new__(kind)
    for name, value in attributes.items():
        object.__setattr__(made, name, copy(value))
    note_joined(made)
    return made
