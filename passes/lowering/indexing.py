"""Lowerings of the indexing ops: regions for slices and single indices, loops for scatters.

What is replaced is inserted into the operand, so that bufferisation can update it in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialect.attributes import elements_from_mlir
from ...dialect.mlir import Operation, Type, Value, dialect, ir
from ...dialect.ops.elementwise import Add
from ...dialect.ops.indexing import FindOutOfBounds, Gather, PutAlongAxis, Scatter, TakeAlongAxis
from ...dialect.ops.slicing import (
    INT64_MAX,
    INT64_MIN,
    DynamicSlice,
    DynamicSliceUpdate,
    Slice,
    SliceUpdate,
    slice_of,
)
from ...dialect.records import dataclass
from ...dialect.types import TensorType
from ..index_arithmetic import Extent, IndexArithmetic
from ..rewriting import operations_in
from .conversion import Conversion, OpInstance, linalg_index, lowers
from .emission import emit
from .regions import (
    Region,
    box,
    clamp_index,
    extract_region,
    index_of,
    index_or_first,
    insert_region,
    is_within,
    loop_nest,
    read_elements,
    scalar_tensor,
    when,
    wrap_index,
)

arith = dialect("arith")
scf = dialect("scf")
tensor = dialect("tensor")

_BOOL = np.dtype(np.bool_)
_INT32 = np.dtype(np.int32)
_INT64 = np.dtype(np.int64)


# Slices


def _slice_region(
    c: Conversion, x: Value, op: OpInstance, bounds: Sequence[Value] = ()
) -> tuple[Region, list[int]]:
    """The region that the bounds select, and the axes along which it is traversed backwards.

    `bounds` are the run-time starts and stops of a dynamic slice.
    """
    starts, stops = list[Extent](op.attributes["start"]), list[Extent](op.attributes["stop"])
    if bounds:
        scalars = iter([c.extent_of_scalar(bound) for bound in bounds])
        for where, axes in ((starts, "start_axes"), (stops, "stop_axes")):
            for axis in op.attributes[axes]:
                where[axis] = next(scalars)
    offsets: list[Extent] = []
    sizes: list[Extent] = []
    strides: list[int] = []
    backwards: list[int] = []
    for axis, (start, stop, step) in enumerate(zip(starts, stops, op.attributes["step"], strict=True)):
        offset, size = _slice_axis(IndexArithmetic(), c.extent(x, axis), start, stop, step)
        offsets.append(offset)
        sizes.append(size)
        strides.append(abs(step) if size != 1 else 1)
        if step < 0 and size != 1:
            backwards.append(axis)
    return Region(offsets, sizes, strides), backwards


def _slice_axis(
    math: IndexArithmetic, extent: Extent, start: Extent, stop: Extent, step: int
) -> tuple[Extent, Extent]:
    """The lowest place and the number of elements of a Python slice of an axis."""
    if isinstance(extent, int) and isinstance(start, int) and isinstance(stop, int):
        places = range(*slice_of(start, stop, step).indices(extent))
        return (min(places[0], places[-1]), len(places)) if places else (0, 0)
    if isinstance(extent, int) and extent == 0:
        return 0, 0
    # Python's rule: bounds from the end are shifted by the extent, then all are clamped.
    lowest, highest = (0, extent) if step > 0 else (-1, math.subtract(extent, 1))
    first = _clamped_bound(math, start, extent, lowest, highest)
    end = _clamped_bound(math, stop, extent, lowest, highest)
    if isinstance(first, int) and first == (extent if step > 0 else -1):
        return 0, 0  # an offset behind the end is not allowed, even for nothing
    if step == 1 and (stop == INT64_MAX or (isinstance(first, int) and first == 0)):
        return first, math.subtract(end, first)  # not negative
    if step > 0:
        return first, math.steps(math.subtract(end, first), step)
    size = math.steps(math.subtract(first, end), -step)
    return math.add(first, math.multiply(math.subtract(size, 1), step)), size


def _clamped_bound(
    math: IndexArithmetic, bound: Extent, extent: Extent, lowest: Extent, highest: Extent
) -> Extent:
    if not isinstance(bound, int):
        from_front = math.where_negative(bound, math.add(bound, extent), bound)
        return math.maximum(math.minimum(from_front, highest), lowest)
    if bound == INT64_MAX:
        return highest
    if bound == INT64_MIN:
        return lowest
    if bound == 0 and lowest == 0:
        return 0
    if bound >= 0:
        return math.minimum(bound, highest)
    return math.maximum(math.add(extent, bound), lowest)


def _reversed(c: Conversion, x: Value, axes: Sequence[int], like: TensorType) -> Value:
    """The tensor with axes traversed backwards."""
    if not axes:
        return x
    math = IndexArithmetic()
    extents = c.extents(x)
    last = {axis: math.subtract(extents[axis], 1) for axis in axes}

    def place(indices: list[Value]) -> list[Extent]:
        return [
            math.subtract(last[axis], index) if axis in last else index for axis, index in enumerate(indices)
        ]

    shape = tuple(extent if isinstance(extent, int) else None for extent in extents)
    return read_elements(c, x, like.with_shape(shape), extents, place)


@lowers(Slice, DynamicSlice)
def lower_slice(c: Conversion, op: OpInstance) -> Value:
    """A region of the operand, reversed where the step is negative."""
    x, *bounds = op.operands
    region, backwards = _slice_region(c, x, op, bounds)
    if region.is_empty:
        return c.empty(op.result_type, region.sizes)
    return _reversed(c, extract_region(x, region), backwards, op.result_type)


@lowers(SliceUpdate, DynamicSliceUpdate)
def lower_slice_update(c: Conversion, op: OpInstance) -> Value:
    """Insert the update, reversed where the step is negative, into the region."""
    x, update, *bounds = op.operands
    region, backwards = _slice_region(c, x, op, bounds)
    if region.is_empty:
        return x
    known = op.operand_types[1].with_shape([size if isinstance(size, int) else None for size in region.sizes])
    forwards = _reversed(c, update, backwards, op.operand_types[1])
    return insert_region(c.cast_to(forwards, known), x, region)


# Gathers and scatters


def _scalar_places(c: Conversion, x: Value, indices: Sequence[Value], axes: Sequence[int]) -> list[Value]:
    """The place on every axis that i64[] indices say, moved into bounds."""
    places = []
    for index, axis in zip(indices, axes, strict=True):
        extent = c.extent(x, axis)
        scalar = index_of(c, tensor.ExtractOp(index, []).result)
        extent = c.index(extent)  # one constant for all that follows
        places.append(index_or_first(c, c.index(wrap_index(c, scalar, extent)), extent))
    return places


def _single_region(c: Conversion, x: Value, places: Sequence[Value], axes: Sequence[int]) -> Region:
    """The region of everything at one place on some axes."""
    at = dict(zip(axes, places, strict=True))
    sizes = c.extents(x)
    return box(
        [at.get(axis, 0) for axis in range(len(sizes))],
        [1 if axis in at else size for axis, size in enumerate(sizes)],
    )


@lowers(Gather)
def lower_gather(c: Conversion, op: OpInstance) -> Value:
    """An element or a region for single indices, else a read at the place that the index tensors hold."""
    x, *indices = op.operands
    x_type, index_type, *_ = op.operand_types
    axes, position = op.attributes["axes"], op.attributes["position"]
    if index_type.rank == 0:
        places = _scalar_places(c, x, indices, axes)
        if len(axes) == x_type.rank:
            return scalar_tensor(tensor.ExtractOp(x, places).result)
        region = _single_region(c, x, places, axes)
        if region.is_empty:
            kept = [size for axis, size in enumerate(region.sizes) if axis not in axes]
            return c.empty(op.result_type, kept)
        return extract_region(x, region, dropped=axes)
    rank = op.result_type.rank
    index_rank = index_type.rank
    rest = [axis for axis in range(x_type.rank) if axis not in axes]
    rest_dims = [*range(position), *range(position + index_rank, rank)]
    sizes = c.extents(x)
    extents = [sizes[axis] for axis in rest]
    narrow = [_before_widening(index) for index in indices]
    extents[position:position] = c.extents(narrow[0].indices)
    index_dims = [ir.AffineDimExpr.get(position + axis) for axis in range(index_rank)]
    maps = [ir.AffineMap.get(rank, 0, index_dims)] * len(indices) + [ir.AffineMap.get_identity(rank)]

    def body(*stored: Value) -> list[Value]:
        place: dict[int, Value] = {axis: linalg_index(dim) for axis, dim in zip(rest, rest_dims, strict=True)}
        for axis, of, index in zip(axes, narrow, stored[:-1], strict=True):
            wrapped = wrap_index(c, index_of(c, of.widen(index)), sizes[axis])
            place[axis] = clamp_index(c, wrapped, sizes[axis])
        return [tensor.ExtractOp(x, [place[axis] for axis in range(x_type.rank)]).result]

    sources, destination = [each.indices for each in narrow], c.empty(op.result_type, extents)
    return c.generic(sources, [destination], maps, ["parallel"] * rank, body)[0]


@dataclass(frozen=True)
class _Indices:
    """Index tensors as they are stored, and what makes i64 of an element."""

    indices: Value
    widening: Operation | None

    def widen(self, stored: Value) -> Value:
        """An element as an i64."""
        return stored if self.widening is None else self._widened(stored, self.widening.results[0].type)

    @property
    def is_unsigned(self) -> bool:
        """Whether no element is negative."""
        return self.widening is not None and self.widening.name == "arith.extui"

    @property
    def word(self) -> np.dtype[Any]:
        """The integers in which they are compared: no wider than i32 where they are not."""
        is_wide = ir.IntegerType(ir.RankedTensorType(self.indices.type).element_type).width > 32
        return _INT64 if is_wide else _INT32

    def all_are_within(self, extent: Value) -> bool:
        """Whether an extent is a constant, and so large that no integer of this type is outside."""
        owner = extent.owner
        if self.widening is None or isinstance(owner, ir.Block) or owner.operation.name != "arith.constant":
            return False
        size = int(elements_from_mlir(owner.operation.attributes["value"]))
        bits: int = ir.IntegerType(self.widening.operands[0].type).width
        return size >= 1 << (bits if self.is_unsigned else bits - 1)

    def as_word(self, stored: Value) -> Value:
        """An element of at most 32 bits as an i32; u32 beyond those of i32 are negative."""
        type = ir.IntegerType.get_signless(32)
        return stored if stored.type == type else self._widened(stored, type)

    def _widened(self, stored: Value, type: Type) -> Value:
        extension = arith.ExtUIOp if self.is_unsigned else arith.ExtSIOp
        widened: Value = extension(type, stored).result
        return widened


def _before_widening(indices: Value) -> _Indices:
    """The integers that i64 indices were widened from: the check and the read widen them again, and none are stored.

    In a loop that gathers short rows, what is stored is memory to get and a nest to run for each row.
    """
    owner = indices.owner
    if not isinstance(owner, ir.Block) and owner.operation.name == "linalg.generic":
        generic, block = owner.operation, owner.operation.regions[0].blocks[0]
        body = operations_in(block)
        is_widening = len(body) == 2 and body[0].name in ("arith.extsi", "arith.extui")
        if is_widening and len(generic.operands) == 2 and body[0].operands[0] == block.arguments[0]:
            source = generic.operands[0]
            element_by_element = ir.AffineMap.get_identity(ir.RankedTensorType(indices.type).rank)
            if all(use.value == element_by_element for use in generic.attributes["indexing_maps"]):
                return _Indices(source, body[0])
    return _Indices(indices, None)


def _combined(c: Conversion, op: OpInstance, old: Value, new: Value) -> Value:
    """What to write for an update element, in storage types."""
    if op.attributes["mode"] == "set":
        return new
    dtype = op.result_type.dtype
    (result,) = emit(c, Add, (dtype, dtype), (dtype,), c.load(old, dtype), c.load(new, dtype))
    return c.store(result, dtype)


@lowers(Scatter)
def lower_scatter(c: Conversion, op: OpInstance) -> Value:
    """An insertion for single indices, else loops over the update in row-major order."""
    x, update, *indices = op.operands
    x_type, _, index_type, *_ = op.operand_types
    axes = op.attributes["axes"]
    if index_type.rank == 0:
        if len(axes) == x_type.rank:
            places = _scalar_places(c, x, indices, axes)
            old = tensor.ExtractOp(x, places).result if op.attributes["mode"] == "add" else x
            written = _combined(c, op, old, tensor.ExtractOp(update, []).result)
            return tensor.InsertOp(written, x, places).result
        if op.attributes["mode"] == "set":
            region = _single_region(c, x, _scalar_places(c, x, indices, axes), axes)
            kept = [size for axis, size in enumerate(region.sizes) if axis not in axes]
            known = op.operand_types[1].with_shape([n if isinstance(n, int) else None for n in kept])
            return x if region.is_empty else insert_region(c.cast_to(update, known), x, region)
    return _scatter_loops(c, op)


def _scatter_loops(c: Conversion, op: OpInstance) -> Value:
    """Loops up to the last index axis, where the indices are read and checked, then over the other axes."""
    x, update, *indices = op.operands
    x_type, _, index_type, *_ = op.operand_types
    axes, position = op.attributes["axes"], op.attributes["position"]
    index_rank = index_type.rank
    rest = [axis for axis in range(x_type.rank) if axis not in axes]
    sizes = c.extents(x)
    extents = c.extents(update)
    narrow, same = [_before_widening(index) for index in indices], _same_everywhere(update)

    def at_indices(outer: list[Value], current: Value) -> Value:
        places = dict(zip(rest, outer[:position], strict=False))
        inside = None
        for axis, index in zip(axes, narrow, strict=True):
            stored = tensor.ExtractOp(index.indices, outer[position:]).result
            place = wrap_index(c, index_of(c, index.widen(stored)), sizes[axis])
            places[axis] = c.index(place)
            within = is_within(c, places[axis], sizes[axis])
            inside = within if inside is None else arith.AndIOp(inside, within).result

        def write(inner: list[Value], tensor_now: Value) -> Value:
            all_places = {**places, **dict(zip(rest[position:], inner, strict=True))}
            target = [all_places[axis] for axis in range(x_type.rank)]
            old = tensor.ExtractOp(tensor_now, target).result if op.attributes["mode"] == "add" else x
            new = tensor.ExtractOp(update, [*outer, *inner]).result if same is None else same
            return tensor.InsertOp(_combined(c, op, old, new), tensor_now, target).result

        return when(inside, current, lambda: loop_nest(c, extents[position + index_rank :], current, write))

    return loop_nest(c, extents[: position + index_rank], x, at_indices)


def _same_everywhere(update: Value) -> Value | None:
    """The element that an update has everywhere, if it is a number that was stretched: no array is made of it."""
    owner = update.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "linalg.generic":
        return None
    generic, block = owner.operation, owner.operation.regions[0].blocks[0]
    yields = next(iter(block.operations)).operation
    is_stretched = yields.name == "linalg.yield" and list(yields.operands) == [block.arguments[0]]
    if len(generic.operands) != 2 or not is_stretched or ir.RankedTensorType(generic.operands[0].type).rank:
        return None
    return tensor.ExtractOp(generic.operands[0], []).result


@lowers(TakeAlongAxis)
def lower_take_along_axis(c: Conversion, op: OpInstance) -> Value:
    """Read at the place that the index tensor holds, on one axis."""
    x, indices = op.operands
    axis = op.attributes["axis"]
    size = c.extent(x, axis)
    rank = op.result_type.rank

    def body(index: Value, _: Value) -> list[Value]:
        place = [linalg_index(dim) for dim in range(rank)]
        place[axis] = clamp_index(c, wrap_index(c, index_of(c, index), size), size)
        return [tensor.ExtractOp(x, place).result]

    maps = [ir.AffineMap.get_identity(rank)] * 2
    destination = c.empty(op.result_type, c.extents(indices))
    return c.generic([indices], [destination], maps, ["parallel"] * rank, body)[0]


@lowers(PutAlongAxis)
def lower_put_along_axis(c: Conversion, op: OpInstance) -> Value:
    """Loops over the update in row-major order."""
    x, indices, update = op.operands
    axis = op.attributes["axis"]
    size = c.extent(x, axis)

    def write(place: list[Value], current: Value) -> Value:
        index = index_of(c, tensor.ExtractOp(indices, place).result)
        target = list(place)
        target[axis] = c.index(wrap_index(c, index, size))
        new = tensor.ExtractOp(update, place).result
        inside = is_within(c, target[axis], size)
        return when(inside, current, lambda: tensor.InsertOp(new, current, target).result)

    return loop_nest(c, c.extents(indices), x, write)


# Checks


@lowers(FindOutOfBounds)
def lower_find_out_of_bounds(c: Conversion, op: OpInstance) -> list[Value]:
    """The least row-major place of an offending index, and the index there."""
    index_type = op.operand_types[0]
    zero = c.constant(0, _INT64)
    if index_type.rank == 0:

        def check(index: Value, size: Value) -> list[Value]:
            # Of what is read: so LLVM sees that what passes the check needs no clamping to the bounds.
            negative = arith.CmpIOp(arith.CmpIPredicate.slt, index, zero).result
            wrapped = arith.SelectOp(negative, arith.AddIOp(index, size).result, index).result
            found = arith.CmpIOp(arith.CmpIPredicate.uge, wrapped, size).result
            return [found, arith.SelectOp(found, index, zero).result]

        return c.map_elements(op.operands, op.operand_types, op.result_types, check)

    return _search(c, op)


def _search(c: Conversion, op: OpInstance) -> list[Value]:
    """One pass that tells whether an index may be outside; only where one may be, they are looked at in order.

    Nearly always, none is. The pass joins signs, in vectors as wide as the indices are in memory.
    """
    indices, extent = op.operands
    narrow = _before_widening(indices)
    rank = op.operand_types[0].rank
    scalar = TensorType((), narrow.word)
    everywhere = ir.AffineMap.get(rank, 0, [])
    maps = [ir.AffineMap.get_identity(rank), everywhere, everywhere]
    zero = c.constant(0, _INT64)
    if narrow.all_are_within(extent):
        return [
            c.fill(c.constant(False, _BOOL), op.result_types[0], []),
            c.fill(zero, op.result_types[1], []),
        ]

    def joined(stored: Value, size: Value, so_far: Value) -> list[Value]:
        return [arith.OrIOp(so_far, _sign_outside(c, narrow, stored, size)).result]

    start = c.fill(c.constant(0, narrow.word), scalar, [])
    (sign,) = c.generic([narrow.indices, extent], [start], maps, ["reduction"] * rank, joined)

    def first(sign: Value, size: Value) -> list[Value]:
        suspected = arith.CmpIOp(arith.CmpIPredicate.slt, sign, c.constant(0, narrow.word)).result
        place = when(suspected, c.constant(INT64_MAX, _INT64), lambda: _first_outside(c, narrow, size))
        found = arith.CmpIOp(arith.CmpIPredicate.ne, place, c.constant(INT64_MAX, _INT64)).result
        return [found, when(found, zero, lambda: _index_at(c, narrow, place))]

    return c.map_elements([sign, extent], [scalar, op.operand_types[1]], op.result_types, first)


def _sign_outside(c: Conversion, narrow: _Indices, stored: Value, size: Value) -> Value:
    """A number that is negative if an index is outside of -size to size - 1.

    It may be negative for others, too, where an extent or a sum is beyond what i32 holds. Never is it not negative for
    an index that is outside: of the difference and the sum, the one that tells so does not overflow.
    """
    if narrow.word == _INT64:
        index = narrow.widen(stored)
    else:
        index = narrow.as_word(stored)
        largest = c.constant(np.iinfo(narrow.word).max, _INT64)
        size = arith.TruncIOp(index.type, arith.MinSIOp(size, largest).result).result
    highest = arith.SubIOp(size, c.constant(1, narrow.word)).result
    above = arith.SubIOp(highest, index).result
    below = index if narrow.is_unsigned else arith.AddIOp(index, size).result
    return arith.OrIOp(above, below).result


def _first_outside(c: Conversion, narrow: _Indices, size: Value) -> Value:
    """The least row-major place of an index that is outside, or INT64_MAX."""
    math = IndexArithmetic()
    sizes = c.extents(narrow.indices)
    lowest = arith.SubIOp(c.constant(0, _INT64), size).result

    def least(place: list[Value], so_far: Value) -> Value:
        linear: Extent = 0
        for extent, at in zip(sizes, place, strict=True):
            linear = math.add(math.multiply(linear, extent), at)
        index = narrow.widen(tensor.ExtractOp(narrow.indices, place).result)
        below = arith.CmpIOp(arith.CmpIPredicate.slt, index, lowest).result
        above = arith.CmpIOp(arith.CmpIPredicate.sge, index, size).result
        here = arith.IndexCastOp(so_far.type, c.index(linear)).result
        nowhere = c.constant(INT64_MAX, _INT64)
        candidate = arith.SelectOp(arith.OrIOp(below, above).result, here, nowhere).result
        return arith.MinSIOp(so_far, candidate).result

    return loop_nest(c, sizes, c.constant(INT64_MAX, _INT64), least)


def _index_at(c: Conversion, narrow: _Indices, place: Value) -> Value:
    """The index at a row-major place."""
    math = IndexArithmetic()
    remaining: Extent = index_of(c, place)
    places = []
    for size in reversed(c.extents(narrow.indices)):
        places.append(c.index(math.modulo(remaining, size)))
        remaining = arith.DivUIOp(c.index(remaining), c.index(size)).result
    return narrow.widen(tensor.ExtractOp(narrow.indices, places[::-1]).result)
