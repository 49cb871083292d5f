"""Which cells a function has, and which of them the ops with regions touch: what `promote-refs` wants to know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import field
from typing import Any

from ...dialect.attributes import type_from_mlir
from ...dialect.mlir import Block, Operation, Value
from ...dialect.op import Effect
from ...dialect.ops.state import AllocRef, ReadRef, WriteRef
from ...dialect.records import dataclass
from ...dialect.register import op_class_of
from ...dialect.types import RefType
from ..rewriting import blocks_of, operations_of

CONTROL_FLOW = frozenset({"scf.for", "scf.if", "scf.while"})
"""The ops that cells are promoted through."""

_PURE_DIALECTS = ("arith.", "tensor.")
_TERMINATORS = frozenset({"scf.condition", "scf.yield"})
_CELL_EFFECTS = frozenset({Effect.ALLOCATE, Effect.READ, Effect.WRITE})


@dataclass
class Touched:
    """What happens inside a block or an op with regions, to cells from outside of it, in order of appearance."""

    read: dict[Value, None] = field(default_factory=dict)
    written: dict[Value, None] = field(default_factory=dict)
    may_end: bool = False
    """Whether the call may end inside, so that the caller sees what was written before."""

    def add(self, inner: Touched) -> None:
        """Count in what happens in something inside."""
        self.read.update(inner.read)
        self.written.update(inner.written)
        self.may_end = self.may_end or inner.may_end

    def remove(self, cells: Iterable[Value]) -> None:
        """Forget cells that nobody outside knows."""
        for cell in cells:
            self.read.pop(cell, None)
            self.written.pop(cell, None)


class CellUses:
    """The ops of a function by block, and what the ops with regions do to cells.

    `promotable` are the cells that are read and written only, in blocks that the promotion follows.
    """

    def __init__(self, function: Any) -> None:
        self.operations: dict[Block, list[Operation]] = {}
        for operation in operations_of(function.operation):
            self.operations.setdefault(operation.block, []).append(operation)
        self._touched: dict[int, Touched] = {}
        """By the identity of the op, which `operations` keeps alive: its hash changes with its operands."""
        self._plain = Counter[Value]()
        self._cells: list[Value] = []
        self.entry: Block = function.regions[0].blocks[0]
        self._cells += [argument for argument in self.entry.arguments if is_ref(argument)]
        for block in function.regions[0]:
            self._inspect_block(block)
        self.promotable = {cell for cell in self._cells if self._plain[cell] == sum(1 for _ in cell.uses)}

    def of(self, operation: Operation) -> Touched:
        """What happens inside an op of `CONTROL_FLOW`."""
        return self._touched[id(operation)]

    def _inspect_block(self, block: Block) -> Touched:
        touched = Touched()
        made: list[Value] = []
        for operation in self.operations.get(block, ()):
            op_class = op_class_of(operation)
            if op_class is AllocRef:
                made.append(operation.results[0])
            elif op_class in (ReadRef, WriteRef):
                if keeps_type(operation):
                    ref = operation.operands[0]
                    self._plain[ref] += 1
                    (touched.read if op_class is ReadRef else touched.written)[ref] = None
            elif operation.name in CONTROL_FLOW:
                touched.add(self._inspect_regions(operation))
            elif may_end_call(operation):
                touched.may_end = True
        self._cells += made
        touched.remove(made)
        return touched

    def _inspect_regions(self, operation: Operation) -> Touched:
        touched = self._touched[id(operation)] = Touched()
        for block in blocks_of(operation):
            touched.add(self._inspect_block(block))
        return touched


def may_end_call(operation: Operation) -> bool:
    """Whether an op, apart from those it holds, may end the call or do what the caller sees."""
    op_class = op_class_of(operation)
    if op_class is not None:
        return not _CELL_EFFECTS.issuperset(op_class.effects)
    name: str = operation.name
    return not name.startswith(_PURE_DIALECTS) and name not in _TERMINATORS


def is_ref(value: Value) -> bool:
    """Whether a value is a cell."""
    return str(value.type).startswith("!weft.ref<")


def keeps_type(operation: Operation) -> bool:
    """Whether a read or write has exactly the tensor type of the cell: it may know more of the shape."""
    ref = type_from_mlir(operation.operands[0].type)
    value = operation.results[0] if len(operation.results) else operation.operands[1]
    return isinstance(ref, RefType) and type_from_mlir(value.type) == ref.tensor
