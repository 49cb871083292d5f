"""The arrays of the caller's, and views of these, that were put into lists whose length the program knows.

Such a list holds elements. So that its items are these arrays again when it is returned, it holds a number for each,
which says which array or view it is, and where that lies: `rows.append(x[i])` is a view at a place that only the
program knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...dialect.op import Op
from ...dialect.ops.creation import Constant
from ...dialect.ops.elementwise import Add, Multiply, Remainder
from ...dialect.ops.indexing import Gather
from ...dialect.ops.selection import Select
from ...dialect.records import NamedTuple
from ..tracing.array import TracedArray
from ..tracing.recorder import Numbered, Recorder
from ..tracing.staging import staged
from ..tracing.view_steps import ViewStep
from .result_spec import PLACES

if TYPE_CHECKING:
    from ...dialect.mlir import Value
    from ..tracing.regions import Section

Make: TypeAlias = "Callable[[type[Op], list[Value], dict[str, Any]], Value]"
"""Makes an op of one result, somewhere in the program."""


class Place(NamedTuple):
    """Where a view lies: indices that only the program knows, and the extents of their axes but for the first."""

    indices: tuple[TracedArray, ...]
    extents: tuple[int, ...]

    def number(self, make: Make, option: int) -> Value:
        """The number of the view at this place, by its number among others: an i64[]."""
        place, *others = [
            index._storage.value for index in self.indices
        ]  # that of a copy, which is not written
        for index, extent in zip(others, self.extents, strict=True):
            size = _constant(make, extent)
            inner = make(Remainder, [index, size], {})  # counted from the begin
            place = make(Add, [make(Multiply, [place, size], {}), inner], {})
        return make(Add, [make(Multiply, [place, _constant(make, PLACES)], {}), _constant(make, option)], {})


def place_of(array: TracedArray) -> Place | None:
    """The place of a view; None where no run-time numbers say which it is, or others than those of one index do."""
    with_operands = [number for number, step in enumerate(array._path) if step.operands]
    if len(with_operands) != 1:
        return None
    step = array._path[with_operands[0]]
    if step.op_class is not Gather or any(operand.ndim for operand in step.operands):
        return None
    viewed = TracedArray(array._storage)
    for before in array._path[: with_operands[0]]:
        viewed = viewed._view(before)
    extents = [viewed.type.shape[axis] for axis in step.attributes["axes"]]
    known = tuple(extent for extent in extents[1:] if extent is not None)
    return Place(step.operands, known) if len(known) == len(extents) - 1 else None


class HandedItem(NamedTuple):
    """An item that branches and loops may hand on, which tell when they are over which array it is."""

    array: TracedArray
    number: Value
    """What stands for its number until then: 0."""
    sections: tuple[Section, ...]
    """If one of these is erased, so is this value."""

    @property
    def is_erased(self) -> bool:
        """Whether what was recorded there was given up."""
        return any(section.is_erased for section in self.sections)


class ListedArrays:
    """The arrays that one recording put into such lists; the first has the number 1."""

    def __init__(self) -> None:
        self.arrays: list[TracedArray] = []
        self.handed: list[HandedItem] = []
        """What branches and loops handed on, or what looks so before these are over."""

    def number(self, array: TracedArray, place: Place | None) -> int:
        """The number of an array, wherever it lies; 0 for one that is not the caller's, or not known by a place."""
        storage = array._storage
        if storage.argument is None or array._is_scalar or not isinstance(array._is_another, bool):
            return 0
        if place is None and any(step.operands for step in array._path):
            return 0
        for number, known in enumerate(self.arrays, 1):
            if _is_same(array, known):
                return number
        self.arrays.append(array)
        return len(self.arrays)


def number_of_item(trace: Recorder, item: Any) -> Any:
    """The number of what is put into a list: an SSA value where only the program knows it, else an i64."""
    item = returned(trace, item)
    if not isinstance(item, TracedArray):
        return np.int64(0)
    if isinstance(item._is_another, TracedArray) and not item._path:
        numbers = [number_of_item(trace, one) for one in reversed(itself_and_another(item))]
        values = [
            _constant(lambda *op: trace.create(*op)[0], int(number))
            if isinstance(number, np.int64)
            else number
            for number in numbers
        ]
        return trace.create(Select, [item._is_another._value(), *values], {})[0]
    handed = item._storage.handed
    if isinstance(handed, Numbered) and not item._path and item._is_another is False:
        return handed.number
    if item.ndim and item._storage.argument is None and not item._path:
        listed, number = trace.state(ListedArrays), _constant(lambda *op: trace.create(*op)[0], 0)
        listed.handed.append(HandedItem(item, number, trace.region.sections_around))
        return number
    place = place_of(item)
    number = trace.state(ListedArrays).number(item, place)
    if not number or place is None:
        return np.int64(number)
    return place.number(lambda *op: trace.create(*op)[0], number)


def itself_and_another(array: TracedArray) -> tuple[TracedArray, TracedArray]:
    """An array of which a condition says whether it is a view of all of itself: as one that is not, and one that is."""
    itself, another = array._view_of_all(), array._view_of_all()
    itself._is_another = False
    return itself, another


def returned(trace: Recorder, value: Any) -> Any:
    """What stands for a value that leaves: an array from outside has to be data, and so one of which it is a view."""
    state = trace.python_state
    if state is None:
        return value
    if isinstance(value, TracedArray) and value._path and value._storage.outside is not None:
        state.returned(value._storage.outside)
    return state.returned(value)


def numbers_of_rows(trace: Recorder, array: TracedArray, places: Any) -> Any:
    """The numbers of the rows of an array at some places, an i64[n]; 0 for each row of a local array."""
    first = staged(trace, np.int64(0))  # any place: there may be none
    row = array._view(ViewStep(Gather, {"axes": (0,), "position": 0}, (first,)))
    number = trace.state(ListedArrays).number(row, place_of(row))
    return places * (PLACES if number else 0) + number


def _constant(make: Make, number: int) -> Value:
    return make(Constant, [], {"value": np.array(number, np.int64)})


def _is_same(one: TracedArray, other: TracedArray) -> bool:
    steps = [
        [(step.op_class, step.attributes, bool(step.operands)) for step in array._path]
        for array in (one, other)
    ]
    return one._storage is other._storage and one._is_another == other._is_another and steps[0] == steps[1]
