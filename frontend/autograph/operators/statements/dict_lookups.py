"""Dicts with numbers as keys that are looked up by a number which only the program knows."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from ....indexing.views import get_item
from ....runtime_values.values import RuntimeValue
from ....tracing.array import TracedArray
from ..values.optional import Chosen
from .effects import raise_
from .expressions import NUMBERS, holds_key, if_exp, not_, number_keys
from .statements import if_

_DATA = (TracedArray, np.ndarray, *NUMBERS)
MOST_BRANCHES = 64
"""Among how many entries of different kinds one may be chosen."""


def is_looked_up(container: Any, key: Any) -> bool:
    """Whether something is a dict, and a key one that only the program knows."""
    return type(container) in (dict, OrderedDict) and isinstance(key, TracedArray) and key.ndim == 0


def look_up(container: dict[Any, Any], key: Any) -> Any:
    """`container[key]`."""
    if_(not_(holds_key(container, key)), lambda: raise_(lambda: KeyError(key)))
    return _chosen(container, key) if container else None


def get(container: dict[Any, Any], key: Any, default: Any = None) -> Any:
    """`container.get(key, default)`."""
    return if_exp(holds_key(container, key), lambda: _chosen(container, key), lambda: default)


def update(container: dict[Any, Any], key: Any, change: Callable[[Any], Any]) -> None:
    """`container[key] = change(container[key])`."""
    new = change(look_up(container, key))
    for known in number_keys(container):
        old = container[known]
        container[known] = if_exp(np.equal(known, key), lambda: new, partial(_itself, old))


def method_of(function: Any) -> Callable[..., Any] | None:
    """What to call instead of `get` of a dict; None for another function."""
    owner: Any = getattr(function, "__self__", None)
    if type(owner) not in (dict, OrderedDict) or function.__name__ not in ("get", "__getitem__"):
        return None

    def call(*args: Any) -> Any:
        if not args or not is_looked_up(owner, args[0]):
            return function(*args)
        return get(owner, *args) if function.__name__ == "get" else look_up(owner, *args)

    return call


def _itself(value: Any) -> Any:
    return value


def _chosen(container: dict[Any, Any], key: Any) -> Any:
    """The value of a key that is there."""
    keys = number_keys(container)
    values = [container[known] for known in keys]
    if not values:
        return None
    place: Any = np.argmax(np.equal(keys, key))
    if are_constants(values):
        return Chosen(place, tuple(values))
    if all(isinstance(value, _DATA) for value in values):
        return get_item(values, place)
    if len(values) > MOST_BRANCHES:
        raise UnsupportedError(
            f"a dict of {len(values)} values of different kinds is looked up by a traced key: compiled code chooses "
            f"among at most {MOST_BRANCHES}; use numbers, or strings, or an array"
        )
    found: Callable[[], Any] = partial(_itself, values[-1])
    for position in range(len(values) - 2, -1, -1):
        here, rest = partial(_itself, values[position]), found
        found = partial(if_exp, np.equal(place, position), _thunk(here), _thunk(rest))
    return found()


def are_constants(values: Any) -> bool:
    """Whether something is a list or tuple of strings, functions and the like, of which one can be chosen."""
    if type(values) not in (list, tuple) or not values:
        return False
    held = (*_DATA, RuntimeValue, tuple, list, dict, set, type(None))
    return not any(isinstance(value, held) for value in values)


def _thunk(function: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: function()


__all__ = ["are_constants", "get", "is_looked_up", "look_up", "method_of", "update"]
