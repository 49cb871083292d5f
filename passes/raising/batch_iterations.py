"""Run the iterations of a loop over columns as ops on all columns.

    for j in range(n): B[i, j] += A[i + 1:, i] @ B[i + 1:, j]    becomes    B[i, :n] += A[i + 1:, i] @ B[i + 1:, :n]

What an iteration reads of arrays and writes to them is its own column, or nothing that another iteration writes. A
column is read with a cache line for each element, and a kernel for one column is little work; all columns are read
line by line. Values of an iteration get one axis more, the last one, with an element for each iteration, its *lane*: so
elementwise ops broadcast as they did, and contractions get a label more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, TypeAlias

from ...dialect.batching import Laned, Lanes, batched
from ...dialect.emitter import Extent
from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.op import Elementwise, Op
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.contraction import Contract
from ...dialect.ops.indexing import Gather, Scatter
from ...dialect.ops.shape import BroadcastTo, Dim
from ...dialect.ops.slicing import INT64_MAX, DynamicSlice, DynamicSliceUpdate, Slice, SliceUpdate
from ...dialect.records import dataclass
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.sizes import Size, terms_of
from ..base import Pass, Statistics
from ..control_flow.linear import is_at_most_zero, linear
from ..control_flow.speculation import is_pure
from ..control_flow.structure import (
    CAST,
    FOR,
    add_yield,
    body,
    computed,
    control_ops,
    copy_of,
    functions_with_control_flow,
    operation_of,
    operations_in,
    replace_all,
    scalar_constant,
    splice,
    tensor_from,
    trip_count,
    weft_op,
    yielded,
)
from ..rewriting import type_of
from .rows import Iterations, row_of

Values: TypeAlias = "dict[Value, Value]"
Attributes: TypeAlias = "dict[str, Any]"

_MOST_OPS = 48
"""Longer bodies keep more between their ops than a cache holds, if all iterations run at once."""


@dataclass(frozen=True)
class BatchIterations(Pass):
    """Replace an `scf.for` whose iterations have a column of arrays each by ops on all columns.

    Columns are what is at one index of the last axis, or of the last one that is left where others have an index that
    all iterations share. Sums of floats are added up in another order, as those of all reductions may be. Loops on
    numbers alone stay: they are kernels as they are.
    """

    name: ClassVar[str] = "batch-iterations"
    summary: ClassVar[str] = "run the iterations of a loop over columns as ops on all columns"

    def run(self, module: Module, statistics: Statistics) -> None:
        """Look at the innermost loops."""
        for function in functions_with_control_flow(module):
            for loop in control_ops(function, FOR):
                if _is_candidate(loop) and _Batch(loop).write():
                    statistics["loops over columns replaced"] += 1


def _is_candidate(loop: Operation) -> bool:
    """Whether a loop counts by 1, only computes, and works on vectors."""
    if not len(loop.results) or scalar_constant(loop.operands[2]) != 1 or trip_count(loop) in (0, 1):
        return False
    *operations, _ = operations_in(body(loop))
    if len(operations) > _MOST_OPS or any(len(op.regions) or not is_pure(op) for op in operations):
        return False
    return any(_works_on_vectors(op) for op in operations)


def _works_on_vectors(operation: Operation) -> bool:
    op_class = op_class_of(operation)
    works = op_class is not None and (op_class is Contract or issubclass(op_class, Elementwise))
    return works and any(type_of(operand).rank for operand in operation.operands)


class _GivesUp(Exception):
    """An iteration does something that has no counterpart for all of them."""


class _Batch:
    """Writes what the iterations of one loop do in front of it."""

    def __init__(self, loop: Operation) -> None:
        self._loop = loop
        self._iterations = Iterations(loop)
        self._block = body(loop)
        self._counter, *self._carried = self._block.arguments
        self._operations = operations_in(self._block)[:-1]
        self._counting: set[Value] = {self._counter}
        """Integers that differ from iteration to iteration: they tell where its column is."""
        self._same: Values = {}
        """What stands for values that are the same in all iterations."""
        self._lanes: Values = {}
        """What stands for the others, with an axis of lanes."""
        self._arrays: Values = {}
        """What stands for the arrays that the loop carries, behind the ops that were written."""
        self._columns: dict[Value, tuple[int, Size]] = {}
        """For these the axis and the index of an iteration's column."""

    def write(self) -> bool:
        """Replace the loop, if that can be done."""
        with ir.InsertionPoint(self._loop):
            scratch = operation_of("scf.execute_region", [], [], regions=1, location=self._loop.location)
        block = scratch.regions[0].blocks.append()
        with ir.InsertionPoint(block):
            try:
                self._find_columns()
                for operation in self._operations:
                    with operation.location:
                        self._write(operation)
            except _GivesUp:
                scratch.erase()
                return False
            add_yield([self._arrays[value] for value in yielded(self._block)], self._loop.location)
        replace_all(self._loop.results, splice(block, self._loop))
        scratch.erase()
        self._loop.erase()
        return True

    # Columns

    def _find_columns(self) -> None:
        """Find where iterations write to the arrays: each at an index of its own on one axis, the same all the time."""
        for array, initial in zip(self._carried, list(self._loop.operands)[3:], strict=True):
            writes = self._iterations.writes(array)
            if not writes:
                raise _GivesUp
            own = [place for place in writes[0].items() if (self._counter,) in terms_of(place[1])]
            if len(own) != 1 or any(write.get(own[0][0]) != own[0][1] for write in writes):
                raise _GivesUp
            self._arrays[array], self._columns[array] = initial, own[0]

    def _place(self, array: Value, axes: Sequence[int], indices: Sequence[Value]) -> int | None:
        """Which of the indices into an array is that of the iteration's column, if there is one."""
        counting = [number for number, index in enumerate(indices) if index in self._counting]
        if not counting:
            return None
        number = counting[0]
        axis, index = axes[number], linear(indices[number])
        others = set(range(type_of(array).rank)) - set(axes)
        if len(counting) > 1 or any(other > axis for other in others):
            raise _GivesUp
        if self._iterations.pace(indices[number]) != 1 or self._columns.get(array, (axis, index)) != (
            axis,
            index,
        ):
            raise _GivesUp
        return number

    def _window(self, index: Value, extent: int | None) -> tuple[Value, Value] | None:
        """The first column of all iterations, and what is behind the last one; None where they are all there are."""
        lower, upper = list(self._loop.operands)[:2]
        if not is_at_most_zero(linear(lower) - linear(upper)):
            upper = operation_of("arith.maxsi", [lower, upper], [lower.type]).results[0]
        bounds = [
            computed([index], self._operations, {**self._same, self._counter: counter})[0]
            for counter in (lower, upper)
        ]
        return None if [linear(bound) for bound in bounds] == [0, extent] else (bounds[0], bounds[1])

    # Ops

    def _write(self, operation: Operation) -> None:
        """Write for all iterations what an op computes in one."""
        op_class = op_class_of(operation)
        operands = list(operation.operands)
        if op_class is Gather:
            self._gather(operation)
        elif any(value in self._lanes or value in self._arrays for value in operands):
            self._write_for_lanes(operation, op_class)
        elif not any(value in self._counting for value in operands):
            copy_of(operation, self._same)
        elif all(_is_number(value) for value in (*operands, *operation.results)):
            self._counting.update(operation.results)
        else:
            raise _GivesUp

    def _write_for_lanes(self, operation: Operation, op_class: type[Op] | None) -> None:
        if op_class is None or len(operation.results) != 1:
            raise _GivesUp
        attributes = decode_attributes(op_class, operation)
        if op_class is Scatter:
            self._scatter(operation, attributes)
        elif op_class is Dim and operation.operands[0] in self._arrays:
            whole = self._whole(operation.operands[0])
            self._same[operation.results[0]] = weft_op(Dim, whole, **attributes)
        elif op_class in _ON_LANES or issubclass(op_class, Elementwise):
            self._on_lanes(operation, attributes)
        else:
            raise _GivesUp

    def _gather(self, operation: Operation) -> None:
        array, *indices = operation.operands
        axes = list(decode_attributes(Gather, operation)["axes"])
        if any(index in self._lanes or type_of(index).rank for index in indices):
            raise _GivesUp
        result = operation.results[0]
        number = self._place(array, axes, indices)
        if number is None and array in self._arrays and not self._is_apart(array, result):
            raise _GivesUp
        if number is None:
            stands = self._lanes if array in self._lanes else self._same
            stands[result] = _taken(self._whole(array), axes, [*map(self._shared, indices)])
            return
        if array in self._lanes:
            raise _GivesUp
        window = self._window(indices.pop(number), type_of(array).shape[axes.pop(number)])
        row = _taken(self._whole(array), axes, [*map(self._shared, indices)])
        self._lanes[result] = row if window is None else _part(DynamicSlice, [row], window)

    def _is_apart(self, array: Value, vector: Value) -> bool:
        """Whether iterations write to no element of a vector, or of those parts of it that are used."""
        row = row_of(vector)
        if row is None:
            return False
        while array not in self._carried:
            array = array.owner.operation.operands[0]
        writes = self._iterations.writes(array) or ()
        stays = all(self._iterations.pace(bound) == 0 for bound in row.bounds)
        if stays and all(self._iterations.is_apart(row, write) for write in writes):
            return True
        users = [use.owner.operation for use in vector.uses]
        return all(
            op_class_of(user) is DynamicSlice and self._is_apart(array, user.results[0]) for user in users
        )

    def _scatter(self, operation: Operation, attributes: Attributes) -> None:
        array, update, *indices = operation.operands
        axes = list(attributes["axes"])
        number = self._place(array, axes, indices)
        if array not in self._arrays or number is None or attributes["mode"] != "set":
            raise _GivesUp
        whole = self._arrays[array]
        window = self._window(indices.pop(number), type_of(array).shape[axes.pop(number)])
        others = [*map(self._shared, indices)]
        found = self._spread(update)
        if window is not None:
            found = _part(DynamicSliceUpdate, [_taken(whole, axes, others), found], window)
        if axes:
            found = weft_op(Scatter, whole, found, *others, axes=tuple(axes), position=0, mode="set")
        elif found.type != whole.type:
            found = operation_of(CAST, [found], [whole.type]).results[0]
        self._arrays[operation.results[0]] = found
        self._columns[operation.results[0]] = self._columns[array]

    def _on_lanes(self, operation: Operation, attributes: Attributes) -> None:
        """What the op is on lanes that are the last axis; of updates, all lanes are taken."""
        op_class = op_class_of(operation)
        assert op_class is not None
        b = OpEmitter(operation.location)
        operands = [self._laned(b, value) for value in operation.operands]
        made = batched(b, op_class, operands, attributes, Lanes(lambda: self._extent(b), is_last=True))
        if made is None:
            raise _GivesUp
        stands = self._lanes if made[0].has_lanes else self._same
        stands[operation.results[0]] = made[0].value.handle

    # Operands

    def _shared(self, value: Value) -> Value:
        """What stands for a value that is the same in all iterations."""
        if value in self._lanes or value in self._arrays or value in self._counting:
            raise _GivesUp
        return self._same.get(value, value)

    def _whole(self, value: Value) -> Value:
        """What stands for any tensor."""
        for stands in (self._arrays, self._lanes):
            if value in stands:
                return stands[value]
        return self._shared(value)

    def _laned(self, b: OpEmitter, value: Value) -> Laned:
        """What stands for an operand."""
        has_lanes = value in self._lanes
        return Laned(b.value(self._lanes[value] if has_lanes else self._shared(value)), has_lanes)

    def _spread(self, value: Value) -> Value:
        """What stands for a value, with an element for each lane."""
        b = OpEmitter(self._loop.location)
        lanes = Lanes(lambda: self._extent(b), is_last=True)
        found: Value = lanes.spread(b, self._laned(b, value)).handle
        return found

    def _extent(self, b: OpEmitter) -> Extent:
        """How many lanes there are."""
        trips = trip_count(self._loop)
        if trips is not None:
            return trips
        lower, upper = (b.value(tensor_from(bound)) for bound in list(self._loop.operands)[:2])
        return b.one("maximum", upper - lower, 0)


_ON_LANES = frozenset({Slice, DynamicSlice, SliceUpdate, DynamicSliceUpdate, BroadcastTo, Contract, Dim})
"""The ops, besides elementwise ones, that are done for all columns at once."""


_AT_CONSTANTS: Mapping[type[Op], type[Op]] = MappingProxyType(
    {DynamicSlice: Slice, DynamicSliceUpdate: SliceUpdate}
)


def _is_number(value: Value) -> bool:
    """Whether a value is a scalar, or a tensor of rank 0."""
    return not isinstance(value.type, ir.RankedTensorType) or not type_of(value).rank


def _taken(array: Value, axes: Sequence[int], indices: Sequence[Value]) -> Value:
    """What is in an array at indices on some of its axes."""
    return weft_op(Gather, array, *indices, axes=tuple(axes), position=0) if axes else array


def _part(op_class: type[Op], operands: Sequence[Value], window: tuple[Value, Value]) -> Value:
    """A slice, or its update, between two bounds on the last axis."""
    rank = type_of(operands[0]).rank
    start, stop = map(linear, window)
    is_known = isinstance(start, int) and isinstance(stop, int)
    attributes: Attributes = {
        "start": (*(0,) * (rank - 1), start if is_known else 0),
        "stop": (*(INT64_MAX,) * (rank - 1), stop if is_known else INT64_MAX),
        "step": (1,) * rank,
    }
    if is_known:
        return weft_op(_AT_CONSTANTS[op_class], *operands, **attributes)
    last = (rank - 1,)
    return weft_op(op_class, *operands, *window, **attributes, start_axes=last, stop_axes=last)
