"""What of a module can be called from outside, and what is compiled into its callers."""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, ir


def link_functions(module: Module, in_line: set[str]) -> None:
    """Keep everything but the entries private to the module, and functions out of line but for some."""
    internal = ir.Attribute.parse("#llvm.linkage<internal>")
    for view in module.body.operations:
        function = view.operation
        if _has_body(function):
            function.attributes["linkage"] = internal
            if function.attributes["sym_name"].value not in in_line:
                function.attributes["no_inline"] = ir.UnitAttr.get()


def _has_body(op: Operation) -> bool:
    return op.name == "llvm.func" and any(True for _ in op.regions[0])
