"""Arguments as trees: lists, tuples, dicts and dataclasses around what has derivatives."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from ..signature.named_tuples import with_items
from ..signature.traced_value import held
from ..source.own_attributes import has_fields

Visit = Callable[[Any, str], Any]
"""Takes a leaf and what it is called, `params['w'][0]`."""


def map_leaves(visit: Visit, value: Any, path: str) -> Any:
    """The same structure with another value for each leaf, of a variable for its array.

    >>> map_leaves(lambda leaf, path: path, {"w": [1, 2]}, "params")
    {'w': ["params['w'][0]", "params['w'][1]"]}
    """
    return map_holders(lambda leaf, path: visit(held(leaf), path), value, path)


def map_holders(visit: Visit, value: Any, path: str) -> Any:
    """As `map_leaves`, for variables themselves."""
    if isinstance(value, dict):
        return _like_dict(value, {k: map_holders(visit, v, f"{path}[{k!r}]") for k, v in value.items()})
    if isinstance(value, (list, tuple)):
        items = [map_holders(visit, item, f"{path}[{i}]") for i, item in enumerate(value)]
        return with_items(value, items)
    if has_fields(type(value)):
        names = [field.name for field in dataclasses.fields(value) if field.init]
        changed = {name: map_holders(visit, getattr(value, name), f"{path}.{name}") for name in names}
        return dataclasses.replace(value, **changed)
    return visit(value, path)


def leaves_of(value: Any, path: str = "") -> list[tuple[Any, str]]:
    """The leaves in order, each with what it is called.

    >>> leaves_of({"w": [1, 2]}, "params")
    [(1, "params['w'][0]"), (2, "params['w'][1]")]
    """
    return [(held(leaf), path) for leaf, path in holders_of(value, path)]


def holders_of(value: Any, path: str = "") -> list[tuple[Any, str]]:
    """As `leaves_of`, with variables themselves."""
    found: list[tuple[Any, str]] = []
    map_holders(lambda leaf, path: found.append((leaf, path)), value, path)
    return found


def structure_of(value: Any) -> Any:
    """What is equal for values whose leaves correspond.

    >>> structure_of([1, (2, 3)]) == structure_of(["a", ("b", "c")]), structure_of([1]) == structure_of((1,))
    (True, False)
    """
    if isinstance(value, dict):
        return type(value), [(key, structure_of(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value), list(map(structure_of, value))
    if has_fields(type(value)):
        return type(value), [
            structure_of(getattr(value, f.name)) for f in dataclasses.fields(value) if f.init
        ]
    return None


def _like_dict(value: dict[Any, Any], items: dict[Any, Any]) -> Any:
    return items if type(value) is dict else type(value)(items)
