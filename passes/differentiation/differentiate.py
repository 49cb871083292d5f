"""Replace `weft.gradient` by the ops that compute it."""

from __future__ import annotations

from typing import ClassVar

from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.differentiation import Gradient, Independent, StopGradient
from ...dialect.records import dataclass
from ...dialect.register import op_class_of
from ..base import Pass, Statistics
from ..control_flow.structure import FOR, IF, LOOPS, WHILE, replace_all
from ..rewriting import operations_in, operations_of
from .activity import Activity, refuse
from .adjoints import Adjoints
from .branches import reverse_branch
from .counted import reverse_while
from .loops import reverse_for
from .sweep import Sweep


@dataclass(frozen=True)
class Differentiate(Pass):
    """Replace gradients by reverse mode: a sweep over the ops in front of each, last op first.

    Gradients of one value with one cotangent in one block are one sweep. They are replaced in program order, so that
    an inner gradient is made of ops when an outer one sweeps over it. What marks independent values, and values whose
    derivative is zero, is dropped at the end. Raises `DifferentiationError`, with the location of the op, for what has
    no derivative, or whose derivative is not known.
    """

    name: ClassVar[str] = "weft-differentiate"
    summary: ClassVar[str] = "replace gradients by the ops that compute them"

    def run(self, module: Module, statistics: Statistics) -> None:
        """Replace all gradients of a module, then what marks values."""
        while True:
            requests = [op for op in operations_of(module.operation) if op_class_of(op) is Gradient]
            if not requests:
                break
            first = requests[0]
            key = list(first.operands)[:2]
            group = [op for op in requests if op.block == first.block and list(op.operands)[:2] == key]
            _replace(first, group)
            statistics["gradients replaced"] += len(group)
        for operation in operations_of(module.operation):
            if op_class_of(operation) in (Independent, StopGradient):
                replace_all(operation.results, operation.operands)
                operation.erase()
                statistics["marks dropped"] += 1


REVERSES = {IF: reverse_branch, FOR: reverse_for, WHILE: reverse_while}


def _replace(first: Operation, group: list[Operation]) -> None:
    y, cotangent, _ = first.operands
    independent = list(dict.fromkeys(op.operands[2] for op in group))
    operations = _in_front_of(first)
    activity = Activity(independent)
    activity.follow(operations)
    _require_outside_of_loops(first, activity, independent)
    with ir.InsertionPoint(first):
        adjoints, sweep = Adjoints(), Sweep(activity, REVERSES)
        if y in activity:
            adjoints.values[y] = cotangent
        inside = [
            op for op in operations if op_class_of(op) is not Independent or op.results[0] not in independent
        ]
        sweep.run(inside, adjoints)
        b = OpEmitter(first.location)
        found: dict[Value, Value] = {x: adjoints.total(b, x) for x in independent}
    for operation in group:
        operation.results[0].replace_all_uses_with(found[operation.operands[2]])
    for operation in group:
        operation.erase()


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


def _require_outside_of_loops(operation: Operation, activity: Activity, independent: list[Value]) -> None:
    """Refuse a gradient in a loop by a value from outside of it that earlier iterations used, too."""
    around = operation.parent.operation
    while around.name != "func.func":
        if around.name in LOOPS:
            look = Activity([x for x in independent if not _is_in(x, around)])
            if look.values:
                look.follow([around])
                arguments = [a for region in around.regions for block in region for a in block.arguments]
                if any(argument in look for argument in arguments):
                    raise refuse(
                        operation,
                        "a gradient in a loop by a value from outside of the loop, on which what the loop carries "
                        "depends, is not known yet; ask for it behind the loop",
                    )
        around = around.parent.operation


def _is_in(value: Value, operation: Operation) -> bool:
    owner = value.owner
    inner = owner.owner if isinstance(owner, ir.Block) else owner.operation.parent
    while inner is not None and inner.operation.name != "func.func":
        if inner.operation == operation:
            return True
        inner = inner.operation.parent
    return False


__all__ = ["Differentiate"]
