"""Compositions of ops that rearrange elements: transposes, reshapes, broadcasts, joins. No number changes."""

from __future__ import annotations

from ...dialect.extents import extent_source
from ...dialect.mlir import Value
from ...dialect.op import OPS, Elementwise
from ...dialect.ops import load_families
from ...dialect.ops.shape import (
    BroadcastTo,
    Concat,
    Dim,
    ExpandDims,
    Pad,
    Repeat,
    Reshape,
    Roll,
    Squeeze,
    Stretch,
    Tile,
    Transpose,
)
from ...dialect.types import broadcast_shapes
from ..rewriting import Match, type_of
from . import simplifies

load_families()
_ELEMENTWISE = tuple(
    op for op in OPS.values() if issubclass(op, Elementwise) and op.results == 1 and not op.attribute_fields()
)


# Transposes


@simplifies(Transpose)
def transpose_nothing(m: Match) -> Value | None:
    """The identity permutation changes nothing."""
    permutation = m.attributes["permutation"]
    return m.operands[0] if list(permutation) == sorted(permutation) else None


@simplifies(Transpose)
def transpose_twice(m: Match) -> Value | None:
    """Two permutations are one."""
    inner = m.producer(0, Transpose)
    if inner is None:
        return None
    first = inner.attributes["permutation"]
    composed = tuple(first[axis] for axis in m.attributes["permutation"])
    return m.create(Transpose, inner.operands[0], permutation=composed)


# Reshapes


@simplifies(Reshape)
def reshape_nothing(m: Match) -> Value | None:
    """A reshape to the same type with at most one unknown extent keeps the shape, as it keeps the size."""
    unknown = m.result_type.shape.count(None)
    return m.operands[0] if unknown <= 1 and 0 not in m.result_type.shape else None


@simplifies(Reshape)
def reshape_reshaped(m: Match) -> Value | None:
    """Only the last shape counts: all these ops keep the order of the elements."""
    for op_class in (Reshape, ExpandDims, Squeeze):
        inner = m.producer(0, op_class)
        if inner is not None:
            return m.create(Reshape, inner.operands[0], *m.operands[1:], shape=m.attributes["shape"])
    return None


@simplifies(ExpandDims, Squeeze)
def expand_or_squeeze_nothing(m: Match) -> Value | None:
    """Without axes, nothing is inserted or removed."""
    return None if m.attributes["axes"] else m.operands[0]


@simplifies(ExpandDims, Squeeze)
def expand_and_squeeze(m: Match) -> Value | None:
    """Removing the axes that were inserted, or inserting those that were removed, gives back the operand."""
    inner = m.producer(0, Squeeze if m.op_class is ExpandDims else ExpandDims)
    if inner is None or inner.attributes["axes"] != m.attributes["axes"]:
        return None
    return inner.operands[0]


# Broadcasts


@simplifies(BroadcastTo)
def broadcast_nothing(m: Match) -> Value | None:
    """A broadcast to the static shape that the operand has changes nothing."""
    return m.operands[0] if m.result_type.is_static else None


@simplifies(BroadcastTo)
def broadcast_broadcast(m: Match) -> Value | None:
    """Two broadcasts are one, and leading axes need not be inserted first."""
    inner = m.producer(0, BroadcastTo)
    if inner is None:
        inner = m.producer(0, ExpandDims)
        if inner is None or inner.attributes["axes"] != tuple(range(len(inner.attributes["axes"]))):
            return None
    return m.create(BroadcastTo, inner.operands[0], *m.operands[1:], shape=m.attributes["shape"])


@simplifies(*_ELEMENTWISE)
def broadcast_operand(m: Match) -> Value | None:
    """Elementwise ops broadcast: an operand needs no broadcast of its own when the others give the shape."""
    for index, operand in enumerate(m.operands):
        broadcast = m.producer(index, BroadcastTo)
        if broadcast is None or not type_of(operand).is_static:
            continue
        operands = list(m.operands)
        operands[index] = broadcast.operands[0]
        if broadcast_shapes([type_of(value).shape for value in operands]) == m.result_type.shape:
            return m.create(m.op_class, *operands)
    return None


@simplifies(Stretch)
def stretch_nothing(m: Match) -> Value | None:
    """Axes that are known to have the extents that they are stretched to stay as they are."""
    given = iter(m.operands[1:])
    for axis, extent in enumerate(m.attributes["shape"]):
        if extent == -1:
            dim = m.graph.producer(next(given), Dim)
            if dim is None or _origin(dim.operands[0], dim.attributes["axis"]) != _origin(
                m.operands[0], axis
            ):
                return None
    return m.operands[0]  # a known extent is one of both types, or there is no replacement


def _origin(value: Value, axis: int) -> tuple[Value, int]:
    """Where the extent of an axis comes from."""
    while (source := extent_source(value, axis)) is not None:
        value, axis = source
    return value, axis


# Joins and copies


@simplifies(Concat)
def concat_nothing(m: Match) -> Value | None:
    """Joining with what has no elements changes nothing."""
    axis = m.attributes["axis"]
    for empty, other in (m.operands, reversed(m.operands)):
        if type_of(empty).shape[axis] == 0 and type_of(other) == m.result_type:
            return other
    return None


@simplifies(Tile, Repeat, Pad)
def copy_once(m: Match) -> Value | None:
    """One copy, or a border of no width, changes nothing."""
    if m.op_class is Tile:
        return m.operands[0] if set(m.attributes["counts"]) <= {1} else None
    if m.op_class is Repeat:
        return m.operands[0] if m.attributes["count"] == 1 else None
    return None if any(m.attributes["low"]) or any(m.attributes["high"]) else m.operands[0]


@simplifies(Roll)
def roll_nothing(m: Match) -> Value | None:
    """A shift by nothing changes nothing."""
    return m.operands[0] if m.attributes["shift"] == 0 else None


@simplifies(Roll)
def roll_twice(m: Match) -> Value | None:
    """Two shifts along an axis are one."""
    inner = m.producer(0, Roll)
    if inner is None or inner.attributes["axis"] != m.attributes["axis"]:
        return None
    shift = inner.attributes["shift"] + m.attributes["shift"]
    return m.create(Roll, inner.operands[0], shift=shift, axis=m.attributes["axis"])


# Extents


@simplifies(Dim)
def extent_of_rearranged(m: Match) -> Value | None:
    """The extent of a transposed, reshaped or broadcast tensor is one of its operand's, or a given one."""
    axis = m.attributes["axis"]
    if transpose := m.producer(0, Transpose):
        return m.create(Dim, transpose.operands[0], axis=transpose.attributes["permutation"][axis])
    for op_class in (Reshape, BroadcastTo, Stretch):
        if made := m.producer(0, op_class):
            shape = made.attributes["shape"]
            return made.operands[1 + shape[:axis].count(-1)] if shape[axis] == -1 else None
    if expanded := m.producer(0, ExpandDims):
        axes = expanded.attributes["axes"]
        return (
            None
            if axis in axes
            else m.create(Dim, expanded.operands[0], axis=axis - sum(a < axis for a in axes))
        )
    if squeezed := m.producer(0, Squeeze):
        kept = [a for a in range(type_of(squeezed.operands[0]).rank) if a not in squeezed.attributes["axes"]]
        return m.create(Dim, squeezed.operands[0], axis=kept[axis])
    return None


@simplifies(Dim)
def extent_of_elementwise(m: Match) -> Value | None:
    """An unknown extent of an elementwise result is that of any operand in which it is unknown, too."""
    made = m.graph.match(m.operands[0])
    if made is None or made.op_class not in _ELEMENTWISE:
        return None
    rank = made.result_type.rank
    for operand in made.operands:
        own = m.attributes["axis"] - (rank - type_of(operand).rank)
        if own >= 0 and type_of(operand).shape[own] is None:
            return m.create(Dim, operand, axis=own)
    return None
