"""How arrays are passed: as pointers alone where their types tell the rest.

A memref is passed as two pointers, an offset, and all sizes and strides, which are constants for most arrays. A
function of a hundred arrays would have seven hundred parameters, and LLVM looks at each of them at each call.
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, Type, ir
from ...planning.names import is_parallel_name

_POINTERS_ONLY = "llvm.bareptr"


def pass_pointers(module: Module) -> set[str]:
    """Pass pointers alone to the functions whose types allow it, and to all their calls; returns their names."""
    found = set()
    for view in module.body.operations:
        function = view.operation
        if function.name == "func.func" and _is_made_here(function) and _is_static(function):
            function.attributes[_POINTERS_ONLY] = ir.UnitAttr.get()
            found.add(function.attributes["sym_name"].value)
    return found


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
