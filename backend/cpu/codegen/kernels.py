"""Schedule the kernels of a module: linalg on tensors in, loops and vector code on memrefs out.

Kernels are private functions on memrefs with a tensor-level body. Each is bufferised in place onto its
arguments and then every linalg operation, alone or in a run of operations over the same rows, is written as
loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ....dialect.mlir import Block, Module, Operation, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.managers import module_pipeline, run_passes
from ...functions.math_expansion import expand_math
from ...nests.emit import Emitter, create
from ...nests.nest import loop_nest, nested
from ...ranges.decide import decide_comparisons
from .deallocation import allocations_in, free_memory
from .loops.streaming import fence_streams
from .schedule import emit_run
from .sharing.kernels import share_kernels
from .sharing.loops import split_parallel_loops
from .sorting import write_sorts
from .vectors.temporaries import settle_temporaries, shrink_temporaries

BUFFERISE = module_pipeline(
    [
        "func.func(linalg-generalize-named-ops)",  # one form to recognise
        "eliminate-empty-tensors",  # results are computed where they are stored
        "empty-tensor-to-alloc-tensor",
        "one-shot-bufferize{bufferize-function-boundaries=true allow-return-allocs-from-loops=true"
        " function-boundary-type-conversion=identity-layout-map}",
        "canonicalize",
        "cse",
    ]
)


@dataclass(frozen=True)
class ScheduleKernels(Pass):
    """Write the kernels of a module as loops and vector code on memrefs."""

    name: ClassVar[str] = "schedule-kernels"
    summary: ClassVar[str] = "write kernels as loops and vector code on memrefs"

    verify: bool = True

    def run(self, module: Module, statistics: Statistics) -> None:
        lower_kernels(module, self.verify)


def lower_kernels(module: Module, verify: bool = False) -> None:
    """Schedule all kernels of the module in place.

    What remains is scf, cf, memref, arith, math and vector. `verify` checks the IR after every upstream pass.
    """
    for function in [view.operation for view in module.body.operations]:
        if function.name == "func.func" and function.regions[0].blocks:
            write_sorts(function, Emitter(function))
    run_passes(module, BUFFERISE, verify)
    allocations: list[Operation] = []
    streaming: list[Operation] = []
    for operation in list(module.body.operations):
        function = operation.operation
        if function.name == "func.func" and list(function.regions[0].blocks):
            for made in _schedule(function, streaming):
                allocations += allocations_in(made)
    share_kernels(module)
    if allocations:
        free_memory(module, allocations, verify)
    for function in streaming:
        fence_streams(function)  # upstream's passes that free memory refuse ops of unknown effects
    decide_comparisons(module)
    # Last, as the passes before know nothing of the intrinsic functions in it.
    expand_math(module.operation)


def _schedule(function: Operation, streaming: list[Operation]) -> list[Operation]:
    """Write a function as loops, and functions of ranges of these; returns what allocates memory in them.

    Those that store past the caches are added to `streaming`.
    """
    emitter = Emitter(function)
    _copies_to_generic(function)
    for block in _blocks(function):
        for run, following in _runs(block):
            with ir.InsertionPoint(following), run[0].location:
                nests = [loop_nest(operation) for operation in run]
                emit_run(nests, emitter)
    allocations = shrink_temporaries(allocations_in(function))
    made = [function, *split_parallel_loops(function)]
    if emitter.stores_past_caches:
        streaming += made
    return settle_temporaries(allocations)


def _blocks(function: Operation) -> list[Block]:
    """All blocks that hold linalg operations, but not the bodies of those."""
    blocks: list[Block] = []

    def visit(operation: Operation) -> None:
        for region in operation.regions:
            for block in region.blocks:
                blocks.append(block)
                for op in block.operations:
                    if op.operation.name != "linalg.generic":
                        visit(op.operation)

    visit(function)
    return blocks


def _runs(block: Block) -> Iterator[tuple[list[Operation], Operation]]:
    """The linalg operations of a block in runs without anything in between that could touch memory.

    Each comes with the operation that follows it.
    """
    run: list[Operation] = []
    for operation in [op.operation for op in block.operations]:
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


def _copies_to_generic(function: Operation) -> None:
    """Copies become loops: LLVM makes memcpy of the contiguous ones, and no runtime library is needed."""
    for operation in [op.operation for op in nested(function) if op.operation.name == "memref.copy"]:
        source, target = operation.operands
        if source != target:
            with ir.InsertionPoint(operation), operation.location:
                _copy(source, target)
        operation.erase()


def _copy(source: ir.Value, target: ir.Value) -> None:
    rank, element = source.type.rank, source.type.element_type
    identity = ir.AffineMapAttr.get(ir.AffineMap.get_identity(rank))
    generic = ir.Operation.create(
        "linalg.generic",
        [],
        [source, target],
        {
            "indexing_maps": ir.ArrayAttr.get([identity, identity]),
            "iterator_types": ir.ArrayAttr.get(
                [ir.Attribute.parse("#linalg.iterator_type<parallel>")] * rank
            ),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1]),
        },
        regions=1,
    )
    block = generic.regions[0].blocks.append(element, element, arg_locs=[ir.Location.current] * 2)
    with ir.InsertionPoint(block):
        create("linalg.yield", [], [block.arguments[0]])
