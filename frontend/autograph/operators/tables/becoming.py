"""Dicts and sets of Python's that become tables: as soon as a key is put into them that only the program knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from ....runtime_values.results import RuntimeContainer
from ....source.modules import told
from ....tracing.array import TracedArray
from ....tracing.current import current_trace, required_trace
from ...library.inner_tables import InnerDict, InnerTable
from ..interface import operators
from ..lists.dynamic_lists import GrowingList, Widened, is_known_outside
from ..lists.kept_items import require_no_copy
from ..values.control_flow_state import control_flow
from ..values.iterables import OneByOne, Sequence
from ..values.kinds import Tabled
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.sequence_iterators import SequenceIterator
from .carried_tables import table_of, tabled, tabled_with
from .inner_tables import as_inner
from .keys import is_run_time_key
from .python_classes import PythonClass


def becomes(container: Any, key: Any) -> bool:
    """Whether something is a dict or set of Python's, and a key one that only the program knows."""
    if current_trace() is None or PythonClass.of(container) is None:
        return False
    if isinstance(key, list):
        hash(key)  # raises what Python raises
    return is_run_time_key(key)


def become_table(container: Any, kind: Tabled | None = None) -> Any:
    """The table that a dict or set of Python's becomes; from the beginning of what is recorded that knows it."""
    now = resolve_grown_list(container)
    if now is not container:
        return now
    if kind is None:
        made = PythonClass.of(container)
        assert made is not None
        kind = tabled(made, container if made.is_set else container.items())
    require_no_copy(container)
    if is_known_outside(container):
        raise Widened(container, kind)
    trace = required_trace()
    table = table_of(container, kind)
    control_flow(trace).grown[id(container)] = (container, table)
    return table


def looked_into(container: Any) -> Any:
    """The table that a dict or set of Python's becomes; of a frozenset, which stays what it is, one beside it."""
    if type(container) is not frozenset:
        return become_table(container)
    made = PythonClass(frozenset)
    return table_of(container, tabled(made, container))


def grown(container: Any, kind: Any) -> RuntimeContainer:
    """What a list, dict or set of Python's becomes whose size the program decides on."""
    return table_of(container, kind) if isinstance(kind, Tabled) else GrowingList(container, kind)


def put(container: Any, key: Any, *value: Any) -> None:
    """`container[key] = value`, or `container.add(key)`."""
    value = tuple(map(as_inner, value))
    become_table(container, tabled_with(container, key, *value)).put(key, *value)


_OPEN = (Sequence, SequenceIterator, OneByOne)


def is_open(value: Any) -> bool:
    """Whether an argument is, or holds, what only the program knows."""
    if isinstance(value, (RuntimeContainer, TracedArray, *_OPEN)) or hasattr(type(value), "__weft_items__"):
        return True
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return is_run_time_key(tuple(value)) if isinstance(value, (list, tuple)) else is_run_time_key(value)


def is_open_for(kind: type, items: Any) -> bool:
    """Whether only the program knows the keys that a dict or set gets of some items."""
    if issubclass(kind, dict) and kind is not Counter and isinstance(items, (list, tuple)):
        pairs = all(isinstance(item, (list, tuple)) and item for item in items)
        return pairs and any(is_run_time_key(item[0]) for item in items)
    return is_open(items)


def known_items(items: Any) -> Any:
    """The items that are left of an iterator over those of a list of Python's; other values are themselves.

    Those of a dict or set that is a value of a dict are walked.
    """
    if isinstance(items, InnerTable):
        walked = operators().call(items.items) if isinstance(items, InnerDict) else items
        return operators().call(list, walked)
    if isinstance(items, (map, filter, zip)) or type(items).__module__ == "itertools":
        return list(items)
    is_known = isinstance(items, SequenceIterator) and items.is_in_python and items.is_known
    return items.taken() if is_known else items


_PUTTING = {"add", "setdefault"}
"""The methods that may make their first argument a key."""

_TAKING_KEYS = {
    "get",
    "pop",
    "__getitem__",
    "__contains__",
    "discard",
    "remove",
    "move_to_end",
    "__delitem__",
}

_TAKING_ITEMS = {
    "update", "subtract", "union", "intersection", "difference", "symmetric_difference", "intersection_update",
    "difference_update", "symmetric_difference_update", "issubset", "issuperset", "isdisjoint",
}  # fmt: skip


def method_of(function: Any) -> Callable[..., Any] | None:
    """What to call instead of a method of a dict or set of Python's; None for other functions."""
    owner: Any = told(function, "__self__")
    name = told(function, "__name__", "")
    if PythonClass.of(owner) is None or name not in _PUTTING | _TAKING_KEYS | _TAKING_ITEMS:
        return None

    def call(*args: Any, **named: Any) -> Any:
        if name in _TAKING_ITEMS:
            args = tuple(map(known_items, args))
        if not args or current_trace() is None or not _needs_table(owner, name, args):
            return function(*args, **named)
        if name in _PUTTING:
            value = () if name == "add" else tuple(map(as_inner, args[1:])) or (None,)
            args = (args[0], *value)
            table = become_table(owner, tabled_with(owner, args[0], *value))
        else:
            table = become_table(owner)
        return getattr(table, name)(*args, **named)

    return call


def _needs_table(owner: Any, name: str, args: tuple[Any, ...]) -> bool:
    """Whether a method needs a table; a default does not, unless a loop or branch puts it in."""
    if name in _TAKING_ITEMS:
        return any(is_open_for(type(owner), value) for value in args)
    if is_open(args[0]):
        return True
    is_new = name == "setdefault" and args[0] not in owner
    return is_new and any(map(is_open, args)) and is_known_outside(owner)
