"""Schedule the kernels of a module: linalg on memrefs in, loops and vector code out.

Every linalg operation, alone or in a run of operations over the same rows, is written as loops.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....dialect.mlir import Block, Module, Operation, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import blocks_of, defined_functions, operations_in
from ...nests.emit import Emitter
from ...nests.nest import LoopNest, loop_nest
from .loops.runs import emit_loops
from .loops.streaming import STREAMS
from .stages.tiled_nests import tiled


@dataclass(frozen=True)
class ScheduleKernels(Pass):
    """Write the linalg operations of kernels as loops and vector code on memrefs."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in defined_functions(module):
            _schedule(view.operation, statistics)


def _schedule(function: Operation, statistics: Statistics) -> None:
    emitter = Emitter(function)
    for block in _blocks(function):
        for run, following in _runs(block):
            with ir.InsertionPoint(following), run[0].location:
                nests = [loop_nest(operation) for operation in run]
                statistics["operations scheduled"] += len(nests)
                of_tiles = False
                for tile in tiled(nests, emitter):
                    _emit(tile, emitter)
                    of_tiles = True
                if not of_tiles:
                    _emit(nests, emitter)
    if emitter.stores_past_caches:
        function.attributes[STREAMS] = ir.UnitAttr.get()


def _emit(nests: list[LoopNest], emitter: Emitter) -> None:
    """Write loop nests that follow each other at the insertion point."""
    if all(all(nest.parallel) for nest in nests):
        emit_loops(nests, emitter)
        return
    from .schedule import emit_run  # which loads all that is known of products

    emit_run(nests, emitter)


def _blocks(function: Operation) -> list[Block]:
    """All blocks that hold linalg operations, but not the bodies of those."""
    blocks: list[Block] = []

    def visit(operation: Operation) -> None:
        for block in blocks_of(operation):
            blocks.append(block)
            for op in operations_in(block):
                if op.name != "linalg.generic":
                    visit(op)

    visit(function)
    return blocks


def _runs(block: Block) -> Iterator[tuple[list[Operation], Operation]]:
    """The linalg operations of a block in runs without anything in between that could touch memory.

    Each comes with the operation that follows it.
    """
    run: list[Operation] = []
    for operation in operations_in(block):
        if operation.name == "linalg.generic":
            run.append(operation)
        elif run and not _hoist(operation, run):
            yield run, operation
            run = []


def _hoist(operation: Operation, run: list[Operation]) -> bool:
    """Move an operation that neither reads nor writes memory before the run; False if it has to stay."""
    if operation.name not in ("memref.alloc", "memref.dim", "arith.constant", "memref.subview"):
        return False
    operation.move_before(run[0])
    return True
