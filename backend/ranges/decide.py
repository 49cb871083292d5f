"""Comparisons whose truth the ranges of integers tell, among them checks that an index is inside of its array.

An index is kept inside of its array wherever it is read or written: `i < 0` chooses `i + n`, and `0 <= place < n`
chooses `place` or 0. What makes machine code slow is not needed where loops and conditions around keep the index there:

    while i < 100: x[i]; i = i + 1        begins with i = 0: in the body, i is from 0 to 99

Nothing relies on anything else than on what the module itself computes: extents are those of the memrefs, and the
integers that a caller passes may be any, except for those that the module passes to its own kernels.
"""

from __future__ import annotations

from ...dialect.loops import INTERRUPTIBLE
from ...dialect.mlir import Block, Module, ir
from ...dialect.records import dataclass
from ...passes.base import Pass, Statistics
from ...passes.rewriting import operations_in
from ..nests.emit import create

_FOR, _WHILE = "scf.for", "scf.while"


@dataclass(frozen=True)
class DecideComparisons(Pass):
    """Decide comparisons of integers by their ranges, such as checks of indices."""

    def run(self, module: Module, statistics: Statistics) -> None:
        statistics["comparisons decided"] += decide_comparisons(module)


def decide_comparisons(module: Module) -> int:
    """Decide what can be decided in a module of structured loops on memrefs; returns how many comparisons that were."""
    functions = {
        view.operation.attributes["sym_name"].value: view.operation
        for view in module.body.operations
        if view.operation.name == "func.func" and len(view.regions[0].blocks) == 1
    }
    if not any(_has_loops(function.regions[0].blocks[0]) for function in functions.values()):
        return 0
    if any(
        view.operation.name == "func.func" and len(view.regions[0].blocks) > 1
        for view in module.body.operations
    ):
        return 0  # it may call kernels with anything
    from .kernels import Kernels  # most programs have no such loops

    found = Kernels(functions).decided()
    for operation, holds in found.items():
        with ir.InsertionPoint(operation), operation.location:
            truth = create(
                "arith.constant", [operation.results[0].type], [], {"value": ir.BoolAttr.get(holds)}
            )
        operation.results[0].replace_all_uses_with(truth)
        operation.erase()
    return len(found)


def _has_loops(block: Block) -> bool:
    """Whether there are loops of the program, not inside of others; upstream unmarks each `scf.while` on memory."""
    operations = operations_in(block)
    return any(
        op.name == _WHILE or (op.name == _FOR and INTERRUPTIBLE in op.attributes) for op in operations
    ) or any(
        _has_loops(inner)
        for op in operations
        if op.name == "scf.if"
        for region in op.regions
        for inner in region.blocks
    )
