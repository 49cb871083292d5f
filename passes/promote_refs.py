"""Turn cells into values: what mem2reg does for scalars in memory, done for cells that hold tensors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..dialect.attributes import type_from_mlir, type_to_mlir
from ..dialect.mlir import Block, Location, Module, Operation, Value, ir
from ..dialect.ops.state import AllocRef, ReadRef, WriteRef
from ..dialect.register import create, op_class_of
from ..dialect.types import RefType
from .base import Pass, Statistics
from .rewriting import defined_functions, operations_of


@dataclass(frozen=True)
class PromoteRefs(Pass):
    """Replace reads of a cell by the value that was last written to it.

    Cells that the function makes vanish. A cell that is an argument keeps one read, of what the caller
    passed, and one write before everything that may end the call: an error must leave the writes before it
    visible. An argument that is never written becomes a plain tensor argument. A cell that is used in any
    other way than by reads and writes in the block it belongs to stays as it is.
    """

    name: ClassVar[str] = "promote-refs"
    summary: ClassVar[str] = "replace reads of mutable cells by the values written to them"

    def run(self, module: Module, statistics: Statistics) -> None:
        """Promote the cells of every function."""
        called = _called_functions(module)
        for function in defined_functions(module):
            for block, operations in _blocks(function):
                _BlockPromoter(block, operations, statistics).run()
            if function.name.value not in called:
                _pass_unwritten_cells_as_tensors(function, statistics)


def _called_functions(module: Module) -> set[str]:
    """The functions whose signature calls in the module rely on."""
    calls = [operation for operation in operations_of(module.operation) if operation.name == "func.call"]
    return {operation.attributes["callee"].value for operation in calls}


def _blocks(function: Any) -> list[tuple[Block, list[Operation]]]:
    """The blocks of a function, also in nested regions, with their own ops in order."""
    blocks: dict[Block, list[Operation]] = {}
    for operation in operations_of(function.operation):
        blocks.setdefault(operation.block, []).append(operation)
    return list(blocks.items())


@dataclass
class _Cell:
    """What is known about a cell at a point of the program."""

    ref: Value
    outlives_call: bool
    """Whether the caller sees the cell: an argument."""
    current: Value | None = None
    """The value that the program sees in the cell, once it was read or written."""
    stored: Value | None = None
    """The value that is in memory; differs from `current` while a write is pending."""
    written_at: Location | None = None

    @property
    def is_pending(self) -> bool:
        """Whether a value waits to be written."""
        return self.written_at is not None and (self.stored is None or self.stored != self.current)


@dataclass
class _BlockPromoter:
    """Promotes the cells that belong to one block and are used in it alone."""

    block: Block
    operations: list[Operation]
    statistics: Statistics
    cells: dict[Value, _Cell] = field(default_factory=dict)
    dead: list[Operation] = field(default_factory=list)

    def run(self) -> None:
        """Walk the ops in program order, then erase what was replaced."""
        uses = self._uses_of_cells()
        for argument in self.block.arguments:
            self._adopt(argument, uses, outlives_call=True)
        for operation in self.operations:
            self._visit(operation, uses)
        for operation in reversed(self.dead):
            operation.erase()

    def _uses_of_cells(self) -> dict[Value, int]:
        """How many plain reads and writes in this block each cell has."""
        uses: dict[Value, int] = {}
        for operation in self.operations:
            if op_class_of(operation) in (ReadRef, WriteRef) and _keeps_type(operation):
                ref = operation.operands[0]
                uses[ref] = uses.get(ref, 0) + 1
        return uses

    def _adopt(self, ref: Value, uses: dict[Value, int], *, outlives_call: bool) -> _Cell | None:
        """Start to track a cell if all its uses are reads and writes in this block."""
        if not _is_ref(ref) or uses.get(ref, 0) != sum(1 for _ in ref.uses):
            return None
        cell = _Cell(ref, outlives_call)
        self.cells[ref] = cell
        return cell

    def _visit(self, operation: Operation, uses: dict[Value, int]) -> None:
        op_class = op_class_of(operation)
        if op_class is AllocRef:
            cell = self._adopt(operation.results[0], uses, outlives_call=False)
            if cell is not None:
                cell.current = operation.operands[0]
                self._drop(operation, "cells removed")
        elif op_class is ReadRef and operation.operands[0] in self.cells:
            self._read(self.cells[operation.operands[0]], operation)
        elif op_class is WriteRef and operation.operands[0] in self.cells:
            cell = self.cells[operation.operands[0]]
            cell.current, cell.written_at = operation.operands[1], operation.location
            self._drop(operation, "writes removed")
        elif op_class is None or not op_class.is_pure():
            self._flush(operation)

    def _read(self, cell: _Cell, operation: Operation) -> None:
        if cell.current is None:
            cell.current = cell.stored = operation.results[0]
        else:
            operation.results[0].replace_all_uses_with(cell.current)
            self._drop(operation, "reads replaced")

    def _flush(self, before: Operation) -> None:
        """Write pending values of cells that outlive the call, in front of an op that may end it."""
        for cell in self.cells.values():
            if cell.outlives_call and cell.is_pending:
                with ir.InsertionPoint(before):
                    create(WriteRef, [cell.ref, cell.current], {}, location=cell.written_at)
                cell.stored = cell.current
                self.statistics["writes removed"] -= 1  # the last one was only deferred

    def _drop(self, operation: Operation, what: str) -> None:
        self.dead.append(operation)
        self.statistics[what] += 1


def _is_ref(value: Value) -> bool:
    return str(value.type).startswith("!weft.ref<")


def _keeps_type(operation: Operation) -> bool:
    """Whether a read or write has exactly the tensor type of the cell: it may know more of the shape."""
    ref = type_from_mlir(operation.operands[0].type)
    value = operation.results[0] if len(operation.results) else operation.operands[1]
    return isinstance(ref, RefType) and type_from_mlir(value.type) == ref.tensor


def _pass_unwritten_cells_as_tensors(function: Any, statistics: Statistics) -> None:
    """Change arguments that are cells but only read into tensor arguments."""
    entry = function.regions[0].blocks[0]
    reads: dict[Value, list[Operation]] = {a: [] for a in entry.arguments if _is_ref(a)}
    others: set[Value] = set()
    for operation in operations_of(function.operation) if reads else ():
        for operand in operation.operands:
            if operand in reads and op_class_of(operation) is ReadRef and _keeps_type(operation):
                reads[operand].append(operation)
            elif operand in reads:
                others.add(operand)
    for argument in reads.keys() - others:
        ref = type_from_mlir(argument.type)
        if isinstance(ref, RefType):
            argument.set_type(type_to_mlir(ref.tensor))
        for operation in reads[argument]:
            operation.results[0].replace_all_uses_with(argument)
            operation.erase()
        statistics["arguments made plain"] += 1
    if not reads:
        return
    inputs = [argument.type for argument in entry.arguments]
    signature = ir.FunctionType.get(inputs, list(function.type.results))
    function.attributes["function_type"] = ir.TypeAttr.get(signature)
