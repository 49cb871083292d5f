"""What does not run for all lanes at once runs for one after the other, in a loop over them."""

from __future__ import annotations

from ...dialect.emitter import INT64, Extent, Tensor
from ...dialect.errors import BatchingError
from ...dialect.extents import extent_source
from ...dialect.mlir import Operation, Value, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.state import RaiseIf, ReadRef
from ...dialect.register import op_class_of
from ..control_flow.speculation import is_pure
from ..control_flow.structure import (
    CAST,
    CONTROL,
    FOR,
    IF,
    add_yield,
    body,
    constant_index,
    copy_of,
    extracted,
    has_else,
    index_from,
    new_if,
    operation_of,
    producer,
    tensor_from,
    used_inside,
    yielded,
)
from ..rewriting import is_defined_inside, operations_of
from .batcher import Batcher

_DIFFERENT = (
    "weft.vmap: what is computed here has the size {1} in row 0, but {2} in row {0}; compute arrays of one size, and "
    "mark with a mask what counts of them"
)


def write_one_by_one(batcher: Batcher, operation: Operation, mask: Value | None) -> None:
    """Write an op in a loop over the lanes, and put what it gives side by side."""
    b = batcher.emitter(operation)
    room, unknown = _rooms(batcher, b, operation, mask)
    bounds = [constant_index(0), _count(batcher, b), constant_index(1)]
    initial = [array.handle for array in room]
    loop = operation_of(
        FOR, [*bounds, *initial], [v.type for v in initial], regions=1, location=operation.location
    )
    with operation.location:
        types = [ir.IndexType.get(), *(value.type for value in initial)]
        block = loop.regions[0].blocks.append(*types, arg_locs=[operation.location] * len(types))
    number, *carried = block.arguments
    with ir.InsertionPoint(block), operation.location:
        place = b.value(tensor_from(number))
        if mask is None:
            filled = _one(batcher, operation, place, carried, unknown)
        else:
            runs = extracted(b.gather(b.value(mask), place, axes=(0,), position=0).handle)
            branch, then, other = new_if(runs, [value.type for value in initial], operation.location)
            with ir.InsertionPoint(then):
                add_yield(_one(batcher, operation, place, carried, unknown), operation.location)
            with ir.InsertionPoint(other):
                add_yield(carried, operation.location)
            filled = list(branch.results)
        add_yield(filled, operation.location)
    for value, array in zip(operation.results, loop.results, strict=True):
        batcher.give(value, b.value(array))
    batcher.statistics["ops for one lane after the other"] += 1
    batcher.replaced(operation)


def _copy_for(batcher: Batcher, b: OpEmitter, operation: Operation, place: Tensor) -> Operation:
    """A copy of an op for the lane of a number."""
    values: dict[Value, Value] = {}
    for value in dict.fromkeys(used_inside(operation)):
        if value in batcher:
            row = b.gather(batcher.laned(b, value).value, place, axes=(0,), position=0)
            values[value] = batcher.unlaned(b, value.type, row)
    return copy_of(operation, values)


def _one(
    batcher: Batcher,
    operation: Operation,
    place: Tensor,
    carried: list[Value],
    unknown: list[tuple[int, int]],
) -> list[Value]:
    """Write an op for the lane of a number; returns the arrays with its results."""
    b = batcher.emitter(operation)
    copy = _copy_for(batcher, b, operation, place)
    for number, axis in unknown:
        extents = [
            b.dim(b.value(carried[number]), axis=1 + axis),
            b.dim(b.value(copy.results[number]), axis=axis),
        ]
        differs = b.not_equal(*extents)
        b.emit(RaiseIf, [differs, place, *extents], {"error": "ValueError", "message": _DIFFERENT})
    return [
        b.refined(
            b.scatter(b.value(array), batcher.tensor(b, result), place, axes=(0,), position=0, mode="set"),
            b.value(array).type,
        ).handle
        for array, result in zip(carried, copy.results, strict=True)
    ]


def _count(batcher: Batcher, b: OpEmitter) -> Value:
    extent = batcher.lanes(b).extent
    return constant_index(extent) if isinstance(extent, int) else index_from(extent.handle)


def _rooms(
    batcher: Batcher, b: OpEmitter, operation: Operation, mask: Value | None
) -> tuple[list[Tensor], list[tuple[int, int]]]:
    """For each result zeros, in which what an op gives for a lane is put, and the axes whose extents are to be checked.

    These are unknown in front of the op: they are those of the first lane, and all others have to have the same.
    """
    wanted = [batcher.type_of(result.type) for result in operation.results]
    extents: list[list[Extent | None]] = [
        [
            _extent(batcher, b, operation, result, axis) if extent is None else extent
            for axis, extent in enumerate(made.shape[1:])
        ]
        for result, made in zip(operation.results, wanted, strict=True)
    ]
    unknown = [
        (n, axis) for n, known in enumerate(extents) for axis, extent in enumerate(known) if extent is None
    ]
    if unknown:
        if not _is_repeatable(operation, mask):
            raise BatchingError(
                "what a function under weft.vmap computes here may have another size in each row: compute arrays of "
                "one size, and mark with a mask what counts of them",
                str(operation.location),
            )
        for (number, axis), extent in zip(unknown, _of_first(batcher, b, operation, unknown), strict=True):
            extents[number][axis] = extent
    rooms = []
    for made, known in zip(wanted, extents, strict=True):
        whole = [batcher.lanes(b).extent, *(extent for extent in known if extent is not None)]
        rooms.append(b.refined(b.full(whole, 0, made.dtype), made))
    return rooms, unknown


def _is_repeatable(operation: Operation, mask: Value | None) -> bool:
    """Whether an op does for the first lane the same twice: it computes, or ends the call where all lanes run it."""
    inside = [operation, *(operations_of(operation) if len(operation.regions) else ())]
    others = [op for op in inside if not is_pure(op) and op_class_of(op) not in (RaiseIf, ReadRef)]
    return all(op.name in CONTROL for op in others) and (mask is None or is_pure(operation))


def _of_first(
    batcher: Batcher, b: OpEmitter, operation: Operation, axes: list[tuple[int, int]]
) -> list[Tensor]:
    """The extents of some axes of the results in the first lane; 0 where there is none."""
    nothing, i64 = b.number(0, INT64), batcher.scalar_type()
    count = b.as_scalar(batcher.lanes(b).extent)
    branch, then, other = new_if(extracted((count > 0).handle), [i64] * len(axes), operation.location)
    with ir.InsertionPoint(then), operation.location:
        copy = _copy_for(batcher, b, operation, b.number(0, INT64))
        found = [b.dim(b.value(copy.results[number]), axis=axis).handle for number, axis in axes]
        add_yield(found, operation.location)
    with ir.InsertionPoint(other):
        add_yield([nothing.handle] * len(axes), operation.location)
    return [b.value(result) for result in branch.results]


def _extent(batcher: Batcher, b: OpEmitter, operation: Operation, value: Value, axis: int) -> Extent | None:
    """The extent of an axis of a result in front of an op: that of a value from there. None where it is unknown."""
    origin = _end(operation, value, axis)
    if origin is None:
        return None
    value, axis = origin
    laned = batcher.laned(b, value)
    if axis >= 0:
        return b.extent(laned.value, axis + laned.has_lanes)
    return None if laned.has_lanes else laned.value


def _step(operation: Operation, value: Value, axis: int) -> tuple[Value, int] | None:
    """Where the extent of a value that an op makes comes from; of a branch, from what one of its sides hands over."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return None
    maker = owner.operation
    if maker.name == IF and has_else(maker):
        sides = [yielded(body(maker, side))[value.result_number] for side in range(2)]
        ends = [_end(maker, side, axis) for side in sides]
        return ends[0] if ends[0] is not None and ends[0] == ends[1] else None
    if maker.name == FOR:
        block, number = body(maker), value.result_number
        origin: tuple[Value, int] | None = (yielded(block)[number], axis)
        while origin is not None and origin[0] != block.arguments[1 + number]:
            origin = _step(operation, *origin)
        stays = origin is not None and origin[1] == axis
        return (list(maker.operands)[3 + number], axis) if stays else None
    if maker.name == CAST:
        return maker.operands[0], axis
    return extent_source(value, axis)


def _end(branch: Operation, value: Value, axis: int) -> tuple[Value, int] | None:
    """Where an extent comes from that a side of a branch hands over, in front of it."""
    origin: tuple[Value, int] | None = (value, axis)
    while origin is not None and (producer(origin[0]) == branch or is_defined_inside(origin[0], branch)):
        origin = _step(branch, *origin)
    return origin
