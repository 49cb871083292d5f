"""Lists that grow when the program runs: what a Python list becomes that a staged loop or branch appends to.

The items lie in arrays with room for more (one for each array in an item), beside their number. The arrays are
doubled when they are full.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequence_
from typing import Any

import numpy as np

from .....dialect.attributes import MAKES_ROOM
from .....dialect.errors import ControlFlowError
from .....dialect.mlir import Value, ir
from .....dialect.records import dataclass
from .....dialect.register import context
from ....numpy_api import lookup
from ....runtime_values.listed_arrays import number_of_item, numbers_of_rows
from ....runtime_values.result_spec import lists_of
from ....runtime_values.results import RuntimeLength
from ....signature.signature import Leaf, Structure
from ....signature.traced_value import TracedItems
from ....tracing.array import TracedArray, wrap
from ....tracing.current import required_trace
from ....tracing.needed_numbers import need_deciding_lengths
from ....tracing.recorder import Numbered, Recorder
from ....tracing.staging import raise_if, raise_where, value_of
from ..interface import operators
from ..values.abstract import array_leaves, column_leaves, flatten, kind_of, unflatten
from ..values.control_flow_state import control_flow
from ..values.iterables import Sequence
from ..values.kinds import Choice, Growing, Kind, Static
from ..values.object_handles import like_row, object_pool_of, object_pools_in, with_rows
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.unchanged_values import same_items
from .items_of_results import lists_put_in, structure_of_item, with_numbers
from .kept_items import keep_put, keep_read, share_items, take_out
from .list_methods import ListMethods
from .lists_as_arrays import JOINING, NOTHING_TO, as_arrays, stacked_items
from .lists_in_lists import (
    CommonPool,
    fit_kind,
    freed,
    joined_kind,
    kind_of_item,
    owned,
    pool_of,
    pools_in,
    rows_of,
    stacked_lists,
    widened,
    with_pools,
)
from .packed_lists import examples_of, stacked_columns
from .ragged_arrays import is_ragged
from .widened_items import join_items, static_shape, widened_columns

ROOM = 8
"""How many items there is room for at first."""


class Widened(BaseException):
    """A list turns out to hold other items than was assumed when a loop or branch began to be recorded.

    Caught where the list is known from before; then the recording begins again.
    """

    def __init__(self, items: Any, kind: Any, grows: bool = False) -> None:
        super().__init__(items, kind)
        self.items = items
        self.kind = kind
        self.grows = grows
        """Whether it is known that a list becomes longer or shorter then."""
        self._others: list[Widened] = []
        self.refusal: Exception | None = None
        """What else is wrong with a loop, for which its first iteration may have to be recorded by itself."""

    def all(self) -> list[Widened]:
        """This one, and those that were found together with it."""
        return [self, *self._others]

    @staticmethod
    def together(found: list[Widened], refusal: Exception | None = None) -> Widened:
        """What is raised for several containers."""
        first = found[0]
        first._others, first.refusal = found[1:], refusal
        return first


class GrowingList(ListMethods, RuntimeLength, TracedItems):
    """A list whose length is known only at run time; its items are alike."""

    __weft_state__ = ("_arrays", "_length")
    is_passed_on = False
    """Whether its items are those of a generator, which nothing else has."""
    is_told_by_first = False
    """Whether its items are pairs whose first values are all different: those of a dict."""

    def __init__(self, items: Any = (), kind: Kind | None = None) -> None:
        self.kind: Kind | None = None
        self._arrays: tuple[TracedArray, ...] = ()
        self._length: Any = np.int64(0)
        self._as_made: tuple[Any, int | None] = (None, None)
        """The length it was made with, and that as a number where it is known while tracing."""
        self._at_first: list[Any] = []
        """What it held when it was made."""
        self.owner: Any = object()
        """Stands for the list where items are told apart; None for one that may be another one, too."""
        items = with_rows(items)
        for item in examples_of(items):
            kind = _joined(kind, item)
        if kind is not None:
            self.widen(kind)
        columns: Sequence_[TracedArray] | None = None
        if type(items) is list and items:
            pool = pool_of(self.kind)
            columns = [pool.adopted_lists(items)] if pool is not None else stacked_columns(items, self.kind)
        if columns is not None:
            self.hold(self.kind, tuple(columns), as_length(len(items)))
            self.know_length(len(items))
        else:
            for item in items:
                self.append(owned(self, item, is_new=True))
        self._at_first = self.state()

    # Growing

    def make_room(self, kind: Kind) -> None:
        """Begin with no items, of an abstract type."""
        trace = required_trace()
        need_deciding_lengths(trace, "the length of a list")
        self.kind = kind
        zeros = lookup("zeros")
        self._arrays = tuple(
            zeros((ROOM, *static_shape(leaf)), leaf.type.dtype) for leaf in column_leaves(kind)
        )
        self._length = wrap(trace, value_of(trace, np.int64(0)))._like_python(int)

    def widen(self, kind: Kind) -> None:
        """Hold items of a wider abstract type from now on."""
        if self.kind is None:
            self.make_room(with_pools(kind))
            return
        self.kind, self._arrays = widened(self, kind, self._columns_for)

    def _columns_for(self, kind: Kind) -> Iterator[Any]:
        """The columns of the items, of a wider abstract type."""
        assert self.kind is not None
        yield from widened_columns(self.kind, kind, iter(self._arrays), self.room)
        yield from self._origins_for(kind)

    def _origins_for(self, kind: Kind) -> tuple[TracedArray, ...]:
        """Which of the caller's arrays the items are, for a list of items of a wider abstract type."""
        is_told = len(column_leaves(kind)) > len(array_leaves(kind))
        return self._arrays[len(array_leaves(self.kind)) :] if is_told else ()

    def append(self, item: Any) -> None:
        """Add an item at the end."""
        item = owned(self, item)
        kind = self._fitting(item)

        def grow() -> None:
            join_arrays, zeros = lookup("concatenate"), lookup("zeros")
            more = [zeros((ROOM, *array.shape[1:]), array.dtype) for array in self._arrays]
            self._arrays = tuple(join_arrays((a, a, b)) for a, b in zip(self._arrays, more, strict=True))

        room = self._arrays[0].shape[0] if self._arrays else 0
        if self._arrays:
            operators().if_(np.greater_equal(self._length, room), grow)
            _note_room(self._arrays[0]._value())
        self._write(self._length, item, kind)
        self._length = self._length + 1

    def _write(self, position: Any, item: Any, kind: Kind) -> None:
        """Let an item lie at a position for which there is room."""
        arrays = []
        for array, value in zip(self._arrays, columns_of_item(required_trace(), item, kind), strict=True):
            _require_room_for(array, value)
            updated = array.copy()
            updated[position] = value
            arrays.append(updated)
        self._arrays = tuple(arrays)

    def hold(self, kind: Kind | None, arrays: tuple[TracedArray, ...], length: Any) -> None:
        """Hold items that lie in arrays."""
        self.kind, self._arrays, self._length = kind, arrays, length

    def clear(self) -> None:
        """Take all items away."""
        self._length = self._length * 0

    # Reading

    @property
    def room(self) -> Any:
        """For how many items there is room."""
        return self._arrays[0].shape[0] if self._arrays else np.maximum(self._length, ROOM)

    @property
    def length(self) -> Any:
        """The number of items, a traced int."""
        return self._length

    def sizes(self) -> Any:
        """What is another object as soon as the list may have become longer or shorter."""
        return self._length

    def is_one_with(self, other: GrowingList) -> Any:
        """Whether another list is this one."""
        return self is other

    @property
    def known_length(self) -> int | None:
        """The number of items where tracing knows it after all."""
        length, number = self._as_made
        return number if length is self._length else None

    def know_length(self, number: int) -> None:
        """Take it that the list has a number of items, until it has more or fewer."""
        self._as_made = self._length, number

    def item(self, position: Any) -> Any:
        """The item at a position that is known to be there."""
        trace = required_trace()
        if self.kind is None:
            raise IndexError("list index out of range")
        if isinstance(position, int):
            position = wrap(trace, value_of(trace, np.int64(position)))  # the item is a scalar, and no view
        values = iter([array[position]._value() for array in self._arrays])
        item = unflatten(trace, self.kind, values)
        for number in values:
            item._storage.handed = Numbered(number)
        return item

    def put(self, position: Any, item: Any) -> None:
        """Replace the item at a position that is known to be there."""
        item = owned(self, item)
        self._write(position, item, self._fitting(item))

    def put_all(self, places: Any, other: GrowingList) -> None:
        """Replace the items at an array of positions by those of another list, of as many."""
        other = self._alike(other)
        arrays = []
        for array, values in zip(self._arrays, other.stacked_columns(), strict=other.kind is not None):
            updated = array.copy()
            updated[places] = values
            arrays.append(updated)
        self._arrays = tuple(arrays) or self._arrays

    def rearrange(self, change: Callable[[Any], Any], length: Any) -> None:
        """Change the order of the items in each array, and how many of the first ones belong to the list."""
        self._arrays = tuple(change(array) for array in self._arrays)
        self._length = length

    def taken(self, index: Any) -> GrowingList:
        """A list of the items that a slice or an array of positions selects."""
        made = self.copy()
        if self._arrays:
            made._arrays = tuple(array[: self._length][index].copy() for array in self._arrays)
            made._length = as_length(made._arrays[0].shape[0])
        else:
            made._length = as_length(lookup("arange")(self._length)[index].shape[0])
        return made

    def adopt(self, other: GrowingList) -> None:
        """Hold the items of another list."""
        other = self._alike(other)
        self._arrays, self._length = other._arrays, other._length

    def _alike(self, other: GrowingList) -> GrowingList:
        """Another list, whose items are of the abstract type that this one's have from now on."""
        if other.kind is None:
            return other
        self._fitting(None, other.kind)
        return other if other.kind == self.kind else GrowingList.of(other, self.kind)

    def _fitting(self, item: Any, kind: Kind | None = None) -> Kind:
        """The abstract type of the items with one more, which the list has from now on."""
        keep_put(item, self.owner)
        kind = _joined(self.kind, item) if kind is None else fit_kind(self.kind, kind)
        self.become(kind)
        return kind

    def become(self, kind: Kind) -> None:
        """Hold items of an abstract type, from the beginning of a loop or branch on that knows the list."""
        if kind != self.kind:
            if is_known_outside(self):
                raise Widened(self, kind, grows=self.kind is None)
            self.widen(kind)

    @classmethod
    def of(cls, items: Any, kind: Kind | None = None) -> GrowingList:
        """A list of the items of another, perhaps of a wider abstract type."""
        if not isinstance(items, GrowingList):
            return GrowingList(items, kind)
        made = items._copied()
        if kind is not None and kind != made.kind:
            made.widen(kind)
        return made

    def stacked(self) -> Any:
        """All items as one array, along a new first axis."""
        if self.kind is None:
            return lookup("zeros")((0,))
        if pool_of(rows_of(self.kind)) is not None:
            return stacked_lists(self)
        array = stacked_items(self.kind, iter(self.stacked_columns()), self._length)
        if array is None:
            self.refuse("making an array of items that are not arrays")
        return array

    def stacked_columns(self) -> list[Any]:
        """For each array in an item those of all items."""
        return [array[: self._length] for array in self._arrays]

    def numbered(self, number: Callable[[tuple[Any, ...]], Sequence_[Any]]) -> Any:
        """For each item a number that depends on which constant it is: `number` gives those of all constants.

        None where the items are no constants.
        """
        kind = self.kind
        if isinstance(kind, Static):
            return lookup("full")((self._length,), number((kind.value,))[0])
        if not isinstance(kind, Choice) or kind.held:
            return None
        known = number(kind.constants)
        numbers = lookup("stack")([lookup("asarray")(value) for value in known])
        return lookup("take")(numbers, self._arrays[0][: self._length], axis=0)

    def columns(self) -> tuple[Structure, list[tuple[TracedArray, bool]]]:
        """The items, as the result of a function."""
        if self.kind is None:
            return Leaf(0), [(lookup("zeros")((0,)), False)]
        leaves = array_leaves(self.kind)
        if not leaves:  # items that are the same constant: what is left of them is their number
            return structure_of_item(self.kind, iter(())), [
                (lookup("zeros")((self._length,), np.bool_), False)
            ]
        stacked = [array[: self._length].copy() for array in self._arrays[: len(leaves)]]
        numbers = [leaf.number is not None for leaf in leaves]
        return structure_of_item(self.kind, iter(range(len(leaves)))), list(
            zip(stacked, numbers, strict=True)
        )

    def abstract_type(self) -> Growing | None:
        return Growing(self.kind)

    @property
    def lies_in(self) -> tuple[Any, ...]:
        own = pools_in(self.kind) if self.heap is None else [self.heap]
        return (*object_pools_in([self.kind]), *own)

    def in_pools(self) -> tuple[Any, Callable[[Any, Sequence_[Any]], Any]] | None:
        pools = [*object_pools_in([self.kind]), *pools_in(self.kind)]
        if self.kind is None or not pools:
            return None
        numbered = GrowingList()
        numbered.hold(with_numbers(self.kind), self._arrays, self._length)
        return numbered, lists_put_in(self.kind, pools)

    def at_run_time(self) -> tuple[Any, Callable[[Any], Any]]:
        found = GrowingList.in_pools(self)  # one of a pool needs no others
        if found is None:
            return super().at_run_time()
        for pool in object_pools_in([self.kind]):
            pool.refuse_at_run_time()
        numbered, make = found
        pools = [pool.parts() for pool in pools_in(self.kind)]
        return [numbered, *pools], lambda parts: make(parts[0], [lists_of(*pool) for pool in parts[1:]])

    def state(self) -> list[Any]:
        """The arrays of the items, and their number."""
        return [*self._arrays, self._length]

    def origins(self) -> TracedArray | None:
        """Which of the caller's arrays each item is, as `ListedArrays` numbers them; None where no item is an array."""
        numbers = self._arrays[len(array_leaves(self.kind)) :]
        return numbers[0][: self._length].copy() if numbers else None

    def is_as_made(self) -> bool:
        return same_items(self.state(), self._at_first)

    @staticmethod
    def of_array(array: Any, number: type | None = None) -> GrowingList:
        """A list of the entries of an array, which may stand for numbers of Python's."""
        made = GrowingList()
        keep_put(array, made.owner)
        like = lookup("zeros")(array.shape[1:], array.dtype)  # of the array itself there may be none
        if array.ndim == 1:
            like = like._as_array(False) if number is None else like._like_python(number)
        made.kind = kind_of(like)
        share_items(made.kind, array)
        places = lookup("arange")(array.shape[0])
        origins = [numbers_of_rows(required_trace(), array, places)] if array.ndim > 1 else []
        made._arrays = (array.copy(), *origins)
        made._length = as_length(array.shape[0])
        made._as_made = made._length, array.type.shape[0]
        return made

    def as_now(self) -> Any:
        made = self._copied()
        made.owner = self.owner
        return made

    def copy(self) -> GrowingList:
        """A list of the same items."""
        share_items(self.kind)
        return self._copied()

    def _copied(self) -> GrowingList:
        made = GrowingList()
        made.kind, made._arrays, made._length = self.kind, self._arrays, self._length
        made._as_made = self._as_made
        return made

    def __copy__(self) -> GrowingList:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        if self.kind is None:
            return self.copy()
        if rows := object_pools_in([self.kind]):
            if object_pool_of(self.kind) is None:
                rows[0].refuse_deep_copy()
            return rows[0].deep_copies(self)
        return operators().comprehension("list", self, functools.partial(operators().call, copy.deepcopy))

    def let_join(self, other: Any, is_new: bool = True) -> bool:
        """Let the lists in a list that may be in the place of this one lie where those in this one do."""
        if pool_of(self.kind) is not None and _is_of_lists(other):
            return self._let_become(other, is_new)
        pools = control_flow(required_trace()).pools
        found = [pool_of(self.kind), pool_of(other.kind) if isinstance(other, GrowingList) else None]
        if None in found or found[0] is found[1]:
            return False
        known = next(filter(is_known_outside, found), None)
        lines = [pool.made_at for pool in found if pool is not known]
        if all(line in pools for line in lines):
            return False
        pools.update(dict.fromkeys(lines, known))
        raise Widened(known or CommonPool(lines), join_items(*(pool.kind for pool in found)))

    def _let_become(self, other: list[Any], is_new: bool) -> bool:
        """Let a list of Python's from before become one of such lists as are in this one; whether it did."""
        if is_new or not is_known_outside(other):
            return False
        try:
            kind = functools.reduce(join_items, map(_kind_of_row, other), freed(self.kind))
        except ControlFlowError:
            return False
        raise Widened(other, kind)

    # Protocols

    def __weft_items__(self) -> GrowingItems:
        return GrowingItems(self)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        name = function.__name__
        axis = kwargs.get("axis", args[1] if len(args) > 1 else 0)
        if args and args[0] is self and name in JOINING:
            raise_if(np.equal(self._length, 0), "ValueError", NOTHING_TO[name])
            if is_ragged(self.kind) and name != "stack" and axis == 0:
                return operators().comprehension("list", self, lambda array: array, flat=True).stacked()
            return JOINING[name](self.stacked(), axis)
        return function(*map(as_arrays, args), **{key: as_arrays(value) for key, value in kwargs.items()})

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return getattr(ufunc, method)(*map(as_arrays, inputs), **kwargs)

    def __iter__(self) -> Iterator[Any]:
        number = self.known_length
        if number is not None:
            return map(GrowingItems(self).item, range(number))
        if isinstance(self._length, TracedArray):
            self.refuse(
                "taking all items at once, as in f(*b) of a function that is not compiled, or a[1:] = b,"
            )
        return iter(self.stacked())

    def __repr__(self) -> str:
        return f"GrowingList({self.kind})"

    refusal = (
        "{} is not supported for a list whose length is known only at run time; it can be appended to, indexed, "
        "changed, walked and stacked (np.stack, np.array) as lists can be"
    )


GrowingList.__name__ = "list"  # as Python says in its messages


@dataclass(frozen=True)
class GrowingItems(Sequence):
    """The items of a growing list, for loops."""

    items: GrowingList

    @property
    def length(self) -> Any:
        return self.items.length

    @property
    def known_length(self) -> int | None:
        return self.items.known_length

    def item(self, position: Any) -> Any:
        item = self.items.item(position)
        if self.items.is_passed_on:
            take_out(item)
        else:
            keep_read(item, owner=self.items.owner)
        return item


def list_of_columns(kind: Kind | None, columns: list[Any]) -> GrowingList:
    """The list that is carried so."""
    made = GrowingList()
    made.owner = None
    made.kind, made._arrays, made._length = kind, tuple(columns[:-1]), columns[-1]._like_python(int)
    return made


def kind_of_items(items: list[Any]) -> Kind:
    """The abstract type that holds all of some items."""
    kind: Kind | None = None
    for item in examples_of(with_rows(items, like_row)):
        kind = _joined(kind, item)
    assert kind is not None, "lists of different lengths are not all empty"
    return kind


def _joined(kind: Kind | None, item: Any) -> Kind:
    """The abstract type of items of a list with one more."""
    return join_items(kind, kind_of_item(item))


def _is_of_lists(items: Any) -> bool:
    """Whether a list of Python's holds lists alone."""
    return (
        type(items) is list and bool(items) and all(isinstance(row, (list, RuntimeLength)) for row in items)
    )


def _kind_of_row(row: Any) -> Kind:
    """The abstract type of lists like a list."""
    row = resolve_grown_list(row)
    return Growing(freed(row.kind) if isinstance(row, GrowingList) else joined_kind(row))


def as_length(length: Any) -> Any:
    """The number of items of a list, as the trace has it."""
    trace = required_trace()
    return wrap(trace, value_of(trace, length))._like_python(int)


def columns_of_item(trace: Recorder, item: Any, kind: Kind) -> list[TracedArray]:
    """What a list holds of an item."""
    columns = [wrap(trace, value) for value in flatten(trace, item, kind)]
    if len(column_leaves(kind)) > len(columns):
        number = number_of_item(trace, item)
        columns.append(wrap(trace, value_of(trace, number) if isinstance(number, np.int64) else number))
    return columns


def _note_room(array: Value) -> None:
    """Note on the branch that has made room for an item that it does nothing else."""
    if not isinstance(array.owner, ir.Block) and array.owner.name == "scf.if":
        with context():
            array.owner.attributes[MAKES_ROOM] = ir.UnitAttr.get()


def _require_room_for(array: TracedArray, item: TracedArray) -> None:
    """Raise `ValueError`, when the program runs, for an item of another size than the others: it would be stretched."""
    for extent, there in zip(item.shape, array.shape[1:], strict=True):
        if extent is not there and (isinstance(extent, TracedArray) or isinstance(there, TracedArray)):
            raise_where(np.not_equal(extent, there), ValueError, _OTHER_SIZE, extent, there)


_OTHER_SIZE = (
    "an item of a list that grows has an extent of {0}, and the others have {1}: in compiled code all have one size; "
    "pad them, or write them into one array"
)


def is_known_outside(items: Any) -> bool:
    """Whether a loop or branch is being recorded that began when the list was there."""
    return any(snapshot.knows(items) for snapshot in control_flow(required_trace()).snapshots)
