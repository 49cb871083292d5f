"""Lowerings of the shape ops: index maps, reassociations and regions instead of loops where one will do."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ...dialect.made_ops import filled
from ...dialect.mlir import Value, dialect, ir
from ...dialect.ops.arrangement import (
    Concat,
    Diag,
    Diagonal,
    Extend,
    Pad,
    Repeat,
    RepeatEach,
    Roll,
    Stack,
    Tile,
    Tril,
    Triu,
)
from ...dialect.ops.shape import BroadcastTo, Dim, Stretch, Transpose
from ...dialect.register import create, op_class_of
from ...dialect.types import TensorType
from ..index_arithmetic import Extent, IndexArithmetic
from .conversion import Conversion, OpInstance, broadcast_map, linalg_index, lowers
from .loops import extract, for_loop, insert
from .regions import (
    Region,
    box,
    extract_region,
    insert_region,
    inserted_parts,
    loop_nest,
    read_elements,
    scalar_tensor,
)
from .reshapes import collapse

arith = dialect("arith")
tensor = dialect("tensor")


@lowers(Dim)
def lower_dim(c: Conversion, op: OpInstance) -> Value:
    """The extent as an i64."""
    extent = c.index(c.extent(op.operands[0], op.attributes["axis"]))
    return scalar_tensor(arith.IndexCastOp(ir.IntegerType.get_signless(64), extent).result)


@lowers(Transpose)
def lower_transpose(c: Conversion, op: OpInstance) -> Value:
    """Read through a permuted index map."""
    return transposed(c, op.operands[0], op.result_type, op.attributes["permutation"])


def transposed(c: Conversion, x: Value, result: TensorType, permutation: Sequence[int]) -> Value:
    """A tensor with its axes in another order."""
    rank = len(permutation)
    if list(permutation) == list(range(rank)):
        return x
    source = ir.AffineMap.get(
        rank, 0, [ir.AffineDimExpr.get(permutation.index(axis)) for axis in range(rank)]
    )
    destination = c.empty(result, [c.extent(x, axis) for axis in permutation])
    maps = [source, ir.AffineMap.get_identity(rank)]
    return c.generic([x], [destination], maps, ["parallel"] * rank, lambda element, _: [element])[0]


@lowers(BroadcastTo)
def lower_broadcast_to(c: Conversion, op: OpInstance) -> Value:
    """Read through an index map that leaves out the repeated axes."""
    x, *dims = op.operands
    if op.operand_types[0].shape == op.result_type.shape and op.result_type.is_static:
        return x
    extents = c.target_extents(op.attributes["shape"], dims)
    return _spread(c, x, op.operand_types[0], op.result_type, extents)


@lowers(Stretch)
def lower_stretch(c: Conversion, op: OpInstance) -> Value:
    """Stays as it is, on storage types: which loops read what may be stretched is known once they are kernels."""
    x, *dims = op.operands
    x_type, shape = op.operand_types[0], op.attributes["shape"]
    wanted = [1 if extent == 1 else target for extent, target in zip(x_type.shape, shape, strict=True)]
    stretched = x
    if wanted != list(x_type.shape):
        places = [axis for axis, target in enumerate(shape) if target == -1]
        given = [dim for dim, axis in zip(dims, places, strict=True) if wanted[axis] == -1]
        stretched = create(Stretch, [x, *given], {"shape": tuple(wanted)}).results[0]
    known = op.result_type.with_shape([None if extent == -1 else extent for extent in wanted])
    if known.shape == op.result_type.shape:
        return stretched
    return _spread(c, stretched, known, op.result_type, c.target_extents(shape, dims))


def _spread(
    c: Conversion, x: Value, x_type: TensorType, result: TensorType, extents: Sequence[Extent]
) -> Value:
    maps = [broadcast_map(x_type, result.rank), ir.AffineMap.get_identity(result.rank)]
    destination = c.empty(result, extents)
    return c.generic([x], [destination], maps, ["parallel"] * result.rank, lambda element, _: [element])[0]


@lowers(Concat)
def lower_concat(c: Conversion, op: OpInstance) -> Value:
    """Insert both operands, or what they were joined from: a chain of joins copies every element once, in the last."""
    axis = op.attributes["axis"]
    math = IndexArithmetic()
    first, second = (c.extents(operand) for operand in op.operands)
    extents = [first[i] if extent is None else extent for i, extent in enumerate(op.result_type.shape)]
    extents[axis] = math.add(first[axis], second[axis])
    result = c.empty(op.result_type, extents)
    parts: list[tuple[Value, Region]] = []
    for operand, size, offset in zip(op.operands, (first, second), (0, first[axis]), strict=True):
        found = c.joined.pop(operand, None)
        for source, place in inserted_parts(operand, size) if found is None else found:
            moved = place.moved(math, axis, offset) if offset != 0 else place
            if not moved.is_empty:
                parts.append((source, moved))
    if _is_joined_with_more(op):
        c.joined[result] = parts
        return result
    for source, place in parts:
        result = insert_region(source, result, place)
    return result


def _is_joined_with_more(op: OpInstance) -> bool:
    """Whether a join alone reads a result, once, where it is made."""
    if op.operation is None:
        return False
    users = [use.owner.operation for use in itertools.islice(op.operation.results[0].uses, 2)]
    return len(users) == 1 and users[0].block == op.operation.block and op_class_of(users[0]) is Concat


@lowers(Stack)
def lower_stack(c: Conversion, op: OpInstance) -> Value:
    """Insert every operand at its place on the new axis."""
    axis = op.attributes["axis"]
    sizes: list[Extent] = c.extents(op.operands[0])
    extents = [*sizes[:axis], len(op.operands), *sizes[axis:]]
    result = c.empty(op.result_type, extents)
    for number, operand in enumerate(op.operands):
        offsets = [number if i == axis else 0 for i in range(len(extents))]
        region = box(offsets, [*sizes[:axis], 1, *sizes[axis:]])
        result = result if region.is_empty else insert_region(operand, result, region)
    return result


@lowers(Pad)
def lower_pad(c: Conversion, op: OpInstance) -> Value:
    """Fill what lies around the operand with the value, and insert the operand."""
    x, value = op.operands
    math = IndexArithmetic()
    low, high = op.attributes["low"], op.attributes["high"]
    sizes = c.extents(x)
    extents = [math.add(size, before + behind) for size, before, behind in zip(sizes, low, high, strict=True)]
    scalar = tensor.ExtractOp(value, []).result
    region = box(low, sizes)
    if region.is_empty:
        return filled(scalar, c.empty(op.result_type, extents))
    result = c.empty(op.result_type, extents)
    for border in _borders(math, sizes, extents, low, high):
        shape = tuple(size if isinstance(size, int) else None for size in border.sizes)
        empty = c.empty(TensorType(shape, op.result_type.dtype), border.sizes)
        result = insert_region(filled(scalar, empty), result, border)
    return insert_region(x, result, region)


def _borders(
    math: IndexArithmetic,
    sizes: Sequence[Extent],
    extents: Sequence[Extent],
    low: Sequence[int],
    high: Sequence[int],
) -> list[Region]:
    """What lies around a box of some sizes: before and behind it along every axis, each element once."""
    borders: list[Region] = []
    offsets: list[Extent] = [0] * len(sizes)
    spans = list(extents)
    for axis, (before, behind) in enumerate(zip(low, high, strict=True)):
        for offset, width in ((0, before), (math.add(sizes[axis], before), behind)):
            if width:
                place, span = list(offsets), list(spans)
                place[axis], span[axis] = offset, width
                borders.append(box(place, span))
        offsets[axis], spans[axis] = before, sizes[axis]
    return borders


@lowers(Extend)
def lower_extend(c: Conversion, op: OpInstance) -> Value:
    """Insert the operand, and around it the elements whose places the mode computes.

    Where sizes are unknown, everything is read by place, as an axis that is empty at run time stays empty.
    """
    (x,) = op.operands
    math = IndexArithmetic()
    sizes = c.extents(x)
    low, high, mode = (op.attributes[name] for name in ("low", "high", "mode"))
    extents = [
        math.where_zero(size, 0, math.add(size, before + behind))
        for size, before, behind in zip(sizes, low, high, strict=True)
    ]

    def place(indices: Sequence[Extent]) -> list[Extent]:
        return [
            index if not before and not behind else _extended(math, mode, math.subtract(index, before), size)
            for index, size, before, behind in zip(indices, sizes, low, high, strict=True)
        ]

    if not all(isinstance(size, int) and size for size in sizes):
        return read_elements(c, x, op.result_type, extents, place)
    result = insert_region(x, c.empty(op.result_type, extents), box(low, sizes))
    for border in _borders(math, sizes, extents, low, high):

        def place_in_border(indices: list[Value], offsets: Sequence[Extent] = border.offsets) -> list[Extent]:
            return place([math.add(index, offset) for index, offset in zip(indices, offsets, strict=True)])

        type = TensorType(tuple(size for size in border.sizes if isinstance(size, int)), op.result_type.dtype)
        result = insert_region(read_elements(c, x, type, border.sizes, place_in_border), result, border)
    return result


def _extended(math: IndexArithmetic, mode: str, position: Extent, size: Extent) -> Extent:
    """The place inside an axis that a position outside of it stands for."""
    last = math.subtract(size, 1)
    if mode == "edge":
        return math.maximum(math.minimum(position, last), 0)
    if mode == "wrap":
        return math.modulo(position, size)
    # There and back again: reflect does not repeat the elements at the turning points, symmetric does.
    turn = last if mode == "reflect" else size
    period = math.maximum(math.multiply(turn, 2), 1)
    within = math.modulo(position, period)
    mirrored = math.subtract(math.subtract(period, 0 if mode == "reflect" else 1), within)
    return math.minimum(within, mirrored)


@lowers(Roll)
def lower_roll(c: Conversion, op: OpInstance) -> Value:
    """Swap the two parts on either side of the cut."""
    (x,) = op.operands
    axis, shift = op.attributes["axis"], op.attributes["shift"]
    math = IndexArithmetic()
    sizes = c.extents(x)
    moved = math.modulo(shift, math.maximum(sizes[axis], 1))
    kept = math.subtract(sizes[axis], moved)
    if (isinstance(moved, int) and moved == 0) or box(sizes, sizes).is_empty:
        return x
    result = c.empty(op.result_type, sizes)
    for source, target, size in ((0, moved, kept), (kept, 0, moved)):
        part = list(sizes)
        part[axis] = size
        offsets = [[offset if i == axis else 0 for i in range(len(sizes))] for offset in (source, target)]
        result = insert_region(extract_region(x, box(offsets[0], part)), result, box(offsets[1], part))
    return result


@lowers(Tile)
def lower_tile(c: Conversion, op: OpInstance) -> Value:
    """Spread over new axes in front of the tiled ones, then merge them."""
    counts = [(count, None) if count != 1 else (None, None) for count in op.attributes["counts"]]
    return _multiply_axes(c, op, counts)


@lowers(Repeat)
def lower_repeat(c: Conversion, op: OpInstance) -> Value:
    """Spread over a new axis behind the repeated one, then merge them."""
    axis, count = op.attributes["axis"], op.attributes["count"]
    counts = [(None, count if i == axis else None) for i in range(op.result_type.rank)]
    return _multiply_axes(c, op, counts)


@lowers(RepeatEach)
def lower_repeat_each(c: Conversion, op: OpInstance) -> Value:
    """A run for each element, which ends where the result does, whatever the counts are."""
    x, counts, *dims = op.operands
    (extent,) = c.target_extents(op.attributes["shape"], dims)
    end = c.index(extent)

    def run(value: Value, start: Value, stop: Value, made: Value) -> list[Value]:
        return for_loop(c, start, stop, [made], lambda index, rest: [insert(value, rest[0], [index])])

    def step(index: Value, carried: list[Value]) -> list[Value]:
        made, start = carried
        count = arith.IndexCastOp(start.type, extract(counts, [index])).result
        left = arith.SubIOp(end, start).result
        count = arith.MinSIOp(arith.MaxSIOp(count, c.index(0)).result, left).result
        stop = arith.AddIOp(start, count).result
        return [*run(extract(x, [index]), start, stop, made), stop]

    start = [c.empty(op.result_type, [extent]), c.index(0)]
    made, stop = for_loop(c, 0, c.extent(x, 0), start, step)
    dtype = op.result_type.dtype
    return run(c.store(c.constant(0, dtype), dtype), stop, end, made)[0]


def _multiply_axes(c: Conversion, op: OpInstance, counts: Sequence[tuple[int | None, int | None]]) -> Value:
    """Repeat along new axes in front of and behind every axis, then merge each with its axis."""
    (x,) = op.operands
    (x_type,) = op.operand_types
    if 0 in op.result_type.shape:
        math = IndexArithmetic()
        times = [1 if before is None else before for before, _ in counts]
        times = [n if behind is None else n * behind for n, (_, behind) in zip(times, counts, strict=True)]
        sizes = [math.multiply(size, n) for size, n in zip(c.extents(x), times, strict=True)]
        return c.empty(op.result_type, sizes)
    shape: list[int | None] = []
    extents: list[Extent] = []
    source: list[int] = []
    groups: list[list[int]] = []
    for axis, (before, behind) in enumerate(counts):
        first = len(shape)
        for count in (before, None, behind):
            if count is not None:
                shape.append(count)
                extents.append(count)
            elif len(source) == axis and (before is None or len(shape) > first):
                source.append(len(shape))
                shape.append(x_type.shape[axis])
                extents.append(c.extent(x, axis))
        groups.append(list(range(first, len(shape))))
    spread = TensorType(tuple(shape), x_type.dtype)
    maps = [
        ir.AffineMap.get(len(shape), 0, [ir.AffineDimExpr.get(axis) for axis in source]),
        ir.AffineMap.get_identity(len(shape)),
    ]
    parallel = ["parallel"] * len(shape)
    repeated = c.generic([x], [c.empty(spread, extents)], maps, parallel, lambda element, _: [element])[0]
    return collapse(repeated, groups)


@lowers(Triu, Tril)
def lower_triangle(c: Conversion, op: OpInstance) -> Value:
    """Keep what is on the right side of the diagonal."""
    rank = op.result_type.rank
    math = IndexArithmetic()
    predicate = arith.CmpIPredicate.sge if op.op_class is Triu else arith.CmpIPredicate.sle

    def body(element: Value) -> Value:
        boundary = math.add(linalg_index(rank - 2), op.attributes["k"])
        kept = arith.CmpIOp(predicate, linalg_index(rank - 1), boundary).result
        return arith.SelectOp(kept, element, c.constant(0, op.result_type.dtype)).result

    return c.map_elements(op.operands, op.operand_types, op.result_types, body, c.extents(op.operands[0]))[0]


@lowers(Diagonal)
def lower_diagonal(c: Conversion, op: OpInstance) -> Value:
    """Read along the diagonal."""
    (x,) = op.operands
    math = IndexArithmetic()
    below, above = max(-op.attributes["offset"], 0), max(op.attributes["offset"], 0)
    *batch, rows, columns = c.extents(x)
    extent = math.maximum(math.minimum(math.subtract(rows, below), math.subtract(columns, above)), 0)

    def place(indices: list[Value]) -> list[Extent]:
        *leading, index = indices
        return [*leading, math.add(index, below), math.add(index, above)]

    return read_elements(c, x, op.result_type, [*batch, extent], place)


@lowers(Diag)
def lower_diag(c: Conversion, op: OpInstance) -> Value:
    """Fill with zeros, then write the diagonal."""
    (x,) = op.operands
    math = IndexArithmetic()
    offset = op.attributes["offset"]
    below, above = max(-offset, 0), max(offset, 0)
    (size,) = c.extents(x)
    extent = math.add(size, abs(offset))
    zeros = c.fill(c.constant(0, op.result_type.dtype), op.result_type, [extent, extent])

    def body(indices: list[Value], matrix: Value) -> Value:
        (index,) = indices
        place = [c.index(math.add(index, below)), c.index(math.add(index, above))]
        return tensor.InsertOp(tensor.ExtractOp(x, [index]).result, matrix, place).result

    return loop_nest(c, [size], zeros, body)
