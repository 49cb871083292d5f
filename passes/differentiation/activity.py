"""Active values: numbers that depend on the values by which is differentiated."""

from __future__ import annotations

from collections.abc import Iterable

from ...dialect.attributes import type_from_mlir
from ...dialect.derivatives import has_numbers
from ...dialect.errors import DifferentiationError, WeftTypeError
from ...dialect.host_calls import callback_of
from ...dialect.mlir import Block, Operation, Value, ir
from ...dialect.ops.differentiation import Cotangent, Custom, Independent, Pairs, Pause, StopGradient
from ...dialect.ops.state import AllocRef, ReadRef, WriteRef
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.types import TensorType
from ..control_flow.structure import FOR, IF, WHILE, body, has_else, yielded
from ..rewriting import operations_in

OF_PYTHON = "weft.of_python"
"""The attribute of what reads a result of Python that was computed of active values: its derivative is not known."""


def is_numeric(value: Value) -> bool:
    """Whether a value is a tensor of real or complex numbers."""
    try:
        found = type_from_mlir(value.type)
    except WeftTypeError:  # a scalar of another dialect
        return isinstance(value.type, (ir.FloatType, ir.ComplexType))
    return isinstance(found, TensorType) and has_numbers(found)


def _is_cell(value: Value) -> bool:
    return str(value.type).startswith("!weft.ref")


class Activity:
    """Which values depend on the independent ones, as far as ops were looked at; cells are followed, too."""

    def __init__(self, independent: Iterable[Value]) -> None:
        self.independent = set(independent)
        self.values: set[Value] = set(self.independent)
        self.cells: set[Value] = set()
        """Cells that were written an active value."""
        self._handles: set[Value] = set()
        """Numbers of what Python made of active values, which further calls of Python fetch."""

    def __contains__(self, value: Value) -> bool:
        return value in self.values

    def add(self, values: Iterable[Value]) -> None:
        """Note that values are active, those that are numbers."""
        self.values.update(value for value in values if value not in self.values and is_numeric(value))

    def follow(self, operations: Iterable[Operation]) -> None:
        """Look at ops in program order."""
        for operation in operations:
            self._visit(operation)

    def _visit(self, operation: Operation) -> None:
        name = operation.name
        if name == FOR:
            self._loop(operation, [body(operation)], list(operation.operands)[3:])
        elif name == WHILE:
            self._loop(operation, [body(operation), body(operation, 1)], list(operation.operands))
        elif name == IF:
            for number in range(2 if has_else(operation) else 1):
                block = body(operation, number)
                self.follow(operations_in(block)[:-1])
                self._pass(yielded(block), operation.results)
        else:
            self._simple(operation)

    def _simple(self, operation: Operation) -> None:
        op_class = op_class_of(operation)
        if op_class in (StopGradient, Pairs, Cotangent) or (op_class is Pause and self._stops(operation)):
            return
        if op_class is Custom:  # whatever the result was computed of
            rule = operation.operands[1]
            if any(argument in self.values for argument, _ in pairs_of(rule, rule)):
                self.add(operation.results)
            return
        if op_class is WriteRef or op_class is AllocRef:
            cell = operation.operands[0] if op_class is WriteRef else operation.results[0]
            if operation.operands[-1] in self.values:
                self.cells.add(cell)
        elif op_class is ReadRef:
            if operation.operands[0] in self.cells:
                self.add(operation.results)
        elif OF_PYTHON in operation.attributes or any(
            operand in self.values or operand in self.cells or operand in self._handles
            for operand in operation.operands
        ):
            self.add(operation.results)
            if callback_of(operation) is not None:
                self._handles.update(result for result in operation.results if not is_numeric(result))
            if operation.name == "func.call":  # which may write to what it is given
                self.cells.update(operand for operand in operation.operands if _is_cell(operand))

    def _stops(self, pause: Operation) -> bool:
        """Whether a tape that paused asks for the derivatives."""
        tape = decode_attributes(Pause, pause)["tape"]
        return any(
            decode_attributes(Independent, value.owner.operation)["tape"] == tape
            for value in self.independent
            if not isinstance(value.owner, ir.Block) and op_class_of(value.owner.operation) is Independent
        )

    def _pass(self, values: Iterable[Value], targets: Iterable[Value]) -> None:
        self.add(target for value, target in zip(values, targets, strict=False) if value in self.values)

    def _loop(self, operation: Operation, blocks: list[Block], initial: list[Value]) -> None:
        """Until nothing new becomes active: what one iteration leaves, the next one finds."""
        parameters = [list(block.arguments) for block in blocks]
        if operation.name == FOR:
            parameters[0] = parameters[0][1:]
        known = -1
        self._pass(initial, parameters[0])
        while known != len(self.values) + len(self.cells):
            known = len(self.values) + len(self.cells)
            for number, block in enumerate(blocks):
                self.follow(operations_in(block)[:-1])
                self._pass(yielded(block), parameters[(number + 1) % len(blocks)])
        if operation.name == FOR:  # also without any iteration
            self._pass(initial, operation.results)
        self._pass(yielded(blocks[0]), operation.results)


def pairs_of(value: Value, derivative: Value) -> list[tuple[Value, Value]]:
    """The values of a request with their cotangents or tangents."""
    found: list[tuple[Value, Value]] = []
    while not isinstance(value.owner, ir.Block) and op_class_of(value.owner.operation) is Pairs:
        *pair, value = value.owner.operation.operands
        found.append((pair[0], pair[1]))
    return found or [(value, derivative)]


def refuse(operation: Operation, what: str) -> DifferentiationError:
    """The error for a derivative that is not known."""
    return DifferentiationError(what, str(operation.location))
