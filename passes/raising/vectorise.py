"""Run the iterations of a loop that do not need each other as ops on whole arrays.

    for j in range(n): B[i, j] += A[i + 1:, i] @ B[i + 1:, j]    becomes    B[i, :n] += A[i + 1:, i] @ B[i + 1:, :n]

What an iteration reads of arrays and writes to them is a part of its own (at an index of one axis), what a later
iteration writes, or nothing that another iteration writes. Values of an iteration get one axis more, with an element
for each iteration, its *lane*: so elementwise ops broadcast as they did, and contractions get a label more. What all
iterations add to one place is a sum over the lanes (`accumulators.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ...dialect.attributes import type_to_mlir
from ...dialect.batching import Laned, Lanes, batched
from ...dialect.emitter import Extent
from ...dialect.mlir import Operation, Value, ir
from ...dialect.op import Elementwise, Op
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.comparison import Less
from ...dialect.ops.contraction import Contract, parse_spec
from ...dialect.ops.elementwise import Add, Multiply, Subtract
from ...dialect.ops.indexing import Gather, Scatter
from ...dialect.ops.reductions import Max, Mean, Min, Sum
from ...dialect.ops.selection import Select
from ...dialect.ops.shape import BroadcastTo, Dim, ExpandDims, Squeeze, Transpose
from ...dialect.ops.slicing import DynamicSlice, DynamicSliceUpdate, Slice, SliceUpdate
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.sizes import Size, terms_of
from ..control_flow.hoist_invariants import runs
from ..control_flow.linear import is_at_most_zero, linear
from ..control_flow.speculation import is_speculatable
from ..control_flow.structure import (
    CAST,
    FROM_ELEMENTS,
    INDEX_CAST,
    add_yield,
    body,
    computed,
    constant_tensor,
    copy_of,
    operation_of,
    operations_in,
    producer,
    replace_all,
    splice,
    tensor_from,
    trip_count,
    weft_op,
    yielded,
)
from ..rewriting import type_of
from .accumulators import (
    PRODUCT_DTYPES,
    REDUCTIONS,
    Accumulator,
    accumulator_of,
    contraction,
    factors_of,
    is_zero,
)
from .parts import before_writes, moved, part, without_maximum
from .relations import Iterations, extents_of, read_of

Values: TypeAlias = "dict[Value, Value]"
Attributes: TypeAlias = "dict[str, Any]"

LEAST_TRIPS = 8
"""Shorter loops stay as they are: a kernel of their own is not worth it."""


class GivesUp(Exception):
    """An iteration does something that has no counterpart for all of them."""


class Vectorised:
    """Writes what the iterations of one loop do in front of it; the axis of lanes is the last one or the first."""

    def __init__(self, loop: Operation, is_last: bool) -> None:
        self._loop = loop
        self._is_last = is_last
        self._iterations = Iterations(loop)
        self._runs = runs(loop)
        """Whether there is an iteration."""
        self._block = body(loop)
        self._counter, *self._carried = self._block.arguments
        self._operations = operations_in(self._block)[:-1]
        self._inside = {result for operation in self._operations for result in operation.results}
        self._counting: set[Value] = {self._counter}
        """Integers that differ from iteration to iteration: they tell where its part is."""
        self._same: Values = {}
        """What stands for values that are the same in all iterations."""
        self._lanes: Values = {}
        """What stands for the others, with an axis of lanes."""
        self._arrays: Values = {}
        """What stands for the arrays that the loop carries, behind the ops that were written."""
        self._initial: Values = {}
        """What the arrays are before the loop."""
        self._own: dict[Value, tuple[int, Size]] = {}
        """For these the axis and the index of an iteration's part."""
        self._accumulators: dict[Value, Accumulator] = {}
        self._windows: dict[Size, tuple[Value, Value]] = {}
        self._read: dict[tuple[Any, ...], Value] = {}
        """What was written already: places are compared as values."""

    def write(self) -> bool:
        """Replace the loop, if that can be done."""
        with ir.InsertionPoint(self._loop):
            scratch = operation_of("scf.execute_region", [], [], regions=1, location=self._loop.location)
        block = scratch.regions[0].blocks.append()
        with ir.InsertionPoint(block), self._loop.location:
            try:
                self._find_carried()
                results = [self._result(array) for array in self._carried]
            except GivesUp:
                scratch.erase()
                return False
            add_yield(results, self._loop.location)
        replace_all(self._loop.results, splice(block, self._loop))
        scratch.erase()
        self._loop.erase()
        return True

    def lanes_of(self, value: Value) -> Value | None:
        """Write in front of the loop what all iterations have of a value that depends on nothing that is carried."""
        with ir.InsertionPoint(self._loop):
            scratch = operation_of("scf.execute_region", [], [], regions=1, location=self._loop.location)
        block = scratch.regions[0].blocks.append()
        with ir.InsertionPoint(block), self._loop.location:
            try:
                found = self._operand(value)
                add_yield([found.value.handle], self._loop.location)
            except GivesUp:
                scratch.erase()
                return None
        (written,) = splice(block, self._loop)
        scratch.erase()
        return written if found.has_lanes else None

    # What is carried

    def _find_carried(self) -> None:
        """Find what iterations do to what the loop carries: add to it, or write to parts of their own."""
        for array, initial in zip(self._carried, list(self._loop.operands)[3:], strict=True):
            self._initial[array] = initial
            accumulator = accumulator_of(self._loop, array)
            if accumulator is not None:
                self._require_trips(accumulator)
                self._accumulators[array] = accumulator
                continue
            writes = self._iterations.writes(array)
            if not writes:
                raise GivesUp
            own = [place for place in writes[0].items() if (self._counter,) in terms_of(place[1])]
            if len(own) != 1 or any(write.get(own[0][0]) != own[0][1] for write in writes):
                raise GivesUp
            self._arrays[array], self._own[array] = initial, own[0]

    def _require_trips(self, accumulator: Accumulator) -> None:
        """Whether the loop is long enough, and its place may be read where there is no iteration."""
        trips = trip_count(self._loop)
        if self._runs and (trips is None or trips >= LEAST_TRIPS):
            return
        steps = accumulator.steps(self._loop)
        is_sum = REDUCTIONS[accumulator.joins] is Sum
        if trips is not None or not is_sum or not all(map(is_speculatable, steps)):
            raise GivesUp

    def _result(self, array: Value) -> Value:
        """What the loop leaves."""
        accumulator = self._accumulators.get(array)
        if accumulator is None:
            last = yielded(self._block)[array.arg_number - 1]
            self._need(last)
            if last not in self._arrays:
                raise GivesUp
            return self._arrays[last]
        total = self._total(accumulator.added, accumulator.joins)
        begins_with_zero = accumulator.is_bare and is_zero(self._initial[array])
        if not self._runs and accumulator.joins is Add and not begins_with_zero:
            total = self._or_nothing(total)
        if total.type != accumulator.added.type:
            total = operation_of(CAST, [total], [accumulator.added.type]).results[0]
        if accumulator.joins is Add and begins_with_zero:
            return total  # which began with 0, too
        return accumulator.written(self._loop, self._initial[array], total)

    def _or_nothing(self, total: Value) -> Value:
        """A sum, or -0.0, which changes nothing, where there are no iterations."""
        dtype = type_of(total).dtype
        if dtype.kind not in "fc":
            return total
        b = OpEmitter(self._loop.location)
        extent = self._extent(b)
        assert not isinstance(extent, int)
        runs = weft_op(Less, constant_tensor(0), extent.handle)
        return weft_op(Select, runs, total, constant_tensor(-0.0, dtype))

    # Sums over lanes

    def _total(self, value: Value, joins: type[Op]) -> Value:
        """What all iterations have of a value, added up or compared; the order of sums of products is free."""
        reduction = REDUCTIONS[joins]
        made = producer(value) if value in self._inside else None
        op_class = None if made is None else op_class_of(made)
        type = type_of(value)
        if reduction is not Sum and type.dtype.kind in "iuf":
            return self._reduced(reduction, value)
        if reduction is not Sum:
            raise GivesUp
        if made is not None and op_class in (Add, Subtract) and type.dtype.kind in "fc":
            operands = list(made.operands)
            if all(type_of(operand).rank == type.rank for operand in operands):
                return weft_op(op_class, *(self._total(operand, Add) for operand in operands))
        is_exact = type.dtype.kind in "iu"
        if made is not None and op_class is Multiply and str(type.dtype) in PRODUCT_DTYPES:
            found = self._sum_of_products(made, is_exact)
            if found is not None:
                return found
        if made is not None and op_class is Contract and (is_exact or str(type.dtype) in PRODUCT_DTYPES):
            return self._sum_of_contractions(made)
        if not is_exact:
            raise GivesUp
        return self._reduced(Sum, value)

    def _sum_of_products(self, product: Operation, is_exact: bool) -> Value | None:
        factors = factors_of(product)
        if factors is None:
            if is_exact:
                return None
            raise GivesUp
        laned = [self._operand(factor.value) for factor in factors]
        has_lanes = [each.has_lanes for each in laned]
        if not all(has_lanes):
            if is_exact:
                return None
            raise GivesUp
        return contraction(factors, [each.value.handle for each in laned], has_lanes, self._is_last)

    def _sum_of_contractions(self, operation: Operation) -> Value:
        b = OpEmitter(operation.location)
        operands = [self._operand(operand) for operand in operation.operands]
        if not all(operand.has_lanes for operand in operands):
            raise GivesUp
        attributes = decode_attributes(Contract, operation)
        (made,) = batched(b, Contract, operands, attributes, self._all_lanes(b)) or ()
        summed = made.value.handle.owner
        x, y, result = parse_spec(decode_attributes(Contract, summed)["spec"])
        kept = result[:-1] if self._is_last else result[1:]
        return weft_op(Contract, *summed.operands, spec=f"{x},{y}->{kept}")

    def _reduced(self, reduction: type[Op], value: Value) -> Value:
        laned = self._operand(value)
        if not laned.has_lanes:
            raise GivesUp
        axis = laned.rank if self._is_last else 0
        return weft_op(reduction, laned.value.handle, axes=(axis,), keepdims=False)

    # Places

    def _place(self, array: Value, axes: Sequence[int], indices: Sequence[Value]) -> int | None:
        """Which of the indices into an array is that of the iteration's part, if there is one."""
        counting = [number for number, index in enumerate(indices) if index in self._counting]
        if not counting:
            return None
        if len(counting) > 1 or self._iterations.pace(indices[counting[0]]) != 1:
            raise GivesUp
        return counting[0]

    def _window(self, index: Value, extent: int | None) -> tuple[Value, Value] | None:
        """The first part of all iterations, and what is behind the last one; None where they are all there are."""
        form = linear(index)
        if form not in self._windows:
            lower, upper = self._bounds()
            bounds = [
                computed([index], self._operations, {**self._same, self._counter: counter})[0]
                for counter in (lower, upper)
            ]
            self._windows[form] = bounds[0], bounds[1]
        window = self._windows[form]
        return None if [linear(bound) for bound in window] == [0, extent] else window

    def _bounds(self) -> tuple[Value, Value]:
        """Where the counter begins and ends, which is not before that."""
        lower, upper = list(self._loop.operands)[:2]
        if linear(lower) == 0 and (known := without_maximum(upper)) is not None:
            return lower, known
        if not is_at_most_zero(linear(lower) - linear(upper)):
            upper = operation_of("arith.maxsi", [lower, upper], [lower.type]).results[0]
        return lower, upper

    def _taken(self, array: Value, axes: Sequence[int], indices: Sequence[Value]) -> Value:
        """What is in an array at indices on some of its axes."""
        if not axes:
            return array
        key = (array, *axes, *indices)
        if key not in self._read:
            self._read[key] = weft_op(Gather, array, *indices, axes=tuple(axes), position=0)
        return self._read[key]

    # Ops

    def _need(self, value: Value) -> None:
        """Write what a value of the body stands for."""
        if value in self._carried and value not in self._initial:
            raise GivesUp
        known = (self._counting, self._same, self._lanes, self._arrays)
        if value in self._inside and not any(value in those for those in known):
            operation = producer(value)
            assert operation is not None
            for operand in operation.operands:
                self._need(operand)
            with operation.location:
                self._write(operation)

    def _write(self, operation: Operation) -> None:
        """Write for all iterations what an op computes in one."""
        op_class = op_class_of(operation)
        operands = list(operation.operands)
        if op_class is Gather:
            self._gather(operation)
        elif any(value in self._accumulators for value in operands):
            raise GivesUp  # what was added so far
        elif any(value in self._lanes or value in self._arrays for value in operands):
            self._write_for_lanes(operation, op_class)
        elif not any(value in self._counting for value in operands):
            self._require_safe(operation)
            copy_of(operation, self._same)
        elif all(map(_is_integer, (*operands, *operation.results))):
            self._counting.update(operation.results)
        elif op_class is not None and all(map(_is_number, operands)):
            self._write_for_lanes(operation, op_class)
        else:
            raise GivesUp

    def _require_safe(self, operation: Operation) -> None:
        """Whether an op may run where there are no iterations."""
        ends = op_class_of(operation) is DynamicSlice  # where arrays do
        if not (ends or self._runs or is_speculatable(operation)):
            raise GivesUp

    def _write_for_lanes(self, operation: Operation, op_class: type[Op] | None) -> None:
        if op_class is None and operation.name == CAST and operation.operands[0] in self._lanes:
            self._cast(operation)
            return
        if op_class is None or len(operation.results) != 1:
            raise GivesUp
        attributes = decode_attributes(op_class, operation)
        if op_class is Scatter:
            self._scatter(operation, attributes)
        elif op_class is Dim and operation.operands[0] in self._arrays:
            whole = self._whole(operation.operands[0])
            self._same[operation.results[0]] = weft_op(Dim, whole, **attributes)
        elif op_class in _ON_LANES or issubclass(op_class, Elementwise):
            self._on_lanes(operation, attributes)
        else:
            raise GivesUp

    def _cast(self, operation: Operation) -> None:
        """The same extents as before, which are known, or are not."""
        found = self._lanes[operation.operands[0]]
        shape = list(type_of(operation.results[0]).shape)
        lanes = type_of(found).shape
        wanted = type_of(found).with_shape([*shape, lanes[-1]] if self._is_last else [lanes[0], *shape])
        self._lanes[operation.results[0]] = operation_of(CAST, [found], [type_to_mlir(wanted)]).results[0]

    def _gather(self, operation: Operation) -> None:
        array, *indices = operation.operands
        axes = list(decode_attributes(Gather, operation)["axes"])
        if any(index in self._lanes or type_of(index).rank for index in indices):
            raise GivesUp
        result = operation.results[0]
        number = self._place(array, axes, indices)
        root = self._root(array)
        if root in self._accumulators:
            if array != root or not self._is_apart(array, result):
                raise GivesUp
            whole = self._initial[root]
        elif root is None:
            whole = self._whole(array)
        elif number is None:
            if not self._is_apart(array, result):
                raise GivesUp
            whole = self._arrays[array]
        else:
            whole = self._own_or_later(array, root, axes[number], indices[number], result)
        if not self._runs and not is_speculatable(operation):
            others = [
                (axis, index)
                for place, (axis, index) in enumerate(zip(axes, indices, strict=True))
                if place != number
            ]
            if not all(self._is_inside(array, axis, index) for axis, index in others):
                raise GivesUp
        if number is None:
            stands = self._lanes if array in self._lanes else self._same
            taken = [*map(self._shared, indices)]
            if array in self._lanes:
                stands[result] = self._taken_of_lanes(whole, axes, taken)
            else:
                stands[result] = self._taken(whole, axes, taken)
            return
        if array in self._lanes:
            raise GivesUp
        self._lanes[result] = self._part_of(whole, axes, indices, number)

    def _is_inside(self, array: Value, axis: int, index: Value) -> bool:
        """Whether an index is known to be one of an axis, whether or not there are iterations."""
        root, place = self._root(array), linear(index)
        same = [array] if root is None else [array, root, self._initial.get(root, root)]
        extents = [extent for each in same for extent in extents_of(each, axis)]
        return is_at_most_zero(-place) and any(is_at_most_zero(place - extent + 1) for extent in extents)

    def _part_of(self, whole: Value, axes: list[int], indices: list[Value], number: int) -> Value:
        """What iterations take of an array, each at its own index of one axis."""
        moving = axes[number]
        window = self._window(indices[number], type_of(whole).shape[moving])
        others = [axis for place, axis in enumerate(axes) if place != number]
        at = [self._shared(index) for place, index in enumerate(indices) if place != number]
        if window is not None and not any(whole == array for array in self._arrays.values()):
            whole = before_writes(whole, moving, window)
        taken = self._taken(whole, others, at)
        axis = moving - sum(other < moving for other in others)
        if window is not None:
            taken = part(DynamicSlice, [taken], window, axis)
        return moved(taken, axis, type_of(taken).rank - 1 if self._is_last else 0)

    def _taken_of_lanes(self, whole: Value, axes: Sequence[int], indices: Sequence[Value]) -> Value:
        return self._taken(whole, [axis + (not self._is_last) for axis in axes], indices)

    def _root(self, array: Value) -> Value | None:
        """What the loop carries of which an array is a state."""
        while array in self._inside and op_class_of(array.owner.operation) is Scatter:
            array = array.owner.operation.operands[0]
        return array if array in self._carried else None

    def _own_or_later(self, array: Value, root: Value, axis: int, index: Value, vector: Value) -> Value:
        """An array, behind what was written, or as it was before: what an iteration reads at a counting index."""
        own_axis, own = self._own[root]
        if axis == own_axis:
            distance = self._iterations.distance(linear(index), own)
            if distance is not None and distance > 0:
                return self._initial[root]
            if linear(index) == own:
                return self._arrays[array]
        elif self._is_apart(array, vector):
            return self._arrays[array]
        raise GivesUp

    def _is_apart(self, array: Value, vector: Value) -> bool:
        """Whether iterations write to no element of a part, or of those parts of it that are used."""
        row = read_of(vector)
        root = self._root(array)
        if row is None or root is None:
            return False
        writes = self._iterations.writes(root) or ()
        ends = (row.start, row.stop)
        stays = all(self._iterations.pace(bound) == 0 for bound in ends if bound is not None)
        if stays and writes and all(self._iterations.is_apart(row, write) for write in writes):
            return True
        users = [use.owner.operation for use in vector.uses]
        return bool(users) and all(
            op_class_of(user) is DynamicSlice and self._is_apart(array, user.results[0]) for user in users
        )

    def _scatter(self, operation: Operation, attributes: Attributes) -> None:
        array, update, *indices = operation.operands
        axes = list(attributes["axes"])
        number = self._place(array, axes, indices)
        if array not in self._arrays or number is None or attributes["mode"] != "set":
            raise GivesUp
        whole = self._arrays[array]
        moving = axes.pop(number)
        window = self._window(indices.pop(number), type_of(whole).shape[moving])
        others = [*map(self._shared, indices)]
        found = self._spread(update)
        rank = type_of(found).rank
        axis = moving - sum(other < moving for other in axes)
        found = moved(found, rank - 1 if self._is_last else 0, axis)
        if window is not None:
            found = part(DynamicSliceUpdate, [self._taken(whole, axes, others), found], window, axis)
        if axes:
            found = weft_op(Scatter, whole, found, *others, axes=tuple(axes), position=0, mode="set")
        elif found.type != whole.type:
            found = operation_of(CAST, [found], [whole.type]).results[0]
        self._arrays[operation.results[0]] = found

    def _on_lanes(self, operation: Operation, attributes: Attributes) -> None:
        """What the op is on lanes; of updates, all lanes are taken."""
        op_class = op_class_of(operation)
        assert op_class is not None
        b = OpEmitter(operation.location)
        operands = [self._operand(value) for value in operation.operands]
        made = batched(b, op_class, operands, attributes, self._all_lanes(b))
        if made is None or (made[0].has_lanes and not self._fits(op_class, made[0])):
            raise GivesUp
        stands = self._lanes if made[0].has_lanes else self._same
        stands[operation.results[0]] = made[0].value.handle

    def _fits(self, op_class: type[Op], made: Laned) -> bool:
        """Whether what is computed of all lanes has no more axes than what the loop carries."""
        if not issubclass(op_class, Elementwise):
            return True
        ranks = [type_of(value).rank for value in self._carried if not _is_number(value)]
        return made.value.rank <= max([1, *ranks])

    # Operands

    def _shared(self, value: Value) -> Value:
        """What stands for a value that is the same in all iterations."""
        self._need(value)
        differs = (self._lanes, self._arrays, self._counting, self._accumulators)
        if any(value in those for those in differs):
            raise GivesUp
        return self._same.get(value, value)

    def _whole(self, value: Value) -> Value:
        """What stands for any tensor."""
        for stands in (self._arrays, self._lanes):
            if value in stands:
                return stands[value]
        return self._shared(value)

    def _operand(self, value: Value) -> Laned:
        """What stands for an operand."""
        self._need(value)
        b = OpEmitter(self._loop.location)
        if value in self._counting:
            return self._counted(b, value)
        has_lanes = value in self._lanes
        return Laned(b.value(self._lanes[value] if has_lanes else self._shared(value)), has_lanes)

    def _counted(self, b: OpEmitter, value: Value) -> Laned:
        """What stands for an integer that differs from iteration to iteration where it is more than an index."""
        if not self._arrays:
            raise GivesUp  # there may be more numbers than memory has room for
        if value == self._counter:
            lower = self._loop.operands[0]
            return Laned(b.iota(self._extent(b)) + b.value(tensor_from(lower)), True)
        operation = producer(value)
        assert operation is not None
        if operation.name in (INDEX_CAST, FROM_ELEMENTS) and len(operation.operands) == 1:
            return self._counted(b, operation.operands[0])
        op_class = op_class_of(operation)
        if op_class is None or not issubclass(op_class, Elementwise):
            raise GivesUp
        operands = [self._operand(operand) for operand in operation.operands]
        (made,) = (
            batched(b, op_class, operands, decode_attributes(op_class, operation), self._all_lanes(b)) or ()
        )
        return made

    def _spread(self, value: Value) -> Value:
        """What stands for a value, with an element for each lane."""
        b = OpEmitter(self._loop.location)
        found: Value = self._all_lanes(b).spread(b, self._operand(value)).handle
        return found

    def _all_lanes(self, b: OpEmitter) -> Lanes:
        return Lanes(lambda: self._extent(b), self._is_last)

    def _extent(self, b: OpEmitter) -> Extent:
        """How many lanes there are."""
        trips = trip_count(self._loop)
        if trips is not None:
            return trips
        lower, upper = (b.value(tensor_from(bound)) for bound in list(self._loop.operands)[:2])
        return b.one("maximum", upper - lower, 0)


_ON_LANES = frozenset(
    {Slice, DynamicSlice, SliceUpdate, DynamicSliceUpdate, BroadcastTo, Contract, Dim}
    | {ExpandDims, Squeeze, Transpose, Sum, Max, Min, Mean}
)
"""The ops, besides elementwise ones, that are done for all lanes at once."""


def _is_number(value: Value) -> bool:
    """Whether a value is a scalar, or a tensor of rank 0."""
    return not isinstance(value.type, ir.RankedTensorType) or not type_of(value).rank


def _is_integer(value: Value) -> bool:
    """Whether a value may be an index: an index, or an i64, as a tensor or not."""
    return str(value.type) in ("index", "i64", "tensor<i64>")
