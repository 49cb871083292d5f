"""Turn cells into values: what mem2reg does for scalars in memory, done for cells that hold tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Any

from ...dialect.attributes import type_from_mlir, type_to_mlir
from ...dialect.errors import InternalError
from ...dialect.made_ops import operation_of
from ...dialect.mlir import Block, Location, Module, Operation, Type, Value, ir
from ...dialect.ops.state import AllocRef, ReadRef, WriteRef
from ...dialect.records import dataclass
from ...dialect.register import create, op_class_of
from ...dialect.types import RefType
from ..base import Pass, Statistics
from ..rewriting import defined_functions, holds, is_unused, made_again, operations_of, settle_signature
from . import extents
from .sinking import sink
from .uses import CONTROL_FLOW, CellUses, is_ref, keeps_type, may_end_call


@dataclass(frozen=True)
class PromoteRefs(Pass):
    """Replace reads of a cell by the value that was last written to it.

    Cells that the function makes vanish; what is written in a branch or a loop becomes a result of it. A cell
    that is an argument keeps one read, of what the caller passed, and one write before everything that may
    end the call: an error must leave the writes before it visible. A branch or loop that may end the call
    inside does not carry the arguments that it writes; it reads them from memory where it needs them and
    leaves them there; a read moves into the branch that alone uses it, as writes behind it would have it
    copied. Their extents are asked for once, since no write changes them. An argument that is never written
    becomes a plain tensor argument. A cell that is used in any other way than by reads and writes stays as
    it is.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Promote the cells of every function."""
        functions = [function for function in defined_functions(module) if _has_cells(function)]
        called = _called_functions(module) if functions else set()
        for function in functions:
            uses = CellUses(function)
            if uses.promotable:
                _Promoter(uses, statistics).run()
            if function.name.value not in called:
                _pass_unwritten_cells_as_tensors(function, statistics)


_ALLOCATIONS = frozenset({AllocRef.mlir_name()})


def _has_cells(function: Any) -> bool:
    """Whether a function gets or makes a cell."""
    return any(map(is_ref, function.entry_block.arguments)) or holds(function.operation, _ALLOCATIONS)


def _called_functions(module: Module) -> set[str]:
    """The functions whose signature calls in the module rely on."""
    calls = [operation for operation in operations_of(module.operation) if operation.name == "func.call"]
    return {operation.attributes["callee"].value for operation in calls}


@dataclass
class _Cell:
    """What is known about a cell at a point of the program."""

    ref: Value
    outlives_call: bool
    """Whether the caller sees the cell: an argument."""
    current: Value | None = None
    """The value that the program sees in the cell, once it was read or written."""
    stored: Value | None = None
    """The value that is in memory, where that is known."""
    written_at: Location | None = None

    @property
    def type(self) -> Type:
        """The type of what it holds."""
        held = type_from_mlir(self.ref.type)
        if not isinstance(held, RefType):
            raise InternalError(f"expected a cell, not {held}")
        return type_to_mlir(held.tensor)

    def hold(self, value: Value | None, *, in_memory: bool) -> None:
        """Go on with another value, or with whatever is in memory."""
        self.current = value
        self.stored = value if in_memory else None


@dataclass
class _Promoter:
    """Promotes the cells of one function: follows the program and rebuilds the ops that write cells inside."""

    uses: CellUses
    statistics: Statistics
    cells: dict[Value, _Cell] = field(default_factory=dict)
    pending: dict[Value, _Cell] = field(default_factory=dict)
    """Cells that outlive the call and whose current value is not in memory."""
    dead: list[Operation] = field(default_factory=list)
    reads: dict[Value, list[Operation]] = field(default_factory=dict)
    """What is left of the reads of every cell, in program order."""
    made: list[Operation] = field(default_factory=list)
    """Reads that were made in front of ops with regions, perhaps for nothing."""

    def run(self) -> None:
        """Walk the ops in program order, then erase what was replaced."""
        for argument in self.uses.entry.arguments:
            if argument in self.uses.promotable:
                self.cells[argument] = _Cell(argument, outlives_call=True)
        for operation in self.uses.operations[self.uses.entry]:
            self._visit(operation)
        for operation in reversed(self.dead):
            operation.erase()
        for operation in reversed(self.made):
            if is_unused(operation):
                self.reads[operation.operands[0]].remove(operation)
                operation.erase()
        for ref, reads in self.reads.items():
            extents.share_extents(self.uses.entry, ref, reads, self.statistics)
            for read in reads:
                self.statistics["reads moved"] += sink(read)

    def _visit(self, operation: Operation) -> None:
        op_class = op_class_of(operation)
        if op_class is AllocRef and operation.results[0] in self.uses.promotable:
            ref = operation.results[0]
            self.cells[ref] = _Cell(ref, outlives_call=False, current=operation.operands[0])
            self._drop(operation, "cells removed")
        elif op_class is ReadRef and operation.operands[0] in self.cells:
            self._read(self.cells[operation.operands[0]], operation)
        elif op_class is WriteRef and operation.operands[0] in self.cells:
            self._write(self.cells[operation.operands[0]], operation)
        elif operation.name in CONTROL_FLOW:
            self._visit_control_flow(operation)
        elif may_end_call(operation):
            self._flush(operation)

    def _read(self, cell: _Cell, operation: Operation) -> None:
        if cell.current is None:
            self._keep_read(cell, operation)
        else:
            operation.results[0].replace_all_uses_with(cell.current)
            self._drop(operation, "reads replaced")

    def _keep_read(self, cell: _Cell, operation: Operation) -> None:
        cell.hold(operation.results[0], in_memory=True)
        self.reads.setdefault(cell.ref, []).append(operation)

    def _write(self, cell: _Cell, operation: Operation) -> None:
        cell.current, cell.written_at = operation.operands[1], operation.location
        if cell.stored is not None and cell.stored == cell.current:
            self.pending.pop(cell.ref, None)
        elif cell.outlives_call:
            self.pending[cell.ref] = cell
        self._drop(operation, "writes removed")

    def _flush(self, before: Operation) -> None:
        """Write pending values, in front of an op that may end the call."""
        for cell in self.pending.values():
            with ir.InsertionPoint(before):
                create(WriteRef, [cell.ref, cell.current], {}, location=cell.written_at)
            cell.stored = cell.current
            self.statistics["writes removed"] -= 1  # the last one was only deferred
        self.pending.clear()

    def _drop(self, operation: Operation, what: str) -> None:
        self.dead.append(operation)
        self.statistics[what] += 1

    # Branches and loops

    def _visit_control_flow(self, operation: Operation) -> None:
        touched = self.uses.of(operation)
        written = [self.cells[ref] for ref in touched.written if ref in self.cells]
        carried = [cell for cell in written if not (cell.outlives_call and touched.may_end)]
        in_memory = [cell for cell in written if cell.outlives_call and touched.may_end]
        if touched.may_end:
            self._flush(operation)
        read = [self.cells[ref] for ref in touched.read if ref not in touched.written and ref in self.cells]
        for cell in carried + read:
            self._make_known(cell, operation)
        scope = _Scope(operation, carried, in_memory)
        _REBUILD[operation.name](self, scope)
        for cell in in_memory:
            cell.hold(None, in_memory=True)

    def _make_known(self, cell: _Cell, before: Operation) -> None:
        """Read a cell whose value is needed inside an op, in front of it."""
        if cell.current is None:
            with ir.InsertionPoint(before):
                read = create(ReadRef, [cell.ref], {}, location=before.location)
            self.made.append(read)
            self._keep_read(cell, read)

    def _visit_block(self, block: Block, scope: _Scope, starts: Sequence[Value]) -> None:
        """Promote in a block at whose start the carried cells hold these values; extends its terminator."""
        for cell, start in zip(scope.carried, starts, strict=True):
            cell.hold(start, in_memory=False)
        for cell in scope.in_memory:
            cell.hold(None, in_memory=True)
        *operations, terminator = self.uses.operations[block]
        for operation in operations:
            self._visit(operation)
        if scope.in_memory:
            self._flush(terminator)
        if scope.carried:
            with ir.InsertionPoint(terminator):
                operation_of(
                    terminator.name,
                    [*terminator.operands, *(cell.current for cell in scope.carried)],
                    location=terminator.location,
                )
            terminator.erase()

    def _leave(self, scope: _Scope, new: Operation) -> None:
        """Go on behind an op: the carried cells hold its last results."""
        results = list(new.results)
        for cell, result in zip(scope.carried, results[len(results) - len(scope.carried) :], strict=True):
            cell.hold(result, in_memory=False)
            if cell.outlives_call:
                cell.written_at = new.location
                self.pending[cell.ref] = cell

    def _rebuild_if(self, scope: _Scope) -> None:
        starts = scope.currents()
        new = scope.rebuild([])
        for region in new.regions:
            for block in region:
                self._visit_block(block, scope, starts)
        if scope.carried and not len(new.regions[1].blocks):
            block = new.regions[1].blocks.append()
            with ir.InsertionPoint(block):
                operation_of("scf.yield", starts, location=new.location)
        self._leave(scope, new)

    def _rebuild_for(self, scope: _Scope) -> None:
        new = scope.rebuild(scope.currents())
        block = new.regions[0].blocks[0]
        self._visit_block(block, scope, scope.add_arguments(block, new.location))
        self._leave(scope, new)

    def _rebuild_while(self, scope: _Scope) -> None:
        new = scope.rebuild(scope.currents())
        for region in new.regions:
            block = region.blocks[0]
            self._visit_block(block, scope, scope.add_arguments(block, new.location))
        self._leave(scope, new)


_REBUILD: Mapping[str, Callable[[_Promoter, _Scope], None]] = MappingProxyType(
    {
        "scf.for": _Promoter._rebuild_for,
        "scf.if": _Promoter._rebuild_if,
        "scf.while": _Promoter._rebuild_while,
    }
)


@dataclass(frozen=True)
class _Scope:
    """An op with regions, and what becomes of the cells that are written inside."""

    operation: Operation
    carried: list[_Cell]
    """Their values become operands and results."""
    in_memory: list[_Cell]
    """They are in memory at the start and at the end of every block."""

    def currents(self) -> list[Value]:
        """What the carried cells hold now."""
        return [cell.current for cell in self.carried]

    def add_arguments(self, block: Block, location: Location) -> list[Value]:
        """A new argument of a block for every carried cell."""
        return [block.add_argument(cell.type, location) for cell in self.carried]

    def rebuild(self, operands: Sequence[Value]) -> Operation:
        """The op with more operands, and a result for every carried cell; takes over the regions."""
        old = self.operation
        if not self.carried:
            return old
        with ir.InsertionPoint(old):
            types = [value.type for value in (*old.results, *self.carried)]
            new = made_again(old, types, [*old.operands, *operands])
        for result, replacement in zip(old.results, new.results, strict=False):
            result.replace_all_uses_with(replacement)
        old.erase()
        return new


def _pass_unwritten_cells_as_tensors(function: Any, statistics: Statistics) -> None:
    """Change arguments that are cells but only read into tensor arguments."""
    entry = function.regions[0].blocks[0]
    reads: dict[Value, list[Operation]] = {a: [] for a in entry.arguments if is_ref(a)}
    others: set[Value] = set()
    for operation in operations_of(function.operation) if reads else ():
        for operand in operation.operands:
            if operand in reads and op_class_of(operation) is ReadRef and keeps_type(operation):
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
    settle_signature(function)
