"""Arguments as trees: lists, tuples, dicts and dataclasses around what has derivatives."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

Visit = Callable[[Any, str], Any]
"""Takes a leaf and what it is called, `params['w'][0]`."""


def map_leaves(visit: Visit, value: Any, path: str) -> Any:
    """The same structure with another value for each leaf.

    >>> map_leaves(lambda leaf, path: path, {"w": [1, 2]}, "params")
    {'w': ["params['w'][0]", "params['w'][1]"]}
    """
    if isinstance(value, dict):
        return _like_dict(value, {k: map_leaves(visit, v, f"{path}[{k!r}]") for k, v in value.items()})
    if isinstance(value, (list, tuple)):
        items = [map_leaves(visit, item, f"{path}[{i}]") for i, item in enumerate(value)]
        return _like_sequence(value, items)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init]
        changed = {name: map_leaves(visit, getattr(value, name), f"{path}.{name}") for name in names}
        return dataclasses.replace(value, **changed)
    return visit(value, path)


def _like_dict(value: dict[Any, Any], items: dict[Any, Any]) -> Any:
    return items if type(value) is dict else type(value)(items)


def _like_sequence(value: Any, items: Iterable[Any]) -> Any:
    return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)


__all__ = ["map_leaves"]
