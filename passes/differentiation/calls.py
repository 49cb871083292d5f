"""Derivatives of calls that are not inlined: functions that call themselves, also through others.

A function gets a partner that takes its arguments and the cotangents of its results, and returns the cotangents of the
arguments. It runs the function again, without its effects, and calls itself where the function does. For forward mode
the partner returns the results and their tangents, and is called in place of the function.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...dialect.host_calls import callback_of
from ...dialect.made_ops import function_of
from ...dialect.mlir import Block, Location, Operation, Type, Value, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.state import ReadRef
from ...dialect.register import op_class_of
from ..control_flow.structure import body, copy_of, operation_of, replace_terminator
from ..rewriting import function_around, operations_in, operations_of, symbols_of
from .activity import Activity, is_numeric, refuse
from .adjoints import Adjoints
from .forward import ForwardSweep
from .residuals import copy_without_effects, is_effect
from .sweep import NOT_OF_PYTHON, Sweep

CALL, RETURN = "func.call", "func.return"

_REVERSE, _AGAIN, _FORWARD = "reverse", "again", "tangent"


def reverse_call(sweep: Sweep, call: Operation, adjoints: Adjoints) -> None:
    """Emit the call of a function's partner at the current insertion point."""
    given = [adjoints.take(result) for result in call.results]
    if callback_of(call) is not None and any(result in sweep.activity for result in call.results):
        raise refuse(call, NOT_OF_PYTHON)
    if not any(operand in sweep.activity or operand in sweep.activity.cells for operand in call.operands):
        return
    callee = _function_of(call)
    name = _partner(callee, _REVERSE)
    if name not in _symbols(callee):
        _make_reverse(callee, name, sweep)
    b = OpEmitter(call.location)
    seeds = [
        b.zeros_like(b.value(result)).handle if known is None else known
        for result, known in zip(call.results, given, strict=True)
        if is_numeric(result)
    ]
    moving = [operand for operand in call.operands if is_numeric(operand)]
    made = _call(name, [*call.operands, *seeds], [value.type for value in moving], call)
    for operand, found in zip(moving, made.results, strict=True):
        if operand in sweep.activity:
            adjoints.add(b, operand, b.value(found))


def forward_call(walk: ForwardSweep, call: Operation) -> None:
    """Let a function's partner be called in its place, which returns the tangents, too."""
    callee = _function_of(call)
    name = _partner(callee, _FORWARD)
    if name not in _symbols(callee):
        _make_forward(callee, name, walk.retired)
    with ir.InsertionPoint(call):
        tangents = [walk.tangent(value, call.location) for value in call.operands if is_numeric(value)]
        moving = [result.type for result in call.results if is_numeric(result)]
        types = [*(result.type for result in call.results), *moving]
        made = _call(name, [*call.operands, *tangents], types, call)
    count = len(list(call.results))
    for old, new in zip(call.results, made.results, strict=False):
        old.replace_all_uses_with(new)
    walk.retire(call, made)
    found = iter(list(made.results)[count:])
    walk.tangents.update((value, next(found)) for value in list(made.results)[:count] if is_numeric(value))


def _function_of(call: Operation) -> Operation:
    """The function that is called; an error for Python functions, and those that work on cells."""
    if callback_of(call) is not None:
        raise refuse(call, NOT_OF_PYTHON)
    callee = _symbols(function_around(call))[call.attributes["callee"].value]
    inside = operations_of(callee)
    if any(not isinstance(value.type, ir.RankedTensorType) for value in call.operands) or any(
        op_class_of(op) is ReadRef for op in inside
    ):
        raise refuse(
            call,
            "the derivative of a function that calls itself under a run-time condition, and writes to an argument or "
            "to an array from outside, is not known yet; let it return what it computes",
        )
    return callee


def _symbols(function: Operation) -> dict[str, Operation]:
    return symbols_of(function.parent.operation.opview)


def _partner(callee: Operation, what: str) -> str:
    """The name of a partner; one is enough for a function and what does the same without effects."""
    name = callee.attributes["sym_name"].value.removesuffix(f".{_AGAIN}")
    return f"{name}.{what}"


def _call(name: str, operands: Sequence[Value], types: Sequence[Type], like: Operation) -> Operation:
    callee = ir.FlatSymbolRefAttr.get(name)
    return operation_of(CALL, operands, types, location=like.location, callee=callee)


def new_function(
    module: Operation, name: str, inputs: Sequence[Type], results: Sequence[Type], location: Location
) -> Operation:
    """A new private function at the end of a module, with an empty body."""
    with ir.InsertionPoint(module.regions[0].blocks[0]):
        made = function_of(name, inputs, results, private=True, location=location)
    made.regions[0].blocks.append(*inputs, arg_locs=[location] * len(inputs))
    return made


def _declared(callee: Operation, name: str, inputs: Sequence[Type], results: Sequence[Type]) -> Block:
    """The empty body of a new private function."""
    return body(new_function(callee.parent.operation, name, inputs, results, callee.location))


def _signature(callee: Operation) -> tuple[list[Value], list[Value]]:
    """The parameters of a function, and what it returns."""
    block = body(callee)
    return list(block.arguments), list(operations_in(block)[-1].operands)


def _make_reverse(callee: Operation, name: str, around: Sweep) -> None:
    parameters, returned = _signature(callee)
    moving = [value for value in parameters if is_numeric(value)]
    seeds = [value for value in returned if is_numeric(value)]
    types = [value.type for value in moving]
    block = _declared(callee, name, [value.type for value in (*parameters, *seeds)], types)
    values = dict(zip(parameters, list(block.arguments), strict=False))
    with ir.InsertionPoint(block):
        _run_again(callee, values)
        operations = operations_in(block)
        activity = Activity(values[value] for value in moving)
        activity.follow(operations)
        b, adjoints = OpEmitter(callee.location), Adjoints()
        for value, seed in zip(seeds, list(block.arguments)[len(parameters) :], strict=True):
            if values.get(value, value) in activity:
                adjoints.add(b, values.get(value, value), b.value(seed))
        sweep = Sweep(activity, around.reverses, around.memory, around.retired)
        sweep.run(operations, adjoints)
        totals = [adjoints.total(b, values[value]) for value in moving]
        operation_of(RETURN, totals, [], location=callee.location)


def _run_again(callee: Operation, values: dict[Value, Value]) -> None:
    """Copy the body of a function, without its effects, to the current insertion point."""
    copies = [
        copy_without_effects(operation, values)
        for operation in operations_in(body(callee))[:-1]
        if not is_effect(operation)
    ]
    call_without_effects(copies)


def call_without_effects(operations: Sequence[Operation]) -> None:
    """Let ops that run again, and those inside of them, call functions that have no effects."""
    for call in [op for outer in operations for op in (outer, *operations_of(outer)) if op.name == CALL]:
        if callback_of(call) is not None:
            raise refuse(
                call,
                "the derivative of a function that calls itself under a run-time condition, and Python for a result, "
                "is not known yet",
            )
        name = _without_effects(_function_of(call))
        call.attributes["callee"] = ir.FlatSymbolRefAttr.get(name)


def _without_effects(callee: Operation) -> str:
    """The name of a function that computes what another does, and does nothing else."""
    name: str = callee.attributes["sym_name"].value
    if name.endswith(f".{_AGAIN}") or not any(is_effect(op) for op in _reached(callee)):
        return name
    again = _partner(callee, _AGAIN)
    if again not in _symbols(callee):
        parameters, returned = _signature(callee)
        block = _declared(
            callee, again, [value.type for value in parameters], [value.type for value in returned]
        )
        values = dict(zip(parameters, list(block.arguments), strict=True))
        with ir.InsertionPoint(block):
            _run_again(callee, values)
            results = [values.get(value, value) for value in returned]
            operation_of(RETURN, results, [], location=callee.location)
    return again


def _reached(callee: Operation) -> list[Operation]:
    """The ops of a function and of those that it calls."""
    symbols = _symbols(callee)
    found: dict[str, list[Operation]] = {}
    pending: list[str] = [callee.attributes["sym_name"].value]
    while pending:
        name = pending.pop()
        if name in found:
            continue
        found[name] = operations_of(symbols[name])
        pending += [op.attributes["callee"].value for op in found[name] if op.name == CALL]
    return [op for operations in found.values() for op in operations]


def _make_forward(callee: Operation, name: str, retired: Block) -> None:
    parameters, returned = _signature(callee)
    moving = [value for value in parameters if is_numeric(value)]
    types = [value.type for value in returned]
    moved = [value.type for value in returned if is_numeric(value)]
    block = _declared(callee, name, [value.type for value in (*parameters, *moving)], [*types, *moved])
    values = dict(zip(parameters, list(block.arguments), strict=False))
    with ir.InsertionPoint(block):
        for operation in operations_in(body(callee))[:-1]:
            copy_of(operation, values)
        results = [values.get(value, value) for value in returned]
        operation_of(RETURN, results, [], location=callee.location)
    tangents = dict(
        zip((values[value] for value in moving), list(block.arguments)[len(parameters) :], strict=True)
    )
    operations = operations_in(block)[:-1]
    activity = Activity(tangents)
    activity.follow(operations)
    walk = ForwardSweep(activity, tangents, forward_call, retired)
    walk.run(operations)
    last = operations_in(block)[-1]
    results = list(last.operands)
    with ir.InsertionPoint(last):
        found = [walk.tangent(value, callee.location) for value in results if is_numeric(value)]
    replace_terminator(block, [*results, *found])
