"""Methods of Python's lists whose arguments or items are arrays: the length stays known, the places do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from ....source.modules import told
from ....tracing.array import TracedArray
from ....tracing.staging import raise_if, trace_of
from ..branches.conditions import is_staged
from ..interface import operators
from ..lists.computed_lengths import extend
from ..lists.list_methods import NOTHING, as_int, not_found, refuse_changes
from ..statements.comparisons import holds_staged
from ..statements.effects import raise_
from ..statements.expressions import if_exp, in_, not_
from ..statements.statements import if_
from ..values.object_handles import PooledObject
from ..values.resolve_grown_lists import resolve_grown_list


def insert(items: list[Any], index: Any, item: Any) -> None:
    """`items.insert(index, item)`."""
    length = len(items)
    if not isinstance(index, TracedArray):
        items.insert(index, item)
        return
    place: Any = np.clip(np.where(np.less(index, 0), np.add(index, length), index), 0, length)
    moved = []
    for k in range(length + 1):
        there = items[k] if k < length else item
        shifted = _choice(place < k, items[k - 1], there) if k else there
        moved.append(_choice(place == k, item, shifted))
    items[:] = moved


def pop(items: list[Any], index: Any = -1) -> Any:
    """`items.pop(index)`."""
    if not isinstance(index, TracedArray):
        return items.pop(index)
    length = len(items)
    outside: Any = np.logical_or(np.greater_equal(index, length), np.less(index, -length))
    raise_if(outside, "IndexError", "pop index out of range" if items else "pop from empty list")
    if not items:
        return None
    place: Any = np.where(np.less(index, 0), np.add(index, length), index)
    taken = operators().item(items, np.clip(place, 0, length - 1))
    items[:] = [_choice(place > k, items[k], items[k + 1]) for k in range(length - 1)]
    return taken


def count(items: list[Any] | tuple[Any, ...], item: Any) -> Any:
    """`items.count(item)`."""
    total: Any = 0
    for equal in _equal(items, item):
        total = total + if_exp(equal, lambda: 1, lambda: 0)
    return total


def index(items: Sequence[Any], item: Any, *bounds: Any) -> Any:
    """`items.index(item)`, of all items or those in a range."""
    if bounds:
        first, last = (*bounds, None)[:2]
        if any(is_staged(bound) for bound in bounds):
            raise UnsupportedError(
                "index() looks for an item from a place on that only the program knows, in a list whose length tracing "
                "knows: look into a slice (items[start:].index(item) + start)"
            )
        return index(items[first:last], item) + slice(first, last).indices(len(items))[0]
    missing = not_(in_(item, items))
    if_(missing, lambda: raise_(lambda: not_found(item, type(items)().index)))
    place: Any = len(items)
    for k, equal in reversed(list(enumerate(_equal(items, item)))):
        place = _choice(equal, k, place)
    return place


def remove(items: list[Any], item: Any) -> None:
    """`items.remove(item)`."""
    missing = not_(in_(item, items))
    if_(missing, lambda: raise_(lambda: not_found(item, NOTHING.remove)))
    if items:
        place = index(items, item)
        pop(items, as_int(np.minimum(place, len(items) - 1)))


def sort(items: list[Any], *, key: Callable[[Any], Any] | None = None, reverse: bool = False) -> None:
    """`items.sort()`."""
    before = list(items)
    ordered = operators().call(sorted, items, key=key, reverse=reverse)
    is_same = resolve_grown_list(items) is items and len(items) == len(before)
    if not is_same or any(now is not then for now, then in zip(items, before, strict=True)):
        refuse_changes()
    items[:] = ordered


def _choice(test: Any, one: Any, other: Any) -> Any:
    return if_exp(test, lambda: one, lambda: other)


def _equal(items: Sequence[Any], item: Any) -> list[Any]:
    """For each item whether it equals another."""
    equal = operators().compare
    return [True if item is other else operators().call(bool, equal("==", item, other)) for other in items]


_METHODS: dict[str, Callable[..., Any]] = {
    "insert": insert,
    "pop": pop,
    "count": count,
    "index": index,
    "remove": remove,
    "sort": sort,
    "extend": extend,
}


def method_of(function: Any) -> Callable[..., Any] | None:
    """What to call instead of a method of a list or tuple; None for another function."""
    owner: Any = told(function, "__self__")
    if type(owner) not in (list, tuple):
        return None
    name = function.__name__
    ours = _METHODS.get(name)
    if ours is None:
        return None

    def call(*args: Any, **kwargs: Any) -> Any:
        if name in ("sort", "extend"):
            return ours(owner, *args, **kwargs)
        is_row = bool(args) and isinstance(args[0], PooledObject)
        looks = name in ("count", "index", "remove") and (is_row or any(map(holds_staged, [*owner, *args])))
        return ours(owner, *args) if looks or trace_of(args[:1]) is not None else function(*args)

    return call
