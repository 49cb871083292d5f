"""Reading and writing at places that are computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....dialect.dtypes import kind
from ....dialect.emitter import INT64, INT64_MAX, Extent, Tensor
from ....dialect.mlir import Operation, Value
from ....dialect.records import NamedTuple
from ..context import stablehlo
from .control_flow import counted
from .reductions import combined, combiner
from .table import Builder, Refused, flag, ints, result_type, rule


def _start(b: Builder, place: Tensor, extent: Extent, size: Extent) -> Tensor:
    """Where a slice of some size begins: at a place, or as near as it fits into an axis."""
    if isinstance(extent, Tensor) or isinstance(size, Tensor):
        most = b.as_scalar(extent) - b.as_scalar(size)
    else:
        most = b.number(extent - size, INT64)
    return b.clipped(as_places(b, place), b.number(0, INT64), most)


def as_places(b: Builder, x: Tensor) -> Tensor:
    """Integers as i64: unsigned ones that are larger than any place count as the largest."""
    if kind(x.dtype) == "u" and x.dtype.itemsize == 8:
        x = b.minimum(x, INT64_MAX)
    return b.converted(x, INT64)


class _Region(NamedTuple):
    """A part of a tensor that begins at run-time places."""

    starts: tuple[Tensor, ...]
    stops: tuple[Tensor, ...]
    attributes: dict[str, tuple[int, ...]]


def _region(b: Builder, x: Tensor, places: Sequence[Tensor], sizes: Sequence[Extent]) -> _Region | None:
    """The part of some sizes that begins at some places; None if it is all."""
    axes = [axis for axis, size in enumerate(sizes) if isinstance(size, Tensor) or size != x.shape[axis]]
    if not axes:
        return None
    starts = [_start(b, places[axis], b.extent(x, axis), sizes[axis]) for axis in axes]
    stops = [start + b.as_scalar(sizes[axis]) for axis, start in zip(axes, starts, strict=True)]
    attributes = {
        "start": (0,) * x.rank,
        "stop": (INT64_MAX,) * x.rank,
        "step": (1,) * x.rank,
        "start_axes": tuple(axes),
        "stop_axes": tuple(axes),
    }
    return _Region(tuple(starts), tuple(stops), attributes)


@rule("dynamic_slice")
def dynamic_slice(b: Builder, op: Operation, x: Tensor, *places: Tensor) -> Tensor:
    """`weft.dynamic_slice`; it begins where it fits into the tensor."""
    sizes = ints(op, "slice_sizes")
    region = _region(b, x, places, sizes)
    if region is None:
        return x
    found = b.dynamic_slice(x, *region.starts, *region.stops, **region.attributes)
    return b.refined(found, found.type.with_shape(tuple(sizes)))


@rule("dynamic_update_slice")
def dynamic_update_slice(b: Builder, op: Operation, x: Tensor, update: Tensor, *places: Tensor) -> Tensor:
    """`weft.dynamic_slice_update`; it begins where it fits into the tensor."""
    region = _region(b, x, places, b.extents(update))
    if region is None:
        return update
    found: Tensor = b.dynamic_slice_update(x, update, *region.starts, *region.stops, **region.attributes)
    return found


@rule("real_dynamic_slice")
def real_dynamic_slice(
    b: Builder, op: Operation, x: Tensor, start: Tensor, limit: Tensor, stride: Tensor
) -> Tensor:
    """`weft.dynamic_slice`, with steps that are known after all."""
    starts, stops, steps = (b.elements(each) for each in (start, limit, stride))
    if any(isinstance(step, Tensor) for step in steps):
        raise Refused("takes steps that are computed")
    start_axes = [axis for axis, place in enumerate(starts) if isinstance(place, Tensor)]
    stop_axes = [axis for axis, place in enumerate(stops) if isinstance(place, Tensor)]
    fixed_starts = tuple(0 if isinstance(place, Tensor) else place for place in starts)
    fixed_stops = tuple(0 if isinstance(place, Tensor) else place for place in stops)
    if not start_axes and not stop_axes:
        return b.one("slice", x, start=fixed_starts, stop=fixed_stops, step=tuple(steps))
    return b.one(
        "dynamic_slice",
        x,
        *(starts[axis] for axis in start_axes),
        *(stops[axis] for axis in stop_axes),
        start=fixed_starts,
        stop=fixed_stops,
        step=tuple(steps),
        start_axes=tuple(start_axes),
        stop_axes=tuple(stop_axes),
    )


@rule("torch_index_select")
def torch_index_select(b: Builder, op: Operation, x: Tensor, index: Tensor) -> Tensor:
    """`weft.gather` along one axis."""
    axis, batches = (int(op.attributes[name].value) for name in ("dim", "batch_dims"))
    if batches:
        raise Refused("has axes of a batch")
    last = b.as_scalar(b.extent(x, axis)) - 1
    places = b.clipped(as_places(b, index), b.number(0, INT64), last)
    return b.one("gather", x, places, axes=(axis,), position=axis)


# Gathers and scatters


class _Indexing(NamedTuple):
    """What the dimension numbers of a gather or scatter say, in the words of the gather."""

    offset: list[int]
    """The axes of what is read that are those of its parts."""
    collapsed: list[int]
    batching: list[int]
    index_batching: list[int]
    indexed: list[int]
    """The axes of the tensor in which the elements of an index are places."""
    vector: int
    """The axis of the indices that has the elements of one."""


class _Places(NamedTuple):
    """The places of all elements that are read or written: one tensor for each axis in which they are computed."""

    axes: tuple[int, ...]
    indices: tuple[Tensor, ...]
    """Of one shape: the axes of the batch, then one for each of `spread`."""
    spread: list[int]
    """The axes of the tensor of which a part of more than one element, but not all, is read."""
    whole: list[int]
    """The axes of which all is read."""
    batch: int
    """The number of axes of the batch."""


def _indices(b: Builder, indices: Tensor, how: _Indexing) -> list[Tensor]:
    """The elements of all indices, each in the shape of the batch."""
    wide = as_places(b, indices)
    if how.vector == indices.rank:
        return [wide]
    parts = [b.along(wide, how.vector, i, i + 1) for i in range(len(how.indexed))]
    return [b.squeeze(part, axes=(how.vector,)) for part in parts]


def _places(
    b: Builder, x: Tensor, indices: Tensor, sizes: Sequence[Extent], how: _Indexing, clips: bool
) -> _Places:
    """Where elements are; parts that reach out of the tensor are moved inside if `clips`."""
    parts = _indices(b, indices, how)
    batch = parts[0].rank if parts else indices.rank - (how.vector < indices.rank)
    starts = dict(zip(how.indexed, parts, strict=True))
    gone = {*how.collapsed, *how.batching}
    whole = [
        axis
        for axis in range(x.rank)
        if axis not in gone and _is_all(x, sizes, axis) and (clips or axis not in starts)
    ]
    axes = [axis for axis in range(x.rank) if axis not in whole and axis in {*starts, *gone}]
    parted = [axis for axis in range(x.rank) if axis not in whole and axis not in axes]
    if parted:
        axes = sorted([*axes, *parted])
    spread = [axis for axis in axes if axis not in gone]
    extents = _batch_extents(b, indices, how)
    shape = [*extents, *(sizes[axis] for axis in spread)]
    found = []
    for axis in axes:
        if axis in how.batching:
            place = how.batching.index(axis)
            at = how.index_batching[place]
            at -= how.vector < at
            line = b.inserted(b.iota(extents[at]), [*range(at), *range(at + 1, len(shape))])
            found.append(b.broadcast(line, shape))
            continue
        start = starts.get(axis)
        if start is not None and clips:
            start = _start(b, start, b.extent(x, axis), sizes[axis])
        behind = range(batch, len(shape))
        value = None if start is None else b.inserted(start, list(behind))
        if axis in spread:
            at = batch + spread.index(axis)
            line = b.inserted(b.iota(sizes[axis]), [a for a in range(len(shape)) if a != at])
            value = line if value is None else value + line
        assert value is not None or axis in how.collapsed
        if value is None:
            value = b.inserted(b.number(0, INT64), list(range(len(shape))))
        found.append(b.broadcast(value, shape))
    return _Places(tuple(axes), tuple(found), spread, whole, batch)


def _is_all(x: Tensor, sizes: Sequence[Extent], axis: int) -> bool:
    """Whether a part is known to be all of an axis."""
    size = sizes[axis]
    return not isinstance(size, Tensor) and size == x.shape[axis]


def _batch_extents(b: Builder, indices: Tensor, how: _Indexing) -> list[Extent]:
    return [b.extent(indices, axis) for axis in range(indices.rank) if axis != how.vector]


def _order(places: _Places, how: _Indexing, rank: int) -> list[int]:
    """For each axis of what is read, as the op has it, the axis of what `weft.gather` gives."""
    given = {axis: places.batch + i for i, axis in enumerate((*places.spread, *places.whole))}
    kept = sorted(given)
    order = [0] * rank
    batch = iter(range(places.batch))
    offset = iter(kept)
    for axis in range(rank):
        order[axis] = given[next(offset)] if axis in how.offset else next(batch)
    return order


rule("gather", says="`weft.gather`; parts that reach out of the tensor are moved inside.")(
    lambda b, op, x, indices: _gathered(b, op, x, indices, ints(op, "slice_sizes"))
)
rule("dynamic_gather", says="`weft.gather`, of parts whose sizes are computed.")(
    lambda b, op, x, indices, sizes: _gathered(b, op, x, indices, b.elements(sizes))
)


def _gathered(b: Builder, op: Operation, x: Tensor, indices: Tensor, sizes: Sequence[Extent]) -> Tensor:
    dims = stablehlo().GatherDimensionNumbers(op.attributes["dimension_numbers"])
    how = _Indexing(
        list(dims.offset_dims),
        list(dims.collapsed_slice_dims),
        list(dims.operand_batching_dims),
        list(dims.start_indices_batching_dims),
        list(dims.start_index_map),
        dims.index_vector_dim,
    )
    wanted = result_type(op)
    if 0 in x.shape and wanted.is_static:
        return b.full(list(wanted.shape), 0, x.dtype)  # type: ignore[arg-type]
    places = _places(b, x, indices, sizes, how, clips=True)
    found = x
    if places.axes:
        found = b.gather(x, *places.indices, axes=places.axes, position=0)
    else:  # all of it, as often as there are indices
        found = b.broadcast(x, [*_batch_extents(b, indices, how), *b.extents(x)])
    return b.moved(found, _order(places, how, wanted.rank))


@rule("scatter")
def scatter(b: Builder, op: Operation, *operands: Tensor) -> Sequence[Tensor]:
    """`weft.scatter`, for updates that are set or added; others are made one after the other. What is outside is
    skipped."""
    count = (len(operands) - 1) // 2
    inputs, indices, updates = operands[:count], operands[count], operands[count + 1 :]
    dims = stablehlo().ScatterDimensionNumbers(op.attributes["scatter_dimension_numbers"])
    how = _Indexing(
        list(dims.update_window_dims),
        list(dims.inserted_window_dims),
        list(dims.input_batching_dims),
        list(dims.scatter_indices_batching_dims),
        list(dims.scattered_dims_to_operand_dims),
        dims.index_vector_dim,
    )
    if 0 in inputs[0].shape or 0 in updates[0].shape:
        return inputs
    windows = iter(b.extent(updates[0], axis) for axis in how.offset)
    gone = {*how.collapsed, *how.batching}
    sizes = [1 if axis in gone else next(windows) for axis in range(inputs[0].rank)]
    places = _places(b, inputs[0], indices, sizes, how, clips=False)
    order = _order(places, how, updates[0].rank)
    moved = [b.moved(update, [order.index(axis) for axis in range(len(order))]) for update in updates]
    mode = _mode(op.regions[0])
    if not places.axes:
        if mode == "set" and places.batch == 0:
            return moved
        raise Refused("replaces all of a tensor several times")
    inside = _inside(b, inputs[0], places)
    if mode is None and count == 1 and combiner(op.regions[0]) == "add":
        mode = "add"
    if mode is None:
        if not flag(op, "unique_indices"):
            return _one_by_one(b, op, inputs, moved, places, inside)
        old = [b.gather(x, *_clipped(b, x, places), axes=places.axes, position=0) for x in inputs]
        moved = combined(b, op.regions[0], old, moved)
        mode = "set"
    return [_put(b, x, update, places, inside, mode) for x, update in zip(inputs, moved, strict=True)]


def _mode(region: Any) -> str | None:
    """ "set" for a region that returns its last arguments, the updates."""
    block = region.blocks[0]
    arguments, returned = list(block.arguments), list(block.operations[len(block.operations) - 1].operands)
    return "set" if returned == arguments[len(arguments) // 2 :] else None


def _inside(b: Builder, x: Tensor, places: _Places) -> Tensor:
    """Which places are in the tensor."""
    found: Tensor | None = None
    for axis, index in zip(places.axes, places.indices, strict=True):
        last = b.as_scalar(b.extent(x, axis))
        fits = b.logical_and(b.greater_equal(index, 0), b.less(index, last))
        found = fits if found is None else b.logical_and(found, fits)
    assert found is not None
    return found


def _clipped(b: Builder, x: Tensor, places: _Places) -> list[Tensor]:
    """Places, moved into the tensor."""
    return [
        b.clipped(index, b.number(0, INT64), b.as_scalar(b.extent(x, axis)) - 1)
        for axis, index in zip(places.axes, places.indices, strict=True)
    ]


def _put(b: Builder, x: Tensor, update: Tensor, places: _Places, inside: Tensor, mode: str) -> Tensor:
    """Updates at their places; those outside of the tensor are skipped."""
    where = {"axes": places.axes, "position": 0}
    mask = b.inserted(inside, list(range(inside.rank, update.rank)))
    has_places = all(x.shape[axis] for axis in places.axes)
    if mode == "add" and kind(x.dtype) != "b" and has_places:
        nothing = b.negative(b.number(0, x.dtype)) if kind(x.dtype) in "fc" else b.number(0, x.dtype)
        added = b.select(mask, update, nothing)
        return b.one("scatter", x, added, *_clipped(b, x, places), **where, mode="add")
    if places.indices[0].rank == 0 and has_places:
        clipped = _clipped(b, x, places)
        old = b.gather(x, *clipped, **where)
        new = b.logical_or(old, update) if mode == "add" else update
        return b.one("scatter", x, b.select(mask, new, old), *clipped, **where, mode="set")
    # One row behind the first of the axes takes what is skipped.
    first = places.axes[0]
    row = tuple(int(axis == first) for axis in range(x.rank))
    wide = b.pad(x, b.number(0, x.dtype), low=(0,) * x.rank, high=row)
    behind = b.as_scalar(b.extent(x, first))
    indices = [b.select(inside, places.indices[0], behind)]
    indices += [b.select(inside, index, b.number(0, INT64)) for index in places.indices[1:]]
    if mode == "add" and kind(x.dtype) == "b":
        counts = b.scatter(
            b.cast(wide, dtype=INT64), b.cast(update, dtype=INT64), *indices, **where, mode="add"
        )
        made = b.not_equal(counts, 0)
    else:
        made = b.scatter(wide, update, *indices, **where, mode=mode)
    return b.refined(b.cut(made, first, 0, b.extent(x, first)), x.type)


def _one_by_one(
    b: Builder,
    op: Operation,
    inputs: Sequence[Tensor],
    updates: Sequence[Tensor],
    places: _Places,
    inside: Tensor,
) -> Sequence[Tensor]:
    """Updates by any function, one after the other."""
    axes = places.indices[0].rank
    count = b.count(places.indices[0], range(axes))
    flat = [b.reshaped(index, [count]) for index in (*_clipped(b, inputs[0], places), inside)]
    rows = [b.reshaped(u, [count, *b.extents(u)[axes:]]) for u in updates]

    def body(turn: Value, carried: list[Tensor]) -> list[Tensor]:
        place = b.value(turn)
        *indices, fits = (b.gather(index, place, axes=(0,), position=0) for index in flat)
        where = {"axes": places.axes, "position": 0}
        old = [b.gather(x, *indices, **where) for x in carried]
        new = combined(b, op.regions[0], old, [b.gather(u, place, axes=(0,), position=0) for u in rows])
        kept = [b.select(fits, one, other) for one, other in zip(new, old, strict=True)]
        return [b.scatter(x, u, *indices, **where, mode="set") for x, u in zip(carried, kept, strict=True)]

    return counted(b, count, inputs, body)
