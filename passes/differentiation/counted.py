"""The reverse of `scf.while`: the loop counts its iterations, and a loop that counts runs them again.

The second run has none of the effects of the first, works on cells of its own, reads what Python returned to that of a
log, keeps what its reverse needs, and is reversed like any loop that counts. It costs one forward run more, and nothing
has to grow but the log.
"""

from __future__ import annotations

from ...dialect.mlir import Operation, Value, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.elementwise import Add
from ...dialect.ops.state import WriteRef
from ...dialect.register import create, op_class_of
from ..control_flow.structure import (
    FOR,
    add_yield,
    body,
    constant_index,
    constant_tensor,
    index_from,
    operation_of,
    replace_terminator,
    terminator,
    yielded,
)
from ..rewriting import operations_in
from .adjoints import Adjoints
from .calls import call_without_effects
from .loops import reverse_for
from .replay import Replay
from .residuals import copy_without_effects, is_effect, rebuilt
from .sweep import Sweep


def reverse_while(sweep: Sweep, operation: Operation, adjoints: Adjoints) -> None:
    """Emit the second run and its reverse at the current insertion point."""
    b = OpEmitter(operation.location)
    seeds = [adjoints.take(result) for result in operation.results]
    passed = yielded(body(operation))
    initial = list(operation.operands)
    replay = Replay(sweep, operation)
    counted = _count(sweep, operation)
    cells = sweep.shadows.copies(counted)
    loop = _run_again(counted, initial, len(passed), cells)
    values = {**cells, **dict(zip(list(body(counted).arguments)[:-1], loop.results, strict=True))}
    last_test = _copies(operations_in(body(counted))[:-1], values)
    _, log = replay.log(counted)
    loop, last_test = replay.read(loop, last_test, log)
    call_without_effects([loop, *last_test])
    sweep.activity.follow([loop, *last_test])
    for value, seed in zip(passed, seeds, strict=True):
        again = replay.now(values.get(value, value))
        if seed is not None and again in sweep.activity:
            adjoints.add(b, again, b.value(seed))
    sweep.run(last_test, adjoints)
    reverse_for(sweep, loop, adjoints)


def _count(sweep: Sweep, operation: Operation) -> Operation:
    """The loop with the number of its iterations as last result."""
    with ir.InsertionPoint(operation):
        zero = constant_tensor(0)
    made = rebuilt(operation, [zero], [zero])
    before, after = body(made), body(made, 1)
    tested = before.add_argument(zero.type, made.location)
    replace_terminator(before, [*yielded(before), tested])
    number = after.add_argument(zero.type, made.location)
    with ir.InsertionPoint(terminator(after)):
        one = constant_tensor(1)
        following = create(Add, [number, one], {}, location=made.location).results[0]
    replace_terminator(after, [*yielded(after), following])
    sweep.retire(operation, made)
    return made


def _run_again(counted: Operation, initial: list[Value], passed: int, cells: dict[Value, Value]) -> Operation:
    """A loop that counts over the same iterations, without their effects, on cells of its own."""
    before, after = body(counted), body(counted, 1)
    types = [value.type for value in initial]
    bounds = [constant_index(0), index_from(counted.results[passed]), constant_index(1)]
    loop = operation_of(FOR, [*bounds, *initial], types, regions=1, location=counted.location)
    block = loop.regions[0].blocks.append(
        ir.IndexType.get(), *types, arg_locs=[counted.location] * (len(types) + 1)
    )
    values = {**cells, **dict(zip(list(before.arguments)[:-1], list(block.arguments)[1:], strict=True))}
    with ir.InsertionPoint(block):
        _copies(operations_in(before)[:-1], values)
        handed = [values.get(value, value) for value in yielded(before)[:-1]]
        values.update(zip(list(after.arguments)[:-1], handed, strict=True))
        number = after.arguments[len(handed)]
        _copies([op for op in operations_in(after)[:-1] if number not in list(op.operands)], values)
        add_yield([values.get(value, value) for value in yielded(after)[:-1]], counted.location)
    return loop


def _copies(operations: list[Operation], values: dict[Value, Value]) -> list[Operation]:
    """Copies at the current insertion point of ops without effects, and of others without the effects inside."""
    made = []
    for operation in operations:
        is_own = op_class_of(operation) is WriteRef and operation.operands[0] in values
        if is_effect(operation) and not is_own:
            continue
        made.append(copy_without_effects(operation, values))
    return made
