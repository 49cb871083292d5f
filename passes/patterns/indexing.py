"""Compositions of slices and slice updates."""

from __future__ import annotations

from ...dialect.mlir import Value
from ...dialect.ops.indexing import INT64_MIN, Slice, SliceUpdate, slice_of
from ...dialect.types import Shape
from ..rewriting import Match, type_of
from . import simplifies

_BOUNDS = ("start", "stop", "step")


def takes_everything(m: Match, shape: Shape, region: Shape) -> bool:
    """Whether the bounds select a whole tensor, in order: as many elements as there are, in steps of 1."""
    return set(m.attributes["step"]) <= {1} and None not in shape and shape == region


def same_bounds(left: Match, right: Match) -> bool:
    """Whether two ops select the same region."""
    return all(left.attributes[name] == right.attributes[name] for name in _BOUNDS)


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


@simplifies(Slice)
def slice_updated(m: Match) -> Value | None:
    """What was just written to a region is read from it."""
    update = m.producer(0, SliceUpdate)
    return update.operands[1] if update is not None and same_bounds(m, update) else None


@simplifies(SliceUpdate)
def update_everything(m: Match) -> Value | None:
    """An update of the whole tensor is the update."""
    update = type_of(m.operands[1])
    return m.operands[1] if takes_everything(m, m.result_type.shape, update.shape) else None


@simplifies(SliceUpdate)
def update_with_itself(m: Match) -> Value | None:
    """Writing a region's own elements changes nothing."""
    read = m.producer(1, Slice)
    return (
        m.operands[0]
        if read is not None and read.operands[0] == m.operands[0] and same_bounds(m, read)
        else None
    )


@simplifies(SliceUpdate)
def update_updated(m: Match) -> Value | None:
    """A region that is written twice keeps what was written last."""
    inner = m.producer(0, SliceUpdate)
    if inner is None or not same_bounds(m, inner):
        return None
    bounds = {name: m.attributes[name] for name in _BOUNDS}
    return m.create(SliceUpdate, inner.operands[0], m.operands[1], **bounds)
