"""Put the body of a called function in the place of the call; upstream's `inline` refuses weft ops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ...dialect.attributes import STAYS
from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.records import dataclass
from ..base import Pass, Statistics
from ..rewriting import defined_functions, operations_of
from .structure import copy_of

CALL = "func.call"
RETURN = "func.return"


@dataclass(frozen=True)
class InlineCalls(Pass):
    """Inline calls of private functions whose body is one block; `symbol-dce` removes the functions.

    Every inlined op is located at its own line, called from the line of the call. Recursive calls, calls
    of functions without a body, and of those that are marked to stay, stay.
    """

    name: ClassVar[str] = "weft-inline"

    def run(self, module: Module, statistics: Statistics) -> None:
        """Inline until no call is left that can be."""
        functions = list(defined_functions(module))
        calls = {f.name.value: _calls(operations_of(f.operation)) for f in functions}
        recursive = _recursive({name: [_callee(call) for call in several] for name, several in calls.items()})
        callees = {f.name.value: f for f in functions if _is_inlinable(f) and f.name.value not in recursive}
        for pending in calls.values():
            while pending:
                call = pending.pop()
                callee = _callee(call)
                if callee in callees:
                    pending += _calls(_inline(call, callees[callee]))
                    statistics["calls inlined"] += 1


def _is_inlinable(function: Any) -> bool:
    if STAYS in function.operation.attributes:
        return False
    visibility = function.operation.attributes.get("sym_visibility")
    return visibility is not None and visibility.value == "private" and len(function.regions[0].blocks) == 1


def _recursive(calls: Mapping[str, Sequence[str]]) -> set[str]:
    """The functions that may call themselves, also through others."""
    found: set[str] = set()
    for name in calls:
        reached: set[str] = set()
        pending = list(calls[name])
        while pending:
            callee = pending.pop()
            if callee not in reached:
                reached.add(callee)
                pending += calls.get(callee, ())
        if name in reached:
            found.add(name)
    return found


def _callee(call: Operation) -> str:
    name: str = call.attributes["callee"].value
    return name


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
            copy = copy_of(operation, values)
        inner = [copy, *operations_of(copy)]
        for changed in inner:
            changed.location = ir.Location.callsite(changed.location, [call.location])
        cloned += inner
    call.erase()
    return cloned
