"""Numbers of a long list among the arguments, which are the elements of one array (`signature/packed_numbers.py`).

Each is a number of its own, taken out at the entry as soon as something asks for it; many are parts of the array again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialect.types import TensorType
from ..source.locations import SourceRange
from .array import TracedArray
from .recorder import Recorder, Storage

_NOWHERE = SourceRange("", 0, 0, 0, 0, "")


class _ItemStorage(Storage):
    """An element of an array among the arguments."""

    __slots__ = ("argument_value", "array", "position", "taken")

    def __init__(self, array: TracedArray, position: int, item_type: TensorType) -> None:
        storage = array._storage
        self.taken: Any = None
        super().__init__(storage.trace, None, item_type, made_at=_NOWHERE)
        self.made_at = storage.made_at
        self.array, self.argument_value, self.position = array, storage.value, position
        self.section = storage.section

    @property
    def value(self) -> Any:
        """The SSA value, which is defined at the entry."""
        if self.taken is None:
            trace: Any = self.trace  # a `Trace`, as there are arguments
            self.taken = trace.element_at_entry(self.argument_value, self.position)
        return self.taken

    @value.setter
    def value(self, value: Any) -> None:
        self.taken = value


def items_of(array: TracedArray, number: type) -> list[TracedArray]:
    """The elements of an argument, as Python's numbers of a type."""
    item_type = TensorType((), array.dtype)
    return [
        TracedArray(_ItemStorage(array, position, item_type))._like_python(number)
        for position in range(len(array))
    ]


def stacked_items(trace: Recorder, items: Sequence[Any]) -> TracedArray | None:
    """Numbers as one array, if they are elements of one among the arguments; else None."""
    if not (storages := _storages_of_one(items)):
        return None
    first, places = storages[0], np.array([storage.position for storage in storages], np.int64)
    steps = np.diff(places)
    step = int(steps[0]) if len(steps) else 1
    if step <= 0 or (steps != step).any():
        gathered: TracedArray = first.array[places]
        return gathered
    part: TracedArray = first.array[int(places[0]) : int(places[-1]) + 1 : step].copy()
    return part


def is_packed(item: Any) -> bool:
    """Whether a number is an element of an array among the arguments."""
    return isinstance(item, TracedArray) and isinstance(item._storage, _ItemStorage)


def are_of_one_array(items: Sequence[Any]) -> bool:
    """Whether numbers are elements of one array among the arguments."""
    return _storages_of_one(items) is not None


def _storages_of_one(items: Sequence[Any]) -> list[Any] | None:
    """The storages of numbers that are elements of one array; thousands are looked at in few steps of Python's."""
    if not items or not is_packed(items[0]) or {*map(type, items)} != {TracedArray}:
        return None
    storages = [item._storage for item in items]
    is_one = {*map(type, storages)} == {_ItemStorage} and len(
        {id(storage.array) for storage in storages}
    ) == 1
    return storages if is_one else None
