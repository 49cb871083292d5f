"""Compositions of ops that rearrange elements: transposes, reshapes, broadcasts, joins. No number changes."""

from __future__ import annotations

from ....dialect.extents import extent_source
from ....dialect.mlir import Value
from ....dialect.op import OPS, Elementwise
from ....dialect.ops import load_families
from ....dialect.ops.arrangement import Concat, Pad, Repeat, Roll, Tile
from ....dialect.ops.shape import BroadcastTo, Dim, ExpandDims, Reshape, Squeeze, Stretch, Transpose
from ....dialect.types import broadcast_shapes
from ...rewriting import Graph, Match, type_of
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


@simplifies(Stretch)
def stretch_repeated(m: Match) -> Value | None:
    """What is repeated along every axis that is stretched is repeated as often as it is wanted at once."""
    inner = m.producer(0, BroadcastTo)
    if inner is None:
        return None
    own = type_of(inner.operands[0]).shape
    shape, wanted = inner.attributes["shape"], m.attributes["shape"]
    for axis, (extent, target) in enumerate(zip(shape, wanted, strict=True)):
        place = axis - (len(shape) - len(own))
        if -1 in (extent, target) and place >= 0 and own[place] != 1:
            return None
    return m.create(BroadcastTo, inner.operands[0], *m.operands[1:], shape=wanted)


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
def extent_of_operand(m: Match) -> Value | None:
    """The extent of a transposed, reshaped, broadcast or elementwise result is one of its operands', or a given one."""
    asked = m.operands[0], m.attributes["axis"]
    origin, axis = _origin_of_extent(m.graph, *asked)
    if (origin, axis) == asked:
        return None
    return origin if axis is None else m.create(Dim, origin, axis=axis)


def _origin_of_extent(graph: Graph, value: Value, axis: int | None) -> tuple[Value, int | None]:
    """The axis that an extent is that of, as far up as can be; None for a scalar that is the extent.

    The graph remembers what was found: one extent is asked for at many places of a chain of ops.
    """
    passed = []
    here = value, axis
    while here not in graph.origins and (step := _operand_of_extent(graph, *here)) is not None:
        passed.append(here)
        here = step
    here = graph.origins.get(here, here)
    graph.origins.update(dict.fromkeys(passed, here))
    return here


def _operand_of_extent(graph: Graph, value: Value, axis: int | None) -> tuple[Value, int | None] | None:
    """The operand of the op that made a value, and its axis, of the same extent."""
    made = None if axis is None else graph.match(value)
    if made is None or axis is None:
        return None
    if made.op_class is Transpose:
        return made.operands[0], made.attributes["permutation"][axis]
    if made.op_class in (Reshape, BroadcastTo, Stretch):
        shape = made.attributes["shape"]
        return (made.operands[1 + shape[:axis].count(-1)], None) if shape[axis] == -1 else None
    if made.op_class is ExpandDims:
        axes = made.attributes["axes"]
        return None if axis in axes else (made.operands[0], axis - sum(a < axis for a in axes))
    if made.op_class is Squeeze:
        kept = [a for a in range(type_of(made.operands[0]).rank) if a not in made.attributes["axes"]]
        return made.operands[0], kept[axis]
    return _unknown_extent_of_operand(made, axis) if made.op_class in _ELEMENTWISE else None


def _unknown_extent_of_operand(made: Match, axis: int) -> tuple[Value, int] | None:
    """An unknown extent of an elementwise result is that of any operand in which it is unknown, too."""
    for operand in made.operands:
        operand_type = type_of(operand)
        own = axis - (made.result_type.rank - operand_type.rank)
        if own >= 0 and operand_type.shape[own] is None:
            return operand, own
    return None
