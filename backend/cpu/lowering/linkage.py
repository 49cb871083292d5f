"""What of a module can be called from outside, and what is compiled into its callers."""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ...planning.plan_attributes import called_once, planned_functions
from .inlining import INLINE


@dataclass(frozen=True)
class LinkFunctions(Pass):
    """Keep all functions of a planned module private to it, and out of line but for some.

    Only the entries, which call the planned functions, are seen from outside. What is inlined always is, which
    happens first: so its code is optimised once, and not once more in each caller.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        if not planned_functions(module):
            return
        internal = ir.Attribute.parse("#llvm.linkage<internal>")
        in_line = called_once(module)
        for view in module.body.operations:
            function = view.operation
            if function.name == "llvm.func" and function.regions[0].blocks:
                function.attributes["linkage"] = internal
                is_in_line = function in in_line or _is_chosen(function)
                function.attributes["always_inline" if is_in_line else "no_inline"] = ir.UnitAttr.get()
                statistics["functions inlined"] += is_in_line


def _is_chosen(function: Operation) -> bool:
    return INLINE in function.attributes and bool(function.attributes[INLINE].value)
