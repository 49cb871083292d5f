"""Reading and writing of parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dialect.emitter import INT64, INT64_MAX, Tensor
from ....dialect.mlir import ir
from ....dialect.types import TensorType
from ...graph_writers.indexing import along
from ...graph_writers.table import Unsaid, require_known
from ..context import stablehlo
from .table import Builder, integers, writer


def _bounds(
    shape: Sequence[int | None], start: Sequence[int], stop: Sequence[int], step: Sequence[int]
) -> list[range]:
    """The places that Python's slices take, of each axis."""
    found = []
    for extent, bounds in zip(shape, zip(start, stop, step, strict=True), strict=True):
        first, last, stride = (None if abs(value) >= INT64_MAX else value for value in bounds)
        if extent is None:
            raise Unsaid("takes a part of an axis whose size is known when it runs only")
        found.append(range(*slice(first, last, stride).indices(extent)))
    return found


def _is_whole(start: int, stop: int, step: int) -> bool:
    return (start, step) == (0, 1) and stop >= INT64_MAX


@writer("slice")
def slice_(b: Builder, x: Tensor, start: Any, stop: Any, step: Any) -> Tensor:
    given = list(zip(start, stop, step, strict=True))
    if None in x.shape:
        return _partly_known(b, x, given)
    places = _bounds(x.shape, start, stop, step)
    low, high, stride, turned = [], [], [], []
    for axis, line in enumerate(places):
        if len(line) and line.step < 0:
            turned.append(axis)
            line = line[::-1]
        low.append(line.start if len(line) else 0)
        high.append(line[-1] + 1 if len(line) else 0)
        stride.append(abs(line.step))
    shape = tuple(map(len, places))
    found = b.make(
        "slice",
        [x],
        x.type.with_shape(shape),
        start_indices=integers(low),
        limit_indices=integers(high),
        strides=integers(stride),
    )
    return b.make("reverse", [found], found.type, dimensions=integers(turned)) if turned else found


def _partly_known(b: Builder, x: Tensor, given: Sequence[tuple[int, int, int]]) -> Tensor:
    """A part of a tensor, of which axes of unknown sizes are taken whole."""
    low: list[Tensor] = []
    high: list[Tensor] = []
    shape: list[int | None] = []
    for extent, bounds in zip(b.extents(x), given, strict=True):
        if isinstance(extent, Tensor):
            if not _is_whole(*bounds):
                raise Unsaid("takes a part of an axis whose size is known when it runs only")
            low.append(b.number(0, INT64))
            high.append(extent)
            shape.append(None)
            continue
        (line,) = _bounds([extent], *([value] for value in bounds))
        if len(line) and line.step != 1:
            raise Unsaid("takes a part with steps, beside axes whose sizes are known when it runs only")
        low.append(b.number(line.start, INT64))
        high.append(b.number(line.start + len(line), INT64))
        shape.append(len(line))
    one = b.array(np.ones(len(shape), np.int64))
    return b.make(
        "real_dynamic_slice", [x, b.shape_of(low), b.shape_of(high), one], x.type.with_shape(tuple(shape))
    )


@writer("slice_update")
def slice_update(b: Builder, x: Tensor, update: Tensor, start: Any, stop: Any, step: Any) -> Tensor:
    places = _bounds(x.shape, start, stop, step)
    if 0 in map(len, places):
        return x
    if all(line.step == 1 for line in places):
        return _updated(b, x, update, [b.number(line.start, INT64) for line in places])
    grids = np.ix_(*map(np.array, places))
    indices = [b.array(np.broadcast_to(grid, tuple(map(len, places))).astype(np.int64)) for grid in grids]
    return _scattered(b, x, update, indices, tuple(range(x.rank)), 0, "set")


def _updated(b: Builder, x: Tensor, update: Tensor, starts: Sequence[Tensor]) -> Tensor:
    if x.rank == 0:
        return update
    return b.make("dynamic_update_slice", [x, update, *starts], x.type)


def _starts(
    b: Builder,
    x: Tensor,
    result: Sequence[int | None],
    bounds: tuple[Tensor, ...],
    start: Sequence[int],
    step: Sequence[int],
    start_axes: Sequence[int],
) -> list[Tensor]:
    """Where a part of a known size begins; the bounds of slices count from the end where they are negative."""
    require_known(x)
    if None in result or any(value != 1 for value in step):
        raise Unsaid("takes a part of which the size is known when it runs only, or in steps")
    given = dict(zip(start_axes, bounds, strict=False))
    found = []
    for axis, extent in enumerate(x.shape):
        assert extent is not None
        if axis in given:
            place = given[axis]
            found.append(b.select(place < 0, place + extent, place))
            continue
        first = start[axis]
        found.append(b.number(min(max(first + extent if first < 0 else first, 0), extent), INT64))
    return found


def dynamic_slice(
    b: Builder, result: TensorType, x: Tensor, bounds: tuple[Tensor, ...], start: Any, stop: Any, step: Any,
    start_axes: Any, stop_axes: Any,
) -> Tensor:  # fmt: skip
    """A part of a known size at run-time places; the op of weft does not tell the size, its result does."""
    starts = _starts(b, x, result.shape, bounds, start, step, start_axes)
    sizes = integers(list(result.shape))  # type: ignore[arg-type]
    return b.make("dynamic_slice", [x, *starts], result, slice_sizes=sizes)


@writer("dynamic_slice_update")
def dynamic_slice_update(
    b: Builder, x: Tensor, update: Tensor, bounds: tuple[Tensor, ...], start: Any, stop: Any, step: Any,
    start_axes: Any, stop_axes: Any,
) -> Tensor:  # fmt: skip
    return _updated(b, x, update, _starts(b, x, update.shape, bounds, start, step, start_axes))


# Places in tensors of integers


def _vectors(b: Builder, x: Tensor, indices: Sequence[Tensor], axes: Sequence[int]) -> Tensor:
    """Indices as vectors along a last axis; negative ones count from the end."""
    parts = []
    for index, axis in zip(indices, axes, strict=True):
        extent = b.as_scalar(b.extent(x, axis))
        parts.append(b.select(index < 0, index + extent, index))
    return b.one("stack", *parts, axis=indices[0].rank)


@writer("gather")
def gather(b: Builder, x: Tensor, indices: tuple[Tensor, ...], axes: Any, position: int) -> Tensor:
    require_known(x)
    vectors = _vectors(b, x, indices, axes)
    batch = indices[0].rank
    rest = [extent for axis, extent in enumerate(x.shape) if axis not in axes]
    shape = (*rest[:position], *indices[0].shape, *rest[position:])
    if 0 in [x.shape[axis] for axis in axes]:  # there are no indices, then
        return b.full(list(shape), 0, x.dtype)  # type: ignore[arg-type]
    offsets = [*range(position), *range(position + batch, len(shape))]
    dims = stablehlo().GatherDimensionNumbers.get(
        offset_dims=offsets,
        collapsed_slice_dims=sorted(axes),
        operand_batching_dims=[],
        start_indices_batching_dims=[],
        start_index_map=list(axes),
        index_vector_dim=batch,
    )
    sizes = [1 if axis in axes else extent for axis, extent in enumerate(x.shape)]
    return b.make(
        "gather",
        [x, vectors],
        x.type.with_shape(shape),
        dimension_numbers=dims,
        slice_sizes=integers(sizes),  # type: ignore[arg-type]
    )


@writer("scatter")
def scatter(
    b: Builder, x: Tensor, update: Tensor, indices: tuple[Tensor, ...], axes: Any, position: int, mode: str
) -> Tensor:
    return _scattered(b, x, update, indices, axes, position, mode)


def _scattered(
    b: Builder, x: Tensor, update: Tensor, indices: Sequence[Tensor], axes: Any, position: int, mode: str
) -> Tensor:
    batch = indices[0].rank
    windows = [*range(position), *range(position + batch, update.rank)]
    dims = stablehlo().ScatterDimensionNumbers.get(
        update_window_dims=windows,
        inserted_window_dims=sorted(axes),
        input_batching_dims=[],
        scatter_indices_batching_dims=[],
        scattered_dims_to_operand_dims=list(axes),
        index_vector_dim=batch,
    )
    scalar = TensorType((), x.dtype)

    def combined(old: Tensor, new: Tensor) -> list[Tensor]:
        return [b.same("add", old, new) if mode == "add" else new]

    made = b.operation(
        "scatter",
        [x, _vectors(b, x, indices, axes), update],
        [x.type],
        [combined],
        [scalar, scalar],
        scatter_dimension_numbers=dims,
        indices_are_sorted=ir.BoolAttr.get(False),
        unique_indices=ir.BoolAttr.get(False),
    )
    return b.value(made.results[0])


@writer("put_along_axis")
def put_along_axis(b: Builder, x: Tensor, indices: Tensor, values: Tensor, axis: int) -> Tensor:
    return _scattered(b, x, values, along(b, indices, axis), tuple(range(x.rank)), 0, "set")
