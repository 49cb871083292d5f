"""Where the temporaries of kernels are allocated, and freed: at the end of the block that allocates them.

That is all there is to do where nothing but reads, writes and views uses the memory. Where it goes anywhere else, as
what a loop carries does, upstream's passes find out who is to free it, which takes as long as writing the loops.
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.managers import module_pipeline, run_passes
from ....passes.rewriting import defined_functions
from ...nests.emit import create
from .vectors.temporaries import allocations_in, settle_temporaries

FREE = module_pipeline(["buffer-deallocation-pipeline"])  # once only: it refuses functions that free memory

_VIEWS = (
    "memref.cast",
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.reinterpret_cast",
    "memref.subview",
    "memref.view",
)
_USES = (
    "func.call",
    "linalg.generic",
    "memref.copy",
    "memref.dim",
    "memref.load",
    "memref.store",
    "vector.load",
    "vector.maskedload",
    "vector.maskedstore",
    "vector.store",
    "vector.transfer_read",
    "vector.transfer_write",
)
"""What reads and writes memory that it is given, and keeps nothing of it; calls return no memory."""


@dataclass(frozen=True)
class PlaceTemporaries(Pass):
    """Put small temporaries on the stack, allocate the others before loops, and free them."""

    def run(self, module: Module, statistics: Statistics) -> None:
        allocations: list[Operation] = []
        for view in defined_functions(module):
            found = allocations_in(view.operation)
            left = settle_temporaries(found)
            statistics["temporaries on the stack"] += len(found) - len(left)
            allocations += left
        if allocations:
            statistics["temporaries freed"] += len(allocations)
            _free(module, allocations)


def _free(module: Module, allocations: list[Operation]) -> None:
    if not all(map(_stays_in_its_block, allocations)):
        run_passes(module, FREE)
        return
    for allocation in allocations:
        *_, last = allocation.block.operations
        with ir.InsertionPoint(last.operation), allocation.location:
            create("memref.dealloc", [], [allocation.results[0]])


def _stays_in_its_block(allocation: Operation) -> bool:
    """Whether memory is used where it is allocated, and inside of that, alone."""
    waiting = [allocation.results[0]]
    while waiting:
        for use in waiting.pop().uses:
            user = use.owner.operation
            if user.name in _VIEWS:
                waiting.append(user.results[0])
            elif user.name not in _USES or any(isinstance(r.type, ir.MemRefType) for r in user.results):
                return False
    return True
