"""Replace `weft.gradient` and `weft.tangent` by the ops that compute them."""

from __future__ import annotations

from typing import ClassVar

from ...dialect.mlir import Block, Module, Operation, Value, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.differentiation import Custom, Gradient, Independent, Pause, StopGradient, Tangent
from ...dialect.records import dataclass
from ...dialect.register import op_class_of
from ..base import Pass, Statistics
from ..control_flow.structure import FOR, IF, LOOPS, WHILE, body, replace_all
from ..rewriting import defined_functions, is_defined_inside, operations_in, operations_of, symbols_of
from .activity import Activity, pairs_of, refuse
from .adjoints import Adjoints
from .branches import reverse_branch
from .calls import CALL, forward_call, new_function, reverse_call
from .cells import Shadows, cells_read
from .counted import reverse_while
from .custom import drop_rules, reverse_custom
from .forward import ForwardSweep
from .loops import reverse_for
from .memory import DEFAULT_MEMORY, MEMORY
from .sweep import Sweep


@dataclass(frozen=True)
class Differentiate(Pass):
    """Replace gradients by reverse mode: a sweep over the ops in front of each, last op first; tangents by a walk.

    Gradients of the same values with the same cotangents in one block are one sweep. They are replaced in program
    order, so that an inner gradient is made of ops when an outer one sweeps over it. What marks independent values, and
    values whose derivative is zero, is dropped at the end. Raises `DifferentiationError`, with the location of the op,
    for what has no derivative, or whose derivative is not known.
    """

    name: ClassVar[str] = "weft-differentiate"

    def run(self, module: Module, statistics: Statistics) -> None:
        """Replace all gradients of a module, then what marks values."""
        _replace_all(module, statistics)
        symbols_of(module)[RETIRED].erase()
        statistics["rules dropped"] += drop_rules(operations_of(module.operation))
        for operation in operations_of(module.operation):
            if op_class_of(operation) in (Independent, Pause, StopGradient):
                replace_all(operation.results, operation.operands)
                operation.erase()
                statistics["marks dropped"] += 1


def _replace_all(module: Module, statistics: Statistics) -> None:
    """Replace all gradients; what others took the place of is in a function of its own then."""
    retired = _place_for_retired(module)
    while requests := _requests(module):
        first = requests[0]
        if op_class_of(first) is Tangent:
            _replace_tangent(first, retired)
            statistics["tangents replaced"] += 1
            continue
        key = list(first.operands)[:2]
        gradients = [op for op in requests if op_class_of(op) is Gradient and op.block == first.block]
        group = [op for op in gradients if list(op.operands)[:2] == key]
        if any(op_class_of(op) is Pause for op in operations_of(module.operation)):
            group = [first]  # what one tape takes for a constant, another differentiates
        _replace(
            first,
            group,
            Sweep(Activity(op.operands[2] for op in group), REVERSES, _memory_of(module), retired),
        )
        statistics["gradients replaced"] += len(group)


def _place_for_retired(module: Module) -> Block:
    """The block of a new function, which nothing calls.

    Handles of ops that others took the place of stay valid as long as these are there; and they are part of the module,
    so that they go with the values that they use, also when an error ends the pass.
    """
    made = new_function(module.operation, RETIRED, [], [], module.operation.location)
    return body(made)


def _requests(module: Module) -> list[Operation]:
    """What asks for derivatives in a function; functions that are called come before those that call them."""
    for function in reversed(list(defined_functions(module))):
        found = [op for op in operations_of(function.operation) if op_class_of(op) in (Gradient, Tangent)]
        if found:
            return found
    return []


def _memory_of(module: Module) -> int:
    attributes = module.operation.attributes
    return int(attributes[MEMORY].value) if MEMORY in attributes else DEFAULT_MEMORY


RETIRED = "weft.retired"
"""The name of a function that is there while the pass runs."""

REVERSES = {
    IF: reverse_branch,
    FOR: reverse_for,
    WHILE: reverse_while,
    CALL: reverse_call,
    Custom.mlir_name(): reverse_custom,
}


def _replace(first: Operation, group: list[Operation], sweep: Sweep) -> None:
    given = pairs_of(*list(first.operands)[:2])
    independent = list(dict.fromkeys(op.operands[2] for op in group))
    operations = _in_front_of(first)
    sweep.activity.follow(operations)
    _require_outside_of_loops(first, [y for y, _ in given], independent)
    with ir.InsertionPoint(first):
        adjoints, b = Adjoints(), OpEmitter(first.location)
        sweep.shadows = Shadows(cells_read(operations, sweep.activity), first.location)
        for y, cotangent in given:
            if y in sweep.activity:
                adjoints.add(b, y, b.value(cotangent))
        found = _swept(sweep, operations, adjoints, independent, b)
    for operation in group:
        operation.results[0].replace_all_uses_with(found[operation.operands[2]])
    for operation in group:
        operation.erase()


def _swept(
    sweep: Sweep, operations: list[Operation], adjoints: Adjoints, independent: list[Value], b: OpEmitter
) -> dict[Value, Value]:
    """The cotangents of independent values, of which some may have been computed of others."""
    found: dict[Value, Value] = {}
    end = len(operations)
    for place in reversed(range(len(operations))):
        operation = operations[place]
        if op_class_of(operation) is Independent and operation.results[0] in independent:
            sweep.run(operations[place + 1 : end], adjoints)
            end = place + 1  # the cotangent goes on to what this was made of
            x = operation.results[0]
            if x in adjoints:
                found[x] = adjoints.values[x]
    sweep.run(operations[:end], adjoints)
    return {x: found[x] if x in found else adjoints.total(b, x) for x in independent}


def _replace_tangent(request: Operation, retired: Block) -> None:
    """Replace a tangent by forward mode: a walk over the ops in front of it."""
    y, x, tangent = request.operands
    moved = dict(pairs_of(x, tangent))
    operations = _in_front_of(request)
    activity = Activity(moved)
    activity.follow(operations)
    _require_outside_of_loops(request, [y], list(moved))
    walk = ForwardSweep(activity, moved, forward_call, retired)
    walk.follow_cells(operations)
    walk.run(operations)
    with ir.InsertionPoint(request):
        found = walk.tangent(request.operands[0], request.location)
    request.results[0].replace_all_uses_with(found)
    request.erase()


def _in_front_of(operation: Operation) -> list[Operation]:
    """The ops in front of an op, in its block and in those around it, in program order."""
    found: list[Operation] = []
    inner: Operation = operation
    while inner.name != "func.func":
        before: list[Operation] = []
        for other in operations_in(inner.block):
            if other == inner:
                break
            before.append(other)
        found = before + found
        inner = inner.parent.operation
    return found


def _require_outside_of_loops(operation: Operation, given: list[Value], independent: list[Value]) -> None:
    """Refuse a gradient of what a loop computes, in the loop, by a value from outside that earlier iterations used."""
    around = operation.parent.operation
    while around.name != "func.func":
        if around.name in LOOPS and any(is_defined_inside(y, around) for y in given):
            look = Activity([x for x in independent if not is_defined_inside(x, around)])
            if look.values:
                look.follow([around])
                arguments = [a for region in around.regions for block in region for a in block.arguments]
                if any(argument in look for argument in arguments) or cells_read([around], look):
                    raise refuse(
                        operation,
                        "a gradient in a loop by a value from outside of the loop, on which what the loop carries "
                        "depends, is not known yet; ask for it behind the loop",
                    )
        around = around.parent.operation
