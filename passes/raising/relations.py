"""What an iteration of a loop reads of arrays and writes to them, and how far the iterations are that need each other.

An index is an affine map of the counters of loops and of sizes (`linear`). Places are compared as the loop counts: an
iteration may read what it wrote itself, what a later one will write (and finds what was there before), what no
iteration writes, or what an earlier one wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...dialect.extents import SCALAR
from ...dialect.mlir import Operation, Value
from ...dialect.op import Op
from ...dialect.ops.indexing import Gather, Scatter
from ...dialect.ops.shape import Dim
from ...dialect.ops.slicing import INT64_MAX, DynamicSlice
from ...dialect.records import dataclass
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.sizes import Size, terms_of
from ..control_flow.extents import Extents
from ..control_flow.linear import is_at_most_zero, linear
from ..control_flow.structure import body, producer, yielded
from ..rewriting import is_defined_inside, type_of


@dataclass(frozen=True)
class Row:
    """A part of a tensor, `base[at, start:stop]`, with single indices on all axes but one, or on other sets of axes."""

    base: Value
    axis: int
    """The axis along which a vector lies; -1 for other parts."""
    at: Mapping[int, Value]
    """The indices on other axes, i64[]."""
    start: Value | None = None
    """The first element of a vector; 0 where it is None."""
    stop: Value | None = None
    """Behind the last element of a vector; the end where it is None."""

    @property
    def bounds(self) -> list[Value]:
        """The values that say where the part lies."""
        ends = [end for end in (self.start, self.stop) if end is not None]
        return [*self.at.values(), *ends]


def row_of(vector: Value) -> Row | None:
    """Where a vector is read; None where it is computed, or no such vector."""
    row = read_of(vector)
    return row if row is not None and row.axis >= 0 and type_of(vector).rank == 1 else None


def read_of(value: Value) -> Row | None:
    """Where a value is read; None where it is computed, or read at places that are not neighbours."""
    start = stop = None
    made = made_of(value)
    if made is not None and made[0] is DynamicSlice:
        _, attributes, operands = made
        if type_of(operands[0]).rank != 1 or attributes["step"] != (1,):
            return None
        value, *ends = operands
        start = ends.pop(0) if attributes["start_axes"] else None
        stop = ends.pop(0) if attributes["stop_axes"] else None
        if (start is None and attributes["start"] != (0,)) or (
            stop is None and attributes["stop"] != (INT64_MAX,)
        ):
            return None
        made = made_of(value)
    if made is None or made[0] is not Gather:
        return Row(value, 0, {}, start, stop) if type_of(value).rank == 1 else None
    _, attributes, (base, *indices) = made
    left = set(range(type_of(base).rank)) - set(attributes["axes"])
    if type_of(indices[0]).rank:
        return None
    axis = left.pop() if len(left) == 1 else -1
    return Row(base, axis, dict(zip(attributes["axes"], indices, strict=True)), start, stop)


def extents_of(array: Value, axis: int) -> list[Size]:
    """What an extent is known to be: a number, what an array is made with, or another that was asked for."""
    extent = type_of(array).shape[axis]
    if extent is not None:
        return [extent]
    origin, own = Extents().origin(array, axis)
    found = [linear(origin)] if own == SCALAR else []
    for value, asked in ((array, axis), (origin, own)):
        users = [use.owner.operation for use in value.uses]
        dims = [user for user in users if op_class_of(user) is Dim]
        found += [linear(u.results[0]) for u in dims if decode_attributes(Dim, u)["axis"] == asked]
    return found


def made_of(value: Value) -> tuple[type[Op], dict[str, Any], list[Value]] | None:
    """The class of the weft op that makes a value, its attributes and operands."""
    operation = producer(value)
    op_class = None if operation is None else op_class_of(operation)
    if operation is None or op_class is None:
        return None
    return op_class, decode_attributes(op_class, operation), list(operation.operands)


@dataclass(frozen=True)
class Iterations:
    """The iterations of an `scf.for`, and integers in terms of its counter."""

    loop: Operation

    @property
    def counter(self) -> Value:
        """The induction variable."""
        return body(self.loop).arguments[0]

    def pace(self, index: Value | None) -> int | None:
        """By how much an i64[] grows with each iteration; None where that is not known, or it may be negative then."""
        if index is None:
            return 0
        form = linear(index)
        for product in terms_of(form):
            if any(name != self.counter and is_defined_inside(name, self.loop) for name in product):
                return None
        pace = terms_of(form).get((self.counter,), 0)
        return pace if pace == 0 or is_at_most_zero(-form) else None

    def is_constant(self, base: Value) -> bool:
        """Whether the loop does not write to a tensor."""
        return not is_defined_inside(base, self.loop)

    def writes(self, base: Value) -> list[Mapping[int, Size]] | None:
        """The indices at which an iteration writes to a tensor that the loop carries, by axis; None if not known."""
        block = body(self.loop)
        if base not in list(block.arguments)[1:]:
            return None
        value = yielded(block)[base.arg_number - 1]
        found: list[Mapping[int, Size]] = []
        while value != base:
            made = made_of(value)
            if made is None or made[0] is not Scatter or type_of(made[2][2]).rank:
                return None
            _, attributes, (value, _, *indices) = made
            found.append({axis: linear(i) for axis, i in zip(attributes["axes"], indices, strict=True)})
        return found

    def distance(self, read: Size, write: Size) -> int | None:
        """How many iterations later the one comes that writes what an iteration reads, at indices of one axis.

        0 is the iteration itself, what is negative an earlier one; None where that is not the same for all.
        """
        pace = terms_of(write).get((self.counter,), 0)
        apart = read - write
        is_known = isinstance(apart, int) and pace == 1 and is_at_most_zero(-read)
        return int(apart) if is_known and isinstance(apart, int) else None

    def is_apart(self, row: Row, write: Mapping[int, Size]) -> bool:
        """Whether an iteration writes elsewhere than to what later rows have in common with its own.

        That is at another index on one axis, behind the vector or before it.
        """
        return any(self._differs(row, axis, place) for axis, place in write.items())

    def _differs(self, row: Row, axis: int, place: Size) -> bool:
        if not is_at_most_zero(-place):
            return False
        pace = terms_of(place).get((self.counter,), 0)
        if axis == row.axis:
            return self._is_behind(row.stop, place, pace) or self._is_before(row.start, place, pace)
        if axis not in row.at:
            return False
        read = linear(row.at[axis])
        if not is_at_most_zero(-read):
            return False
        if terms_of(read).get((self.counter,), 0) and (pace or place == read):
            return place == read  # each iteration has its own
        return is_at_most_zero(read - place + 1) or is_at_most_zero(place - read + 1)

    def _is_behind(self, stop: Value | None, place: Size, pace: int) -> bool:
        if stop is None or pace < 0:
            return False
        end = linear(stop)
        return is_at_most_zero(end - place) and is_at_most_zero(-end)

    def _is_before(self, start: Value | None, place: Size, pace: int) -> bool:
        return start is not None and pace <= 0 and is_at_most_zero(place - linear(start) + 1)
