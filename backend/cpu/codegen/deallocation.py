"""Free what kernels allocate, at the end of the block that allocates it.

That is all there is to do where nothing but reads, writes and views uses the memory. Where it goes anywhere else, as
what a loop carries does, upstream's passes find out who is to free it, which takes as long as writing the loops.
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, ir
from ....passes.managers import module_pipeline, run_passes
from ...nests.emit import create

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


def free_memory(module: Module, allocations: list[Operation], verify: bool) -> None:
    """Free what a module's `memref.alloc` ops allocate."""
    if not all(map(_stays_in_its_block, allocations)):
        run_passes(module, FREE, verify)
        return
    for allocation in allocations:
        *_, last = allocation.block.operations
        with ir.InsertionPoint(last.operation), allocation.location:
            create("memref.dealloc", [], [allocation.results[0]])


def allocations_in(function: Operation) -> list[Operation]:
    """The ops of a function that allocate memory."""
    found: list[Operation] = []

    def visit(op: Operation) -> ir.WalkResult:
        if op.name == "memref.alloc":
            found.append(op)
        return ir.WalkResult.ADVANCE

    function.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


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


__all__ = ["allocations_in", "free_memory"]
