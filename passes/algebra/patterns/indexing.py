"""Compositions of slices, single indices and updates."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....dialect.mlir import Value
from ....dialect.op import Op
from ....dialect.ops.creation import Arange
from ....dialect.ops.indexing import Gather, Scatter
from ....dialect.ops.shape import Dim
from ....dialect.ops.slicing import (
    INT64_MAX,
    INT64_MIN,
    DynamicSlice,
    DynamicSliceUpdate,
    Slice,
    SliceUpdate,
    slice_of,
    sliced_shape,
)
from ....dialect.types import Shape, compatible_shapes
from ...rewriting import Match, type_of
from . import simplifies

_BOUNDS = ("start", "stop", "step")


def takes_everything(m: Match, shape: Shape, region: Shape) -> bool:
    """Whether the bounds select a whole tensor, in order: without bounds, or as many elements as there are."""
    if all(
        bounds == (0, INT64_MAX, 1) for bounds in zip(*(m.attributes[name] for name in _BOUNDS), strict=True)
    ):
        return True
    return set(m.attributes["step"]) <= {1} and None not in shape and shape == region


_PLACES = {"start_axes": "start", "stop_axes": "stop"}
"""The attributes that name the axes with run-time bounds, and those that such bounds replace."""

_UPDATES: dict[type[Op], type[Op]] = {Slice: SliceUpdate, DynamicSlice: DynamicSliceUpdate, Gather: Scatter}
"""What replaces what an op with the same attributes and operands reads."""


def _selects(m: Match) -> tuple[dict[str, Any], list[Value]] | None:
    """The attributes and the operands that say what an op reads or replaces; None where they do not name a region."""
    attributes = dict(m.attributes)
    operands = m.operands[1 if m.op_class in _UPDATES else 2 :]
    if attributes.pop("mode", "set") != "set":
        return None
    if m.op_class in (Gather, Scatter) and type_of(operands[0]).rank > 0:
        return None  # the same element may be meant twice
    return attributes, operands


def same_bounds(left: Match, right: Match) -> bool:
    """Whether two ops select the same region."""
    selected = _selects(left)
    return selected is not None and selected == _selects(right)


@simplifies(Slice)
def slice_everything(m: Match) -> Value | None:
    """A slice of the whole tensor is the tensor."""
    return m.operands[0] if takes_everything(m, type_of(m.operands[0]).shape, m.result_type.shape) else None


@simplifies(Slice)
def slice_slice(m: Match) -> Value | None:
    """A slice of a slice of known extents is one slice."""
    inner = m.producer(0, Slice)
    if inner is None:
        return None
    source = type_of(inner.operands[0])
    if not source.is_static or m.result_type.size == 0:
        return None
    start, stop, step = [], [], []
    for axis, extent in enumerate(source.shape):
        taken = _range(inner, axis, extent or 0)
        taken = taken[slice(*_range_bounds(m, axis, len(taken)))]
        start.append(taken.start)
        stop.append(taken.stop if taken.stop >= 0 else INT64_MIN)
        step.append(taken.step)
    return m.create(Slice, inner.operands[0], start=tuple(start), stop=tuple(stop), step=tuple(step))


def _range_bounds(m: Match, axis: int, extent: int) -> tuple[int, int | None, int]:
    """The bounds of one axis as arguments of `slice`."""
    chosen = slice_of(*(m.attributes[name][axis] for name in _BOUNDS))
    start, stop, step = chosen.indices(extent)
    return start, None if stop < 0 else stop, step


def _range(m: Match, axis: int, extent: int) -> range:
    """The indices that a slice takes from one axis."""
    return range(*slice_of(*(m.attributes[name][axis] for name in _BOUNDS)).indices(extent))


@simplifies(Gather)
def gather_evenly_spaced(m: Match) -> Value | None:
    """Elements at places that are known, inside, and the same step apart are a slice, which is a view."""
    source, (axis, *others) = type_of(m.operands[0]), m.attributes["axes"]
    places = _evenly_spaced(m, m.operands[1])
    extent = source.shape[axis]
    if others or m.attributes["position"] != axis or places is None or extent is None:
        return None
    if not (0 <= places[0] < extent and 0 <= places[-1] < extent):
        return None
    bounds = [(0, INT64_MAX, 1)] * source.rank
    bounds[axis] = (places.start, places.stop if places.stop >= 0 else INT64_MIN, places.step)
    return m.create(Slice, m.operands[0], **dict(zip(_BOUNDS, zip(*bounds, strict=True), strict=True)))


def _evenly_spaced(m: Match, indices: Value) -> range | None:
    """The places, two or more, that a vector of indices holds, if these are known to be the same step apart."""
    made = m.graph.producer(indices, Arange)
    if made is not None:
        start, step = map(m.graph.constant, made.operands[:2])
        count = type_of(indices).size
    else:
        known = m.graph.constant(indices) if type_of(indices).rank == 1 else None
        if known is None or known.size < 2 or (np.diff(known) != known[1] - known[0]).any():
            return None
        start, step, count = known[0], known[1] - known[0], known.size
    if start is None or step is None or step == 0 or count is None or count < 2:
        return None
    return range(int(start), int(start) + count * int(step), int(step))


@simplifies(*_UPDATES)
def slice_updated(m: Match) -> Value | None:
    """What was just written to a region is read from it."""
    update = m.producer(0, _UPDATES[m.op_class])
    return update.operands[1] if update is not None and same_bounds(m, update) else None


@simplifies(SliceUpdate)
def update_everything(m: Match) -> Value | None:
    """An update of the whole tensor is the update."""
    update = type_of(m.operands[1])
    return m.operands[1] if takes_everything(m, m.result_type.shape, update.shape) else None


@simplifies(*_UPDATES.values())
def update_with_itself(m: Match) -> Value | None:
    """Writing a region's own elements changes nothing."""
    read = m.graph.match(m.operands[1])
    if read is None or _UPDATES.get(read.op_class) is not m.op_class:
        return None
    return m.operands[0] if read.operands[0] == m.operands[0] and same_bounds(m, read) else None


@simplifies(*_UPDATES.values())
def update_updated(m: Match) -> Value | None:
    """A region that is written twice keeps what was written last.

    Only where nothing else uses what the first write made: two updates of one array cannot both happen in place.
    """
    inner = m.producer(0, m.op_class)
    if inner is None or not same_bounds(m, inner) or not m.graph.has_one_user(m.operands[0]):
        return None
    return m.create(m.op_class, inner.operands[0], *m.operands[1:], **m.attributes)


@simplifies(DynamicSlice, DynamicSliceUpdate)
def bounds_known(m: Match) -> Value | None:
    """A run-time bound that is a constant, or the extent of the axis as a stop, is not known at run time only."""
    arrays = 1 if m.op_class is DynamicSlice else 2
    attributes, remaining = dict(m.attributes), iter(m.operands[arrays:])
    kept: list[Value] = []
    for axes, name in _PLACES.items():
        dynamic, bounds = [], list(attributes[name])
        for axis in attributes[axes]:
            bound = next(remaining)
            known = _known_bound(m, bound, axis, is_stop=name == "stop")
            if known is None:
                dynamic.append(axis)
                kept.append(bound)
            else:
                bounds[axis] = known
        attributes |= {axes: tuple(dynamic), name: tuple(bounds)}
    if len(kept) == len(m.operands) - arrays:
        return None
    op_class = m.op_class
    if not kept:
        op_class = Slice if op_class is DynamicSlice else SliceUpdate
        attributes = {name: attributes[name] for name in _BOUNDS}
        if op_class is SliceUpdate and not _fits(m, attributes):
            return None  # what is in front of it raises
    created = m.create(op_class, *m.operands[:arrays], *kept, **attributes)
    created.set_type(m.result.type)
    return created


def _fits(m: Match, bounds: dict[str, Any]) -> bool:
    """Whether an update has the size of a region."""
    x, update = map(type_of, m.operands[:2])
    region = sliced_shape(SliceUpdate.mlir_name(), x.shape, *(bounds[name] for name in _BOUNDS))
    return compatible_shapes(region, update.shape)


def _known_bound(m: Match, bound: Value, axis: int, is_stop: bool) -> int | None:
    """The bound as an attribute says it, or None."""
    constant = m.graph.constant(bound)
    if constant is not None:
        return int(constant)
    extent = m.graph.producer(bound, Dim)
    is_end = (
        extent is not None
        and _before_updates(m, extent.operands[0]) == _before_updates(m, m.operands[0])
        and extent.attributes["axis"] == axis
        and m.attributes["step"][axis] > 0
    )
    return INT64_MAX if is_stop and is_end else None


def _before_updates(m: Match, value: Value) -> Value:
    """The tensor that a tensor was made from by replacing elements, which keeps the shape."""
    while (made := m.graph.match(value)) is not None and made.op_class in _UPDATES.values():
        value = made.operands[0]
    return value
