"""The pool of all objects of a class that a program makes: a row for each, and columns for each attribute.

It is there from the beginning of a recording on that begins again as such objects are changed where compiled code holds
what they are. Rows are not used again. An attribute that some objects do not have is told by a column of its own.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import FunctionType
from typing import Any, NoReturn

import numpy as np

from .....dialect.errors import ControlFlowError, UnsupportedError
from .....dialect.records import NamedTuple
from ....numpy_api import lookup
from ....reach.walks import attributes_of
from ....runtime_values.results import RuntimeContainer
from ....source.own_attributes import delete_own_attribute, own_attributes
from ....tracing.array import TracedArray, wrap
from ....tracing.current import required_trace
from ....tracing.joined_writes import write_copy
from ....tracing.recorder import Recorder
from ...library import deep_copies
from ...library.inner_tables import InnerTable
from ..interface import operators
from ..lists.dynamic_lists import GrowingList, Widened, is_known_outside
from ..lists.kept_items import (
    change_read,
    is_place_of,
    keep_put,
    keep_read,
    known_read,
    let_go,
    note_written,
)
from ..lists.lists_in_lists import fit_kind, kind_of_item, owned, pools_in, with_pools
from ..lists.widened_items import static_shape, widened_columns
from ..values.abstract import array_leaves, flatten, kind_of, unflatten
from ..values.control_flow_state import control_flow
from ..values.dict_rows import PooledDict
from ..values.kinds import COMPARED, ArrayKind, Choice, Kind, Partial, Static, Text, is_tuple
from ..values.object_handles import (
    AttributeOfRows,
    MadeClass,
    ObjectPools,
    RowsRefused,
    handle_of,
    note_row,
    object_pools_in,
    pooled_class,
    row_of,
    with_row,
)
from ..values.optional import MaybeUnbound
from ..values.program_locations import UNBOUND
from ..values.resolve_grown_lists import resolve_grown_list
from .columns import count, read, traced, write

ROOM = 16
"""For how many objects there is room at first."""


class _KindOf:
    """An abstract type, as a constant."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind


class Column(NamedTuple):
    """An attribute of all objects."""

    holder: _KindOf
    arrays: tuple[Any, ...]
    absent: Any
    """Which objects do not have it; None where all do."""

    @property
    def kind(self) -> Kind:
        """The abstract type of the attribute."""
        return self.holder.kind


class Found(NamedTuple):
    """What was found of an attribute."""

    kind: Kind | None
    is_late: bool
    """Whether there are objects that do not have it."""


class ObjectPool(RuntimeContainer):
    """All objects of a class."""

    __weft_state__ = ("_columns", "_count", "places")
    __hash__ = object.__hash__
    python_type = list
    kind = None

    def __init__(self, python_class: type, keys: tuple[Any, ...] = ()) -> None:
        self.python_class = python_class
        self.keys = keys
        """The keys of dicts."""
        self.row_class = PooledDict if python_class is dict else pooled_class(python_class)
        equals: Any = python_class.__eq__
        self.has_own_equality = equals is not object.__eq__
        self._of_keys: frozenset[str] = frozenset()
        """The attributes by which its objects are keys, none of which changes."""
        self._changed: set[str] = set()
        self._columns: dict[str, Any] = {}
        self._places: dict[str, AttributeOfRows] = {}
        self._being_made = 0
        """How many objects are being made, one inside of the making of another."""
        self._count: Any = count(0)
        self._none = self._count
        region = required_trace().region
        self.places: dict[Any, Any] = {}
        """Where the keys of all its objects lie, where these are dicts or sets in dicts."""
        followed = (self, f"a {python_class.__name__}", region.sections_around)
        control_flow(required_trace()).followed.append(followed)

    def refusal(self, what: str) -> str:
        """What is said of what cannot be done with its objects."""
        one = (
            f"a dict of the keys {self.keys}"
            if self.keys
            else f"an object of {self.python_class.__qualname__}"
        )
        if issubclass(self.python_class, InnerTable):
            one = f"a {self.python_class.python_type.__name__} that is a value of a dict"
        return (
            f"{one} is {what}; compiled code makes as many of them as it "
            "needs, and holds their attributes in columns"
        )

    def refuse_at_run_time(self) -> NoReturn:
        """Refuse to give one of its objects to Python when the program runs."""
        what = self.refusal("given to Python (or shown)")
        raise RowsRefused(f"{what}: give it what the object holds (p.x)")

    # What the attributes are

    def has(self, name: str) -> bool:
        """Whether there are objects with an attribute."""
        return name in self._columns

    def __weft_kinds__(self) -> list[Kind]:
        return [column.kind for column in self._columns.values()]

    def become(self, found: Mapping[str, Found]) -> None:
        """Hold attributes of wider abstract types from now on."""
        wider = {name: one for name, one in found.items() if not self._fits(name, one)}
        if wider:
            if is_known_outside(self):
                raise Widened(self, wider)
            self.widen(wider)

    def _fits(self, name: str, found: Found) -> bool:
        column = self._columns.get(name)
        if column is None:
            return False
        if found.is_late and column.absent is None:
            return False
        return found.kind is None or self._joined(name, column.kind, found.kind) == column.kind

    def _joined(self, name: str, kind: Kind | None, found: Kind) -> Kind:
        try:
            return fit_kind(kind, found)
        except (ControlFlowError, UnsupportedError) as error:
            self._refuse_kinds(name, str(error).splitlines()[0])

    def _refuse_kinds(self, name: str, why: str) -> NoReturn:
        raise RowsRefused(
            f"the attribute {name!r} of {self.python_class.__qualname__} cannot be held for as many objects as the "
            f"program makes: {why}"
        ) from None

    def widen(self, kind: Mapping[str, Found]) -> None:
        """Hold them, where no branch or loop around knows of the pool."""
        has_rows = self._count is not self._none
        for name, found in kind.items():
            column = self._columns.get(name)
            old = None if column is None else column.kind
            new = old if found.kind is None else self._joined(name, old, found.kind)
            if new is None:
                continue  # no object has it so far
            new = with_pools(new, old)
            if column is None or old is None or not has_rows:
                zeros, leaves = lookup("zeros"), array_leaves(new)
                arrays = tuple(
                    traced(zeros((self.room, *static_shape(leaf)), leaf.type.dtype)) for leaf in leaves
                )
            else:
                arrays = tuple(widened_columns(old, new, iter(column.arrays), self.room))
                if len(arrays) != len(array_leaves(new)):
                    self._refuse_kinds(name, f"{old} of one of them, {new} of another")
            absent = None if column is None else column.absent
            is_late = found.is_late or (has_rows and column is None)
            if is_late and absent is None:
                absent = traced(lookup("full")((self.room,), column is None))
            holder = column.holder if column is not None and new == old else _KindOf(new)
            self._columns[name] = Column(holder, arrays, absent)

    @property
    def room(self) -> Any:
        """For how many objects there is room."""
        arrays = self._arrays()
        return arrays[0].shape[0] if arrays else ROOM

    def _arrays(self) -> list[Any]:
        columns = self._columns.values()
        return [array for one in columns for array in (*one.arrays, *[one.absent] * (one.absent is not None))]

    # Making objects

    def made(self, make: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """An object that the program makes."""
        self._being_made += 1
        try:
            made = make(*args, **kwargs)
        finally:
            self._being_made -= 1
        return self._as_row(made) if type(made) is self.python_class else made

    def adopt(self, made: Any) -> Any:
        """Let an object that was just made be a row, in place; what stands for it from now on."""
        if self.keys:
            return self.adopted(made)
        state = required_trace().python_state
        if not self._being_made or (state is not None and state.knows(made)):
            raise RowsRefused(self.refusal("from outside of the function"))
        return self._as_row(made)  # its own __init__ puts it somewhere

    def _as_row(self, made: Any) -> Any:
        attributes = attributes_of(made) or {}
        for name in attributes:
            delete_own_attribute(made, name)
        own_attributes(made).clear()
        object.__setattr__(made, "__class__", pooled_class(self.python_class))
        note_row(made, self, self._next_number())
        self._add_row({name: with_row(value) for name, value in attributes.items()})
        return made

    def adopted(self, made: dict[Any, Any]) -> Any:
        """What a dict becomes."""
        trace = required_trace()
        if (now := resolve_grown_list(made)) is not made:
            return now
        if trace.python_state is not None and trace.python_state.knows(made):
            raise RowsRefused(self.refusal("from outside of the function"))
        if is_known_outside(made):
            raise Widened(made, self)  # it becomes a row before the loop or branch
        row = row_of(self, self._next_number())
        control_flow(trace).grown[id(made)] = (made, row)  # by whatever name it has
        self._add_row({key: with_row(value) for key, value in made.items()})
        return row

    def _next_number(self) -> Any:
        return self._count.copy()._like_python(int)

    def _add_row(self, values: Mapping[str, Any]) -> None:
        self.become(
            {name: _found(value) for name, value in values.items()}
            | {name: Found(None, True) for name in self._columns if name not in values}
        )
        number = self._next_number()
        if self._arrays():
            operators().if_(np.greater_equal(number, self.room), self._grow)
        for name in self._columns:
            self._write(number, name, values.get(name, UNBOUND))
        self._count = self._count + 1

    def _grow(self) -> None:
        """Make room for twice as many objects."""
        join = lookup("concatenate")
        for name, (holder, arrays, absent) in self._columns.items():
            grown = tuple(join((array, array)) for array in arrays)
            self._columns[name] = Column(holder, grown, None if absent is None else join((absent, absent)))

    def copy_of(self, row: Any) -> Any:
        """Another object with the same attributes, or dict or set of the same items."""
        if issubclass(self.python_class, InnerTable):
            return operators().call(row.copy)
        _, number = handle_of(row)
        made = row_of(self, self._next_number())
        self._add_row({name: self.get(number, name) for name in self._columns})
        return made

    def deep_copy_of(self, row: Any, memo: dict[Any, Any]) -> Any:
        """What `copy.deepcopy` makes of an object: a copy of what holds nothing that can be changed but itself."""
        if id(self) in memo:  # two that may be one, of which there must be one copy
            self.refuse_deep_copy()
        self._require_flat()
        memo[id(self)] = self
        return self.copy_of(row)

    def deep_copies(self, holder: Any, made: Any = None) -> Any:
        """A deep copy of a list of its objects, or of a dict of them, which is made empty."""
        copied = partial(operators().call, copy.deepcopy)
        if made is None:
            return operators().call(deep_copies.copied_items, holder, _number_of, copied)
        return operators().call(deep_copies.copied_values, holder, _number_of, copied, made)

    def _require_flat(self) -> None:
        kinds = self.__weft_kinds__()
        lists = [one for kind in kinds for one in pools_in(kind)]
        is_inner = issubclass(self.python_class, InnerTable)
        if any(one.lies_in for one in lists) if is_inner else not all(map(_is_flat, kinds)):
            self.refuse_deep_copy()

    def refuse_deep_copy(self) -> NoReturn:
        """Refuse to copy one of its objects with all that it holds."""
        raise RowsRefused(
            f"{self.refusal('copied by copy.deepcopy')}: make another one of copies of what it holds, or copy.copy"
        )

    # Attributes

    def get(self, number: Any, name: str) -> Any:
        """An attribute of an object."""
        kind, (_, arrays, absent) = self._columns[name].kind, self._columns[name]
        place = self._place(name)
        held = kind.inner if isinstance(kind, Partial) else kind
        is_array = isinstance(held, ArrayKind) and bool(held.type.rank) and not held.types
        if is_array and held is kind and absent is None and (known := known_read(number, place)) is not None:
            return known
        values = iter([read(array, number)._value() for array in arrays])
        value = unflatten(required_trace(), kind, values)
        keep_read(value, number, place)
        if is_array:
            array = value if held is kind else value.value  # which may be None
            array._storage.behind_write = partial(self._write_again, number, name, array)
        return value if absent is None else MaybeUnbound(read(absent, number), value)

    def put(self, number: Any, name: str, value: Any) -> None:
        """Give an object another value of an attribute."""
        if is_place_of(value, number, self._place(name)):
            return  # what was written in place is there already
        self._note_change(name)
        let_go(self._place(name))
        self.become({name: _found(with_row(value))})
        self._write(number, name, value)

    def _note_change(self, name: str) -> None:
        self._changed.add(name)
        if name in self._of_keys:
            self._refuse_change(name)

    def _place(self, name: str) -> AttributeOfRows:
        return self._places.setdefault(name, AttributeOfRows(self, name))

    def _write_again(self, number: Any, name: str, array: TracedArray) -> None:
        """Write an array that was read of an object, and changed in place, to where the object has it."""
        others = change_read(array, number, self._place(name))
        if others is None:
            return
        self._note_change(name)
        self._store(number, name, array)
        column = self._columns[name].arrays[-1]
        for kept in others:  # two numbers may be one
            write_copy(kept.item._storage, read(column, kept.index)._value())
            note_written(kept)

    def _write(self, number: Any, name: str, value: Any) -> None:
        column = self._columns[name]
        is_absent: Any = value is UNBOUND
        if isinstance(value, MaybeUnbound):
            is_absent, value = value.unbound, value.value
        if value is not UNBOUND:
            value = owned(_Attribute(self, name), value)
            keep_put(value, self._place(name))
            self._store(number, name, value)
            column = self._columns[name]
        if column.absent is not None:
            flag = np.bool_(is_absent) if isinstance(is_absent, bool) else is_absent
            column = column._replace(absent=write(column.absent, flag, number))
        self._columns[name] = column

    def _store(self, number: Any, name: str, value: Any) -> None:
        column, trace = self._columns[name], required_trace()
        new = [wrap(trace, each) for each in flatten(trace, value, column.kind)]
        arrays = tuple(write(a, v, number) for a, v in zip(column.arrays, new, strict=True))
        self._columns[name] = column._replace(arrays=arrays)

    def is_same(self, number: Any, other: Any) -> Any:
        """Whether two numbers are those of one object."""
        return np.equal(number, other)._like_python(bool)

    # Keys

    def kind_of_row(self) -> Kind:
        """The abstract type of one of its objects."""
        return kind_of(row_of(self, self._count))

    def kind_of_attribute(self, name: str) -> Kind | None:
        """The abstract type of an attribute that all objects have; None where there is no such one."""
        column = self._columns.get(name)
        return None if column is None or column.absent is not None else column.kind

    def arrays_of(self, name: str) -> tuple[Any, ...]:
        """What carries an attribute of all objects."""
        arrays: tuple[Any, ...] = self._columns[name].arrays
        return arrays

    def be_keys_by(self, names: Iterable[str]) -> None:
        """Take note that objects are keys by some attributes."""
        self._of_keys |= frozenset(names)
        for name in self._of_keys & self._changed:
            self._refuse_change(name)

    def _refuse_change(self, name: str) -> NoReturn:
        raise RowsRefused(
            f"{self.refusal(f'a key of a dict or member of a set by its {name!r}, which is changed')}: make another "
            "object"
        )

    # As a whole

    @property
    def lies_in(self) -> tuple[Any, ...]:
        return tuple(object_pools_in(self.__weft_kinds__()))

    def parts(self) -> list[tuple[str, Any, Any]]:
        """The names of the attributes, with all objects' values, and who does not have it."""
        return [(name, *self._listed(column)) for name, column in self._columns.items()]

    def _listed(self, column: Column) -> tuple[Any, Any]:
        """A column as a list, and those of it that are absent."""
        number = self.number_of_rows
        values = GrowingList()
        values.hold(column.kind, tuple(column.arrays), number)
        return values, None if column.absent is None else column.absent[: self._count].copy()

    @property
    def number_of_rows(self) -> Any:
        """How many objects there are."""
        return self._next_number()

    def state(self) -> list[Any]:
        return [*self._arrays(), self._count]

    def __repr__(self) -> str:
        return f"ObjectPool({self.python_class.__qualname__})"


def _is_flat(kind: Kind | None) -> bool:
    """Whether a copy of a value has nothing in it that the value has, too, and can be changed."""
    if isinstance(kind, Static):
        return isinstance(kind.value, (*COMPARED, type(None), type, FunctionType))
    if isinstance(kind, Choice):
        return all(map(_is_flat, kind.options))
    is_held = kind is None or isinstance(kind, Partial) or is_tuple(kind)
    return isinstance(kind, (ArrayKind, Text)) or (is_held and all(map(_is_flat, kind.parts if kind else ())))


def _number_of(row: Any) -> Any:
    return handle_of(row)[1]


class _Attribute:
    """An attribute as what holds lists sees it that are put into it."""

    def __init__(self, pool: ObjectPool, name: str) -> None:
        self._pool = pool
        self._name = name

    @property
    def kind(self) -> Any:
        return self._pool._columns[self._name].kind

    def become(self, kind: Any) -> None:
        self._pool.become({self._name: Found(kind, False)})


def _found(value: Any) -> Found:
    """What is found of an attribute that has a value."""
    if value is UNBOUND:
        return Found(None, True)
    if isinstance(value, MaybeUnbound):
        return Found(kind_of_item(value.value), True)
    return Found(kind_of_item(value), False)


def begin_pools(trace: Recorder) -> None:
    """Make the pools of a recording, for the classes that are known to need them."""
    pools = trace.state(ObjectPools).of_class
    for kind in sorted(trace.choices.pooled, key=str):
        if not isinstance(kind, MadeClass):
            pools[kind] = ObjectPool(dict, kind) if isinstance(kind, tuple) else ObjectPool(kind)


def begin_made(trace: Recorder, kind: type) -> None:
    """Make the pool of a class that the function has just made, not in a loop or branch, if it is known to need one."""
    if MadeClass.of(kind) in trace.choices.pooled and trace.region.parent is None:
        trace.state(ObjectPools).of_class[kind] = ObjectPool(kind)
