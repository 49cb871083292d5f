"""The arrays of the caller's, and views of these, that were put into lists whose length the program knows.

Such a list holds elements. So that its items are these arrays again when it is returned, it holds a number for each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tracing.array import TracedArray
from ..tracing.recorder import Numbered, Recorder


class ListedArrays:
    """The arrays that one recording put into such lists; the first has the number 1."""

    def __init__(self) -> None:
        self.arrays: list[TracedArray] = []

    def number(self, array: TracedArray) -> int:
        """The number of an array; 0 for one that is not the caller's, or a view that only the program knows."""
        storage = array._storage
        if storage.argument is None or array._is_scalar or not isinstance(array._is_another, bool):
            return 0
        is_copy_somewhere = storage.assumption is not None or array._assumptions  # as arguments lie in memory
        if is_copy_somewhere or any(step.operands for step in array._path):
            return 0
        for number, known in enumerate(self.arrays, 1):
            if _is_same(array, known):
                return number
        self.arrays.append(array)
        return len(self.arrays)


def number_of_item(trace: Recorder, item: Any) -> Any:
    """The number of what is put into a list: an SSA value for an item of another list, else an i64."""
    if trace.python_state is not None:
        item = trace.python_state.returned(item)
    if not isinstance(item, TracedArray):
        return np.int64(0)
    handed = item._storage.handed
    if isinstance(handed, Numbered) and not item._path and item._is_another is False:
        return handed.number
    return np.int64(trace.state(ListedArrays).number(item))


def _is_same(one: TracedArray, other: TracedArray) -> bool:
    steps = [[(step.op_class, step.attributes) for step in array._path] for array in (one, other)]
    return one._storage is other._storage and one._is_another == other._is_another and steps[0] == steps[1]


__all__ = ["ListedArrays", "number_of_item"]
