"""How arrays are passed: as pointers alone where their types tell the rest.

A memref is passed as two pointers, an offset, and all sizes and strides, which are constants for most arrays. A
function of a hundred arrays would have seven hundred parameters, and LLVM looks at each of them at each call.
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, Type, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ...planning.names import is_parallel_name

BY_POINTER = "llvm.bareptr"
"""The attribute of functions that take pointers alone, which upstream knows."""


@dataclass(frozen=True)
class PassPointers(Pass):
    """Pass arrays as pointers alone where their types tell the rest."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in module.body.operations:
            function = view.operation
            if function.name == "func.func" and _is_made_here(function) and _is_static(function):
                function.attributes[BY_POINTER] = ir.UnitAttr.get()
                statistics["functions"] += 1


def _is_made_here(function: Operation) -> bool:
    """Whether a function has a body, or gets one when it is linked."""
    return bool(function.regions[0].blocks) or is_parallel_name(function.attributes["sym_name"].value)


def _is_static(function: Operation) -> bool:
    type = function.attributes["function_type"].value
    return all(map(_is_told, type.inputs)) and not any(isinstance(t, ir.MemRefType) for t in type.results)


def _is_told(type: Type) -> bool:
    """Whether a pointer is all that is not known of a value."""
    if not isinstance(type, ir.MemRefType):
        return True
    if type.rank > 1 and 0 in type.shape:  # upstream passes those as it passes unknown sizes
        return False
    return bool(type.has_static_shape) and type.layout == ir.AffineMapAttr.get(
        ir.AffineMap.get_identity(type.rank)
    )
