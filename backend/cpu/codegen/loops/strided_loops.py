"""Vector code for loops that read elements which do not lie side by side, as columns of a table do.

    y[i] = exp(x[3 * i])       the lanes of a vector are loaded one by one, and exp is computed for all of them

Only where functions are computed that take many instructions: a loop of little else than loads is as fast without.
"""

from __future__ import annotations

from collections.abc import Sequence

from .....dialect.mlir import Value
from ....nests.emit import Emitter, Index, create, load
from ....nests.independence import roots
from ....nests.nest import Access, LoopNest
from .vector_body import computes_functions, is_vectorisable, vector_of
from .vector_loops import VectorLoop


def match_strided_loop(nest: LoopNest, inner: int, emitter: Emitter) -> StridedLoop | None:
    """The vector form of an innermost parallel loop that reads what lies apart, where that pays."""
    if nest.extents[inner] in (0, 1) or not is_vectorisable(nest.body) or not computes_functions(nest.body):
        return None
    if not all(access.is_contiguous_in(inner) for access in nest.outputs):
        return None
    written = {root for access in nest.outputs for root in roots(access.memref)}
    read = {root for access in nest.inputs if not access.is_scalar for root in roots(access.memref)}
    return None if read & written else StridedLoop(nest, inner, emitter)


class StridedLoop(VectorLoop):
    """An innermost parallel loop."""

    def __init__(self, nest: LoopNest, inner: int, emitter: Emitter) -> None:
        super().__init__(nest, inner, emitter)
        self.from_memory = [access for access in self.from_memory if access.is_contiguous_in(inner)]
        self._stop: Index = nest.extents[inner]

    def emit(self, bounds: tuple[Index, Index] | None) -> None:
        """Write the loop at the insertion point, with stores to the caches: functions take longer than these."""
        start, stop = bounds or (0, self.nest.extents[self.inner])
        self._stop = stop
        self._emit_range(start, stop, self._invariants())

    def _load(self, access: Access, points: Sequence[Index], mask: Value | None) -> Value:
        if access.is_contiguous_in(self.inner):
            return super()._load(access, points, mask)
        last = None if mask is None else self.emitter.subtract(self._stop, 1)
        loaded = []
        for lane in range(self.lanes):
            here = list(points)
            here[self.inner] = self.emitter.add(points[self.inner], lane)
            if last is not None:  # lanes off the mask read the last element, which is there
                here[self.inner] = self.emitter.minimum(here[self.inner], last)
            loaded.append(load(access.memref, access.indices(self.emitter, here)))
        type = vector_of(access.memref.type.element_type, self.lanes)
        return create("vector.from_elements", [type], loaded)


__all__ = ["match_strided_loop"]
