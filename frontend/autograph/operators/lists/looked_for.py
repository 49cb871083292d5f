"""Objects that are looked for by what they are, where a loop or branch has left an equal new one of them.

for i in range(n): p, q = q, p          behind it p is a new object with the attributes of one of two
p in particles                          which of them it is, is told by beginning again
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ....runtime_values.results import RuntimeObject
from ....source.modules import is_users_object
from ....tracing.current import current_trace
from ..values.looked_up import note_entry
from .mixed_containers import require_told_apart

_OF_ITEMS = frozenset({"count", "index", "remove"})
"""The methods of lists and tuples that look for an item."""


def is_told_by_identity(value: Any) -> bool:
    """Whether an object is equal to itself alone, as its class does not say otherwise."""
    kind: Any = type(value)
    return is_users_object(value) and kind.__eq__ is object.__eq__ and not isinstance(value, RuntimeObject)


def holds_object(value: Any) -> bool:
    """Whether a value is such an object, or a tuple or list with one in it."""
    return is_told_by_identity(value) or (type(value) in (list, tuple) and any(map(holds_object, value)))


def look_for(container: Any, key: Any) -> None:
    """Take note that an entry of a container is looked for; an object must be told from those that are there."""
    note_entry(container, key)
    if isinstance(container, (dict, frozenset, list, set, tuple)) and is_told_by_identity(key):
        _tell_apart(key, container)


def look_for_argument(owner: Any, name: str, value: Any) -> None:
    """Take note of what a method of a container is called with first: a key, or an item that is looked for."""
    if type(owner) in (dict, set) or (type(owner) in (list, tuple) and name in _OF_ITEMS):
        look_for(owner, value)


def _tell_apart(item: Any, others: Iterable[Any]) -> None:
    trace = current_trace()
    if trace is not None and trace.choices.own_objects is None:
        for other in others:
            if is_told_by_identity(other):
                require_told_apart(trace, item, other)
