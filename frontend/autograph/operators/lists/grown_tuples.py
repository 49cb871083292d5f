"""Tuples of as many items as only the program knows: `tuple(items)` of a list that grows, which nothing changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ....runtime_values.results import RuntimeTuple
from ....signature.traced_value import StandIn, TracedItems
from ....tracing.array import TracedArray
from ....tracing.staging import raise_where
from ..interface import operators
from ..values.iterables import Sequence
from ..values.optional import Chosen
from .dynamic_lists import GrowingList
from .kept_items import keep_read
from .list_methods import is_of_numpy
from .lists_as_arrays import as_arrays


class GrownTuple(StandIn, RuntimeTuple, TracedItems):
    """A tuple whose length is known only at run time; its items are those of a list of its own."""

    python_type = tuple
    refusal = (
        "{} is not supported for a tuple whose length is known only at run time; it can be indexed, walked, added, "
        "compared and stacked (np.array) as tuples can be"
    )

    def __init__(self, items: GrowingList) -> None:
        self._items = items

    @classmethod
    def of(cls, items: Any) -> GrownTuple:
        """A tuple of the items of a list, which may be changed afterwards, or of a tuple."""
        if isinstance(items, Chosen):
            made: GrownTuple = items.each(cls.of)
            return made
        return items if isinstance(items, cls) else cls(GrowingList.of(_as_list(items)).copy())

    # What branches, loops and results ask

    def joined_parts(self) -> list[Any]:
        return [self._items]

    @classmethod
    def of_joined_parts(cls, parts: list[Any]) -> GrownTuple:
        return cls(*parts)

    @classmethod
    def holding(cls, keys: tuple[Any, ...], items: Any) -> GrownTuple:
        return cls(items)

    def listed(self) -> GrowingList:
        return self._items

    # Reading

    @property
    def length(self) -> Any:
        return self._items.length

    @property
    def kind(self) -> Any:
        """The abstract type of its items, None where there is none."""
        return self._items.kind

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return GrownTuple(self._items[index])
        item = self._items.item(self._items.checked(index, "tuple index out of range", "tuple"))
        keep_read(item, index)
        return item

    def holds(self, item: Any) -> Any:
        return self._items.holds(item)

    def count(self, item: Any) -> Any:
        """How many items equal another."""
        return self._items.count(item)

    def index(self, item: Any, *bounds: Any) -> Any:
        """The position of the first item that equals another."""
        if bounds:
            self.refuse("index() in a range")
        raise_where(np.logical_not(self.holds(item)), ValueError, "tuple.index(x): x not in tuple")
        return self._items.index(item)

    def stacked(self) -> Any:
        return self._items.stacked()

    # Adding and comparing

    def __add__(self, items: Any) -> Any:
        if is_of_numpy(items):
            return self.stacked() + items
        if not isinstance(items, (tuple, GrownTuple)):
            raise TypeError(f'can only concatenate tuple (not "{_class_name(items)}") to tuple')
        return GrownTuple(self._items + _as_list(items))

    def __radd__(self, items: Any) -> Any:
        if is_of_numpy(items):
            return items + self.stacked()
        return GrownTuple(list(items) + self._items) if isinstance(items, tuple) else NotImplemented

    def __mul__(self, times: Any) -> Any:
        made = self._items * times
        return GrownTuple(made) if isinstance(made, GrowingList) else made

    __rmul__ = __mul__

    def _compared(self, symbol: str, other: Any) -> Any:
        if is_of_numpy(other):
            return operators().compare(symbol, self.stacked(), other)
        if not isinstance(other, (tuple, GrownTuple)):
            return NotImplemented
        return operators().compare(symbol, self._items, _as_list(other))

    # Protocols

    def __weft_items__(self) -> Sequence:
        return self._items.__weft_items__()

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        given = [value.listed() if isinstance(value, GrownTuple) else value for value in args]
        if any(isinstance(value, GrowingList) for value in given):
            return operators().call(function, *given, **kwargs)
        return function(*map(as_arrays, args), **{key: as_arrays(value) for key, value in kwargs.items()})

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return getattr(ufunc, method)(*map(as_arrays, inputs), **kwargs)

    def __iter__(self) -> Iterator[Any]:
        if self._items.known_length is None and isinstance(self.length, TracedArray):
            self.refuse("taking all items at once, as Python's own functions do,")
        return iter(self._items)

    def __repr__(self) -> str:
        return f"GrownTuple({self.kind})"


GrownTuple.__name__ = "tuple"  # as Python says in its messages


def _class_name(value: Any) -> str:
    return (getattr(value, "python_type", None) or type(value)).__name__


def _as_list(items: Any) -> Any:
    if isinstance(items, GrownTuple):
        return items.listed()
    return list(items) if isinstance(items, tuple) else items


def grown_tuple() -> type[GrownTuple]:
    """The class, for modules that this one is made of."""
    return GrownTuple
