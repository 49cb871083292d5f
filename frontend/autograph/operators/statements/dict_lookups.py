"""Dicts that are looked up by a key which only the program knows: a number, or one of several strings and the like."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from ....indexing.views import get_item
from ....runtime_values.values import RuntimeValue, holds_traced
from ....signature.traced_value import CompositeValue
from ....source.modules import told
from ....tracing.array import TracedArray
from ..interface import operators
from ..tables import becoming
from ..tables.constant_tables import found_among
from ..values.optional import Chosen
from .effects import raise_
from .expressions import NUMBERS, holds_key, if_exp, not_, possible_keys
from .statements import if_

_DATA = (TracedArray, np.ndarray, *NUMBERS)
MOST_BRANCHES = 64
"""Among how many entries of different kinds one may be chosen."""


def is_looked_up(container: Any, key: Any) -> bool:
    """Whether something is a dict, and a key one that only the program knows."""
    if type(container) not in (dict, OrderedDict):
        return False
    is_text = isinstance(key, CompositeValue) and key.is_one_text
    if not is_text and not isinstance(key, Chosen) and not (isinstance(key, TracedArray) and key.ndim == 0):
        return False
    return not any(type(value) is list for value in container.values())  # which are changed in place


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
    _write(container, key, new)


def holds_all(container: dict[Any, Any], key: Chosen) -> bool:
    """Whether all constants of which a key is one are keys of a dict."""
    return all(option in container for option in key.options)


MOST_WRITTEN = 8
"""How many entries are written one by one where only the program knows which is meant."""


def is_short(container: dict[Any, Any], key: Any) -> bool:
    """Whether few entries can be meant by a key which only the program knows, one of them surely."""
    if not is_looked_up(container, key):
        return False
    return holds_all(container, key) if isinstance(key, Chosen) else 0 < len(container) <= MOST_WRITTEN


def assign(container: dict[Any, Any], key: Chosen, value: Any) -> None:
    """`container[key] = value` of a key that is one of several constants, which all have to be there."""
    missing = [option for option in key.options if option not in container]
    if missing:
        raise UnsupportedError(
            f"an entry of a dict is assigned by a key that only the program knows ({key!r}), and {missing[0]!r} may "
            "become a new one: make the entries before, or assign in the branch that chooses the key"
        )
    _write(container, key, value)


def _write(container: dict[Any, Any], key: Any, value: Any) -> None:
    """Write to the entry that has a key; the others stay."""
    for known in possible_keys(container, key):
        old = container[known]
        container[known] = if_exp(_is(key, known), lambda: value, partial(_itself, old))


def _most_common(counter: Counter[Any], n: Any = None) -> Any:
    """`Counter.most_common`, also of counts, or as many of them, as only the program knows."""
    if not holds_traced((counter, n), depth=3):
        return counter.most_common(n)
    ordered: Any = operators().call(
        sorted, operators().call(counter.items), key=lambda entry: entry[1], reverse=True
    )
    return ordered if n is None else operators().item(ordered, slice(None, operators().call(max, n, 0)))


def _is(key: Any, known: Any) -> Any:
    """Whether a key is one that is known."""
    return key == known if isinstance(key, Chosen) else np.equal(known, key)


def method_of(function: Any) -> Callable[..., Any] | None:
    """What to call instead of `get` of a dict, and `most_common` of a Counter; None for another function."""
    owner: Any = told(function, "__self__")
    if type(owner) is Counter and function.__name__ == "most_common":
        return partial(_most_common, owner)
    if type(owner) not in (dict, OrderedDict) or function.__name__ not in ("get", "__getitem__"):
        return None

    def call(*args: Any) -> Any:
        if not args or not is_looked_up(owner, args[0]):
            return (becoming.method_of(function) or function)(*args)
        return get(owner, *args) if function.__name__ == "get" else look_up(owner, *args)

    return call


def _itself(value: Any) -> Any:
    return value


def _chosen(container: dict[Any, Any], key: Any) -> Any:
    """The value of a key that is there."""
    keys = possible_keys(container, key)
    values = [container[known] for known in keys]
    if not values:
        return None
    place: Any = place_of(keys, key)
    if are_constants(values):
        return Chosen(place, tuple(values))
    if all(isinstance(value, _DATA) for value in values):
        return operators().item(values, place)  # which keeps the types of those that differ in theirs
    if len(values) > MOST_BRANCHES:
        raise UnsupportedError(
            f"a dict of {len(values)} values, each a {type(values[0]).__name__}, is looked up by a traced key: "
            f"compiled code chooses among at most {MOST_BRANCHES} such; use numbers, strings, or a row of an array for "
            "each key"
        )
    return Chosen(place, tuple(values)).each(lambda value: value)


def place_of(keys: list[Any], key: Any) -> Any:
    """At which place of some keys one is that only the program knows."""
    if not isinstance(key, Chosen):
        found = found_among(keys, key)
        return np.argmax(np.equal(keys, key)) if found is None else np.maximum(found.place, 0)
    places = [keys.index(option) if option in keys else 0 for option in key.options]
    return get_item(places, key.index)


def are_constants(values: Any) -> bool:
    """Whether something is a list or tuple of strings, functions and the like, of which one can be chosen."""
    if type(values) not in (list, tuple) or not values:
        return False
    held = (*_DATA, RuntimeValue, tuple, list, dict, set, type(None))
    return not any(isinstance(value, held) for value in values)
