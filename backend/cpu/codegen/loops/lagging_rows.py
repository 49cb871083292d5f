"""Stencils in place on several axes: rows are stored when the rows that read what was there are computed.

    memory = f(u[2:, 1:-1], u[:-2, 1:-1])        for each row:
    u[1:-1, 1:-1] = memory             becomes       compute it to one of two rows of memory, then store the one before

So what lies between is in the first-level cache, and the tensor goes through the caches once. What is a row here is all
that one index on the first axis selects.
"""

from __future__ import annotations

from .....dialect.mlir import Value, ir
from .....dialect.records import dataclass
from ....nests.emit import Emitter, Index, compare, create, only_if
from ....nests.independence import base
from ....nests.nest import Access, LoopNest
from ..vectors.temporaries import known_bytes
from .lagging_stores import MOST_BYTES, copies, reads_by_itself
from .schedule import emit_loops
from .vector_loops import is_used

_MOST_LAG = 4
"""Rows that are kept, where each reads as many behind itself."""


def match_lagging_rows(nest: LoopNest, copy: LoopNest, emitter: Emitter) -> LaggingRows | None:
    """A nest over rows and the copy of its result as one loop, where rows read nothing far behind themselves."""
    memory, rank = nest.outputs[0].memref, len(nest.parallel)
    if rank < 2 or not all(nest.parallel + copy.parallel) or len(nest.outputs) != 1 or nest.fixed:
        return None
    size = known_bytes(memory.type)
    if size is None or size > MOST_BYTES or nest.extents != copy.extents or not copies(copy, memory):
        return None
    target = copy.outputs[0]
    if not all(map(_is_plain, (nest.outputs[0], copy.inputs[0], target))) or 0 in nest.extents:
        return None
    if is_used(list(nest.body.arguments)[len(nest.inputs)]):
        return None
    if reads_by_itself(nest, target):
        return None
    behind = [_distance(access, target) for access in nest.inputs if not access.is_scalar]
    if any(rows is None for rows in behind):
        return None
    lag = max([0, *(rows for rows in behind if rows is not None)])
    return LaggingRows(nest, copy, lag, emitter) if lag <= min(_MOST_LAG, _length(nest) // 2) else None


def _length(nest: LoopNest) -> int:
    extent = nest.extents[0]
    assert isinstance(extent, int)
    return extent


def _is_plain(access: Access) -> bool:
    """Whether an access goes through its memref in the order of the loops."""
    dims = [e.position if isinstance(e, ir.AffineDimExpr) else None for e in access.expressions]
    return not access.is_scalar and dims == list(range(len(dims)))


def _distance(read: Access, target: Access) -> int | None:
    """How many rows behind the one that is stored one is read; None where that is not known."""
    if base(read.memref) != base(target.memref):
        return 0
    first, place = _first_row(read.memref), _first_row(target.memref)
    if first is None or place is None or not _is_plain(read):
        return None
    return place - first


def _first_row(memref: Value) -> int | None:
    """Where on the first axis of its array a view begins that has as many axes, and no gaps along the first."""
    if memref == base(memref):
        return 0
    view = memref.owner.operation
    if view.name != "memref.subview" or view.operands[0] != base(memref) or len(view.operands) > 1:
        return None
    offsets, strides = list(view.attributes["static_offsets"]), list(view.attributes["static_strides"])
    return int(offsets[0]) if memref.type.rank == len(offsets) and strides[0] == 1 else None


@dataclass(frozen=True)
class LaggingRows:
    """A loop over rows that computes one, and stores the one that was computed `lag` iterations before."""

    nest: LoopNest
    copy: LoopNest
    lag: int
    emitter: Emitter

    def emit(self) -> None:
        """Write the loop at the insertion point."""
        memory, extent = self.nest.outputs[0].memref, _length(self.nest)
        self._keep_rows(memory)
        with self.emitter.loop(extent + self.lag) as position:
            row = self.emitter.subtract(position, self.lag)
            self.nest.fixed[0], self.copy.fixed[0] = position, row
            with only_if(self._is_less(position, extent)):
                emit_loops(self.nest, self.emitter)
            with only_if(self._is_less(-1, row)):
                emit_loops(self.copy, self.emitter)
        memory.owner.operation.erase()

    def _keep_rows(self, memory: Value) -> None:
        """Let the nest write to memory for the rows that are not stored yet, one after the other."""
        kept, type = self.lag + 1, memory.type
        rows = ir.MemRefType.get([kept, *type.shape[1:]], type.element_type)
        segments = ir.DenseI32ArrayAttr.get([0, 0])
        buffer = create("memref.alloc", [rows], [], {"operandSegmentSizes": segments})
        first, *others = (ir.AffineExpr.get_dim(dim) for dim in range(type.rank))
        place = [ir.AffineExpr.get_mod(first, kept) if kept > 1 else ir.AffineExpr.get_constant(0), *others]
        self.nest.outputs[0] = self.copy.inputs[0] = Access(buffer, place, is_scalar=False)

    def _is_less(self, left: Index, right: Index) -> Value:
        return compare("slt", self.emitter.value(left), self.emitter.value(right))
