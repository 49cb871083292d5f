"""Put the body of a called function in the place of the call; upstream's `inline` refuses weft ops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..dialect.mlir import Module, Operation, Value, ir
from .base import Pass, Statistics
from .rewriting import defined_functions, operations_of

CALL = "func.call"
RETURN = "func.return"


@dataclass(frozen=True)
class InlineCalls(Pass):
    """Inline calls of private functions whose body is one block; `symbol-dce` removes the functions.

    Every inlined op is located at its own line, called from the line of the call. Recursive calls and calls
    of functions without a body stay.
    """

    name: ClassVar[str] = "weft-inline"
    summary: ClassVar[str] = "inline calls of private functions"

    def run(self, module: Module, statistics: Statistics) -> None:
        """Inline until no call is left that can be."""
        functions = list(defined_functions(module))
        callees = {function.name.value: function for function in functions if _is_inlinable(function)}
        for function in functions:
            name = function.name.value
            pending: list[tuple[Operation, tuple[str, ...]]]
            pending = [(call, (name,)) for call in _calls(operations_of(function.operation))]
            while pending:
                call, callers = pending.pop()
                callee = call.attributes["callee"].value
                if callee in callees and callee not in callers:
                    inlined = _inline(call, callees[callee])
                    pending += [(inner, (*callers, callee)) for inner in _calls(inlined)]
                    statistics["calls inlined"] += 1


def _is_inlinable(function: Any) -> bool:
    visibility = function.operation.attributes.get("sym_visibility")
    return visibility is not None and visibility.value == "private" and len(function.regions[0].blocks) == 1


def _calls(operations: list[Operation]) -> list[Operation]:
    return [operation for operation in operations if operation.name == CALL]


def _inline(call: Operation, function: Any) -> list[Operation]:
    """Clone the body in front of a call and erase the call; returns all ops that were cloned."""
    block = function.regions[0].blocks[0]
    values: dict[Value, Value] = dict(zip(block.arguments, call.operands, strict=True))
    cloned: list[Operation] = []
    for view in block.operations:
        operation = view.operation
        if operation.name == RETURN:
            for result, operand in zip(call.results, operation.operands, strict=True):
                result.replace_all_uses_with(values.get(operand, operand))
            break
        with ir.InsertionPoint(call):
            copy = operation.clone().operation
        values.update(zip(operation.results, copy.results, strict=True))
        inner = [copy, *operations_of(copy)]
        for changed in inner:
            changed.location = ir.Location.callsite(changed.location, [call.location])
            for index, operand in enumerate(changed.operands):
                if operand in values:
                    changed.operands[index] = values[operand]
        cloned += inner
    call.erase()
    return cloned
