"""Calls of Python from a program: `func.call @host.3(...)` calls number 3 of the table of Python functions.

The op is upstream's: operands and results have any types, and its effects are unknown, so that nothing moves it,
removes it, or merges two of them. It happens in program order with reads and writes of cells and with
`weft.raise_if`; the Python function may look at what was written before, and may raise, which ends the call.

    func.func private @host.3(tensor<?x3xf32>, tensor<i1>) -> tensor<2xui8>
    %r = func.call @host.3(%x, %b) : (tensor<?x3xf32>, tensor<i1>) -> tensor<2xui8>

Where types of results do not tell extents, the last operands do, in order, as scalars:

    %n = func.call @host.0(%x) : (tensor<?xf64>) -> tensor<i64>
    %r = func.call @host.1(%n) : (tensor<i64>) -> tensor<?xf64>

A declaration may name a function of the processor's backend in the attribute `weft.native`, which does the same and
never raises: it takes the address of the addresses of operands and results, and is called instead of Python.

Numbers from `COLLECTIVES` on are in no table: such calls are the collectives of the program, which the lowering makes.

The table is not part of the program: whoever runs it passes the table. After the lowering to storage types the
declaration keeps the types of the weft dialect in the attribute `weft.signature`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .attributes import type_from_mlir, type_to_mlir
from .callbacks import COLLECTIVES, RAISE
from .errors import InternalError
from .made_ops import function_of, operation_of
from .mlir import Block, Location, Operation, Type, Value, ir
from .types import TensorType

_PREFIX = "host."
_NAME = re.compile(r"host\.(\d+)")

SIGNATURE = "weft.signature"
"""The attribute of a lowered declaration that keeps the types of the weft dialect."""

NAME = "weft.python"
"""The attribute of a declaration that says what is called, for those who read the program."""

NATIVE = "weft.native"
"""The attribute of a declaration that names what a processor calls instead of Python."""


def host_symbol(callback: int) -> str:
    """The name of the declaration that stands for a Python function of the table."""
    return f"{_PREFIX}{callback}"


def collective_symbol(number: int) -> str:
    """The name of the declaration that stands for collectives, one for each signature."""
    return host_symbol(COLLECTIVES + number)


def callback_of(op: Operation) -> int | None:
    """The index of the Python function that an op calls; None for other ops."""
    if op.name != "func.call":
        return None
    return _number(op.attributes["callee"].value)


def declared_callback(function: Operation) -> int | None:
    """The index of the Python function that a `func.func` declares; None for other functions."""
    if function.name != "func.func" or function.regions[0].blocks:
        return None
    return _number(function.attributes["sym_name"].value)


def only_raises(declaration: Operation) -> bool:
    """Whether the Python function that a `func.func` declares never returns."""
    attributes = declaration.attributes
    has_results = bool(ir.TypeAttr(attributes["function_type"]).value.results)
    return not has_results and NAME in attributes and attributes[NAME].value == RAISE


def native_name(declaration: Operation) -> str | None:
    """What a processor calls instead of the Python function that a `func.func` declares; None for nothing."""
    attributes = declaration.attributes
    return attributes[NATIVE].value if NATIVE in attributes else None


def _number(symbol: str) -> int | None:
    found = _NAME.fullmatch(symbol) if symbol.startswith(_PREFIX) else None
    return None if found is None else int(found[1])


def create_host_call(
    module_body: Block,
    callback: int,
    operands: Sequence[Value],
    results: Sequence[TensorType],
    name: str,
    location: Location | None = None,
    native: str | None = None,
) -> Operation:
    """Declare a Python function, of a name that is shown, in a module and call it at the current insertion point."""
    types = [type_to_mlir(t) for t in results]
    marks = {NAME: ir.StringAttr.get(name), **({} if native is None else {NATIVE: ir.StringAttr.get(native)})}
    with ir.InsertionPoint(module_body), ir.Location.unknown():
        function_of(host_symbol(callback), [value.type for value in operands], types, private=True, **marks)
    callee = ir.FlatSymbolRefAttr.get(host_symbol(callback))
    return operation_of("func.call", operands, types, location=location, callee=callee)


def signature_of(declaration: Operation) -> tuple[list[TensorType], list[TensorType]]:
    """The types of the weft dialect that a Python function takes and gives, before or after the lowering."""
    attributes = declaration.attributes
    kept = attributes[SIGNATURE if SIGNATURE in attributes else "function_type"]
    signature = ir.TypeAttr(kept).value
    return [_tensor(t) for t in signature.inputs], [_tensor(t) for t in signature.results]


def _tensor(mlir_type: Type) -> TensorType:
    found = type_from_mlir(mlir_type)
    if not isinstance(found, TensorType):
        raise InternalError(f"a Python function takes and gives tensors, not {found}")
    return found
