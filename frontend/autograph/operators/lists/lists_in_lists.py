"""Lists that are items of lists that grow: each is one of a pool, and the same list wherever it is met.

Rows of one length that are not changed lie side by side as parts of an item (`kept_items.py`), which costs less.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .....dialect.records import dataclass
from ....numpy_api import lookup
from ....runtime_values.results import RuntimeLength
from ....tracing.current import current_trace, required_trace
from ....tracing.staging import raise_where
from ..interface import operators
from ..values.abstract import ArrayKind, Container, Growing, Kind, Static, as_arrays, kind_of
from ..values.control_flow_state import control_flow
from ..values.resolve_grown_lists import resolve_grown_list
from .joined_items import join_items
from .lists_as_arrays import stacked_items


def pool_of(kind: Kind | None) -> Any:
    """What holds the lists that items are; None where they are none."""
    is_pooled = (
        isinstance(kind, Container) and isinstance(kind.kind, type) and issubclass(kind.kind, RuntimeLength)
    )
    pool = kind.children[0] if is_pooled and isinstance(kind, Container) else None
    return pool.value if isinstance(pool, Static) else None


def pool_in(kind: Kind | None) -> Any:
    """What holds the lists that items are or hold; None where there are none."""
    if not isinstance(kind, Container):
        return None
    return pool_of(kind) or next(filter(None, map(pool_in, kind.children)), None)


def are_changed() -> bool:
    """Whether lists in lists are changed after they were put there, so that parts of items are not enough."""
    trace = current_trace()
    return trace is not None and False in trace.own_items


def kind_of_item(item: Any) -> Kind:
    """The abstract type of an item of a list, in which a list may be one of any length."""
    kind = as_arrays(kind_of(item))
    if isinstance(kind, Container) and kind.kind is list and are_changed():
        joined = joined_kind(item)
        # Numbers of other types keep these as parts of an item.
        if all(_is_kept_by(joined, kind_of_item(each)) for each in item):
            return Growing(joined)
    return kind


def _is_kept_by(joined: Kind | None, kind: Kind) -> bool:
    """Whether numbers of an abstract type are of the same dtype when they are carried as those of another."""
    if isinstance(kind, ArrayKind) and isinstance(joined, ArrayKind):
        return kind.type == joined.type and not joined.types
    return kind == joined


def freed(kind: Kind | None) -> Kind | None:
    """An abstract type in which lists are not those of a certain pool."""
    if (pool := pool_of(kind)) is not None:
        return Growing(freed(pool.kind))
    return Growing(freed(kind.item)) if isinstance(kind, Growing) else kind


def joined_kind(items: list[Any]) -> Kind | None:
    """The abstract type that holds all of some items; None of none."""
    kind: Kind | None = None
    for item in items:
        kind = join_items(kind, kind_of_item(item))
    return kind


def owned(items: Any, item: Any, is_new: bool = False) -> Any:
    """What stands for an item that is put into a list, or into one of a pool: for a list one of the list's pool.

    An item of a list that becomes another one is there before what is being recorded.
    """
    item = resolve_grown_list(item)
    if not isinstance(item, (list, RuntimeLength)):
        return item
    if pool_of(items.kind) is None:
        kind = _of_any_length(items.kind, item)
        if kind is None:
            return item
        items.become(kind)
    pool = pool_of(items.kind)
    return pool.adopted(item) if is_new else pool.owned(item)


def _of_any_length(kind: Kind | None, item: Any) -> Kind | None:
    """The abstract type of lists of any length among items; None where all lists are parts of items."""
    found = freed(kind_of(item)) if isinstance(item, RuntimeLength) else kind_of_item(item)
    assert found is not None
    if kind is not None:
        found = join_items(kind, found)
    return found if isinstance(found, Growing) else None


def fit_kind(kind: Kind | None, found: Kind) -> Kind:
    """The abstract type of items with more of another; lists of a pool remain lists of it, which holds what they do."""
    pool = pool_of(kind)
    if pool is None or kind is None or not isinstance(found, Growing):
        return join_items(kind, found)
    if found.item is not None:
        pool.fitting(None, found.item)
    return kind


def numbers_in_pool(items: Any, kind: Kind) -> Any:
    """The numbers, in a pool, of lists that were parts of items."""
    pool, room = pool_of(kind), items.room
    numbers = lookup("zeros")((room,), np.int64)

    def move(position: Any) -> None:
        numbers[position] = pool.adopted(items.item(position)).number

    operators().for_(operators().call(range, items.length), move)
    return numbers


def stacked_lists(items: Any) -> Any:
    """Lists of one length that are items, as one array with a row for each."""
    pool = pool_of(items.kind)
    assert pool is not None
    if not isinstance(pool.kind, ArrayKind):
        items.refuse("making an array of lists of items that are not arrays")
    numbers = items.stacked_columns()[0]
    starts, counts = (lookup("take")(array, numbers, axis=0) for array in (pool.starts, pool.counts))
    width = lookup("max")(counts, initial=0)
    raise_where(lookup("any")(np.not_equal(counts, width)), ValueError, _RAGGED)
    places = starts[:, None] + lookup("arange")(width)
    columns = (lookup("take")(column, places, axis=0) for column in pool.columns)
    return stacked_items(pool.kind, columns, None)


@dataclass(frozen=True)
class CommonPool:
    """A pool that is to be made in front of a branch or loop, for lists in lists that begin to grow at lines in it."""

    lines: list[str]

    def widen(self, kind: Kind) -> None:
        """Make it, for items of an abstract type."""
        trace = required_trace()
        pools = control_flow(trace).pools
        for line in self.lines:
            pools.pop(line, None)
        pool = pool_of(operators().lists_in_pool(kind))
        pools.update(dict.fromkeys(self.lines, pool))


_RAGGED = "setting an array element with a sequence: the lists in a list are of different lengths"
