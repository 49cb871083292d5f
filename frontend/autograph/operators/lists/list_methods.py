"""What lists can do, for lists whose length is known only at run time."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, NoReturn

import numpy as np

from .....dialect.errors import UnsupportedError
from ....numpy_api import lookup
from ....runtime_values.kept_texts import equal_texts
from ....runtime_values.results import RuntimeLength, RuntimeTuple
from ....runtime_values.strings import RuntimeString
from ....signature.traced_value import StandIn
from ....source.modules import is_users_module
from ....tracing.array import TracedArray, wrap
from ....tracing.array_members import OPERATORS
from ....tracing.current import required_trace
from ....tracing.staging import raise_if, raise_where, value_of
from ..interface import operators
from ..values.iterables import is_text
from ..values.kinds import ArrayKind, Container, Text, is_plain_kind
from ..values.object_handles import PooledObject, handle_of, object_pool_of, shown_object
from ..values.optional import Optional
from ..values.special_methods import users_method
from .items_of_types import holds_of_types, ranks_of_types
from .kept_items import forget_read, keep_read, take_out

NOTHING: list[Any] = []
"""A list in which nothing is found."""


class ListMethods(StandIn):
    """The methods and operators of lists, in terms of arrays of the items that are rearranged."""

    # Adding

    def extend(self, items: Any) -> None:
        """Add several items."""
        lies_together = isinstance(items, ListMethods) and items.heap is not None and items.heap is self.heap
        is_own = items is self or lies_together
        operators().for_(items.copy() if is_own else items, self.append)

    def insert(self, index: Any, item: Any) -> None:
        """Put an item in front of a position."""
        place = self._clamped(index, self.length)
        self.append(item)
        last = self.length - 1
        self.rearrange(
            lambda a: _joined(a[:place], a[last : last + 1], a[place:last], a[last + 1 :]), self.length
        )

    def __iadd__(self, items: Any) -> Any:
        if is_of_numpy(items):
            return self + items
        self.extend(items)
        return self

    def __add__(self, items: Any) -> Any:
        if is_of_numpy(items):
            return self.stacked() + items
        if not isinstance(items, (list, ListMethods)):
            raise TypeError(f'can only concatenate list (not "{type(items).__name__}") to list')
        made = self.copy()
        made.extend(items)
        return made

    def __radd__(self, items: Any) -> Any:
        if is_of_numpy(items):
            return items + self.stacked()
        if not isinstance(items, list):
            return NotImplemented
        made = self.of(items).copy()
        made.extend(self)
        return made

    def __mul__(self, times: Any) -> Any:
        if is_of_numpy(times) and times.ndim:
            return np.multiply(self.stacked(), times)
        if isinstance(times, float) or not (hasattr(times, "__index__") or isinstance(times, TracedArray)):
            raise TypeError(f"can't multiply sequence by non-int of type '{type(times).__name__}'")
        made = self.taken(slice(0, 0))

        def again(_: Any) -> None:
            made.extend(self)

        operators().for_(operators().call(range, times), again)
        return made

    __rmul__ = __mul__

    def __imul__(self, times: Any) -> Any:
        self.adopt(self * times)
        return self

    # Taking away

    def pop(self, index: Any = -1) -> Any:
        """Take an item away, and return it."""
        raise_if(np.equal(self.length, 0), "IndexError", "pop from empty list")
        position = self.checked(index, "pop index out of range")
        item = self.item(position)
        take_out(item, self.owner)
        if isinstance(index, int) and index == -1:
            self.rearrange(lambda array: array, self.length - 1)  # nothing lies behind it
        else:
            self._remove(position, position + 1)
        return item

    def remove(self, item: Any) -> None:
        """Take the first item away that equals another."""
        position = self._found(item, NOTHING.remove)
        self._remove(position, position + 1)

    def __delitem__(self, index: Any) -> None:
        if not isinstance(index, slice):
            position = self.checked(index, "list assignment index out of range")
            self._remove(position, position + 1)
            return
        if not _has_step(index):
            self._remove(*self._bounds(index))
            return
        keeps = lookup("ones")(self.length, bool)
        keeps[index] = False
        self.adopt(self.taken(lookup("flatnonzero")(keeps)))

    def _remove(self, start: Any, stop: Any) -> None:
        """Take the items of a range away: they go behind the end."""
        self.rearrange(
            lambda a: _joined(a[:start], a[stop:], a[start:stop]), as_int(self.length - (stop - start))
        )

    # Reading and writing

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            if type(index.start) is int and index.start == -1 and index.stop is index.step is None:
                index = slice(self._clamped(-1, self.length), None)  # of arrays there has to be a last item
            return self.taken(index)
        item = self.item(self.checked(index, "list index out of range"))
        keep_read(item, index, self.owner)
        return item

    def __setitem__(self, index: Any, item: Any) -> None:
        if not isinstance(index, slice):
            position = self.checked(index, "list assignment index out of range")
            forget_read(item, index)
            self.put(position, item)
            return
        if _has_step(index):
            self._set_in_steps(index, self.of(operators().call(list, item)))
            return
        start, stop = self._bounds(index)
        made = self.taken(slice(0, start))
        made.extend(item)
        made.extend(self.taken(slice(stop, None)))
        self.adopt(made)

    def _set_in_steps(self, index: slice, items: Any) -> None:
        """Replace the items of a slice with a step, which are as many; a step that turns out to be 1 is none."""

        def write() -> None:
            places = lookup("arange")(self.length)[index]
            raise_where(
                np.not_equal(items.length, places.shape[0]),
                ValueError,
                "attempt to assign sequence of size {0} to extended slice of size {1}",
                items.length,
                places.shape[0],
            )
            self.put_all(places, items)

        def replace() -> None:
            self[index.start : index.stop] = items

        operators().if_(np.equal(index.step, 1), replace, write)

    def checked(self, index: Any, message: str, kind: str = "list") -> Any:
        """A position from the start; out of range is an `IndexError` when the program runs."""
        if not isinstance(index, TracedArray):
            if not hasattr(index, "__index__"):
                raise TypeError(f"{kind} indices must be integers or slices, not {type(index).__name__}")
            index = index.__index__()
        elif index.dtype.kind not in "iub":
            raise TypeError(f"{kind} indices must be integers or slices, not {index.dtype.name}")
        else:
            index = as_int(index)  # whose dtype may not hold the length
        length = self.length
        outside = np.logical_or(np.greater_equal(index, length), np.less(index, -length))
        trace = required_trace()
        raise_if(wrap(trace, value_of(trace, outside)), "IndexError", message)
        return as_int(np.where(np.less(index, 0), index + length, index))

    def _clamped(self, index: Any, length: Any) -> Any:
        """A bound from the start, moved into the list."""
        index = as_int(index) if isinstance(index, TracedArray) else index
        from_start = np.where(np.less(index, 0), index + length, index)
        return as_int(np.clip(from_start, 0, length))

    def _bounds(self, index: slice) -> tuple[Any, Any]:
        """Start and stop of a slice without a step."""
        length = self.length
        start = 0 if index.start is None else self._clamped(index.start, length)
        stop = length if index.stop is None else self._clamped(index.stop, length)
        return start, as_int(np.maximum(start, stop))

    # Order

    def reverse(self) -> None:
        """Turn the order around."""
        length = self.length
        self.rearrange(lambda a: _joined(a[:length][::-1], a[length:]), length)

    def sort(self, *, key: Callable[[Any], Any] | None = None, reverse: bool = False) -> None:
        """Sort the items."""
        sizes = self.sizes()
        ordered = operators().call(sorted, self, key=key, reverse=reverse)
        if self.sizes() is not sizes:
            refuse_changes()
        self.adopt(ordered)

    def ranks(self) -> list[Any]:
        """Of a list of numbers what is in the order of its items: arrays, those that decide first in front."""
        kind = self.kind
        assert isinstance(kind, ArrayKind), "numbers"
        return ranks_of_types(kind, iter(self.stacked_columns())) if kind.types else [self.stacked()]

    # Comparing

    def holds(self, item: Any) -> Any:
        """Whether an item is there."""
        found: Any = np.any(self._equal(item))
        return found._like_python(bool)

    def count(self, item: Any) -> Any:
        """How many items equal another."""
        return as_int(np.sum(self._equal(item)))

    def index(self, item: Any, *bounds: Any) -> Any:
        """The position of the first item that equals another, of those in a range."""
        if not bounds:
            return self._found(item, NOTHING.index)
        start, _ = self._bounds(slice(*(bounds if len(bounds) > 1 else (*bounds, None))))
        return self[slice(*bounds, *(() if len(bounds) > 1 else (None,)))].index(item) + start

    def _equal(self, item: Any) -> Any:
        """Which items equal another."""
        kind = self.kind
        if kind is None:
            return lookup("zeros")((0,), bool)
        if isinstance(kind, Text) and (isinstance(item, str) or is_text(item)):
            (numbers,) = self.stacked_columns()
            return equal_texts(numbers._storage.trace, numbers, item)
        if not isinstance(item, RuntimeString):
            equal = self.numbered(
                lambda constants: [operators().call(bool, item == one) for one in constants]
            )
            if equal is not None:
                return equal
        if (pool := object_pool_of(kind)) is not None:
            return self._equal_objects(pool, item)
        is_sequence = isinstance(kind, Container) and issubclass(
            kind.kind, (tuple, list, RuntimeLength, RuntimeTuple)
        )
        if is_sequence or _says_when_equal(kind) or (is_plain_kind(kind) and not isinstance(kind, ArrayKind)):
            return self._equal_one_by_one(item)
        if not isinstance(kind, ArrayKind) or kind.type.rank:
            self.refuse("looking for an item in a list of other things than numbers and constants")
        if not isinstance(item, (TracedArray, np.ndarray, np.generic, int, float, complex)):
            return lookup("zeros")((self.length,), bool)
        if kind.types:
            return holds_of_types(kind, iter(self.stacked_columns()), item)
        return np.equal(self.stacked(), item)

    def _equal_objects(self, pool: Any, item: Any) -> Any:
        """Which items, which are rows of a pool, equal another value: as the class says, or else the same object."""
        if pool.has_own_equality:
            return self._equal_one_by_one(item)
        if isinstance(item, Optional):
            return np.logical_and(np.logical_not(item.is_none), self._equal_objects(pool, item.value))
        if not isinstance(item, PooledObject) or handle_of(item)[0] is not pool:
            return lookup("zeros")((self.length,), bool)
        return np.equal(self.stacked_columns()[0], handle_of(item)[1])

    def _equal_one_by_one(self, item: Any) -> Any:
        """Which items equal another, as Python compares each with it."""

        def is_equal(one: Any) -> Any:
            return operators().call(bool, operators().compare("==", one, item))

        return operators().call(list, operators().call(map, is_equal, self)).stacked()

    def _found(self, item: Any, fails: Callable[[Any], Any]) -> Any:
        """The position of an item; a `ValueError` as Python raises it where there is none."""
        equal = self._equal(item)
        missing = np.logical_not(np.any(equal))
        operators().if_(missing, lambda: operators().raise_(lambda: not_found(item, fails)))
        return as_int(np.sum(np.cumsum(equal) == 0))

    def _compared(self, symbol: str, other: Any) -> Any:
        if is_of_numpy(other):
            return operators().compare(symbol, self.stacked(), other)
        if not isinstance(other, (list, ListMethods)):
            return NotImplemented
        if symbol not in ("==", "!="):
            return self._is_in_order(other, symbol)
        same = np.equal(self.length, operators().call(len, other))._like_python(bool)
        equal = operators().and_(same, lambda: self._all_equal(other))
        return equal if symbol == "==" else operators().not_(equal)

    def _is_in_order(self, other: Any, symbol: str) -> Any:
        """A comparison with a list: of the first items that differ, or of the lengths where none do."""
        if isinstance(other, list) and not other:
            return operators().compare(symbol, self.length, 0)
        one, two = self, self.of(other)
        if one.kind is None or two.kind is None:
            return operators().compare(symbol, one.length, two.length)
        for items in (one, two):
            if not isinstance(items.kind, ArrayKind) or items.kind.type.rank:
                self.refuse("putting lists of other things than numbers in order")
        count = as_int(np.minimum(one.length, two.length))
        left, right = ([rank[:count] for rank in items.ranks()] for items in (one, two))
        rests = [[0] * (max(len(left), len(right)) - len(ranks)) for ranks in (left, right)]
        pairs = zip((*left, *rests[0]), (*right, *rests[1]), strict=True)
        differ: Any = reduce(np.logical_or, (np.not_equal(*pair) for pair in pairs))
        place = as_int(np.sum(np.cumsum(differ) == 0))
        return operators().if_exp(
            np.any(differ),
            lambda: operators().compare(symbol, one.item(place), two.item(place)),
            lambda: operators().compare(symbol, one.length, two.length),
        )

    def _all_equal(self, other: Any) -> Any:
        """Whether all items equal those of a list of the same length."""
        equal: Callable[[Any, Any], Any] = lambda one, two: operators().compare("==", one, two)  # noqa: E731
        return operators().call(all, operators().call(map, equal, self, self.of(other)))


def _has_step(index: slice) -> bool:
    return isinstance(index.step, TracedArray) or index.step not in (None, 1)


def _says_when_equal(kind: Any) -> bool:
    """Whether values are objects of whose class somebody has said when two of them are equal."""
    return (
        isinstance(kind, Container)
        and is_users_module(kind.kind.__module__)
        and kind.kind.__eq__ is not object.__eq__
    )


def _with_array(ufunc: np.ufunc, is_reflected: bool) -> Callable[[Any, Any], Any]:
    """An operator that lists have none of: NumPy makes an array of one beside its own."""

    def operator(self: ListMethods, other: Any) -> Any:
        if not is_of_numpy(other):
            return NotImplemented
        return ufunc(other, self.stacked()) if is_reflected else ufunc(self.stacked(), other)

    return operator


for _name, (_ufunc, _) in OPERATORS.items():
    if _name not in ("add", "mul"):
        setattr(ListMethods, f"__{_name}__", _with_array(_ufunc, False))
        setattr(ListMethods, f"__r{_name}__", _with_array(_ufunc, True))


def not_found(item: Any, fails: Callable[[Any], Any]) -> ValueError:
    """What Python says where an item is not found, which differs between its versions."""
    try:
        fails(0)
    except ValueError as error:
        head, shows_item, tail = str(error).partition("0")
        item = item.value if isinstance(item, Optional) else item
        if isinstance(item, PooledObject) and users_method(item, "__repr__") is None:
            item = shown_object(item)
        return ValueError(operators().fstring(head, (item, "r", ""), tail) if shows_item else head)
    raise AssertionError("nothing is found in an empty list")


def refuse_changes() -> NoReturn:
    """Refuse a list that is sorted by what changes it meanwhile: Python raises behind the sorting."""
    raise UnsupportedError(
        "a list is changed by what it is sorted by (key, __lt__), for which Python raises ValueError: change it before "
        "or behind, or sort a copy (sorted(items))"
    )


def is_of_numpy(value: Any) -> bool:
    """Whether NumPy adds a value to lists, as arrays, and Python does not lengthen them by it."""
    if isinstance(value, TracedArray):
        return not isinstance(value._python_type, type)
    return isinstance(value, (np.ndarray, np.generic))


def _joined(*parts: Any) -> Any:
    return lookup("concatenate")(parts)


def as_int(number: Any) -> Any:
    """A number that was just computed, as Python's int."""
    return number.copy()._like_python(int) if isinstance(number, TracedArray) else int(number)
