"""Loop-invariant code motion that keeps ops behind the checks they rely on."""

from __future__ import annotations

from dataclasses import field

from ...dialect.mlir import Block, Module, Operation, Value
from ...dialect.op import Op
from ...dialect.ops.creation import Constant
from ...dialect.ops.shape import BroadcastTo, ExpandDims, Transpose
from ...dialect.ops.state import RaiseIf
from ...dialect.records import dataclass
from ...dialect.register import op_class_of
from ..base import Pass, Statistics
from .linear import is_at_most_zero, linear
from .speculation import is_pure, is_speculatable
from .structure import (
    FOR,
    WHILE,
    body,
    defined_inside,
    functions_with_control_flow,
    loops_with_values,
    operations_in,
    producer,
    trip_count,
    used_inside,
)

_FREE: frozenset[type[Op]] = frozenset({Constant, BroadcastTo, ExpandDims, Transpose})
"""What costs nothing where it is used, and an array where it is kept: moves only along with its users."""


@dataclass(frozen=True)
class HoistInvariants(Pass):
    """Move ops in front of a loop whose operands do not change in it.

    Upstream's pass moves every op without effects. Here ops that rely on checks in front of them (a read at an
    index, a sum of two arrays whose run-time extents were compared) move only out of what is sure to run first:
    the test of an `scf.while`, the body of an `scf.for` with a constant number of iterations. Out of there, the
    checks themselves move, too.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Inner loops first: what leaves them may leave the outer ones."""
        for function in functions_with_control_flow(module):
            for loop, inside in loops_with_values(function):
                hoist = Hoist(loop, inside)
                if loop.name == WHILE:
                    hoist.out_of(body(loop, 0), certain=True)
                    hoist.out_of(body(loop, 1), certain=False)
                else:
                    hoist.out_of(body(loop), certain=runs(loop))
                if hoist.moved:
                    statistics["ops moved"] += hoist.moved


def runs(loop: Operation) -> bool:
    """Whether an `scf.for` is known to run at least once."""
    if loop.name != FOR:
        return False
    trips = trip_count(loop)
    lower, upper = list(loop.operands)[:2]
    return bool(trips) if trips is not None else is_at_most_zero(linear(lower) - linear(upper) + 1, at=loop)


def _may_leave(operation: Operation, certain: bool) -> bool:
    """Whether an op on values from outside may run in front of the loop."""
    return is_speculatable(operation) or (
        certain and (is_pure(operation) or op_class_of(operation) is RaiseIf)
    )


@dataclass
class Hoist:
    """Moves ops in front of one loop."""

    loop: Operation
    inside: set[Value]
    """The values that change in the loop, or are not known not to."""
    free: set[Value] = field(default_factory=set)
    """Those of them that could leave the loop, but need not."""
    moved: int = 0

    def out_of(self, block: Block, *, certain: bool) -> None:
        """Move what can be out of a block; `certain` says that the block runs whenever the loop is reached."""
        for operation in operations_in(block)[:-1]:
            if not self._changes(operation) and _may_leave(operation, certain):
                if op_class_of(operation) in _FREE:
                    self.free.update(operation.results)
                else:
                    self._move(operation)
            elif certain and not is_pure(operation):
                certain = False

    def _changes(self, operation: Operation) -> bool:
        """Whether an op uses what changes in the loop, as most ops in it do."""
        if not len(operation.regions):
            return any(value in self.inside and value not in self.free for value in operation.operands)
        changing = [v for v in used_inside(operation) if v in self.inside and v not in self.free]
        return bool(changing) and not defined_inside(operation).issuperset(changing)

    def _move(self, operation: Operation) -> None:
        for value in used_inside(operation):
            made = producer(value) if value in self.free else None
            if made is not None:
                self._move(made)
        operation.move_before(self.loop)
        self.inside.difference_update(operation.results)
        self.free.difference_update(operation.results)
        self.moved += 1
