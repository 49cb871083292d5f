"""Lists that are values of a dict whose keys only the program knows, as in `defaultdict(list)`.

The items of all of them lie in the columns of one pool, those of each list side by side, with room for more. A list
that is full moves behind all others and gets twice the room; what it leaves is not used again. A list is a number, by
which the pool knows where it begins, how many items it has, and for how many there is room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from .....dialect.errors import ControlFlowError, UnsupportedError
from .....dialect.types import TensorType
from ....numpy_api import lookup
from ....runtime_values.results import RuntimeContainer
from ....tracing.array import TracedArray, wrap
from ....tracing.current import required_trace
from ....tracing.packed_items import is_packed
from ....tracing.regions import Region
from ..interface import operators
from ..lists.dynamic_lists import (
    GrowingList,
    Widened,
    columns_of_item,
    is_known_outside,
)
from ..lists.kept_items import is_read, keep_put
from ..lists.lists_in_lists import (
    fit_kind,
    freed,
    in_pools,
    joined_kind,
    kind_of_item,
    owned,
    pools_in,
    widened,
    with_pools,
)
from ..lists.packed_lists import stacked_columns
from ..lists.widened_items import join_items, static_shape, widened_columns
from ..values.abstract import column_leaves, unflatten
from ..values.aliases import is_available
from ..values.control_flow_state import control_flow
from ..values.kinds import ArrayKind, Container, Kind, Static
from ..values.object_handles import object_pools_in
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.unchanged_values import same_items
from .columns import count, read, traced, write
from .from_before import may_be_from_before

ROOM = 16
"""For how many items, and lists, there is room at first."""

FIRST = 4
"""For how many items a list has room at first."""

_INT = TensorType((), np.dtype(np.int64))


class ListPool(RuntimeContainer):
    """The items of many lists."""

    __weft_state__ = ("_columns", "_counts", "_end", "_lists", "_rooms", "_starts")
    __hash__ = object.__hash__
    python_type = list

    def __init__(self, kind: Kind | None = None, holder: str = "a list") -> None:
        self.kind = None
        self.holder = holder
        """What holds the lists, as messages say."""
        self._columns: tuple[Any, ...] = ()
        zeros = lookup("zeros")
        self._starts, self._counts, self._rooms = (traced(zeros((ROOM,), np.int64)) for _ in range(3))
        self._end: Any = count(0)
        """The first place that belongs to no list."""
        self._lists: Any = count(0)
        """How many lists there are."""
        self.copied = False
        """Whether dicts have copies of lists that are one in Python."""
        self._region = required_trace().region
        self.made_at = str(required_trace().location())
        self._changed_in: frozenset[Region] = frozenset()
        """The regions in which lists of it were changed."""
        if kind is not None:
            self.widen(kind)
        # A list of it may be all that a branch or loop mentions.
        sections = self._region.sections_around
        control_flow(required_trace()).followed.append((self, f"a list in {holder}", sections))
        self.at_first = self.state()
        """What it held when lists of Python's had become those of it."""

    def __weft_kinds__(self) -> list[Kind | None]:
        return [self.kind]

    def widen(self, kind: Any) -> None:
        """Hold items of a wider abstract type from now on."""
        if kind is None or kind == self.kind:
            return
        if self.kind is None:
            zeros, self.kind = lookup("zeros"), with_pools(kind)
            leaves = column_leaves(self.kind)
            self._columns = tuple(
                traced(zeros((ROOM, *static_shape(leaf)), leaf.type.dtype)) for leaf in leaves
            )
            return
        before, columns, room = self.kind, self._columns, self.room
        self.kind, self._columns = widened(
            self.all_items(), kind, lambda wider: widened_columns(before, wider, iter(columns), room)
        )

    @property
    def starts(self) -> Any:
        """Where the lists begin."""
        return self._starts

    @property
    def counts(self) -> Any:
        """How many items they have."""
        return self._counts

    @property
    def columns(self) -> tuple[Any, ...]:
        """The items of all lists."""
        return self._columns

    @property
    def room(self) -> Any:
        """For how many items there is room."""
        return self._columns[0].shape[0] if self._columns else np.maximum(self._end, ROOM)

    def fitting(self, item: Any, kind: Kind | None = None) -> Kind:
        """The abstract type of the items with one more, which the lists have from now on."""
        keep_put(item, self)
        kind = fit_kind(self.kind, kind_of_item(item) if kind is None else kind)
        self.become(kind)
        return kind

    become: Any = GrowingList.become

    # Lists

    def new_list(self) -> PooledList:
        """A list without items."""
        number = self._lists.copy()._like_python(int)
        self._starts = write(self._starts, self._end, number)
        for name in ("_counts", "_rooms"):
            setattr(self, name, write(getattr(self, name), np.int64(0), number))
        self._lists = self._lists + 1
        operators().if_(np.greater_equal(self._lists, self._starts.shape[0]), self._double_lists)
        return PooledList(self, number)

    def owned(self, value: Any) -> PooledList:
        """The list of this pool that a list becomes which is put into a dict."""
        value = resolve_grown_list(value)
        if isinstance(value, PooledList):
            return value if value.pool is self else self._copy_of(value)
        if self.is_from_before(value):
            raise UnsupportedError(
                f"a list from before a loop or branch is put into {self.holder} in it, which would hold the same list "
                "each time: put a copy in (list(items)), or make the list there"
            )
        if is_known_outside(value):
            raise Widened(value, self)  # it becomes one of this pool before the loop or branch
        return self.adopted(value)

    def is_from_before(self, value: Any) -> bool:
        """Whether a list may be one from before a loop or branch in which the pool is new, or one that is carried."""
        snapshots = control_flow(required_trace()).snapshots
        return may_be_from_before(value) or any(
            snapshot.knows(value) and not snapshot.knows(self) for snapshot in snapshots
        )

    def adopted(self, value: Any) -> PooledList:
        """The list of this pool that a list becomes, or has become."""
        value = resolve_grown_list(value)
        if isinstance(value, PooledList):
            return value if value.pool is self else self._copy_of(value)
        self.copied = self.copied or is_read(value)
        made = self._filled(value)
        control_flow(required_trace()).grown[id(value)] = (value, made)  # by whatever name it has
        return made

    def _filled(self, items: Any) -> PooledList:
        """A new list of some items."""
        made, before = self.new_list(), (self._changed_in, self.copied)
        self.copied = False
        if isinstance(items, GrowingList):
            self._hold(made, items.kind, items.stacked_columns(), items.length)
        elif type(items) is list:
            self._hold(made, self.kind, self._known_columns(items), np.int64(len(items)))
        else:
            made.extend(items)
        self._changed_in, self.copied = before
        return made

    def _copy_of(self, value: PooledList) -> PooledList:
        """A copy of a list of another dict, which is that list itself in Python: neither is changed from now on."""
        for pool in (self, value.pool):
            pool.require_unchanged_around()
        made = self._filled(value)
        self.copied = value.pool.copied = True
        return made

    def require_unchanged_around(self) -> None:
        """Raise where lists of it are changed in a loop that is being recorded, and hence later, too."""
        region: Region | None = required_trace().region
        while region is not None and not self._region.is_inside(region):
            if region in self._changed_in:
                raise self._changed_copy()
            region = region.parent

    def change(self) -> None:
        """Take note that a list of it is about to be changed by the program."""
        if self.copied:
            raise self._changed_copy()
        region: Region | None = required_trace().region
        while region is not None and region not in self._changed_in:
            self._changed_in = self._changed_in | {region}
            region = region.parent

    def _changed_copy(self) -> UnsupportedError:
        if self.holder == "a dict":
            holder, copy = "a dict whose keys only the program knows", "d[key] = list(items)"
        else:
            holder, copy = "a list whose length only the program knows", "rows[i] = list(row)"
        return UnsupportedError(
            f"{holder} holds lists that are in another dict or list, too, and one of them is changed: compiled code "
            f"has copies, and would change one; put copies in ({copy}), or keep the lists in one dict or list"
        )

    def adopted_lists(self, values: list[Any]) -> Any:
        """The numbers of the lists of this pool that some lists become."""
        values = list(map(resolve_grown_list, values))
        if len(set(map(id, values))) < len(values):
            return self._adopted_singly(values)
        runs = [(is_known, list(run)) for is_known, run in groupby(values, lambda value: type(value) is list)]
        numbers = [
            (self._adopted_together if is_known else self._adopted_singly)(run) for is_known, run in runs
        ]
        return numbers[0] if len(numbers) == 1 else lookup("concatenate")(numbers)

    def _adopted_singly(self, values: list[Any]) -> Any:
        return lookup("stack")([self.adopted(value).number for value in values])

    def _adopted_together(self, values: list[Any]) -> Any:
        """The numbers of the lists that some of Python's become, with as much code as one takes."""
        is_as_made = same_items(self.state(), self.at_first)
        numbers = self._lists + lookup("arange")(len(values))
        lengths = np.array(list(map(len, values)), np.int64)
        columns = self._known_columns([item for value in values for item in value])
        self._make_room_for_lists(len(values))
        first, behind = self._lists, self._lists + len(values)
        starts = np.cumsum(lengths) - lengths
        for name, added in (("_starts", self._end + starts), ("_counts", lengths), ("_rooms", lengths)):
            array = getattr(self, name).copy()
            array[first:behind] = added
            setattr(self, name, array)
        self._lists = behind
        self._add(columns, np.int64(lengths.sum()))
        for value, place in zip(values, range(len(values)), strict=True):
            control_flow(required_trace()).grown[id(value)] = (
                value,
                PooledList(self, numbers[place]._like_python(int)),
            )
        if is_as_made:
            self.at_first = self.state()
        return numbers

    def _known_columns(self, items: list[Any]) -> list[Any]:
        """The columns of some items, which the pool holds from now on."""
        kinds = set(map(type, items))
        if len(kinds) == 1 and kinds <= {bool, int, float, complex}:
            self.fitting(items[0])
            numbers = np.array(items)
            if (
                isinstance(self.kind, ArrayKind)
                and not self.kind.types
                and numbers.dtype == self.kind.type.dtype
            ):
                return [numbers]
        if items and is_packed(items[0]):
            self.fitting(items[0])
            if (packed := stacked_columns(items, self.kind)) is not None:
                return packed
        items = [owned(self, item, is_new=True) for item in items]
        for item in items:
            self.fitting(item)
        if self.kind is None or not items:
            zeros = lookup("zeros")
            return [zeros((0, *column.shape[1:]), column.dtype) for column in self._columns]
        rows = [columns_of_item(required_trace(), item, self.kind) for item in items]
        return [lookup("stack")(entries) for entries in zip(*rows, strict=True)]

    def _hold(self, made: PooledList, kind: Kind | None, columns: list[Any], length: Any) -> None:
        """Let a list without items have some, and room for as many."""
        if kind is None:
            return
        free = freed(kind)
        now = self.fitting(None, kind if free is kind or self.kind is kind else free)
        if set(pools_in(now)) - set(pools_in(kind)):
            items = GrowingList()
            items.hold(kind, tuple(columns), length)
            columns = list(in_pools(items, now))
        elif kind != now:
            columns = widened_columns(kind, now, iter(columns), length)
        self._starts = write(self._starts, self._end, made.number)
        self._rooms = write(self._rooms, length, made.number)
        self._counts = write(self._counts, length, made.number)
        self._add(columns, length)

    def _add(self, columns: list[Any], length: Any) -> None:
        """Add items behind those of all lists."""
        operators().if_(np.greater(self._end + length, self.room), lambda: self._make_room(length))
        self._write(self._end, self._end + length, columns)
        self._end = self._end + length

    def _write(self, first: Any, behind: Any, columns: Iterable[Any]) -> None:
        """Replace the items at some places by as many others."""
        written, columns = [], list(columns)
        if len(columns) != len(self._columns):
            raise UnsupportedError(f"{self.holder} holds items that lead to such items: make them objects")
        for column, new in zip(self._columns, columns, strict=True):
            updated = column.copy()
            updated[first:behind] = new
            written.append(updated)
        self._columns = tuple(written)

    def _make_room_for_lists(self, more: int) -> None:
        """Make room for more lists, and one."""

        def add() -> None:
            join, zeros = lookup("concatenate"), lookup("zeros")
            for name in ("_starts", "_counts", "_rooms"):
                setattr(self, name, join((getattr(self, name), zeros((more + ROOM,), np.int64))))

        operators().if_(np.greater_equal(self._lists + more, self._starts.shape[0]), add)

    def _double_lists(self) -> None:
        join = lookup("concatenate")
        for name in ("_starts", "_counts", "_rooms"):
            numbers = getattr(self, name)
            setattr(self, name, join((numbers, numbers)))

    def place(self, number: Any, position: Any) -> Any:
        """Where an item of a list lies."""
        return read(self._starts, number) + position

    def count(self, number: Any) -> Any:
        """How many items a list has."""
        return read(self._counts, number)

    def set_count(self, number: Any, count: Any) -> None:
        """Let a list have fewer items, or those that were written behind its last one."""
        self._counts = write(self._counts, np.int64(count) if isinstance(count, int) else count, number)

    def item(self, number: Any, position: Any) -> Any:
        """An item that is known to be there."""
        assert self.kind is not None
        place = self.place(number, position)
        values = iter([read(column, place)._value() for column in self._columns])
        return unflatten(required_trace(), self.kind, values)

    def put(self, number: Any, position: Any, item: Any) -> None:
        """Replace an item that is known to be there, or write one behind the last for which there is room."""
        item = owned(self, item)
        kind = self.fitting(item)
        place = self.place(number, position)
        new = columns_of_item(required_trace(), item, kind)
        self._columns = tuple(write(c, v, place) for c, v in zip(self._columns, new, strict=True))

    def append(self, number: Any, item: Any) -> None:
        """Add an item at the end of a list."""
        item = owned(self, item)
        self.fitting(item)
        length = self.count(number)
        is_full = np.greater_equal(length, read(self._rooms, number))
        operators().if_(is_full, lambda: self._move(number, length))
        self.put(number, length, item)
        self.set_count(number, length + 1)

    def _move(self, number: Any, length: Any) -> None:
        """Move a list behind all others, where it gets twice the room."""
        room = np.maximum(length * 2, FIRST)
        operators().if_(np.greater(self._end + room, self.room), lambda: self._make_room(room))
        first = read(self._starts, number)
        items = (column[first : first + length] for column in self._columns)
        self._write(self._end, self._end + length, items)
        self._starts = write(self._starts, self._end, number)
        self._rooms = write(self._rooms, room, number)
        self._end = self._end + room

    def _make_room(self, least: Any) -> None:
        """Make room for twice as many items, and for some at least."""
        more = np.maximum(self.room, least)
        join, zeros = lookup("concatenate"), lookup("zeros")
        self._columns = tuple(join((c, zeros((more, *c.shape[1:]), c.dtype))) for c in self._columns)

    def items_of(self, number: Any) -> tuple[Any, ...]:
        """The columns of the items of a list."""
        first, length = read(self._starts, number), self.count(number)
        return tuple(column[first : first + length] for column in self._columns)

    def write_items(self, number: Any, columns: tuple[Any, ...]) -> None:
        """Replace all items of a list by as many others."""
        first, length = read(self._starts, number), self.count(number)
        self._write(first, first + length, columns)

    # As a whole

    @property
    def lies_in(self) -> tuple[Any, ...]:
        return (*object_pools_in([self.kind]), *pools_in(self.kind))

    def all_items(self) -> GrowingList:
        """The items of all lists, and what lies between them."""
        made = GrowingList()
        length = wrap(required_trace(), self._end._value())._like_python(int)
        made.hold(self.kind, self._columns, length)
        return made

    def parts(self) -> list[Any]:
        """The items of all lists, where these begin, and how many items they have."""
        return [self.all_items(), self._starts[: self._lists].copy(), self._counts[: self._lists].copy()]

    def originals(self) -> Iterator[tuple[Any, Any]]:
        """The lists of Python's that became lists of it, each with the number of that."""
        for items, made in control_flow(required_trace()).grown.values():
            if isinstance(made, PooledList) and made.pool is self and is_available(made.number):
                yield items, made.number

    def state(self) -> list[Any]:
        """All that changes with the items."""
        return [*self._columns, self._starts, self._counts, self._rooms, self._end, self._lists]

    def carry(self, columns: list[Any]) -> None:
        """Hold what was carried, of the same abstract type."""
        *arrays, self._starts, self._counts, self._rooms, self._end, self._lists = columns
        self._columns = tuple(arrays)

    def __repr__(self) -> str:
        return f"ListPool({self.kind})"


class PooledList(GrowingList):
    """One of the lists of a pool; two with one number are one list."""

    def as_now(self) -> Any:
        """Itself: what it holds lies in the pool."""
        return self

    __weft_state__ = ("number", "pool")
    owner = None

    def __init__(self, pool: ListPool, number: Any) -> None:
        self.pool = pool
        self.number = number

    def abstract_type(self) -> None:
        return None

    def joined_parts(self) -> list[Any]:
        return [self.pool, self.number]

    @classmethod
    def of_joined_parts(cls, parts: list[Any]) -> PooledList:
        return cls(*parts)

    @property
    def heap(self) -> Any:
        return self.pool

    def as_separate(self) -> GrowingList:
        return self._copied()

    def in_pools(self) -> tuple[Any, Callable[[Any, Sequence[Any]], Any]]:
        return self.number, lambda number, lists: lists[-1][number]

    # What the methods of lists are made of

    @property
    def kind(self) -> Any:  # type: ignore[override]
        return self.pool.kind

    @property
    def _arrays(self) -> tuple[TracedArray, ...]:  # type: ignore[override]
        return self.pool.items_of(self.number) if self.kind is not None else ()

    @property
    def _length(self) -> Any:
        return self.pool.count(self.number).copy()._like_python(int)

    @property
    def known_length(self) -> int | None:
        return None

    def is_one_with(self, other: GrowingList) -> Any:
        if not isinstance(other, PooledList) or other.pool is not self.pool:
            return False
        return np.equal(self.number, other.number)._like_python(bool)

    def sizes(self) -> Any:
        return self.pool._counts

    def is_as_made(self) -> bool:
        return same_items(self.pool.state(), self.pool.at_first)

    def let_join(self, other: Any, is_new: bool = True) -> bool:
        if type(other) not in (list, GrowingList) or is_known_outside(other) is is_new:
            return False
        if not is_available(self.pool):
            return False
        if self.pool.is_from_before(other) or not self._keeps_kind(other):
            return False
        self.pool.owned(other)
        return True

    def _keeps_kind(self, items: Any) -> bool:
        """Whether the items of all lists of the pool remain what they are with those of another list."""
        kind = freed(self.kind)
        found = joined_kind(items) if type(items) is list else freed(items.kind)
        try:
            return kind is None or found is None or join_items(kind, found) == kind
        except ControlFlowError:
            return False

    def append(self, item: Any) -> None:
        self.pool.change()
        self.pool.append(self.number, item)

    def clear(self) -> None:
        self.pool.change()
        self.pool.set_count(self.number, 0)

    def item(self, position: Any) -> Any:
        if self.kind is None:
            raise IndexError("list index out of range")
        return self.pool.item(self.number, position)

    def put(self, position: Any, item: Any) -> None:
        self.pool.change()
        self.pool.put(self.number, position, item)

    def rearrange(self, change: Callable[[Any], Any], length: Any) -> None:
        self.pool.change()
        before = self._arrays
        changed = tuple(change(array) for array in before)
        if any(new is not old for new, old in zip(changed, before, strict=True)):
            self.pool.write_items(self.number, changed)
        self.pool.set_count(self.number, length)

    def adopt(self, other: GrowingList) -> None:
        items = other._copied()
        self.clear()
        self.extend(items)

    def widen(self, kind: Kind) -> None:
        self.pool.widen(kind)

    def _fitting(self, item: Any, kind: Kind | None = None) -> Kind:
        return self.pool.fitting(item, kind)

    def _copied(self) -> GrowingList:
        made = GrowingList()
        made.hold(self.kind, tuple(array.copy() for array in self._arrays), self._length)
        return made

    def state(self) -> list[Any]:
        return [*self.pool.state(), self.number]

    def __repr__(self) -> str:
        return f"PooledList({self.kind})"


def kind_in_pool(pool: ListPool) -> Container:
    """The abstract type of a list of a pool."""
    return Container(PooledList, (), (Static(pool), ArrayKind(_INT, is_array=False)))


def lists_in_pool(kind: Kind | None) -> Container:
    """The abstract type of lists of a pool, whose items have one: a new pool, or that of the lists they replace."""
    pools, line = control_flow(required_trace()).pools, str(required_trace().location())
    pool = pools.get(line)
    if pool is None or not is_available(pool):  # that of a recording that was begun again
        pools.pop(line, None)
        return kind_in_pool(ListPool(kind))
    if kind is not None:
        pool.become(fit_kind(pool.kind, kind))
    return kind_in_pool(pool)
