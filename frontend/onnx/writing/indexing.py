"""Reading and writing of parts, and at places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ....dialect.emitter import INT64, INT64_MAX, INT64_MIN, Extent, Tensor
from ....dialect.types import TensorType
from ...graph_writers.table import BOOL
from .table import Builder, computed_in, writer

# Slices, whose rules are Python's in ONNX, too


class _Part(NamedTuple):
    """What is taken of an axis."""

    axis: int
    start: Extent
    stop: Extent
    step: int


def _parts(start: Sequence[Extent], stop: Sequence[Extent], step: Sequence[int]) -> list[_Part]:
    """The axes of which not all is taken."""
    bounds = zip(start, stop, step, strict=True)
    return [_Part(axis, *each) for axis, each in enumerate(bounds) if not _is_whole(*each)]


def _is_whole(start: Extent, stop: Extent, step: int) -> bool:
    return (
        not isinstance(start, Tensor)
        and not isinstance(stop, Tensor)
        and (start, step) == (0, 1)
        and stop >= INT64_MAX
    )


def _taken(b: Builder, x: Tensor, parts: Sequence[_Part]) -> Tensor:
    """Parts of a tensor."""
    if not parts:
        return x
    shape: list[int | None] = list(x.shape)
    normal = []
    for part in parts:
        places = _known_places(shape[part.axis], part)
        shape[part.axis] = None if places is None else len(places)
        normal.append(_normal(b, x, part, places))
    inputs = [
        b.shape_of([part.start for part in normal]),
        b.shape_of([part.stop for part in normal]),
        b.vector([part.axis for part in normal]),
        b.vector([part.step for part in normal]),
    ]
    return b.make("Slice", [x, *inputs], x.type.with_shape(tuple(shape)))


def _normal(b: Builder, x: Tensor, part: _Part, places: range | None) -> _Part:
    """Bounds that ONNX understands as Python does.

    Backwards, a start in front of all elements is none for Python, and the first one for ONNX.
    """
    axis, start, stop, step = part
    if places is not None:
        if not len(places):
            return _Part(axis, 0, 0, 1)
        return _Part(axis, places.start, places.stop if places.stop >= 0 else INT64_MIN, step)
    if step > 0 or (isinstance(start, int) and start >= -1):
        return part
    extent = b.as_scalar(b.extent(x, axis))
    first, last = b.as_scalar(start), b.as_scalar(stop)
    return _Part(axis, start, b.select(b.less(first, b.negative(extent)), extent, last), step)


def _known_places(extent: int | None, part: _Part) -> range | None:
    """What is taken of an axis, where that is known."""
    _, start, stop, step = part
    if extent is None or isinstance(start, Tensor) or isinstance(stop, Tensor):
        return None
    first, last = (None if abs(value) >= INT64_MAX else value for value in (start, stop))
    return range(*slice(first, last, step).indices(extent))


writer.rows(
    slice=lambda b, x, start, stop, step: _taken(b, x, _parts(start, stop, step)),
    slice_update=lambda b, x, update, start, stop, step: _replaced(b, x, update, _parts(start, stop, step)),
    dynamic_slice=lambda b, x, bounds, **region: _taken(b, x, _dynamic_parts(bounds, **region)),
)


def _dynamic_parts(
    bounds: tuple[Tensor, ...], start: Any, stop: Any, step: Any, start_axes: Any, stop_axes: Any
) -> list[_Part]:
    starts, stops = list(start), list(stop)
    for axis, bound in zip(start_axes, bounds, strict=False):
        starts[axis] = bound
    for axis, bound in zip(stop_axes, bounds[len(start_axes) :], strict=True):
        stops[axis] = bound
    return _parts(starts, stops, step)


@writer("dynamic_slice_update")
def dynamic_slice_update(
    b: Builder, x: Tensor, update: Tensor, bounds: tuple[Tensor, ...], **region: Any
) -> Tensor:
    return _replaced(b, x, update, _dynamic_parts(bounds, **region))


def _replaced(b: Builder, x: Tensor, update: Tensor, parts: Sequence[_Part]) -> Tensor:
    """A tensor with other elements in a part of it."""
    if not parts:
        return b.like(update, x) if x.rank else update
    (axis, start, stop, step), *others = parts
    if others:
        update = _replaced(b, _taken(b, x, parts[:1]), update, others)
    places = _known_places(x.shape[axis], parts[0])
    if places is not None and not len(places):
        return x
    if places is not None and step == 1:
        sides = [b.along(x, axis, 0, places.start), update, b.along(x, axis, places.stop, INT64_MAX)]
        return b.joined([side for side in sides if side.shape[axis] != 0], axis)
    line = _taken(b, b.iota(b.extent(x, axis)), [_Part(0, start, stop, step)])
    return _written(b, x, update, [line], (axis,), axis, "none")


# Places


def _to_front(rank: int, axes: Sequence[int]) -> list[int]:
    """The order in which some axes are the first."""
    return [*axes, *(axis for axis in range(rank) if axis not in axes)]


def _moved(b: Builder, x: Tensor, count: int, position: int) -> Tensor:
    """The first axes moved behind some of the others."""
    order = [*range(count, count + position), *range(count), *range(count + position, x.rank)]
    return b.transposed(x, order)


def _moved_back(b: Builder, x: Tensor, count: int, position: int) -> Tensor:
    """Axes at a position moved to the front."""
    return b.transposed(x, _to_front(x.rank, range(position, position + count)))


def _is_inside(b: Builder, index: Tensor, extent: Extent) -> Tensor | None:
    """Whether places are inside; None if they are known to be."""
    known = b.known(index)
    if known is not None and isinstance(extent, int) and ((known >= -extent) & (known < extent)).all():
        return None
    size = b.as_scalar(extent)
    return b.one("logical_and", b.greater_equal(index, b.negative(size)), b.less(index, size))


def _clamped(b: Builder, index: Tensor, extent: Extent) -> Tensor:
    """Places with those outside moved inside, as weft has it where nobody looks at what is read there."""
    if _is_inside(b, index, extent) is None:
        return index
    size = b.as_scalar(extent)
    return b.make("Clip", [index, b.negative(size), size - 1], index.type)


def _vectors(b: Builder, indices: Sequence[Tensor]) -> Tensor:
    """Indices as vectors along a last axis."""
    return b.joined([b.unsqueezed(index, [index.rank]) for index in indices], indices[0].rank)


@writer("gather")
def gather(b: Builder, x: Tensor, indices: tuple[Tensor, ...], axes: Any, position: int) -> Tensor:
    count = indices[0].rank
    rest = [extent for axis, extent in enumerate(x.shape) if axis not in axes]
    if 0 in [x.shape[axis] for axis in axes]:  # there are no indices, then
        extents = [extent for axis, extent in enumerate(b.extents(x)) if axis not in axes]
        return b.full([*extents[:position], *b.extents(indices[0]), *extents[position:]], 0, x.dtype)
    inside = [_clamped(b, index, b.extent(x, axis)) for index, axis in zip(indices, axes, strict=True)]
    if len(axes) == 1:
        (axis,) = axes
        shape = (*x.shape[:axis], *indices[0].shape, *x.shape[axis + 1 :])
        found = b.make("Gather", [x, inside[0]], x.type.with_shape(shape), axis=axis)
        return found if axis == position else _moved(b, _moved_back(b, found, count, axis), count, position)
    turned = b.transposed(x, _to_front(x.rank, axes))
    shape = (*indices[0].shape, *rest)
    found = b.make("GatherND", [turned, _vectors(b, inside)], x.type.with_shape(shape))
    return _moved(b, found, count, position)


@writer("scatter")
def scatter(
    b: Builder, x: Tensor, update: Tensor, indices: tuple[Tensor, ...], axes: Any, position: int, mode: str
) -> Tensor:
    if 0 in [x.shape[axis] for axis in axes]:
        return x
    if mode == "add" and x.dtype == BOOL:
        wide = computed_in(x.dtype)
        found = scatter(b, b.converted(x, wide), b.converted(update, wide), indices, axes, position, mode)
        return b.one("not_equal", found, 0)
    extents = [b.extent(x, axis) for axis in axes]
    insides = [_is_inside(b, index, extent) for index, extent in zip(indices, extents, strict=True)]
    places = [_clamped(b, index, extent) for index, extent in zip(indices, extents, strict=True)]
    at = {"axes": axes, "position": position}
    if mode == "add":
        return _written(b, x, _where(b, insides, update, None, position), places, axes, position, "add")
    if places[0].rank and not _are_distinct(b, places, x, axes):
        update, insides = _last_of_each(b, update, insides, places, extents, position)
    if any(inside is not None for inside in insides):
        update = _where(b, insides, update, b.one("gather", x, *places, **at), position)
    return _written(b, x, update, places, axes, position, "none")


def _where(
    b: Builder, insides: Sequence[Tensor | None], update: Tensor, other: Tensor | None, position: int
) -> Tensor:
    """What is written: another value, or 0, where a place is outside."""
    checks = [inside for inside in insides if inside is not None]
    if not checks:
        return update
    inside = checks[0]
    for check in checks[1:]:
        inside = inside & check
    behind = tuple(range(inside.rank, update.rank - position))
    wide = b.expand_dims(inside, axes=behind) if behind else inside
    zero = b.number(0, update.dtype)
    return b.one("select", wide, update, zero if other is None else other)


def _are_distinct(b: Builder, places: Sequence[Tensor], x: Tensor, axes: Sequence[int]) -> bool:
    """Whether no place is known to be written twice."""
    if all(extent == 1 for extent in places[0].shape):
        return True
    lines: list[np.ndarray[Any, Any]] = []
    for place, axis in zip(places, axes, strict=True):
        known, size = b.known(place), x.shape[axis]
        if known is None or size is None:
            return False
        lines.append(np.where(known < 0, known + size, known).reshape(-1))
    pairs = np.stack(lines, axis=1)
    return len(np.unique(pairs, axis=0)) == len(pairs)


def _last_of_each(
    b: Builder,
    update: Tensor,
    insides: Sequence[Tensor | None],
    places: Sequence[Tensor],
    extents: Sequence[Extent],
    position: int,
) -> tuple[Tensor, list[Tensor | None]]:
    """For all that write to one place what the last of them writes; and whether one does that is inside.

    ONNX leaves open which of them stays, so all have to write the same.
    """
    count = places[0].rank
    writers = b.reshaped(b.iota(b.count(places[0], range(count))), b.extents(places[0]))
    numbers = _where(b, insides, writers, b.number(-1, INT64), 0)
    table = b.full(extents, -1, INT64)
    axes = tuple(range(len(places)))
    latest = _written(b, table, numbers, places, axes, 0, "max")
    last = b.one("gather", latest, *places, axes=axes, position=0)
    flat = _moved_back(b, update, count, position)
    rows = b.reshaped(flat, [b.count(places[0], range(count)), *b.extents(flat)[count:]])
    found = b.one("gather", rows, b.maximum(last, 0), axes=(0,), position=0)
    inside = None if all(each is None for each in insides) else b.greater_equal(last, 0)
    return _moved(b, found, count, position), [inside]


def _written(
    b: Builder,
    x: Tensor,
    update: Tensor,
    places: Sequence[Tensor],
    axes: Sequence[int],
    position: int,
    reduction: str,
) -> Tensor:
    """A tensor with other elements at places that are inside."""
    order = _to_front(x.rank, axes)
    turned = b.transposed(x, order)
    wanted = b.wide_for("ScatterND", x.dtype)
    values = _moved_back(b, update, places[0].rank, position)
    given = [b.converted(turned, wanted), _vectors(b, places), b.converted(values, wanted)]
    attributes = {} if reduction == "none" else {"reduction": reduction}
    found = b.make("ScatterND", given, turned.type.with_dtype(wanted), **attributes)
    return b.transposed(b.converted(found, x.dtype), [order.index(axis) for axis in range(x.rank)])


@writer("take_along_axis")
def take_along_axis(b: Builder, x: Tensor, indices: Tensor, axis: int) -> Tensor:
    axis %= x.rank
    if x.shape[axis] == 0:
        return b.full(b.extents(indices), 0, x.dtype)
    inside = _clamped(b, indices, b.extent(x, axis))
    return b.make("GatherElements", [x, inside], x.type.with_shape(indices.shape), axis=axis)


@writer("put_along_axis")
def put_along_axis(b: Builder, x: Tensor, indices: Tensor, values: Tensor, axis: int) -> Tensor:
    places = [indices if other == axis % x.rank else b.positions(indices, other) for other in range(x.rank)]
    at = {"axes": tuple(range(x.rank)), "position": 0, "mode": "set"}
    return b.one("scatter", x, b.like(values, indices), *places, **at)


@writer("find_out_of_bounds")
def find_out_of_bounds(b: Builder, indices: Tensor, extent: Tensor) -> tuple[Tensor, Tensor]:
    """Whether there is one, and the first of them: behind the indices stands a 0 that counts as one."""
    outside = b.logical_or(b.less(indices, b.negative(extent)), b.greater_equal(indices, extent))
    line = TensorType((None,), INT64)
    all_of_it = b.vector([-1])
    flat = b.make("Reshape", [indices, all_of_it], line)
    checks = b.make("Reshape", [outside, all_of_it], line.with_dtype(BOOL))
    all_checks = b.joined([checks, b.array(np.ones(1, np.bool_))], 0)
    place = b.argmax(b.converted(all_checks, computed_in(BOOL)), axis=0, keepdims=False)
    first = b.gather(b.joined([flat, b.vector([0])], 0), place, axes=(0,), position=0)
    return b.any(outside, axes=tuple(range(outside.rank)), keepdims=False), first
