"""Which array of the caller's a result is, where the program decided: `y = a if c else b` is a or b itself.

Branches and loops hand on elements, not arrays. For a result that may be one of the caller's arrays a number is handed
on beside them, through cells that are written at the end of each region and read behind the op; the passes make values
of them. Of `rows[i]`, where i is known when the program runs, it is the number at the place i among those of the rows.
0 stands for what was computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np

from ...dialect.mlir import Value, ir
from ...dialect.op import Op
from ...dialect.ops.arrangement import Stack
from ...dialect.ops.comparison import Equal
from ...dialect.ops.creation import Constant
from ...dialect.ops.indexing import Gather
from ...dialect.ops.selection import Select
from ...dialect.ops.state import AllocRef, ReadRef, WriteRef
from ...dialect.records import NamedTuple
from ...dialect.register import context, create
from ...dialect.types import TensorType
from ..tracing.array import TracedArray
from ..tracing.recorder import ABSENT, BEFORE_LOOP, Handed, Numbered, Recorder, Stacked, Storage
from ..tracing.view_steps import ViewStep
from .listed_arrays import HandedItem, ListedArrays, Place, itself_and_another, place_of, returned
from .result_spec import COMPUTED

_NUMBER = TensorType((), np.dtype(np.int64))


class Source(NamedTuple):
    """What knows which array it is: what a branch or loop handed on, or the place of one that was stacked."""

    storage: Storage
    place: TracedArray | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Source) and self.storage is other.storage and self.place is other.place

    def __hash__(self) -> int:
        return hash((id(self.storage), id(self.place)))


class Placed(NamedTuple):
    """A view at a place that only the program knows, with its number among others."""

    option: int
    place: Place


class Either(NamedTuple):
    """An array, or a view of all of it where a condition holds: another object."""

    is_another: TracedArray
    itself: Any
    another: Any


class Viewed(NamedTuple):
    """A view of all of what a branch or loop handed on: another object that shows the same elements."""

    source: Source
    rank: int


Known: TypeAlias = "int | Placed | Source | Viewed | None"
"""A number, or what knows it."""


class Origins:
    """Tells of arrays that branches and loops handed on which they are."""

    def __init__(
        self,
        trace: Recorder,
        number_of: Callable[[TracedArray, Place | None], int],
        viewed: Callable[[int, int], int],
    ) -> None:
        self._trace = trace
        self._number_of = number_of
        """The number of an array that the caller has, wherever it lies; COMPUTED for others."""
        self._viewed = viewed
        """The number of a view of all of the array with a number, which has so many axes."""
        self._numbers: dict[Source, Value] = {}

    def source(self, array: TracedArray) -> tuple[Source, tuple[ViewStep, ...]] | None:
        """What tells which array of the caller's one is a view of, and the steps of that view; None if it is none."""
        storage, path = array._storage, array._path
        if storage.handed is None or array._is_scalar:
            return None
        if not isinstance(storage.handed, Stacked):
            return Source(storage), path
        (place,) = path[0].operands  # it is stacked to be looked at behind this step only
        return Source(storage, place), path[1:]

    def possible(self, source: Source) -> set[int]:
        """The numbers of what a source may be."""
        found: set[int] = set()
        pending: list[Source | Viewed] = [source]
        met = {*pending}
        while pending:
            one = pending.pop()
            rank, storage = (one.rank, one.source.storage) if isinstance(one, Viewed) else (None, one.storage)
            numbers: list[int] = []
            if isinstance(storage.handed, Numbered):
                numbers = [COMPUTED, *range(1, 1 + len(self._trace.state(ListedArrays).arrays))]
            for _, value in _handed_values(storage):
                for further in _each(self._source(value)):
                    if isinstance(further, (int, Placed)):
                        numbers.append(further if isinstance(further, int) else further.option)
                        continue
                    if isinstance(further, Source) and rank is not None:
                        further = Viewed(further, rank)
                    if further is not None and further not in met:
                        met.add(further)
                        pending.append(further)
            found.update(numbers if rank is None else (self._viewed(number, rank) for number in numbers))
        return found

    def tell(self, item: HandedItem) -> bool:
        """Replace what stands for the number of an item by that number, if the item may be an array of the caller's."""
        found = self.source(item.array)
        if found is None or found[1] or self.possible(found[0]) <= {COMPUTED}:
            return False
        if item.array._is_another:
            with context(), ir.Location.unknown():
                point = ir.InsertionPoint(item.number.owner)
                number = self._number_of_view(point, Viewed(found[0], item.array.ndim))
        else:
            number = self._read(found[0])
        item.number.replace_all_uses_with(number)
        return True

    def number(self, source: Source) -> TracedArray:
        """An i64[]: which of them it is."""
        return TracedArray(Storage(self._trace, self._read(source), _NUMBER))

    def _source(self, value: Any) -> Known | Either:
        """The number of what was handed on, or what knows it; None where nothing looks at it."""
        if value is ABSENT:
            return None
        value = returned(self._trace, value)
        if not isinstance(value, TracedArray) or value._is_scalar:
            return COMPUTED
        if isinstance(value._is_another, TracedArray) and not value._path:
            return Either(value._is_another, *map(self._source, itself_and_another(value)))
        found = self.source(value)
        if found is not None and not found[1]:
            return Viewed(found[0], value.ndim) if value._is_another else found[0]
        place = place_of(value)
        number = self._number_of(value, place)
        return number if place is None or number == COMPUTED else Placed(number, place)

    def _read(self, source: Source) -> Value:
        """The number of a source, where its value is defined."""
        if source not in self._numbers:
            with context(), ir.Location.unknown():
                handed = source.storage.handed
                if isinstance(handed, Numbered):
                    self._numbers[source] = handed.number
                else:
                    made = self._picked(source) if isinstance(handed, Stacked) else self._handed_on(source)
                    self._numbers[source] = made
        return self._numbers[source]

    def _picked(self, source: Source) -> Value:
        """The number at a place among those of what was stacked."""
        assert source.place is not None
        point = ir.InsertionPoint.after(source.storage.value.owner)
        numbers = [self._written(point, self._source(array)) for _, array in _handed_values(source.storage)]
        stacked = _made(point, Stack, numbers, {"axis": 0})
        return _made(point, Gather, [stacked, source.place._value()], {"axes": (0,), "position": 0})

    def _handed_on(self, source: Source) -> Value:
        """The number that a branch or loop hands on."""
        handed = source.storage.handed
        assert isinstance(handed, Handed)
        start = ir.InsertionPoint.at_block_begin(self._trace.entry.block)
        cell = _made(start, AllocRef, [self._written(start, COMPUTED)], {})
        op, to, values = handed
        behind = (
            ir.InsertionPoint.after(op)
            if to is None
            else ir.InsertionPoint.at_block_begin(op.regions[to].blocks[0])
        )
        number = self._numbers[source] = _made(behind, ReadRef, [cell], {})  # a loop hands it on to itself
        for region, value in values:
            further = self._source(value)
            if further is None:
                continue
            point = (
                ir.InsertionPoint(op)
                if region == BEFORE_LOOP
                else ir.InsertionPoint.at_block_terminator(op.regions[region].blocks[0])
            )
            _create(point, WriteRef, [cell, self._written(point, further)], {})
        return number

    def _written(self, point: Any, source: Known | Either) -> Value:
        """A number, or that of a source or place, at a point of the program."""
        if isinstance(source, Either):
            numbers = [self._written(point, one) for one in (source.another, source.itself)]
            return _made(point, Select, [source.is_another._storage.value, *numbers], {})
        if isinstance(source, Source):
            return self._read(source)
        if isinstance(source, Viewed):
            return self._number_of_view(point, source)
        if isinstance(source, Placed):
            return source.place.number(lambda *op: _made(point, *op), source.option)
        return _made(point, Constant, [], {"value": np.array(source or COMPUTED, np.int64)})

    def _number_of_view(self, point: Any, view: Viewed) -> Value:
        """The number of a view of all of what has a number; what is a view already is seen by none but this."""
        number = made = self._read(view.source)
        for one in sorted(self.possible(view.source)):
            other = self._viewed(one, view.rank)
            if other != one:
                is_one = _made(point, Equal, [number, self._written(point, one)], {})
                made = _made(point, Select, [is_one, self._written(point, other), made], {})
        return made


def _each(source: Known | Either) -> tuple[Known, ...]:
    """What a source may be."""
    return (source.itself, source.another) if isinstance(source, Either) else (source,)


def _handed_values(storage: Storage) -> Iterable[tuple[int, Any]]:
    """What a storage may be, each with the region that hands it on."""
    handed = storage.handed
    if isinstance(handed, Handed):
        return handed.values
    return enumerate(handed.arrays) if isinstance(handed, Stacked) else ()


def _create(point: Any, op_class: type[Op], operands: list[Value], attributes: dict[str, Any]) -> Any:
    """Create an op at a point of the program."""
    with point:
        return create(op_class, operands, attributes)


def _made(point: Any, op_class: type[Op], operands: list[Value], attributes: dict[str, Any]) -> Value:
    return _create(point, op_class, operands, attributes).results[0]
