"""Vector code for reductions of functions of elements that do not lie side by side: `np.exp(x[:, 0]).sum()`.

LLVM makes vectors of 32 bytes of such loops itself, which take as long, but none of 64.
"""

from __future__ import annotations

from collections.abc import Sequence

from .....dialect.mlir import Value
from ....nests.emit import Emitter, Index
from ....nests.nest import LoopNest
from ....nests.reductions import combiners
from ..vectors.width import vector_bytes
from .strided_loops import ReadsApart, pays_apart
from .vector_reductions import VectorReduction

_LLVMS = 64
"""Of machines with such vectors LLVM makes none itself."""


def match_strided_reduction(
    nest: LoopNest, carried: Sequence[int], emitter: Emitter
) -> StridedReduction | None:
    """The vector form of the reductions that run innermost over what lies apart, where that pays."""
    inner, found = carried[-1], combiners(nest)
    known = [op for op in found if op is not None]
    if vector_bytes() < _LLVMS or len(known) < len(found) or not pays_apart(nest, inner):
        return None
    return StridedReduction(nest, inner, emitter, list(carried), known)


class StridedReduction(ReadsApart, VectorReduction):
    """The innermost reduction loops."""

    def _inner_loops(self, totals: list[Value], start: Index, stop: Index) -> list[Value]:
        self.stop = stop
        return super()._inner_loops(totals, start, stop)
