"""Which values are the same on all ranks, followed through branches and loops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...dialect.attributes import type_from_mlir
from ...dialect.errors import WeftTypeError
from ...dialect.mlir import Block, Module, Operation, Value, ir
from ...dialect.op import Op
from ...dialect.ops.differentiation import Gradient, Marker
from ...dialect.ops.distributed import (
    AboutRanks,
    AllReduce,
    BroadcastRank,
    Local,
    RankCount,
    Replicated,
    Together,
    Vary,
)
from ...dialect.ops.shape import Dim
from ...dialect.ops.state import ReadRef
from ...dialect.records import NamedTuple
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.types import TensorType
from ..control_flow.structure import FOR, IF, WHILE, body, has_else, yielded
from ..rewriting import operations_in, operations_of, terminator

OTHERS = "*"
"""Stands for the axes of the mesh that a program does not name."""


class Sameness(NamedTuple):
    """What is known of a value."""

    varies: frozenset[str] = frozenset()
    """The axes along which ranks may have different ones."""
    is_said: bool = False
    """Whether the program says so, and not that arguments are taken to be so."""
    is_summed: bool = False
    """Whether it is a gradient that is summed over the ranks."""


SAME = Sameness()


def over_of(op_class: type[Op], operation: Operation) -> str:
    """The axes that an op is over."""
    over: str = decode_attributes(op_class, operation)["over"]
    return over


class Samenesses:
    """Follows values in program order.

    Arrays that come from outside may be different; numbers and extents are taken to be the same, as are the constants
    of the program. Otherwise a value varies along the axes along which something does that it is computed of.
    """

    def __init__(self, module: Module) -> None:
        self._of: dict[Value, Sameness] = {}
        named = {
            name
            for operation in operations_of(module.operation)
            if (op_class := op_class_of(operation)) is not None and op_class.family == "distributed"
            for name in over_of(op_class, operation).split(",")
        }
        self.everywhere = frozenset((named - {""}) | {OTHERS})
        """All axes."""

    def of(self, value: Value) -> Sameness:
        """What is known of a value; nothing, of what was not met yet."""
        return self._of.get(value, SAME)

    def axes(self, over: str) -> frozenset[str]:
        """The axes that an op names."""
        return frozenset(over.split(",")) if over else self.everywhere

    def follow_function(self, function: Operation) -> None:
        """Follow all of a function that is called from outside, or by others."""
        block = function.regions[0].blocks[0]
        for argument in block.arguments:
            self._of[argument] = self.from_outside(argument)
        self.follow(operations_in(block))

    def from_outside(self, value: Value) -> Sameness:
        """What is known of an argument, or of what Python gives."""
        try:
            found = type_from_mlir(value.type)
        except WeftTypeError:
            return SAME
        is_array = not isinstance(found, TensorType) or found.rank > 0
        return Sameness(self.everywhere) if is_array else SAME

    def follow(self, operations: Iterable[Operation]) -> None:
        """Look at ops in program order."""
        for operation in operations:
            name = operation.name
            if name == FOR:
                self._follow_loop(operation, [body(operation)], list(operation.operands)[3:])
            elif name == WHILE:
                self._follow_loop(operation, [body(operation), body(operation, 1)], list(operation.operands))
            elif name == IF:
                self._follow_branch(operation)
            else:
                self._follow_simple(operation)

    def _follow_branch(self, operation: Operation) -> None:
        decided = self.of(operation.operands[0])
        for number in range(2 if has_else(operation) else 1):
            block = body(operation, number)
            self.follow(operations_in(block))
            for value, result in zip(yielded(block), operation.results, strict=False):
                self._join(result, self.of(value), decided)

    def _follow_loop(self, operation: Operation, blocks: list[Block], initial: list[Value]) -> None:
        """Until nothing new varies: what one iteration leaves, the next one finds."""
        parameters = [list(block.arguments) for block in blocks]
        bounds: list[Value] = []
        if operation.name == FOR:
            bounds = list(operation.operands)[:3]
            number, *parameters[0] = parameters[0]
            for bound in bounds:
                self._join(number, self.of(bound))
        for value, parameter in zip(initial, parameters[0], strict=False):
            self._of[parameter] = self.of(value)
        before: list[Sameness] | None = None
        around = [parameter for several in parameters for parameter in several]
        while before != (before := [self.of(value) for value in around]):
            for number, block in enumerate(blocks):
                self.follow(operations_in(block))
                targets = parameters[(number + 1) % len(blocks)]
                for value, target in zip(yielded(block), targets, strict=False):
                    self._join(target, self.of(value))
        ends = [self.of(bound) for bound in bounds]
        if operation.name == WHILE:
            ends.append(self.of(terminator(blocks[0]).operands[0]))
        for value, result in zip(yielded(blocks[0]), operation.results, strict=False):
            self._join(result, self.of(value), *ends)
        for value, result in zip(initial, operation.results, strict=False):
            if operation.name == FOR:  # also without any iteration
                self._join(result, self.of(value))

    def _follow_simple(self, operation: Operation) -> None:
        op_class = op_class_of(operation)
        operands = [self.of(operand) for operand in operation.operands]
        if op_class is Gradient:
            x = operands[2]
            made = x._replace(is_summed=x.is_said and not x.varies)
        elif op_class is Dim:
            made = SAME
        elif op_class is not None and issubclass(op_class, Marker):
            made = operands[0]
        elif op_class is not None and op_class.family == "distributed":
            made = self._of_ranks(op_class, operation, operands)
        elif operation.name == "func.call" or op_class is ReadRef:
            for result in operation.results:
                self._of[result] = self.from_outside(result)
            return
        else:
            made = united(operands)
            arrays = [o for o, v in zip(operands, operation.operands, strict=True) if o.varies or o.is_said]
            made = made._replace(is_summed=bool(arrays) and all(o.is_summed for o in arrays))
        for result in operation.results:
            self._of[result] = made

    def _of_ranks(self, op_class: type[Op], operation: Operation, operands: Sequence[Sameness]) -> Sameness:
        axes = self.axes(over_of(op_class, operation))
        varies = operands[0].varies if operands else frozenset[str]()
        if op_class in (AllReduce, BroadcastRank, Replicated):
            return Sameness(varies - axes, True)
        if op_class is RankCount:
            return SAME
        if op_class is Local or op_class is Vary or issubclass(op_class, (AboutRanks, Together)):
            return Sameness(varies | axes, True)
        return united(operands)

    def _join(self, value: Value, *others: Sameness) -> None:
        """Let a value be as different as others are."""
        own = [self._of[value]] if value in self._of else []
        self._of[value] = united([*own, *others])


def united(several: Sequence[Sameness]) -> Sameness:
    """What is known of a value that is computed of others."""
    varies = frozenset[str]().union(*(each.varies for each in several))
    return Sameness(varies, any(each.is_said for each in several if each.varies == varies))


def is_tensor(value: Value) -> bool:
    """Whether a value is an array."""
    return isinstance(value.type, ir.RankedTensorType)
