"""Make room for all items of a list before the loops that append them, where it is known how many there may be.

    %list = tensor.cast %zeros : tensor<8xf64> to tensor<?xf64>       ... tensor<20xf64>
    scf.for %t = %c0 to %c20 ... (%a = %list, %n = %zero)             scf.for ... (%a = %all, %n = %zero)
      %full = weft.greater_equal %n, (weft.dim %a)
      %b = scf.if %full { twice as many } else { %a } {weft.makes_room}
      weft.scatter %b, %item, %n                                        weft.scatter %a, %item, %n
      weft.add %n, %one                                                 weft.add %n, %one

Nobody looks at how much room a list has, so that it may be more. What is known to the type then needs no memory that
grows while the program runs, and no checks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import field

import numpy as np

from ...dialect.attributes import MAKES_ROOM
from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.ops.arrangement import Concat
from ...dialect.ops.comparison import GreaterEqual
from ...dialect.ops.elementwise import Add, Subtract
from ...dialect.ops.indexing import FindOutOfBounds, Scatter
from ...dialect.ops.shape import BroadcastTo, Dim
from ...dialect.records import dataclass
from ...dialect.register import op_class_of
from ..base import Pass, Statistics
from ..rewriting import operations_in, operations_of, type_of
from .structure import (
    CAST,
    FOR,
    IF,
    YIELD,
    body,
    constant_of,
    constant_tensor,
    control_ops,
    functions_with_control_flow,
    has_else,
    made_by,
    operation_of,
    producer,
    scalar_constant,
    tensor_of,
    trip_count,
    weft_op,
    yielded,
)

Bounds = tuple[int, int]
"""The least and the most that a number may be."""

MOST_BYTES = 1 << 24
"""More room is not made at once: a list may turn out to be shorter, as a branch decides."""

MOST_BRANCHES = 8
"""Lists that make room in more places of a loop grow: upstream's bufferization follows an array of known size through
branches one behind the other both ways, 2 to the power of them in all (24 take 11 s)."""


@dataclass(frozen=True)
class MakeRoomFirst(Pass):
    """Make room for all items of a list before the loops that append them."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in functions_with_control_flow(module):
            branches = [branch for branch in control_ops(function, IF) if _makes_room(branch)]
            if not branches:
                continue
            counts = _Counts()
            for branch in branches:
                counts.of(branch)
            casts = [op for op in operations_of(function) if _begins(op)]
            groups = _joined([_Rooms.of(cast) for cast in casts])
            for group, rows in [(group, group.rows(counts)) for group in groups]:
                if rows is not None:
                    group.widen(rows, counts)
                    statistics["lists that do not grow"] += 1


def _makes_room(branch: Operation) -> bool:
    return MAKES_ROOM in branch.attributes and has_else(branch)


def _begins(op: Operation) -> bool:
    """Whether an op hides how many rows an array has."""
    if op.name != CAST:
        return False
    before, after = type_of(op.operands[0]), type_of(op.results[0])
    return bool(
        before.rank
        and None not in before.shape
        and after.shape[0] is None
        and after.shape[1:] == before.shape[1:]
    )


@dataclass
class _Rooms:
    """Arrays that are each other with other items, and the branches that make room in them."""

    casts: list[Operation]
    arrays: dict[Value, None] = field(default_factory=dict)
    branches: dict[Operation, None] = field(default_factory=dict)

    @classmethod
    def of(cls, cast: Operation) -> _Rooms:
        """All that begins as what a cast gives."""
        found = cls([cast])
        pending = [cast.results[0]]
        while pending:
            array = pending.pop()
            if array not in found.arrays:
                found.arrays[array] = None
                for use in array.uses:
                    pending += found._following(use.owner.operation, use.operand_number)
        return found

    def _following(self, op: Operation, number: int) -> list[Value]:
        """What an array becomes where an op uses it."""
        if op_class_of(op) is Scatter and number == 0:
            return [op.results[0]]
        if op.name == FOR and number >= _BOUNDS:
            return [op.results[number - _BOUNDS], body(op).arguments[number - _BOUNDS + 1]]
        if op.name != YIELD:
            return []
        around = op.parent.operation
        if around.name == FOR:
            return [around.results[number], body(around).arguments[number + 1]]
        if around.name != IF:
            return []
        if _makes_room(around):
            if op.block == body(around):
                return []
            self.branches[around] = None
        return [around.results[number]]

    def rows(self, counts: _Counts) -> int | None:
        """How many rows there must be for all items; None where that is not known, or is too much."""
        if not 0 < len(self.branches) <= MOST_BRANCHES or not all(map(self._is_whole, self.arrays)):
            return None
        most = max(int(type_of(cast.operands[0]).shape[0] or 0) for cast in self.casts)
        for branch in self.branches:
            bounds = counts.of(branch)
            if bounds is None or bounds[0] < 0 or not set(branch.results) <= set(self.arrays):
                return None
            most = max(most, bounds[1] + 1)
        return most if all(_bytes(cast.operands[0], most) <= MOST_BYTES for cast in self.casts) else None

    def _is_whole(self, array: Value) -> bool:
        """Whether an array is one of these wherever it comes from."""
        return all(source in self.arrays for source in _sources(array))

    def widen(self, rows: int, counts: _Counts) -> None:
        """Let all arrays have so many rows, which makes room for all items."""
        types = {array: array.type for array in self.arrays}
        for cast in self.casts:
            _widen(cast, rows)
        for array in self.arrays:
            for use in list(array.uses):
                self._adapt(use.owner.operation, use.operand_number, array, types[array], rows, counts)
        for array in self.arrays:
            array.set_type(_with_rows(types[array], rows))
        for cast in self.casts:
            with ir.InsertionPoint(cast), cast.location:
                cast.results[0].replace_all_uses_with(cast.operands[0])
            cast.erase()
        for branch in self.branches:
            for result, same in zip(branch.results, yielded(body(branch, 1)), strict=True):
                result.replace_all_uses_with(same)
            branch.erase()

    def _adapt(
        self, op: Operation, number: int, array: Value, type: ir.Type, rows: int, counts: _Counts
    ) -> None:
        """Let others than these see an array as before; an index of which it is known that it fits is not checked."""
        if op_class_of(op) is Dim:
            for use in list(op.results[0].uses):
                _drop_check(use.owner.operation, use.operand_number, rows, counts)
            return
        if any(value in self.arrays for value in self._following(op, number)) or _is_in(op, self.branches):
            return
        with ir.InsertionPoint(op), op.location:
            op.operands[number] = operation_of(CAST, [array], [type]).results[0]


_BOUNDS = 3
"""The operands of a loop before those that it carries."""


def _joined(rooms: Sequence[_Rooms]) -> list[_Rooms]:
    """Those together whose arrays are in the same branches, or that become the same."""
    found: list[_Rooms] = []
    for room in (room for room in rooms if room.branches):
        for other in [
            o
            for o in found
            if not (room.branches.keys().isdisjoint(o.branches) and room.arrays.keys().isdisjoint(o.arrays))
        ]:
            found.remove(other)
            room = _Rooms(
                other.casts + room.casts, other.arrays | room.arrays, other.branches | room.branches
            )
        found.append(room)
    return found


def _sources(array: Value) -> list[Value]:
    """What an array was before it got another item."""
    if isinstance(array.owner, ir.Block):
        loop, place = array.owner.owner.operation, array.arg_number - 1
        return [loop.operands[_BOUNDS + place], yielded(body(loop))[place]]
    op = array.owner.operation
    place = array.result_number
    if op.name == FOR:
        return [op.operands[_BOUNDS + place], yielded(body(op))[place]]
    if op.name == IF:
        blocks = [body(op, 1)] if _makes_room(op) else [body(op), body(op, 1)]
        return [yielded(block)[place] for block in blocks]
    return [] if op.name == CAST else [op.operands[0]]


def _count_of(branch: Operation) -> Value | None:
    """How many items there are where a branch looks whether there is room."""
    condition = tensor_of(branch.operands[0])
    made = None if condition is None else producer(condition)
    return made.operands[0] if made is not None and op_class_of(made) is GreaterEqual else None


@dataclass
class _Counts:
    """How many items there may be: looked for once for each number, as both sides of a branch begin with the same.

    It is asked in the order of the program, so that what stands before is known and recursion goes as deep as control
    flow does. Good as long as nothing of what counts is erased.
    """

    _bounds: dict[Value, Bounds | None] = field(default_factory=dict)
    _growth: dict[tuple[Value, Value], Bounds | None] = field(default_factory=dict)

    def of(self, branch: Operation) -> Bounds | None:
        """The bounds of the number of items where a branch looks whether there is room."""
        count = _count_of(branch)
        return None if count is None else self.bounds(count)

    def bounds(self, count: Value) -> Bounds | None:
        """The least and the most that a number of items may be."""
        if count not in self._bounds:
            self._bounds[count] = self._bounds_of(count)
        return self._bounds[count]

    def _bounds_of(self, count: Value) -> Bounds | None:
        constant = constant_of(count)
        if constant is not None:
            return int(constant), int(constant)
        if isinstance(count.owner, ir.Block):
            loop = count.owner.owner.operation
            return self._after(loop, count.arg_number - 1, -1) if loop.name == FOR else None
        op = count.owner.operation
        if op.name == FOR:
            return self._after(op, count.result_number, 0)
        if op.name == IF and has_else(op):
            return _either(self.bounds(end) for end in _ends(op, count.result_number))
        index = made_by(op.operands[0], "arith.index_cast") if op.name == "tensor.from_elements" else None
        if index is not None:
            return _bounds_of_counter(index.operands[0])
        if op_class_of(op) in (Add, Subtract):
            one, other = op.operands
            return _sum(self.bounds(one), _constant(op, other))
        return None

    def _after(self, loop: Operation, place: int, missing: int) -> Bounds | None:
        """The bounds of what a loop carries behind all iterations, or at the start of each."""
        trips = trip_count(loop)
        start = self.bounds(loop.operands[_BOUNDS + place])
        more = self._growth_in(loop, place)
        if trips is None or start is None or more is None:
            return None
        turns = max(0, trips + missing)
        return start[0] + turns * min(0, more[0]), start[1] + turns * max(0, more[1])

    def _growth_in(self, loop: Operation, place: int) -> Bounds | None:
        """How much more than at the start of an iteration there may be at its end."""
        start = body(loop).arguments[place + 1]
        for op in operations_in(body(loop)):
            if op.name in (FOR, IF) or op_class_of(op) in (Add, Subtract):
                for result in op.results:
                    if result.type == start.type:
                        self.growth(result, start)
        return self.growth(yielded(body(loop))[place], start)

    def growth(self, count: Value, start: Value) -> Bounds | None:
        """How much more than at a start a number of items may be."""
        key = count, start
        if key not in self._growth:
            self._growth[key] = self._growth_of(count, start)
        return self._growth[key]

    def _growth_of(self, count: Value, start: Value) -> Bounds | None:
        if count == start:
            return 0, 0
        op = producer(count)
        if op is None:
            return None
        if op.name == IF and has_else(op):
            return _either(self.growth(end, start) for end in _ends(op, count.result_number))
        if op.name == FOR:
            place, trips = count.result_number, trip_count(op)
            before = self.growth(op.operands[_BOUNDS + place], start)
            more = self._growth_in(op, place)
            if trips is None or more is None:
                return None
            return _sum(before, (trips * min(0, more[0]), trips * max(0, more[1])))
        if op_class_of(op) in (Add, Subtract):
            one, other = op.operands
            return _sum(self.growth(one, start), _constant(op, other))
        return None


def _ends(branch: Operation, place: int) -> list[Value]:
    """What either side of a branch gives."""
    return [yielded(body(branch, side))[place] for side in (0, 1)]


def _constant(op: Operation, value: Value) -> Bounds | None:
    """The constant that an op adds, as bounds."""
    found = constant_of(value)
    if found is None:
        return None
    number = int(found) if op_class_of(op) is Add else -int(found)
    return number, number


def _bounds_of_counter(index: Value) -> Bounds | None:
    if not isinstance(index.owner, ir.Block) or index.owner.owner.operation.name != FOR or index.arg_number:
        return None
    first, last, _ = map(scalar_constant, list(index.owner.owner.operation.operands)[:_BOUNDS])
    return None if first is None or last is None else (first, max(first, last - 1))


def _either(bounds: Iterable[Bounds | None]) -> Bounds | None:
    found = list(bounds)
    known = [pair for pair in found if pair is not None]
    if len(known) < len(found):
        return None
    return min(least for least, _ in known), max(most for _, most in known)


def _sum(one: Bounds | None, other: Bounds | None) -> Bounds | None:
    return None if one is None or other is None else (one[0] + other[0], one[1] + other[1])


def _bytes(array: Value, rows: int) -> int:
    type = type_of(array)
    return rows * math.prod(extent or 0 for extent in type.shape[1:]) * type.dtype.itemsize


def _with_rows(type: ir.Type, rows: int) -> ir.Type:
    return ir.RankedTensorType.get([rows, *list(type.shape)[1:]], type.element_type)


def _widen(cast: Operation, rows: int) -> None:
    """Let a cast take an array with more rows of zeros."""
    array = cast.operands[0]
    type = type_of(array)
    more = rows - int(type.shape[0] or 0)
    if more:
        with ir.InsertionPoint(cast), cast.location:
            zero = constant_tensor(0, type.dtype)
            added = weft_op(BroadcastTo, zero, shape=(more, *type.shape[1:]))
            cast.operands[0] = weft_op(Concat, array, added, axis=0)


def _is_in(op: Operation, branches: Iterable[Operation]) -> bool:
    """Whether an op is in a branch that makes room."""
    around = op
    while around.name != "func.func":
        if around in branches:
            return True
        around = around.parent.operation
    return False


def _drop_check(op: Operation, number: int, rows: int, counts: _Counts) -> None:
    """Let an index that is counted up to the number of items be in bounds."""
    if op_class_of(op) is not FindOutOfBounds or number != 1:
        return
    bounds = counts.bounds(op.operands[0])
    if bounds is None or bounds[0] < 0 or bounds[1] >= rows:
        return
    with ir.InsertionPoint(op), op.location:
        op.results[0].replace_all_uses_with(constant_tensor(False, np.bool_))
        op.results[1].replace_all_uses_with(constant_tensor(0))
    op.erase()
