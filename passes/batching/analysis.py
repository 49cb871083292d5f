"""Which values differ from lane to lane, in the ops between those that give lanes and those that take them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ...dialect.host_calls import callback_of
from ...dialect.mlir import Operation, Value
from ...dialect.op import Op
from ...dialect.ops.differentiation import Cotangent, Custom, Gradient, Independent, Marker, Pairs, Tangent
from ...dialect.ops.indexing import FindOutOfBounds
from ...dialect.ops.shape import Dim
from ...dialect.ops.state import RaiseIf
from ...dialect.ops.ufunc_loops import LoopOp
from ...dialect.register import op_class_of
from ..control_flow.structure import FOR, IF, WHILE, body, has_else, terminator, yielded
from ..rewriting import operations_in

Has = Callable[[Value], bool]


class Differing:
    """The values that differ from lane to lane, as far as ops were looked at."""

    def __init__(self, values: Iterable[Value]) -> None:
        self.values = set(values)

    def __contains__(self, value: Value) -> bool:
        return value in self.values

    def follow(self, operations: Iterable[Operation], is_masked: bool = False) -> None:
        """Look at ops in program order; where they are masked, some lanes do not run them."""
        for operation in operations:
            visit = _VISITS.get(operation.name)
            if visit is not None:
                visit(self, operation, is_masked)
            else:
                self._add(operation.results, results_that_differ(operation, self.__contains__, is_masked))

    def _add(self, values: Iterable[Value], differ: Sequence[bool]) -> bool:
        """Note values; returns whether there are new ones."""
        before = len(self.values)
        self.values.update(value for value, has in zip(values, differ, strict=True) if has)
        return len(self.values) > before

    def _branch(self, operation: Operation, is_masked: bool) -> None:
        is_chosen = operation.operands[0] in self
        for number in range(2 if has_else(operation) else 1):
            block = body(operation, number)
            self.follow(operations_in(block)[:-1], is_masked or is_chosen)
            self._add(operation.results, [is_chosen or value in self for value in yielded(block)])

    def _for(self, operation: Operation, is_masked: bool) -> None:
        initial = list(operation.operands)[3:]
        block = body(operation)
        counter, *carried = block.arguments
        counts = runs_for_each(operation, self.__contains__)
        self._add(carried, [counts or value in self for value in initial])
        self._add([counter], [counts])
        while True:
            self.follow(operations_in(block)[:-1], is_masked or counts)
            if not self._add(carried, [value in self for value in yielded(block)]):
                break
        self._add(operation.results, [argument in self for argument in carried])

    def _while(self, operation: Operation, is_masked: bool) -> None:
        before, after = body(operation), body(operation, 1)
        self._add(before.arguments, [is_masked or value in self for value in operation.operands])
        while True:
            size = len(self.values)
            self.follow(operations_in(before)[:-1], is_masked)
            condition, *passed = terminator(before).operands
            is_masked = is_masked or condition in self
            self._add(after.arguments, [is_masked or value in self for value in passed])
            self.follow(operations_in(after)[:-1], is_masked)
            self._add(before.arguments, [is_masked or value in self for value in yielded(after)])
            if len(self.values) == size:
                break
        self._add(operation.results, [argument in self for argument in after.arguments])


def runs_for_each(loop: Operation, has: Has) -> bool:
    """Whether the lanes run an `scf.for` with counters of their own."""
    return any(map(has, list(loop.operands)[:3]))


_VISITS = {IF: Differing._branch, FOR: Differing._for, WHILE: Differing._while}


def results_that_differ(operation: Operation, has: Has, is_masked: bool) -> list[bool]:
    """Which results of an op without regions differ, if it is told which operands do."""
    op_class, count = op_class_of(operation), len(operation.results)
    if callback_of(operation) is not None:
        return [True] * count  # Python is called for each
    operands = list(operation.operands)
    differ = any(map(has, operands))
    if op_class is None:
        return [differ] * count
    is_ended = not is_masked and only_ends_the_call(operation)
    if op_class is FindOutOfBounds and is_ended:
        return [has(operands[1])] * count
    if issubclass(op_class, LoopOp) and op_class.fails and is_ended:
        return [differ] * (count - 1) + [False]
    return [_differs(op_class, operands, has, differ)] * count


def only_ends_the_call(operation: Operation) -> bool:
    """Whether what an op says of failures only ends the call, right behind it: one answer is enough for all lanes."""
    op_class = op_class_of(operation)
    flags = operation.results if op_class is FindOutOfBounds else list(operation.results)[-1:]
    users = [use.owner.operation for flag in flags for use in flag.uses]
    return all(op_class_of(user) is RaiseIf and user.block == operation.block for user in users)


def _differs(op_class: type[Op], operands: Sequence[Value], has: Has, differ: bool) -> bool:
    if op_class is Independent:
        return True
    if op_class in (Dim, Pairs):
        return False
    if op_class in (Cotangent, Custom) or issubclass(op_class, Marker):
        return has(operands[0])
    if op_class is Gradient:
        return has(operands[2])
    return has(operands[0]) or has(operands[1]) if op_class is Tangent else differ
