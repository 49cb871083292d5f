"""What of a module can be called from outside, and what is compiled into its callers."""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, ir


def link_functions(module: Module, in_line: set[str]) -> None:
    """Keep everything but the entries private to the module, and functions out of line but for some.

    Those are always inlined, which happens first: so their code is optimised once, and not once more in each caller.
    """
    internal = ir.Attribute.parse("#llvm.linkage<internal>")
    for view in module.body.operations:
        function = view.operation
        if _has_body(function):
            function.attributes["linkage"] = internal
            is_in_line = function.attributes["sym_name"].value in in_line
            function.attributes["always_inline" if is_in_line else "no_inline"] = ir.UnitAttr.get()


def _has_body(op: Operation) -> bool:
    return op.name == "llvm.func" and any(True for _ in op.regions[0])
