"""Dicts and sets whose keys only the program knows: hash tables in arrays.

The items lie in columns in the order in which they came in, with room for more: one for each number in a key and in a
value. Slots say at which place a key lies (`dialect/ops/tables.py`). There are twice as many as places, and there is
always room for one more item; columns and slots are doubled when they are full. What is taken out stays where it was
and is marked as gone, until room is made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .....dialect.ops.tables import INT32, TableFind, TableIndex
from .....dialect.records import NamedTuple, dataclass
from ....numpy_api import lookup
from ....runtime_values.results import RuntimeTable
from ....signature.traced_value import StandIn
from ....tracing.array import wrap
from ....tracing.current import required_trace
from ....tracing.needed_numbers import need_deciding_lengths
from ....tracing.staging import cast, emit, raise_if
from ..interface import operators
from ..lists.dynamic_lists import (
    GrowingList,
    Widened,
    columns_of_item,
    is_known_outside,
)
from ..lists.kept_items import keep_put, keep_read, keep_whole
from ..lists.widened_items import static_shape, widened_columns
from ..values.abstract import array_leaves, column_leaves, unflatten
from ..values.iterables import Sequence
from ..values.kinds import Container, Growing, Kind, Tabled
from ..values.unchanged_values import same_items
from .columns import count, read, traced, write
from .compared_keys import are_compared, compared_kind, objects_from_outside
from .inner_tables import as_inner
from .keys import (
    are_words,
    joined_keys,
    joined_values,
    key_kind,
    kind_of_value,
    require_hashable,
    sought_words,
    width_of,
    words_of,
    words_of_columns,
)
from .list_pools import ListPool, kind_in_pool
from .python_classes import PythonClass

ROOM = 8
"""How many items there is room for at first: a power of two."""

_MOST = 1 << 30
"""For more items there are no numbers in slots."""


class Found(NamedTuple):
    """Where a key is, or would be."""

    slot: Any
    place: Any
    """-1 where there is none."""
    is_there: Any

    @property
    def truth(self) -> Any:
        """Whether it is there, as Python's bool."""
        return self.is_there.copy()._like_python(bool)


def missing_key(key: Any) -> Any:
    """Raise what Python raises for a key that is not there."""
    operators().raise_(lambda: KeyError(key))


class Table(StandIn, RuntimeTable):
    """A dict or set whose keys are known only at run time; keys are alike, and so are values."""

    __weft_state__ = ("_columns", "_dead", "_gone", "_length", "_slots", "_words", "pool")

    def __init__(self, made: PythonClass, kind: Container | None = None, loses: bool = False) -> None:
        self.made = made
        self.make = made
        self.python_type = made.python_type
        self.kind: Container | None = None
        self.loses = loses
        """Whether items are taken out."""
        self._columns: tuple[Any, ...] = ()
        self._words: Any = None
        """The words of the keys, where they are not a column."""
        self._slots: Any = None
        self._gone: Any = None
        """Which items were taken out."""
        self._length: Any = np.int64(0)
        """How many items there are with these."""
        self._dead: Any = np.int64(0)
        """How many items were taken out."""
        self.pool: ListPool | None = None
        """What the values are lists of, where they are lists."""
        """Whether there were lists in it when it was a dict of Python's."""
        self._at_first: list[Any] | None = None
        """What it held when it was one."""
        if kind is not None:
            self.begin(kind)

    # Its type

    @property
    def key_kind(self) -> Kind:
        """The abstract type of a key."""
        assert self.kind is not None, "a table with a key"
        return self.kind.children[0]

    @property
    def item_kind(self) -> Container | None:
        """The abstract type of an item, in which lists are lists of any length."""
        if self.kind is None or self.pool is None:
            return self.kind
        return Container(tuple, (), (self.key_kind, Growing(self.pool.kind)))

    def _in_pool(self, kind: Container) -> Container:
        """The abstract type of an item, in which lists are those of a pool, which is made."""
        if not isinstance(kind.children[-1], Growing):
            return kind
        growing = kind.children[1]
        assert isinstance(growing, Growing)
        if self.pool is None:
            self.pool = ListPool(holder="a dict")
        self.pool.widen(growing.item)
        return Container(tuple, (), (kind.children[0], kind_in_pool(self.pool)))

    @property
    def _keys(self) -> Any:
        """The words of the keys."""
        return self._columns[0] if self._words is None else self._words

    @property
    def _room(self) -> Any:
        return self._gone.shape[0]

    def begin(self, kind: Container) -> None:
        """Begin with no items, of an abstract type."""
        trace = required_trace()
        need_deciding_lengths(trace, "the size of a dict or set")
        self.kind = kind = self._in_pool(kind)
        zeros, full = lookup("zeros"), lookup("full")
        self._columns = tuple(
            traced(zeros((ROOM, *static_shape(leaf)), leaf.type.dtype)) for leaf in column_leaves(kind)
        )
        has_words = not are_words(self.key_kind)
        self._words = traced(zeros((ROOM * width_of(self.key_kind),), np.int64)) if has_words else None
        self._slots = traced(full((2 * ROOM,), -1, INT32))
        self._gone = traced(zeros((ROOM,), np.bool_))
        self._length = count(0)
        self._dead = count(0)

    def fill(self, items: list[Any]) -> None:
        """Hold items whose keys are constants, all different."""
        assert self.kind is not None
        trace, kind = required_trace(), self.kind
        pool = self.pool
        own = (lambda value: value) if pool is None else (lambda value: pool.adopted(value))
        whole = [((item,) if self.made.is_set else (item[0], own(as_inner(item[1])))) for item in items]
        for _, *value in whole if pool is None else ():
            keep_put(tuple(value), self)
        for key, *_ in whole:
            self._keep_from_outside(key)
        rows = [columns_of_item(trace, item, kind) for item in whole]
        missing = _room_for(len(items)) - len(items)
        zeros, join = lookup("zeros"), lookup("concatenate")
        columns = []
        for leaf, entries in zip(column_leaves(kind), zip(*rows, strict=True), strict=True):
            more = zeros((missing, *static_shape(leaf)), leaf.type.dtype)
            columns.append(traced(join((lookup("stack")(entries), more))))
        self._columns = tuple(columns)
        if not are_words(self.key_kind):
            self._words = self._all_words(missing + len(items))
        self._gone = traced(zeros((missing + len(items),), np.bool_))
        self._length = count(len(items))
        self._index(lookup("full")((2 * (missing + len(items)),), -1, INT32))
        self._at_first = self.state()
        if pool is not None:
            pool.at_first = pool.state()

    def _all_words(self, room: Any) -> Any:
        """The words of all keys, from the columns."""
        columns = self._columns[: len(array_leaves(self.key_kind))]
        if not array_leaves(compared_kind(self.key_kind)):
            return traced(lookup("zeros")((room,), np.int64))
        return words_of_columns(columns, self.key_kind)

    def widen(self, kind: Any) -> None:
        """Hold items of a wider abstract type from now on, or ones that may be taken out."""
        self.loses = self.loses or kind.loses
        if kind.item is None or kind.item == self.item_kind:
            return
        assert isinstance(kind.item, Container)
        if self.kind is None:
            self.begin(kind.item)
            return
        old, self.kind = self.kind, self._in_pool(kind.item)
        if old == self.kind:
            return
        self._columns = tuple(widened_columns(old, self.kind, iter(self._columns), self._room))
        if self.key_kind != old.children[0]:
            self._words = None if are_words(self.key_kind) else self._all_words(self._room)
            self._index(lookup("full")(self._slots.shape, -1, INT32))

    def _fitting(self, key: Any, *value: Any) -> Container:
        """The abstract type of the items with one more, which the table has from now on."""
        for part in (key, *value):
            if not isinstance(part, (list, GrowingList)):  # which becomes one of the pool
                keep_put(part, self)
        self._become(Tabled(self.made, with_item(self.item_kind, key, *value), self.loses))
        assert self.kind is not None
        self._keep_from_outside(key)
        return self.kind

    def _keep_from_outside(self, key: Any) -> None:
        """Note the objects in a key of which there are copies: they are not changed, nor asked for their identity."""
        for one in objects_from_outside(key, self.key_kind):
            keep_whole(one)

    def _become(self, kind: Tabled) -> None:
        """Have an abstract type from now on; from the beginning of a loop or branch on that knows the table."""
        if kind.item == self.item_kind and kind.loses == self.loses:
            return
        if is_known_outside(self):
            raise Widened(self, kind)
        self.widen(kind)

    def expect_loss(self) -> None:
        """Let items be taken out."""
        self._become(Tabled(self.made, self.item_kind, True))

    # Looking

    @property
    def length(self) -> Any:
        """The number of items, a traced int."""
        if self.kind is None:
            return count(0)._like_python(int)
        return (np.subtract(self._length, self._dead) if self.loses else self._length.copy())._like_python(
            int
        )

    def find(self, key: Any) -> Found | None:
        """Where a key is; None where there surely is none."""
        require_hashable(key)
        if self.kind is None:
            key_kind(key)
            return None
        sought = sought_words(key, self.key_kind)
        if sought is None:
            return None
        words, is_possible = sought
        found = self._find(words)
        if is_possible is True:
            return found
        return found._replace(is_there=np.logical_and(found.is_there, is_possible))

    def _find(self, words: list[Any]) -> Found:
        slot = emit(required_trace(), TableFind, (self._slots, self._keys, *words), {})
        place = cast(read(self._slots, slot), np.dtype(np.int64))
        is_there = np.greater_equal(place, 0)
        if self.loses:
            is_there = np.logical_and(is_there, np.logical_not(read(self._gone, place)))
        return Found(slot, place, is_there)

    def value(self, place: Any) -> Any:
        """The value at a place that is known to be there."""
        assert self.kind is not None
        first = len(array_leaves(self.key_kind))
        return self._made(self.kind.children[1], self._columns[first:], place)

    def item(self, place: Any) -> Any:
        """The key at a place that is known to be there, or the key and its value."""
        assert self.kind is not None
        item = self._made(self.kind, self._columns, place)
        return item[0] if self.made.is_set else item

    def key(self, place: Any) -> Any:
        """The key at a place that is known to be there."""
        return self._made(self.key_kind, self._columns, place)

    @staticmethod
    def _made(kind: Kind, columns: tuple[Any, ...], place: Any) -> Any:
        count = len(array_leaves(kind))
        return unflatten(required_trace(), kind, iter([read(c, place)._value() for c in columns[:count]]))

    # Changing

    def put(self, key: Any, *value: Any) -> None:
        """Give a key a value; a new one comes behind all others."""
        value = tuple(map(as_inner, value))
        kind = self._fitting(key, *value)
        value = tuple(map(self.owned, value))
        words = words_of(key, self.key_kind)
        found = self._find(words)
        place = np.where(found.is_there, found.place, self._length)
        self._slots = write(self._slots, cast(place, INT32), found.slot)
        if self._words is not None:
            first = place * len(words)
            for number, word in enumerate(words):
                self._words = write(self._words, word, first + number)
        item: list[Any] = [
            wrap(required_trace(), v._value()) for v in columns_of_item(required_trace(), (key, *value), kind)
        ]
        of_keys = len(array_leaves(self.key_kind))
        told = are_compared(self.key_kind)
        for number, column in enumerate(self._columns[:of_keys]):
            if (
                column.dtype.kind == "f" or not told[number]
            ):  # of two zeros, and of equal objects, the first stays
                item[number] = np.where(found.is_there, read(column, place), item[number])
        self._columns = tuple(write(c, new, place) for c, new in zip(self._columns, item, strict=True))
        self._length = self._length + cast(np.logical_not(found.is_there), np.dtype(np.int64))
        operators().if_(np.greater_equal(self._length, self._room), self._make_room)

    def replace_value(self, found: Found | None, value: Any) -> None:
        """Replace the value of a key that is there."""
        if found is None or self.kind is None:
            return
        value = as_inner(value)
        if not isinstance(value, (list, GrowingList)):
            keep_put(value, self)
        assert self.item_kind is not None
        kinds = self.key_kind, joined_values(self.item_kind.children[1], kind_of_value(value))
        self._become(Tabled(self.made, Container(tuple, (), kinds), self.loses))
        first = len(array_leaves(self.key_kind))
        new = columns_of_item(required_trace(), self.owned(value), self.kind.children[1])
        rest = tuple(write(c, v, found.place) for c, v in zip(self._columns[first:], new, strict=True))
        self._columns = (*self._columns[:first], *rest)

    def owned(self, value: Any) -> Any:
        """What stands for a value: for a list the one of the pool that it becomes."""
        return value if self.pool is None else self.pool.owned(value)

    def take_out(self, found: Found) -> None:
        """Take the item out that was found, if it is there."""
        place = np.maximum(found.place, 0)
        self._gone = write(self._gone, np.logical_or(found.is_there, read(self._gone, place)), place)
        self._dead = self._dead + cast(found.is_there, np.dtype(np.int64))

    def require(self, key: Any, found: Found) -> None:
        """Raise what Python does where a key is not there."""
        operators().if_(operators().not_(found.truth), lambda: missing_key(key))

    def drop(self, key: Any, is_required: bool) -> None:
        """Take the item of a key out, which may have to be there."""
        self.expect_loss()
        found = self.find(key)
        if found is not None:
            if is_required:
                self.require(key, found)
            self.take_out(found)
        elif is_required:
            missing_key(key)

    def clear(self) -> None:
        """Take all items out."""
        if self.kind is not None:
            self._length, self._dead = self._length * 0, self._dead * 0
            self._slots = lookup("full")(self._slots.shape, -1, INT32)
            self._gone = lookup("zeros")(self._gone.shape, np.bool_)

    def _make_room(self) -> None:
        """Make room for twice as many items as there are."""
        if not self.loses:
            self._double()
            self._index(lookup("full")(np.multiply(self._slots.shape[0], 2), -1, INT32))
            return
        self._close_gaps()
        operators().if_(np.greater(self._length * 2, self._room), self._double)
        self._index(lookup("full")(np.multiply(self._room, 2), -1, INT32))

    def _double(self) -> None:
        """Make room for twice as many items."""
        raise_if(np.greater(self._length, _MOST), "MemoryError", "a dict or set of more than a billion items")
        join = lookup("concatenate")
        self._columns = tuple(join((column, column)) for column in self._columns)
        self._words = None if self._words is None else join((self._words, self._words))
        self._gone = join((self._gone, lookup("zeros")(self._gone.shape, np.bool_)))

    def _close_gaps(self) -> None:
        """Move all items forward that are behind some that were taken out."""
        is_left = np.logical_not(self._gone)
        order = np.argsort(np.logical_not(is_left), kind="stable")
        self._columns = tuple(column[order] for column in self._columns)
        if self._words is not None:
            width = width_of(self.key_kind)
            self._words = self._words.reshape((-1, width))[order].reshape(-1)
        self._length, self._dead = self._length - self._dead, self._dead * 0
        self._gone = lookup("zeros")(self._gone.shape, np.bool_)

    def _index(self, slots: Any) -> None:
        """Make the slots again, of empty ones."""
        width = width_of(self.key_kind)
        self._slots = emit(
            required_trace(), TableIndex, (traced(slots), self._keys, self._length), {"width": width}
        )

    # As a whole

    def holds(self, key: Any) -> Any:
        """Whether a key is there."""
        found = self.find(key)
        return False if found is None else found.truth

    def first_place(self) -> Any:
        """The place of the first item that is left."""
        return np.argmin(self._gone)

    def last_place(self) -> Any:
        """The place of the last item that is left."""
        return self._length - 1 - np.argmin(self._gone[: self._length][::-1])

    def places(self) -> Any:
        """The places of all items, in order."""
        if not self.loses:
            return lookup("arange")(self._length)
        return np.flatnonzero(np.logical_not(self._gone[: self._length]))

    def listed(self) -> GrowingList:
        """All keys, or all pairs of keys and values."""
        return self.part(0 if self.made.is_set else None)

    @property
    def lies_in(self) -> tuple[Any, ...]:
        return () if self.pool is None else (self.pool,)

    def part(self, number: int | None) -> GrowingList:
        """All keys (0), all values (1), or the pairs of them (None)."""
        made = GrowingList()
        if self.kind is None:
            made.hold(None, (), count(0)._like_python(int))
            return made
        of_keys = len(array_leaves(self.key_kind))
        columns = self._columns
        if number is not None:
            columns = columns[:of_keys] if number == 0 else columns[of_keys:]
        kind = self.kind if number is None else self.kind.children[number]
        if self.loses:
            places = self.places()
            columns = tuple(column[places] for column in columns)
        if len(column_leaves(kind)) > len(columns):
            columns = (*columns, lookup("zeros")((columns[0].shape[0],), np.int64))
        made.hold(kind, columns, self.length)
        made.is_told_by_first = number is None and not self.made.is_set
        return made

    # Protocols

    def __weft_items__(self) -> Any:
        return TableWalk.of(self)

    def __iter__(self) -> Any:
        return iter(self.part(0))

    def __repr__(self) -> str:
        return f"Table({self.made.python_type.__name__}, {self.kind})"

    @property
    def refusal(self) -> str:  # type: ignore[override]
        return (
            f"{{}} is not supported for a {self.python_type.__name__} whose keys are known only at run time; it "
            "can be looked into, changed, walked, compared and sorted (sorted, list, len, max, sum)"
        )

    # Being carried

    def abstract_type(self) -> Tabled:
        return Tabled(self.made, self.item_kind, self.loses)

    def as_now(self) -> Any:
        return self.copy()

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        if self.pool is None:
            return self.copy()
        made = type(self)(self.made, None, self.loses)
        made.carry(self.item_kind, self.carried())
        return made

    def copy(self) -> Any:
        """One of the same items."""
        made = type(self)(self.made)
        made.adopt(self)
        return made

    def adopt(self, other: Table) -> None:
        """Hold the items of another one of the same abstract type."""
        self.kind, self.loses = other.kind, other.loses
        for name in self.__weft_state__:
            setattr(self, name, getattr(other, name))

    def state(self) -> list[Any]:
        """The columns, and all else that changes with the items."""
        of_lists = [] if self.pool is None else self.pool.state()
        return [*self._columns, self._slots, self._gone, self._length, self._dead, *of_lists]

    def is_as_made(self) -> bool:
        return self._at_first is not None and same_items(self.state(), self._at_first)

    def carried(self) -> list[Any]:
        """What carries it from a path to another."""
        return [
            *self._columns,
            *([] if self._words is None else [self._words]),
            *([] if self.kind is None else [self._slots, self._gone]),
            *([] if self.pool is None else self.pool.state()),
            self._length,
            self._dead,
        ]

    def carry(self, kind: Container | None, columns: list[Any]) -> None:
        """Hold what was carried."""
        if kind is not None:
            self.kind = self._in_pool(kind)
            *columns, self._length, self._dead = columns
            if self.pool is not None:
                size = len(self.pool.state())
                self.pool.carry(columns[-size:])
                columns = columns[:-size]
            *columns, self._slots, self._gone = columns
            if not are_words(self.key_kind):
                *columns, self._words = columns
            self._columns = tuple(columns)


def _room_for(count: int) -> int:
    """For how many items there is room in a table of some; one more fits always."""
    room = ROOM
    while room <= count:
        room *= 2
    return room


def with_item(item: Container | None, key: Any, *value: Any) -> Container:
    """The abstract type of the items of a table with one more."""
    old: tuple[Kind | None, ...] = (None, None) if item is None else item.children
    values = [joined_values(before, kind_of_value(v)) for before, v in zip(old[1:], value, strict=False)]
    return Container(tuple, (), (joined_keys(old[0], key_kind(key)), *values))


KEYS, VALUES, ITEMS = 0, 1, None
"""Which part of the items is meant."""


@dataclass(frozen=True)
class TableWalk(Sequence):
    """The keys, values or items of a table, as they are when they are read; none is put in or taken out meanwhile."""

    table: Table
    part: int | None
    places: Any
    """Where they lie; None where they lie side by side."""
    count: Any

    @classmethod
    def of(cls, table: Table, part: int | None = KEYS) -> TableWalk:
        """A walk that begins now."""
        places = table.places() if table.loses and table.kind is not None else None
        count = table.length if places is None else places.shape[0]
        return cls(table, part, places, count)

    @property
    def length(self) -> Any:
        return 0 if self.table.kind is None else self.count

    def item(self, position: Any) -> Any:
        place = position if self.places is None else self.places[position]
        read = {KEYS: self.table.key, VALUES: self.table.value, ITEMS: self.table.item}[self.part]
        found = read(place)
        keep_read(found)
        return found

    def has_changed(self, before: tuple[Any, Any]) -> Any:
        """Whether keys were put in or taken out since there were so many; False where none can have been."""
        length, dead = self.table._length, self.table._dead
        if length is before[0] and dead is before[1]:
            return False
        return np.logical_or(np.not_equal(length, before[0]), np.not_equal(dead, before[1]))

    def sizes(self) -> tuple[Any, Any]:
        """How many items were put in and taken out by now."""
        return self.table._length, self.table._dead
