"""`dict`, `set`, `Counter`, `defaultdict` of what only the program knows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from ..interface import operators
from ..values.abstract import Tabled
from .becoming import is_open, is_open_for, known_items
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
