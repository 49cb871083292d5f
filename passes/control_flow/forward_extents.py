"""Ask for extents where they are first known: a loop that updates an array does not change its shape."""

from __future__ import annotations

from ...dialect.extents import SCALAR
from ...dialect.mlir import Module, ir
from ...dialect.ops.shape import Dim
from ...dialect.records import dataclass
from ...dialect.register import create, decode_attributes, op_class_of
from ..base import Pass, Statistics
from ..rewriting import operations_of
from .extents import Extents
from .structure import functions_with_control_flow


@dataclass(frozen=True)
class ForwardExtents(Pass):
    """Let `weft.dim` read the extent of what a tensor got its shape from.

    Ops say where their extents come from, and loops all of whose iterations keep an extent have it from before. Then
    the extent of an array that a loop writes does not change in the loop.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Change no tensor, so that what is found about one extent holds for all."""
        for function in functions_with_control_flow(module):
            extents = Extents()
            replaced = []
            for operation in operations_of(function):
                if op_class_of(operation) is not Dim:
                    continue
                axis = decode_attributes(Dim, operation)["axis"]
                source, source_axis = extents.origin(operation.operands[0], axis)
                if source == operation.operands[0]:
                    continue
                if source_axis != SCALAR:
                    with ir.InsertionPoint(operation):
                        made = create(Dim, [source], {"axis": source_axis}, location=operation.location)
                    source = made.results[0]
                operation.results[0].replace_all_uses_with(source)
                replaced.append(operation)
                statistics["extents forwarded"] += 1
            for operation in replaced:  # what was found is known by values, which must not be made anew
                operation.erase()
