"""The reverse sweep: the cotangents of what ops were computed of, last op first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from ...dialect.derivatives import cotangents, is_differentiable, without_derivative
from ...dialect.errors import WeftError
from ...dialect.mlir import Block, Operation, Value
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.state import ReadRef
from ...dialect.register import decode_attributes, op_class_of
from ..control_flow.structure import CAST, defined_inside
from ..rewriting import operations_of
from .activity import OF_PYTHON, Activity, refuse
from .adjoints import Adjoints
from .cells import Shadows
from .order import READS, reads_first


class Sweep:
    """Walks ops backwards and emits the ops of their cotangents at the current insertion point."""

    def __init__(
        self, activity: Activity, reverses: Mapping[str, Reverse], memory: int, retired: Block
    ) -> None:
        self.activity = activity
        self.shadows = Shadows()
        """The cells of cotangents of what cells hold."""
        self.memory = memory
        """The bytes above which what a loop keeps is kept in pieces."""
        self._loops = 0
        self.reverses = reverses
        """What emits the reverse of branches, loops, calls and rules of users, by the names of ops."""
        self.retired = retired
        """Where branches and loops are that others took the place of, so that handles of them stay valid."""

    @property
    def is_in_loop(self) -> bool:
        """Whether the body of a loop is being reversed."""
        return self._loops > 0

    @contextmanager
    def in_loop(self) -> Iterator[None]:
        """While the body of a loop is reversed."""
        self._loops += 1
        yield
        self._loops -= 1

    def set_aside(self, operation: Operation) -> None:
        """Take what was made in vain out of the program; kept as long as there may be handles of what is inside."""
        self.retired.append(operation)

    def run(self, operations: Sequence[Operation], adjoints: Adjoints) -> None:
        """Go through the ops of a block, last first."""
        for operation in reversed(reads_first(operations)):
            if self.shadows.reverse(operation, adjoints, self.activity):
                continue
            results = list(operation.results)
            if operation.name in self.reverses and self.shadows.touch(operation):
                self.shadows.settle()
            elif not any(result in adjoints for result in results):
                continue
            if operation.name in self.reverses:
                self.reverses[operation.name](self, operation, adjoints)
                continue
            given = [adjoints.take(result) for result in results]
            wanted = [n for n, operand in enumerate(operation.operands) if operand in self.activity]
            is_unknown = OF_PYTHON in operation.attributes
            is_cell = op_class_of(operation) is ReadRef and operation.operands[0] in self.activity.cells
            if wanted or is_cell or is_unknown:
                self._visit(operation, given, wanted, adjoints)
        self.shadows.settle()

    def _visit(
        self, operation: Operation, given: list[Value | None], wanted: list[int], adjoints: Adjoints
    ) -> None:
        require_known(operation)
        op_class = op_class_of(operation)
        b = OpEmitter(operation.location)
        if op_class is None:
            if given[0] is not None:  # a cast of what is known of the shape
                source = operation.operands[0]
                adjoints.add(b, source, b.refined(b.value(given[0]), b.value(source).type))
            return
        operands = [b.value(operand) for operand in operation.operands]
        outputs = [b.value(result) for result in operation.results]
        seeds = [None if g is None else b.value(g) for g in given]
        total = adjoints.values.get(operation.operands[0]) if op_class in READS else None
        if total is not None:  # which may be of more bits
            seeds = [None if g is None else b.converted(g, b.value(total).dtype) for g in seeds]
        attributes = decode_attributes(op_class, operation)
        try:
            found = cotangents(b, op_class, operands, outputs, seeds, attributes, wanted)
        except WeftError as error:
            raise refuse(operation, str(error)) from error
        for number, cotangent in found:
            adjoints.add(b, operation.operands[number], cotangent)

    def retire(self, old: Operation, new: Operation) -> None:
        """Take note that a branch or loop has taken the place of another, with results of the same meaning."""
        self.retired.append(old)
        self.activity.add(n for o, n in zip(old.results, new.results, strict=False) if o in self.activity)


NOT_OF_PYTHON = "what Python computes has no derivative; put weft.stop_gradient around it if none is needed"

Reverse: TypeAlias = "Callable[[Sweep, Operation, Adjoints], None]"


def captured(operation: Operation, activity: Activity) -> list[Value]:
    """The active values from outside that are used inside of an op."""
    inside = defined_inside(operation)
    found: dict[Value, None] = {}
    for inner in operations_of(operation):
        found.update((v, None) for v in inner.operands if v in activity and v not in inside)
    return list(found)


def require_known(operation: Operation) -> None:
    """Raise for an op whose derivative is not known."""
    if OF_PYTHON in operation.attributes:
        raise refuse(operation, NOT_OF_PYTHON)
    op_class = op_class_of(operation)
    if op_class is ReadRef:
        raise refuse(
            operation,
            "the derivative of what was written to an argument in a branch or loop that may raise, and is read again, "
            "is not known yet; work on a copy of the argument: x = x.copy()",
        )
    if op_class is not None:
        attributes = {} if op_class.has_elements() else decode_attributes(op_class, operation)
        if not is_differentiable(op_class, attributes):
            raise refuse(operation, without_derivative(op_class, attributes))
    if op_class is None and operation.name != CAST:
        raise refuse(operation, f"the derivative of {operation.name} is not known")
