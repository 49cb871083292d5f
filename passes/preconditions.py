"""What a pass takes: IR of another form is refused with a diagnostic at the op, before anything is rewritten."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NoReturn

from ..dialect.errors import PassError, WeftError
from ..dialect.mlir import Module, Operation, Type, ir
from .rewriting import constant_integer, operations_of


def refuse(operation: Operation, text: str) -> NoReturn:
    """Give a diagnostic at an op, and end the pass."""
    operation.location.emit_error(text)
    raise PassError(f"{operation.location}: {text}")


class placed:
    """Errors inside a `with` block are about an op, unless one inside of it said so already."""

    __slots__ = ("_operation",)

    def __init__(self, operation: Operation) -> None:
        self._operation = operation

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, WeftError) and not error.at:
            error.at = str(self._operation.location)


def require_lowered(module: Module, allowed: Collection[str], before: str) -> None:
    """Refuse ops of weft but for some, which are named without the dialect."""
    known = {f"weft.{name}" for name in allowed}
    for operation in operations_of(module.operation):
        if operation.name.startswith("weft.") and operation.name not in known:
            refuse(operation, f"this pass does not take {operation.name}: run --{before} before it")


def require_axis(operation: Operation) -> None:
    """Refuse an op that asks for the size of an axis that its array does not have, which MLIR's verifier takes."""
    if operation.name in ("tensor.dim", "memref.dim"):
        array, position = operation.operands
        axis = constant_integer(position)
        if axis is not None and is_array(array.type) and not 0 <= axis < array.type.rank:
            refuse(operation, f"there is no axis {axis} in {array.type}")


def require_interfaces(
    module: Module, takes: Callable[[Operation], bool], is_known: Callable[[Type], bool], what: str
) -> None:
    """Refuse functions, of those that a pass takes, whose arguments or results have other types."""
    for view in module.body.operations:
        function = view.operation
        if function.name != "func.func" or not takes(function):
            continue
        signature = ir.TypeAttr(function.attributes["function_type"]).value
        for kind, types in (("argument", signature.inputs), ("result", signature.results)):
            for number, given in enumerate(types):
                if not is_known(given):
                    name = function.attributes["sym_name"].value
                    refuse(function, f"{kind} {number} of @{name} is {given}: {what}")


def is_tensor(given: Type) -> bool:
    """Whether a type is that of a tensor of known rank."""
    return isinstance(given, ir.RankedTensorType)


def is_array(given: Type) -> bool:
    """Whether a type is that of a tensor or memref of known rank."""
    return isinstance(given, (ir.RankedTensorType, ir.MemRefType))
