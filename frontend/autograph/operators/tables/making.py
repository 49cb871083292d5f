"""`dict`, `set`, `Counter`, `defaultdict` of what only the program knows."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

from ..values.abstract import Tabled
from .becoming import is_open
from .carried_tables import make_table
from .hash_tables import Table
from .python_classes import PythonClass


def maker_of(kind: type) -> Callable[..., Any]:
    """What is called instead of a class."""

    def make(*args: Any, **named: Any) -> Any:
        default = args[:1] if kind is defaultdict else ()
        others = args[len(default) :]
        if not any(map(is_open, (*others, *named.values()))):
            return kind(*args, **named)
        made = PythonClass(kind, *default)
        (first,) = others or ((),)
        if isinstance(first, Table) and first.made == made:
            return first.copy()
        table = make_table(Tabled(made, None))
        table.update(first)
        if named:
            table.update(named)
        return table

    make.__name__ = kind.__name__
    return make


CLASSES: tuple[type, ...] = (dict, OrderedDict, Counter, defaultdict, set, frozenset)
"""The classes whose objects may become tables."""

__all__ = ["CLASSES", "maker_of"]
