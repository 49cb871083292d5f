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
    is_written_in_vectors = all(access.is_contiguous_in(inner) for access in nest.outputs)
    return StridedLoop(nest, inner, emitter) if is_written_in_vectors and pays_apart(nest, inner) else None


def pays_apart(nest: LoopNest, inner: int) -> bool:
    """Whether a body has a vector form that is worth loading lanes one by one, from what the nest does not write."""
    if nest.extents[inner] in (0, 1) or not is_vectorisable(nest.body) or not computes_functions(nest.body):
        return False
    written = {root for access in nest.outputs for root in roots(access.memref)}
    read = {root for access in nest.inputs if not access.is_scalar for root in roots(access.memref)}
    return not read & written


class ReadsApart(VectorLoop):
    """An innermost loop that reads what does not lie side by side, up to `stop`."""

    stop: Index

    def _read_ahead(self) -> int:
        return 0  # which counts elements that do

    def _load(self, access: Access, points: Sequence[Index], mask: Value | None) -> Value:
        if access.is_contiguous_in(self.inner):
            return super()._load(access, points, mask)
        last = None if mask is None else self.emitter.subtract(self.stop, 1)
        loaded = []
        for lane in range(self.lanes):
            here = list(points)
            here[self.inner] = self.emitter.add(points[self.inner], lane)
            if last is not None:  # lanes off the mask read the last element, which is there
                here[self.inner] = self.emitter.minimum(here[self.inner], last)
            loaded.append(load(access.memref, access.indices(self.emitter, here)))
        type = vector_of(access.memref.type.element_type, self.lanes)
        return create("vector.from_elements", [type], loaded)


class StridedLoop(ReadsApart):
    """An innermost parallel loop."""

    def emit(self, bounds: tuple[Index, Index] | None) -> None:
        """Write the loop at the insertion point, with stores to the caches: functions take longer than these."""
        start, self.stop = bounds or (0, self.nest.extents[self.inner])
        self._emit_range(start, self.stop, self._invariants())
