"""Decide the extents of slices whose bounds move along with a loop: `x[i : i + 5]`, where i + 5 stays within x."""

from __future__ import annotations

from ...dialect.mlir import Module, ir
from ...dialect.ops.shape import Dim
from ...dialect.ops.slicing import DynamicSlice
from ...dialect.records import dataclass
from ...dialect.register import decode_attributes, op_class_of
from ..base import Pass, Statistics
from ..rewriting import operations_of
from .slices import spans_of
from .structure import constant_tensor, functions_with_control_flow, is_used, producer, replace_all


@dataclass(frozen=True)
class ProveExtents(Pass):
    """Replace what `weft.dim` reads of a slice by a number, where the slice has as many elements in all iterations.

    Checks that compare it with what else an op takes are then decided.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Look at every extent of a slice with bounds known at run time."""
        for function in functions_with_control_flow(module):
            for operation in operations_of(function):
                if op_class_of(operation) is not Dim or not is_used(operation.results[0]):
                    continue
                made = producer(operation.operands[0])
                if made is None or op_class_of(made) is not DynamicSlice:
                    continue
                span = spans_of(made)[decode_attributes(Dim, operation)["axis"]]
                if span is not None:
                    with ir.InsertionPoint(operation), operation.location:
                        replace_all(operation.results, [constant_tensor(span.size)])
                    statistics["extents proved"] += 1
