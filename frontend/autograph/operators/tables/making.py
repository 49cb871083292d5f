"""`dict`, `set`, `Counter`, `defaultdict` of what only the program knows, `{a: b, **c}` and `{a, *b}`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from ..interface import operators
from ..lists.looked_for import look_for
from ..values.kinds import Tabled
from ..values.resolve_grown_lists import resolve_grown_list
from .becoming import become_table, becomes, is_open, is_open_for, known_items, put
from .carried_tables import make_table
from .hash_tables import Table
from .python_classes import PythonClass


def maker_of(kind: type) -> Callable[..., Any]:
    """What is called instead of a class."""

    def make(*args: Any, **named: Any) -> Any:
        default = args[:1] if kind is defaultdict else ()
        others = tuple(map(known_items, args[len(default) :]))
        if not any(is_open_for(kind, other) for other in others):
            return kind(*default, *others, **named)
        made = PythonClass(kind, *default)
        (first,) = others or ((),)
        if isinstance(first, Table) and first.made == made:
            return first.copy()
        table = make_table(Tabled(made, None))
        table.take_over(first)
        if named:
            table.update(named)
        return table

    make.__name__ = kind.__name__
    return make


def from_keys(function: Any) -> Callable[..., Any]:
    """What to call instead of `fromkeys` of a class of dicts."""

    def make(keys: Any, value: Any = None) -> Any:
        if not is_open(keys):
            return function(keys, value)
        table = make_table(Tabled(PythonClass(function.__self__), None))
        operators().for_(keys, lambda key: table.put(key, value))
        return table

    return make


def dict_display(*parts: tuple[Any, ...]) -> Any:
    """A dict of pairs, and of what is unpacked, tuples of one.

    >>> dict_display((1, 2), ({3: 4},))
    {1: 2, 3: 4}
    """
    made: Any = {}
    for part in parts:
        if len(part) == 2:
            _put(made, *part)
            continue
        other = known_items(resolve_grown_list(part[0]))
        if is_open(other):
            become_table(made).update(other)
        elif (now := resolve_grown_list(made)) is not made:
            now.update(other)
        else:
            made.update(other)
    return resolve_grown_list(made)


def _put(made: Any, key: Any, *value: Any) -> None:
    now = resolve_grown_list(made)
    look_for(now, key)
    if now is not made:
        now.put(key, *value)
    elif becomes(made, key):
        put(made, key, *value)
    elif value:
        made[key] = value[0]
    else:
        made.add(key)


def set_display(*parts: Any) -> Any:
    """A set of items, and of those of what is unpacked.

    >>> set_display(1, 2, 1)
    {1, 2}
    """
    made: Any = set()
    for part in parts:
        if operators().is_spread(part):
            operators().for_(part.items, lambda item: _put(made, item))
        else:
            _put(made, part)
    return resolve_grown_list(made)
