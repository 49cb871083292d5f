"""Lists in items of lists that grow, themselves or in tuples: each is one of a pool, and the same wherever it is met.

Rows of one length that are not changed lie side by side as parts of an item (`kept_items.py`), which costs less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeGuard

import numpy as np

from .....dialect.records import dataclass
from ....numpy_api import lookup
from ....runtime_values.results import HeldInList, RuntimeLength
from ....runtime_values.values import RuntimeValue
from ....tracing.array import TracedArray, wrap
from ....tracing.current import current_trace, required_trace
from ....tracing.staging import raise_where
from ..interface import operators
from ..values.abstract import array_leaves, as_arrays, flatten, kind_of, parts_of, rebuilt
from ..values.composites import COMPOSITES
from ..values.control_flow_state import control_flow
from ..values.kinds import ArrayKind, Choice, Container, Growing, Kind, Static
from ..values.object_handles import with_row
from ..values.optional import Chosen
from ..values.resolve_grown_lists import resolve_grown_list
from .kept_items import keep_records
from .lists_as_arrays import stacked_items
from .ragged_arrays import as_item, fitted, is_ragged
from .widened_items import join_items, static_shape


def pool_of(kind: Kind | None) -> Any:
    """What holds the lists that items are; None where they are none."""
    is_pooled = isinstance(kind, Container) and issubclass(kind.kind, RuntimeLength)
    pool = kind.parts[0] if kind is not None and is_pooled else None
    return pool.value if isinstance(pool, Static) else None


def pools_in(kind: Kind | None) -> list[Any]:
    """What holds the lists that items are or hold, each once."""
    if not isinstance(kind, Container):
        return []
    pool = pool_of(kind)
    found = [pool] if pool is not None else [one for child in kind.children for one in pools_in(child)]
    return list(dict.fromkeys(found))


def is_record(kind: Kind | None) -> TypeGuard[Container]:
    """Whether items are tuples, dicts or objects, each of which has a place for each of a number of entries."""
    return isinstance(kind, Container) and (
        not issubclass(kind.kind, _NO_RECORDS) or issubclass(kind.kind, HeldInList)
    )


_NO_RECORDS = (list, slice, RuntimeValue, *COMPOSITES)


def are_changed() -> bool:
    """Whether lists in lists are changed after they were put there, so that parts of items are not enough."""
    trace = current_trace()
    return trace is not None and False in trace.choices.own_items


def kind_of_item(item: Any) -> Kind:
    """The abstract type of an item of a list, in which a list may be one of any length."""
    kind = as_item(as_arrays(kind_of(item)))
    if is_record(kind) and not is_held(kind) and are_changed():
        return kind.with_parts(map(kind_of_item, entries_of(kind, item)))
    if isinstance(kind, Container) and kind.kind is list and are_changed():
        joined = joined_kind(item)
        # Numbers of other types keep these as parts of an item.
        if all(_is_kept_by(joined, kind_of_item(each)) for each in item):
            return Growing(joined)
    return kind


def entries_of(kind: Container, item: Any) -> list[Any]:
    """What a record holds, in the order of its abstract type."""
    parts = parts_of(item)
    assert parts is not None, "a record"
    keys, entries = parts
    if keys == kind.keys:
        return entries
    named = dict(zip(keys, entries, strict=True))
    return [named[key] for key in kind.keys]


def _is_kept_by(joined: Kind | None, kind: Kind) -> bool:
    """Whether numbers of an abstract type are of the same dtype when they are carried as those of another."""
    if isinstance(kind, ArrayKind) and isinstance(joined, ArrayKind):
        return kind.type == joined.type and not joined.types
    return kind == joined


def freed(kind: Kind | None) -> Kind | None:
    """An abstract type in which lists are not those of a certain pool."""
    if (pool := pool_of(kind)) is not None:
        return Growing(freed(pool.kind))
    if is_record(kind):
        return kind.with_parts(freed(child) or child for child in kind.children)
    return Growing(freed(kind.item)) if isinstance(kind, Growing) else kind


def is_held(kind: Kind | None) -> bool:
    """Whether items are tuples or arrays of any length, which are held as lists are."""
    return isinstance(kind, Container) and issubclass(kind.kind, HeldInList)


def _has_growing(kind: Kind | None) -> bool:
    """Whether items are lists of any length that have no pool yet, or hold such."""
    return isinstance(kind, Growing) or (is_record(kind) and any(map(_has_growing, kind.children)))


def joined_kind(items: list[Any]) -> Kind | None:
    """The abstract type that holds all of some items; None of none."""
    kind: Kind | None = None
    for item in items:
        kind = join_items(kind, kind_of_item(item))
    return kind


def owned(items: Any, item: Any, is_new: bool = False) -> Any:
    """What stands for an item that is put into a list, or into one of a pool: lists in it are of the list's pools.

    An item of a list that becomes another one is there before what is being recorded.
    """
    item = with_row(resolve_grown_list(item))
    if not (_holds_lists(item) or _may_become_held(items.kind, item)):
        return item
    if not _has_pools_for(items.kind, item):
        kind = _of_any_length(items.kind, item)
        if kind is None:
            return item
        items.become(kind)
    made = _in_pools(items.kind, item, is_new)
    keep_records(item)
    return made


def _may_become_held(kind: Kind | None, item: Any) -> bool:
    """Whether an item is a tuple or array that may be one of several lengths."""
    if isinstance(item, TracedArray):
        return is_ragged(fitted(kind, as_item(kind_of(item)))[1])
    found = kind_of(item)
    if is_record(found) and not is_held(kind) and not isinstance(kind, Choice):
        within = kind.children if is_record(kind) and _fits(found, kind) else (None,) * len(found.children)
        entries = entries_of(kind if is_record(kind) and _fits(found, kind) else found, item)
        return any(map(_may_become_held, within, entries))
    return isinstance(item, (tuple, Chosen)) and (isinstance(kind, Choice) or is_held(kind))


def _holds_lists(item: Any) -> bool:
    """Whether an item is or holds a list."""
    item = resolve_grown_list(item)
    return isinstance(item, (list, RuntimeLength)) or _has_lists(kind_of(item))


def _has_lists(kind: Kind) -> bool:
    """Whether items are lists, or records that hold some."""
    if is_record(kind):
        return any(map(_has_lists, kind.children))
    return isinstance(kind, Growing) or (isinstance(kind, Container) and issubclass(kind.kind, _LISTS))


_LISTS = (list, RuntimeLength)


def _has_pools_for(kind: Kind | None, item: Any) -> bool:
    """Whether there is a pool for each list in an item."""
    item = resolve_grown_list(item)
    if isinstance(item, (list, RuntimeLength)):
        return pool_of(kind) is not None
    if is_held(kind) and isinstance(item, (tuple, Chosen, TracedArray, HeldInList)):
        return pool_of(rows_of(kind)) is not None
    found = kind_of(item)
    if not is_record(kind) or not _fits(found, kind):
        return not (_has_lists(found) or _may_become_held(kind, item))
    return all(map(_has_pools_for, kind.children, entries_of(kind, item)))


def _in_pools(kind: Kind | None, item: Any, is_new: bool) -> Any:
    """An item whose lists are those of the pools of an abstract type."""
    item = resolve_grown_list(item)
    pool = pool_of(kind)
    if pool is not None:
        return pool.adopted(item) if is_new else pool.owned(item)
    if is_record(kind) and is_held(kind):
        item = kind.kind.of(item)
        return kind.kind.holding(kind.keys, _in_pools(kind.children[0], entries_of(kind, item)[0], is_new))
    if not is_record(kind) or not (_holds_lists(item) or pools_in(kind)):
        return item
    entries = zip(kind.children, entries_of(kind, item), strict=True)
    return rebuilt(kind, [_in_pools(child, each, is_new) for child, each in entries])


def _of_any_length(kind: Kind | None, item: Any) -> Kind | None:
    """The abstract type of items that hold lists of any length; None where all lists are parts of items."""
    found = freed(kind_of_item(item))
    assert found is not None
    if kind is not None:
        found = join_items(freed(kind), found)
    return found if _has_growing(found) else None


def fit_kind(kind: Kind | None, found: Kind) -> Kind:
    """The abstract type of items with more of another; lists of a pool remain lists of it, which holds what they do."""
    pool = pool_of(kind)
    if pool is not None and kind is not None and isinstance(found, Growing):
        if found.item is not None:
            pool.fitting(None, found.item)
        return kind
    if pools_in(kind) and is_record(kind) and _fits(found, kind) and kind.keys == found.keys:
        return kind.with_parts(map(fit_kind, kind.children, found.children))
    return join_items(kind, found)


def _fits(found: Kind | None, kind: Container) -> TypeGuard[Container]:
    """Whether items are records of the class, and with the entries, of others."""
    return (
        is_record(found)
        and found.kind is kind.kind
        and len(found.children) == len(kind.children)
        and {*found.keys} == {*kind.keys}
    )


def with_pools(kind: Kind, old: Kind | None = None) -> Kind:
    """An abstract type of items in which lists of any length are those of pools: of new ones where `old` has none."""
    if isinstance(kind, Growing):
        return operators().lists_in_pool(kind.item) if pool_of(old) is None else fit_kind(old, kind)
    if not is_record(kind):
        return kind
    before = old.children if is_record(old) else (None,) * len(kind.children)
    return kind.with_parts(map(with_pools, kind.children, before))


def in_pools(items: Any, kind: Kind) -> tuple[Any, ...]:
    """The columns of the items of a list where lists in them, which were parts of these, are those of pools."""
    trace, room = required_trace(), items.room
    columns = [lookup("zeros")((room, *static_shape(leaf)), leaf.type.dtype) for leaf in array_leaves(kind)]

    def move(position: Any) -> None:
        item = _in_pools(kind, items.item(position), is_new=True)
        for column, value in zip(columns, flatten(trace, item, kind), strict=True):
            column[position] = wrap(trace, value)

    operators().for_(operators().call(range, items.length), move)
    return tuple(columns)


def widened(
    items: Any, kind: Kind, columns_of: Callable[[Kind], Iterable[Any]]
) -> tuple[Kind, tuple[Any, ...]]:
    """The abstract type that items have from now on, with pools for the lists in them, and their columns.

    `columns_of` gives those of a type without further pools.
    """
    pooled = with_pools(kind, items.kind)
    is_moved = items.kind is not None and len(pools_in(pooled)) > len(pools_in(items.kind))
    return pooled, in_pools(items, pooled) if is_moved else tuple(columns_of(pooled))


def rows_of(kind: Kind | None) -> Kind | None:
    """The abstract type of the lists that items are, by themselves or as tuples."""
    return kind.parts[0] if kind is not None and is_held(kind) else kind


def stacked_lists(items: Any) -> Any:
    """Lists of one length that are items, as one array with a row for each."""
    pool = pool_of(rows_of(items.kind))
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
