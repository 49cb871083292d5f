"""Numbers of a long list among the arguments, which are the elements of one array (`signature/packed_numbers.py`).

Each is a number of its own for the program, taken out of the array at the entry as soon as something asks for it; many
of them together are parts of the array again.
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
    first = _storage_of(items[0]) if items else None
    if first is None:
        return None
    places = np.empty(len(items), np.int64)
    for index, item in enumerate(items):
        storage = _storage_of(item)
        if storage is None or storage.array is not first.array:
            return None
        places[index] = storage.position
    steps = np.diff(places)
    step = int(steps[0]) if len(steps) else 1
    if step <= 0 or (steps != step).any():
        gathered: TracedArray = first.array[places]
        return gathered
    part: TracedArray = first.array[int(places[0]) : int(places[-1]) + 1 : step].copy()
    return part


def is_packed(item: Any) -> bool:
    """Whether a number is an element of an array among the arguments."""
    return _storage_of(item) is not None


def are_of_one_array(items: Sequence[Any]) -> bool:
    """Whether numbers are elements of one array among the arguments."""
    array = first.array if items and (first := _storage_of(items[0])) is not None else None
    storages = map(_storage_of, items) if array is not None else ()
    return array is not None and all(found is not None and found.array is array for found in storages)


def _storage_of(item: Any) -> _ItemStorage | None:
    storage = item._storage if isinstance(item, TracedArray) else None
    return storage if isinstance(storage, _ItemStorage) else None
