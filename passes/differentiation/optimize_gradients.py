"""Differentiate, and optimise what that makes like what a user would have written."""

from __future__ import annotations

from ...dialect.mlir import Module, Operation, ir
from ...dialect.ops.differentiation import Marker, Request
from ...dialect.records import dataclass
from ...dialect.register import op_class_of
from ..base import Pass, Statistics
from ..pipeline import run_pipeline
from ..pipelines import PIPELINES

AGAIN = "weft-gradients"
"""The pipeline that replaces gradients and optimises the result."""


@dataclass(frozen=True)
class OptimizeGradients(Pass):
    """Run the pipeline `weft-gradients` where there are gradients; others pass at the cost of a look at every op."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Run the pipeline if there is something to do."""
        if has_gradients(module):
            run_pipeline(module, PIPELINES[AGAIN])


def has_gradients(module: Module) -> bool:
    """Whether something in a module asks for derivatives, or marks values for that."""
    found = False

    def visit(operation: Operation) -> object:
        nonlocal found
        op_class = op_class_of(operation)
        found = op_class is not None and issubclass(op_class, (Marker, Request))
        return ir.WalkResult.INTERRUPT if found else ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found
