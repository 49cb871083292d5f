"""The functions of the C library that lowered code calls, besides those the `math` dialect stands for."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from ...dialect.mlir import Value, dialect, ir
from .conversion import Conversion

_COMPLEX_FUNCTIONS = (
    *("cexp", "clog", "csqrt", "csin", "ccos", "ctan", "casin", "cacos", "catan"),
    *("csinh", "ccosh", "ctanh", "casinh", "cacosh", "catanh"),
)

LIBRARY = MappingProxyType(
    {
        **dict.fromkeys(_COMPLEX_FUNCTIONS, "f64 f64 -> f64 f64"),
        "cpow": "f64 f64 f64 f64 -> f64 f64",
    }
)
"""Name and signature. A `double complex` is two doubles, in argument and in result registers, on x86-64 and
AArch64 alike; a function of several results becomes one that returns a struct of them, which is the same."""


def call(conversion: Conversion, function: str, arguments: Sequence[Value]) -> list[Value]:
    """Call a function of the table, declared private in the module once."""
    inputs, _, outputs = LIBRARY[function].partition(" -> ")
    results = [ir.Type.parse(name) for name in outputs.split()]
    if function not in conversion.declared:
        function_type = ir.FunctionType.get([ir.Type.parse(name) for name in inputs.split()], results)
        with ir.InsertionPoint.at_block_begin(conversion.module_body):
            conversion.declared[function] = dialect("func").FuncOp(
                function, function_type, visibility="private"
            )
    callee = {"callee": ir.FlatSymbolRefAttr.get(function)}
    op = ir.Operation.create("func.call", results=results, operands=list(arguments), attributes=callee)
    return list(op.results)
