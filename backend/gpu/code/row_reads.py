"""Rows that the body of a nest reads by itself, at an index that it computes: neighbours are neighbours there, too.

%7 = memref.load %table[%6, %0]         where %0 is the place along the last dimension, and %6 is the same along it
"""

from __future__ import annotations

from ....dialect.mlir import Operation, Value, ir
from ....passes.rewriting import operations_in
from ...nests.emit import Emitter
from ...nests.nest import LoopNest, unit_stride, whole
from .vectors import element_bytes, elements_of, load_vector, rows_are_multiples


def row_reads(nest: LoopNest, dim: int, lanes: int) -> list[Operation]:
    """What the body of a nest reads of rows along a dimension, of which so many neighbours may be read at once."""
    ops = operations_in(nest.body)
    places = {op.results[0] for op in ops if op.name == "linalg.index" and op.attributes["dim"].value == dim}
    pairs = zip(nest.body.arguments, nest.accesses, strict=True)
    varying = places | {v for v, access in pairs if not access.is_scalar and access.mentions(dim)}
    found = []
    for op in ops:
        if op.name == "memref.load" and _is_table(op.operands[0], nest, lanes):
            _, *others, last = op.operands
            if last in places and not varying & set(others):
                found.append(op)
        if op.regions or varying & set(op.operands):
            varying |= set(op.results)
    return found


def _is_table(memref: Value, nest: LoopNest, lanes: int) -> bool:
    """Whether neighbours in rows of some memory can be read at once, if rows begin where they may."""
    type = memref.type
    if type.rank < 1 or not unit_stride(memref) or not element_bytes(type.element_type):
        return False
    length = type.shape[-1]
    is_even = length == ir.ShapedType.get_dynamic_size() or length % lanes == 0
    is_outside = isinstance(memref.owner, ir.Block) or memref.owner.operation.block != nest.body
    return is_outside and is_even and rows_are_multiples(whole(memref), lanes)


class RowReads:
    """Rows that a thread reads at some neighbouring points, once for all of them."""

    def __init__(self, reads: list[Operation], lanes: int, emitter: Emitter) -> None:
        self._reads, self._lanes, self._emitter = reads, lanes, emitter
        self._elements: dict[Operation, list[Value]] = {}

    def element(self, lane: int, op: Operation, operands: list[Value]) -> Value | None:
        """What an operation of the body reads, of operands that are those of the first point where it is the first;
        None for others."""
        if self._lanes == 1 or op not in self._reads:
            return None
        if op not in self._elements:
            memref, *place = operands
            vector = load_vector(whole(memref), place, self._lanes, self._emitter)
            self._elements[op] = elements_of(vector)
        return self._elements[op][lane]
