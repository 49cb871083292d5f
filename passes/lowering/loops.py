"""Loops and branches over tensors, for ops whose elements depend on each other.

The loops carry tensors that every iteration updates in place: bufferization makes of them one memory each, as
long as an element is read before the tensor is written in the same iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ...dialect.made_ops import operation_of, value_of
from ...dialect.mlir import Value, dialect, ir
from ..index_arithmetic import Extent
from .conversion import Conversion

arith = dialect("arith")

LoopBody: TypeAlias = "Callable[[Value, list[Value]], Sequence[Value]]"
"""From the index and the carried values to the next carried values."""


def for_loop(
    c: Conversion, lower: Extent, upper: Extent, carried: Sequence[Value], body: LoopBody
) -> list[Value]:
    """An `scf.for` that carries values; returns them as they are at the end."""
    types = [value.type for value in carried]
    bounds = [c.index(lower), c.index(upper), c.index(1)]
    op = operation_of("scf.for", [*bounds, *carried], types, regions=1)
    block = op.regions[0].blocks.append(ir.IndexType.get(), *types)
    with ir.InsertionPoint(block):
        index, *values = block.arguments
        operation_of("scf.yield", body(index, values))
    return list(op.results)


def loop_nest(
    c: Conversion,
    extents: Sequence[Extent],
    carried: Sequence[Value],
    body: Callable[[list[Value], list[Value]], Sequence[Value]],
) -> list[Value]:
    """Nested loops from zero to the extents, the last innermost; `body` takes indices and carried values."""

    def nested(indices: list[Value], values: list[Value]) -> Sequence[Value]:
        if len(indices) == len(extents):
            return body(indices, values)
        return for_loop(
            c, 0, extents[len(indices)], values, lambda index, inner: nested([*indices, index], inner)
        )

    return list(nested([], list(carried)))


def branch(
    condition: Value,
    then: Callable[[], Sequence[Value]],
    otherwise: Callable[[], Sequence[Value]],
    like: Value,
) -> Value:
    """An `scf.if` with one result of the type of `like`."""
    op = operation_of("scf.if", [condition], [like.type], regions=2)
    for region, arm in zip(op.regions, (then, otherwise), strict=True):
        with ir.InsertionPoint(region.blocks.append()):
            operation_of("scf.yield", arm())
    return op.results[0]


def extract(tensor: Value, indices: Sequence[Value]) -> Value:
    """An element of a tensor."""
    element = ir.RankedTensorType(tensor.type).element_type
    return value_of("tensor.extract", [tensor, *indices], element)


def insert(scalar: Value, tensor: Value, indices: Sequence[Value]) -> Value:
    """The tensor with one element replaced."""
    return value_of("tensor.insert", [scalar, tensor, *indices], tensor.type)
