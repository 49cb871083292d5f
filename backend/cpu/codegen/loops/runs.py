"""Loop nests that follow each other, and are no products, as loops."""

from __future__ import annotations

from ....nests.collapse import collapse_dims
from ....nests.emit import Emitter
from ....nests.nest import LoopNest
from ....nests.reductions import relax_combiners
from .fusion import emit_nests


def emit_loops(nests: list[LoopNest], emitter: Emitter) -> None:
    """Write the loops of some nests at the insertion point, over as few dimensions as possible."""
    for nest in nests:
        relax_combiners(nest)
    if nests:
        collapse_dims(nests, emitter)
        emit_nests(nests, emitter)
