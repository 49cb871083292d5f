"""Rules that a user has written: the ops of a rule are copied to where the cotangents of its results are known.

A rule is recorded where its results are, on stand-ins for their cotangents (`weft.cotangent`); what it computes of the
values of the forward program stays there, and is kept for the reverse like all that this needs.
"""

from __future__ import annotations

from ...dialect.mlir import Operation, Value, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.differentiation import DEEPEST, Cotangent, Custom
from ...dialect.register import decode_attributes, op_class_of
from ..control_flow.inline_calls import RETURN
from ..control_flow.structure import CONDITION, YIELD, copy_of
from ..rewriting import is_unused, operations_in, operations_of
from .activity import pairs_of, refuse
from .adjoints import Adjoints
from .sweep import Sweep, captured


def reverse_custom(sweep: Sweep, operation: Operation, adjoints: Adjoints) -> None:
    """Emit the cotangents that a rule gives, from those of its results, at the current insertion point."""
    if DEEPEST in operation.attributes:
        raise refuse(
            operation,
            "the rule of a function under weft.custom_gradient uses that function, and is differentiated again and "
            "again; it is recorded in itself three times: let it use another function, without a rule",
        )
    rule = operation.operands[1]
    number = _number(operation)
    results = {
        decode_attributes(Custom, use.owner)["place"]: use.owner.operation
        for use in rule.uses
        if op_class_of(use.owner.operation) is Custom
    }
    _require_by_arguments(sweep, list(results.values()), pairs_of(rule, rule))
    b = OpEmitter(operation.location)
    values: dict[Value, Value] = {}
    steps: list[Operation] = []
    own = _stand_ins(rule, number)
    for step in _steps_of(operation, own):
        if step.results[0] in own:
            place = decode_attributes(Cotangent, step)["place"]
            result = results[place].results[0] if place in results else step.operands[0]
            values[step.results[0]] = adjoints.total(b, result)
        else:
            steps.append(step)
    for result in results.values():
        adjoints.take(result.results[0])  # of which the rule makes no use
    for step in steps:
        copy_of(step, values)
    for argument, cotangent in pairs_of(rule, rule):
        if argument in sweep.activity:
            adjoints.add(b, argument, b.value(values.get(cotangent, cotangent)))


def _number(operation: Operation) -> int:
    number: int = decode_attributes(Custom, operation)["number"]
    return number


def _stand_ins(rule: Value, number: int) -> set[Value]:
    """The stand-ins of which the cotangents of a rule are computed.

    Where a rule was copied, for a gradient that is differentiated itself, there are those of the copy, too.
    """
    pending, met, found = [rule], set[Value](), set[Value]()
    while pending:
        value = pending.pop()
        if value in met or isinstance(value.owner, ir.Block):
            continue
        met.add(value)
        operation = value.owner.operation
        if (
            op_class_of(operation) is Cotangent
            and decode_attributes(Cotangent, operation)["number"] == number
        ):
            found.add(value)
            continue
        inside = operations_of(operation) if len(operation.regions) else ()
        for op in (operation, *inside):
            # What a result is does not depend on its rule, which may have stand-ins of the same number.
            pending += list(op.operands)[:1] if op_class_of(op) is Custom else op.operands
    return found


def _steps_of(operation: Operation, own: set[Value]) -> list[Operation]:
    """The ops in front of a result that depend on the stand-ins of its rule, and these, in program order."""
    before = []
    for other in operations_in(operation.block):
        if other == operation:
            break
        before.append(other)
    depending: set[Value] = set()
    found: list[Operation] = []
    for other in before:
        if any(result in own for result in other.results) or (len(other.results) and _uses(other, depending)):
            depending.update(other.results)
            found.append(other)
    return found


def _uses(operation: Operation, values: set[Value]) -> bool:
    inside = operations_of(operation) if len(operation.regions) else ()
    return any(operand in values for op in (operation, *inside) for operand in op.operands)


def _require_by_arguments(sweep: Sweep, results: list[Operation], pairs: list[tuple[Value, Value]]) -> None:
    """Refuse a rule whose results depend on differentiated values that are not among its arguments."""
    arguments = {argument for argument, _ in pairs}
    pending = [result.operands[0] for result in results]
    met: set[Value] = set()
    while pending:
        value = pending.pop()
        if value in met or value in arguments or value not in sweep.activity:
            continue
        met.add(value)
        if isinstance(value.owner, ir.Block) or value in sweep.activity.independent:
            raise refuse(
                results[0],
                "a function under weft.custom_gradient uses a value that is differentiated and is not among its "
                "arguments, of which its rule tells nothing; pass it as an argument, or use weft.stop_gradient(value)",
            )
        operation = value.owner.operation
        pending += operation.operands
        if len(operation.regions):
            pending += captured(operation, sweep.activity)


_ENDS = (YIELD, CONDITION, RETURN)
"""Of loops that a derivative may use, and of the function."""


def drop_rules(operations: list[Operation]) -> int:
    """Drop what is left of rules, behind the last gradient; returns how many results there were."""
    dropped = 0
    depending: set[Value] = set()
    rest: list[Operation] = []
    for operation in operations:
        op_class = op_class_of(operation)
        if op_class is Custom:
            operation.results[0].replace_all_uses_with(operation.operands[0])
            operation.erase()
            dropped += 1
        elif op_class is Cotangent or any(operand in depending for operand in operation.operands):
            depending.update(operation.results)
            rest.append(operation)
    for operation in reversed(rest):
        if op_class_of(operation) is Cotangent:
            operation.results[0].replace_all_uses_with(operation.operands[0])
        is_end = operation.name in _ENDS
        if is_unused(operation) and not len(operation.regions) and not is_end:
            operation.erase()
    return dropped
