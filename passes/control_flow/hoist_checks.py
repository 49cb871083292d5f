"""Check once before a loop what every iteration would check in the same way."""

from __future__ import annotations

from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.ops.comparison import Less
from ...dialect.ops.state import RaiseIf
from ...dialect.records import dataclass
from ...dialect.register import op_class_of
from ..base import Pass, Statistics
from .hoist_invariants import Hoist, runs
from .speculation import is_pure
from .structure import (
    FOR,
    add_yield,
    body,
    control_ops,
    defined_inside,
    extracted,
    functions_with_control_flow,
    new_if,
    operations_in,
    replace_all,
    tensor_from,
    weft_op,
)


@dataclass(frozen=True)
class HoistChecks(Pass):
    """Move checks that do not depend on the iteration in front of an `scf.for`, if the loop runs at all.

        for k in range(n): check(c); work     becomes     if 0 < n: check(c); for k in range(n): work

    Only the checks before which an iteration does nothing that can be seen move, so that what was done before an
    error stays the same; along with them goes what relies on them and does not change either.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Inner loops first: a check may leave several."""
        for function in functions_with_control_flow(module):
            for loop in control_ops(function, FOR):
                count = 0 if runs(loop) else _count_checks(loop)
                if count:
                    _guard(loop)
                    Hoist(loop, defined_inside(loop)).out_of(body(loop), certain=True)
                    statistics["checks moved"] += count


def _count_checks(loop: Operation) -> int:
    """How many checks may move: invariant ones before any other effect."""
    changing = defined_inside(loop)
    count = 0
    for operation in operations_in(body(loop))[:-1]:
        is_invariant = changing.isdisjoint(operation.operands)
        if op_class_of(operation) is RaiseIf and is_invariant:
            count += 1
        elif not is_pure(operation):
            break
        elif is_invariant and not len(operation.regions):
            changing.difference_update(operation.results)
    return count


def _guard(loop: Operation) -> None:
    """Put a loop into a branch that is taken when it runs."""
    lower, upper, _, *initial = loop.operands
    results: list[Value] = list(loop.results)
    with ir.InsertionPoint(loop), loop.location:
        condition = extracted(weft_op(Less, tensor_from(lower), tensor_from(upper)))
        branch, then, otherwise = new_if(condition, [value.type for value in results], loop.location)
    replace_all(results, branch.results)
    then.append(loop)
    with ir.InsertionPoint(then):
        add_yield(results, loop.location)
    with ir.InsertionPoint(otherwise):
        add_yield(initial, loop.location)
