"""How long the tensors of a block live, and where their values should end up."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Collection, Sequence

from ...dialect.mlir import Block, Operation, Value, ir
from ...dialect.records import dataclass
from ...passes.rewriting import operations_in
from .boundaries import KernelInterface
from .captures import Captures
from .outlining.destinations import UPDATES, Origins
from .outlining.op_kinds import VIEWS, may_end_call, updated_value
from .shapes import Varying

ALWAYS = sys.maxsize
"""The last use of a value from outside the block: it may be used again when the block runs again."""


@dataclass(frozen=True)
class Write:
    """Memory that outlives the block and is written at some position: an argument, or what a loop carries."""

    place: Value
    position: int
    observable: bool
    """Whether an error raised before the position must find the old contents."""


class Lifetimes:
    """Positions of definitions and uses in one block.

    A view shares its memory with what it is a view of, so both belong to one class, named by its first value.
    `owned` are classes from outside that end in this block; `places` says, for every operand of the terminator,
    what memory it is stored to, if it is.
    """

    def __init__(
        self,
        block: Block,
        kernels: dict[str, KernelInterface],
        outer: Lifetimes | None = None,
        owned: Collection[Value] = (),
        places: Sequence[Value | None] = (),
        varying: Varying = frozenset(),
    ) -> None:
        self.kernels = kernels
        self.varying: Varying = varying if outer is None else outer.varying
        self.captures: Captures = Captures() if outer is None else outer.captures
        self._raises: dict[Operation, bool] = {} if outer is None else outer._raises
        self._origins: Origins = {} if outer is None else outer._origins
        self.root: dict[Value, Value] = {} if outer is None else outer.root
        self.result_of: dict[Value, int] = {}  # the result that a class becomes
        self.write_of: dict[Value, Write] = {}  # the memory that a class is written to
        self._last_use: dict[Value, int] = dict.fromkeys(owned, -1)
        self._places = places
        self._raising: list[int] = []
        self._touching: dict[Value, list[int]] = {}
        for argument in block.arguments:
            self.root[argument] = argument
            self._last_use[argument] = -1
        operations = operations_in(block)
        for position, op in enumerate(operations):
            self._visit(position, op)
        for position in range(len(operations) - 1, -1, -1):
            self._choose_targets(position, operations[position])
        self.ending: dict[int, list[Value]] = {}
        for value, position in self._last_use.items():
            self.ending.setdefault(position, []).append(value)

    def last_use(self, value: Value) -> int:
        """The position of the last use of a class."""
        return self._last_use.get(value, ALWAYS)

    def interface(self, op: Operation) -> KernelInterface | None:
        """How the kernel that an op calls is called; None for other ops."""
        return self.kernels.get(op.attributes["callee"].value) if op.name == "func.call" else None

    def destinations(self, op: Operation) -> list[tuple[Value, Value]]:
        """For every tensor result that is made in an operand's memory: the result and the operand."""
        if op.name == "tensor.insert":
            return [(op.results[0], op.operands[1])]
        if op.name == "scf.for":
            pairs = zip(op.results, list(op.operands)[3:], strict=True)
            return [(result, initial) for result, initial in pairs if self._keeps_its_size(result)]
        if op.name in ("scf.if", "scf.while"):
            tensors = (result for result in op.results if self._keeps_its_size(result))
            updates = ((result, updated_value(result, {op}, self._origins)) for result in tensors)
            return [(result, updated) for result, updated in updates if updated is not None]
        if UPDATES in op.attributes:
            pairs = zip(op.results, op.attributes[UPDATES], strict=True)
            return [(result, op.operands[updated]) for result, updated in pairs if updated >= 0]
        interface = self.interface(op)
        count = 0 if interface is None else interface.tensors
        first = len(op.operands) - count
        return [(op.results[i], op.operands[first + i]) for i in range(count)]

    def may_write_early(self, write: Write, position: int) -> bool:
        """Whether nobody can tell that memory is written at `position` instead of later."""
        if write.observable and _any_between(self._raising, position, write.position):
            return False
        return not _any_between(self._touching.get(write.place, []), position, write.position)

    def may_raise(self, op: Operation) -> bool:
        """Whether the call may end in an op."""
        if op.regions:
            known = self._raises.get(op)
            if known is None:
                inner = (inner for region in op.regions for block in region for inner in operations_in(block))
                known = self._raises[op] = any(map(self.may_raise, inner))
            return known
        interface = self.interface(op)
        return may_end_call(op) or (interface is not None and interface.may_raise)

    def _keeps_its_size(self, value: Value) -> bool:
        """Whether a result of control flow is a tensor that has one size all the time."""
        if not _is_tensor(value):
            return False
        return not self.varying or not any((value, axis) in self.varying for axis in range(value.type.rank))

    def _visit(self, position: int, op: Operation) -> None:
        view = op.name in VIEWS
        for result in op.results:
            if _is_tensor(result):
                self.root[result] = self.root[op.operands[0]] if view else result
                if not view:
                    self._last_use[result] = position
        if self.may_raise(op):
            self._raising.append(position)
        if view or op.name in ("tensor.dim", "memref.dim"):
            return
        for operand in self.captures.of(op):
            if _is_tensor(operand):
                self._use(operand, position)
            elif isinstance(operand.type, ir.MemRefType):
                self._touching.setdefault(operand, []).append(position)

    def _use(self, value: Value, position: int) -> None:
        root = self.root[value]
        if root in self._last_use:
            self._last_use[root] = position

    def _choose_targets(self, position: int, op: Operation) -> None:
        """Note where operands should be made; runs backwards, so that an update passes its target on."""
        if op.name == "func.return":
            for index, operand in enumerate(op.operands):
                self.result_of.setdefault(self.root[operand], index)
        elif op.name in ("scf.yield", "scf.condition"):
            for operand, place in zip(op.operands, self._places, strict=True):
                if place is not None:
                    self.write_of.setdefault(self.root[operand], Write(place, position, observable=False))
        elif op.name == "bufferization.materialize_in_destination":
            value, argument = op.operands  # the first of several writes: the value must be there by then
            self.write_of[self.root[value]] = Write(argument, position, observable=True)
        else:
            for result, destination in self.destinations(op):
                self._pass_on(result, self.root[destination], position)

    def _pass_on(self, result: Value, updated: Value, position: int) -> None:
        if self.last_use(updated) > position:
            return
        if result in self.result_of:
            self.result_of.setdefault(updated, self.result_of[result])
        if result in self.write_of:
            self.write_of.setdefault(updated, self.write_of[result])


def _is_tensor(value: Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType)


def _any_between(positions: list[int], first: int, last: int) -> bool:
    """Whether a sorted list has an element in [first, last)."""
    index = bisect_left(positions, first)
    return index < len(positions) and positions[index] < last
