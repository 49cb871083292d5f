"""How long the tensors of an outlined function live, and where their values should end up."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from ....dialect.mlir import Block, Operation, Value, ir
from .boundaries import KernelInterface
from .clusters import VIEWS


@dataclass(frozen=True)
class Write:
    """An argument that is written at some position."""

    argument: Value
    position: int


class Lifetimes:
    """Positions of definitions and uses in one block.

    A view shares its memory with what it is a view of, so both belong to one class, named by its first value.
    """

    def __init__(self, block: Block, kernels: dict[str, KernelInterface]) -> None:
        self.kernels = kernels
        self.root: dict[Value, Value] = {}
        self.last_use: dict[Value, int] = {}
        self.result_of: dict[Value, int] = {}  # the result that a class becomes
        self.write_of: dict[Value, Write] = {}  # the argument that a class is written to
        self._raising: list[int] = []
        self._touching: dict[Value, list[int]] = {}
        for argument in block.arguments:
            self.root[argument] = argument
            self.last_use[argument] = -1
        operations = [view.operation for view in block.operations]
        for position, op in enumerate(operations):
            self._visit(position, op)
        for position in range(len(operations) - 1, -1, -1):
            self._choose_targets(position, operations[position])
        self.ending: dict[int, list[Value]] = {}
        for value, position in self.last_use.items():
            self.ending.setdefault(position, []).append(value)

    def interface(self, op: Operation) -> KernelInterface | None:
        """How the kernel that an op calls is called; None for other ops."""
        return self.kernels.get(op.attributes["callee"].value) if op.name == "func.call" else None

    def destinations(self, op: Operation) -> list[tuple[Value, Value]]:
        """For every tensor result of a kernel call or update, the result and the operand it is written into."""
        if op.name == "tensor.insert":
            return [(op.results[0], op.operands[1])]
        interface = self.interface(op)
        count = 0 if interface is None else interface.tensors
        first = len(op.operands) - count
        return [(op.results[i], op.operands[first + i]) for i in range(count)]

    def may_write_early(self, write: Write, position: int) -> bool:
        """Whether nobody can tell that an argument is written at `position` instead of later."""
        if _any_between(self._raising, position, write.position):
            return False
        return not _any_between(self._touching.get(write.argument, []), position, write.position)

    def _visit(self, position: int, op: Operation) -> None:
        view = op.name in VIEWS
        for result in op.results:
            if isinstance(result.type, ir.RankedTensorType):
                self.root[result] = self.root[op.operands[0]] if view else result
                self.last_use.setdefault(self.root[result], position)
        interface = self.interface(op)
        if op.name == "weft.raise_if" or (interface is not None and interface.may_raise):
            self._raising.append(position)
        if view or op.name in ("tensor.dim", "memref.dim"):
            return
        for operand in op.operands:
            if isinstance(operand.type, ir.RankedTensorType):
                self.last_use[self.root[operand]] = position
            elif isinstance(operand.type, ir.MemRefType):
                self._touching.setdefault(operand, []).append(position)

    def _choose_targets(self, position: int, op: Operation) -> None:
        """Note where operands should be made; runs backwards, so that an update passes its target on."""
        if op.name == "func.return":
            for index, operand in enumerate(op.operands):
                self.result_of.setdefault(self.root[operand], index)
        elif op.name == "bufferization.materialize_in_destination":
            value, argument = op.operands
            self.write_of.setdefault(self.root[value], Write(argument, position))
        else:
            for result, destination in self.destinations(op):
                updated = self.root[destination]
                if self.last_use[updated] > position:
                    continue
                if result in self.result_of:
                    self.result_of.setdefault(updated, self.result_of[result])
                if result in self.write_of:
                    self.write_of.setdefault(updated, self.write_of[result])


def _any_between(positions: list[int], first: int, last: int) -> bool:
    """Whether a sorted list has an element in [first, last)."""
    index = bisect_left(positions, first)
    return index < len(positions) and positions[index] < last
