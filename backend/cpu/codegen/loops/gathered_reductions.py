"""Reductions over rows of unknown length that read elements at places which other arrays give: `v[a:b] @ x[c[a:b]]`.

Rows of sparse matrices have a few elements each, and a branch that depends on how many costs more than all else. They
are read in short vectors, the last of which always runs, under a mask: rows up to that length take no such branch.
Elements at places are loaded one by one, those of lanes off the mask at the first place: gathers take longer.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from .....dialect.mlir import Operation, Value, ir
from ....nests.emit import SHORT_ROWS, Emitter, ForLoop, Index, compare, create, load, only_if, otherwise
from ....nests.nest import LoopNest, memref_size
from ....nests.reductions import combiners
from ..vectors.code import lane_mask
from ..vectors.width import vector_bytes
from .vector_body import is_vectorisable, vector_of
from .vector_loops import contiguous_or_same
from .vector_reductions import VectorReduction

LANES = 4
"""Elements take a time each: longer vectors bring little to long rows, and short rows pay for all lanes."""

MASKED_LOADS = 32
"""The size of the vectors of machines with instructions that load under masks."""


def match_gathered_reduction(
    nest: LoopNest, carried: Sequence[int], emitter: Emitter
) -> GatheredReduction | None:
    """The form of a reduction with loads in its body, where the machine has masks and nobody knows the length."""
    inner, found = carried[-1], combiners(nest)
    known = [op for op in found if op is not None]
    if vector_bytes() < MASKED_LOADS or isinstance(nest.extents[inner], int) or len(known) < len(found):
        return None
    if not contiguous_or_same(nest, inner) or not is_vectorisable(nest.body, _is_read):
        return None
    reduction = GatheredReduction(nest, inner, emitter, list(carried), known)
    written = [access.memref for access in nest.outputs]
    in_order = all(not _is_read(op) for op in reduction.body.invariant)
    from_others = all(memref not in written for memref in reduction.read)
    return reduction if reduction.read and in_order and from_others else None


def _is_read(op: Operation) -> bool:
    return bool(op.name == "memref.load" and op.operands[0].type.rank == 1)


class GatheredReduction(VectorReduction):
    """The innermost reduction loop."""

    def __init__(
        self, nest: LoopNest, inner: int, emitter: Emitter, dims: list[int], combiners: list[Operation]
    ) -> None:
        super().__init__(nest, inner, emitter, dims, combiners)
        self.lanes, self.unroll, self.from_memory = LANES, 1, []
        self.read = [op.operands[0] for op in self.body.varying if _is_read(op)]
        """The arrays that the body reads at places."""
        self.mask: Value | None = None
        """Of the lanes that are computed now."""

    def emit(self, bounds: tuple[Index, Index] | None) -> None:
        """Write the loop; tells of a kernel that it may be about short rows."""
        super().emit(bounds)
        if len(self.nest.parallel) == 1:
            self.emitter.entry.owner.attributes[SHORT_ROWS] = ir.UnitAttr.get()

    def _shares_blocks(self) -> bool:
        return False

    def _strips(
        self, totals: list[Value], start: Index, stop: Index, constant: dict[Value, Value]
    ) -> list[Value]:
        left = self.emitter.maximum(self.emitter.subtract(self.emitter.subtract(stop, start), 1), 0)
        last = self.emitter.add(start, self._whole(0, left, self.lanes))
        loop = ForLoop(self.emitter, start, last, self.lanes, totals, unroll=False)
        with loop.body():
            loop.end(self._step(loop.position, loop.carried, constant, None))
        mask = lane_mask(self.emitter, self.emitter.subtract(stop, last), self.lanes)
        return self._where_there_are_elements(
            loop.results, lambda: self._step(last, loop.results, constant, mask)
        )

    def _step(
        self, position: Index, totals: list[Value], constant: dict[Value, Value], mask: Value | None
    ) -> list[Value]:
        self.mask = mask
        return super()._step(position, totals, constant, mask)

    def _where_there_are_elements(self, totals: list[Value], step: Callable[[], list[Value]]) -> list[Value]:
        """What a step gives if no array that it reads is empty: lanes off the mask read the first elements."""
        sizes: list[Index] = [
            memref_size(memref, 0) if memref.type.is_dynamic_dim(0) else memref.type.shape[0]
            for memref in self.read
        ]
        least = functools.reduce(self.emitter.minimum, sizes)
        if isinstance(least, int):
            return step() if least > 0 else totals
        condition = compare("sgt", self.emitter.value(least), self.emitter.value(0))
        with only_if(condition, [total.type for total in totals]) as branch:
            branch.give(step())
        with otherwise(branch):
            branch.give(totals)
        return branch.results

    def _read(self, op: Operation, vectors: Mapping[Value, Value]) -> Value:
        memref, place = op.operands
        places, loaded = vectors[place], []
        if self.mask is not None:
            first = self.emitter.splat(0, places.type)
            places = create("arith.select", [places.type], [self.mask, places, first])
        for lane in range(self.lanes):
            position = {"static_position": ir.DenseI64ArrayAttr.get([lane])}
            index = create("vector.extract", [self.emitter.index_type], [places], position)
            loaded.append(load(memref, [index]))
        return create("vector.from_elements", [vector_of(op.results[0].type, self.lanes)], loaded)
