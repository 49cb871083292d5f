"""Derivatives of what cells hold: beside a cell of the program, another one holds its cotangent or its tangent.

Only cells that were written active values, and are read again, have one. Those of cotangents go back in time: what was
read adds to them, what was written takes what they hold, and leaves zeros.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...dialect.attributes import type_from_mlir
from ...dialect.mlir import Location, Operation, Value, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.state import AllocRef, ReadRef, WriteRef
from ...dialect.register import create, op_class_of
from ...dialect.types import RefType, TensorType
from ..rewriting import is_defined_inside, operations_of
from .activity import Activity
from .adjoints import Adjoints, rounded
from .residuals import AGAIN


def cells_read(operations: Iterable[Operation], activity: Activity) -> list[Value]:
    """The cells of which active values are read."""
    if not activity.cells:
        return []
    inside = (inner for operation in operations for inner in (operation, *operations_of(operation)))
    reads = (op for op in inside if op_class_of(op) is ReadRef and op.results[0] in activity)
    return list(dict.fromkeys(op.operands[0] for op in reads if op.operands[0] in activity.cells))


def is_argument(cell: Value) -> bool:
    """Whether a cell is there from the begin of the function on: it holds an array that keeps its extents."""
    return isinstance(cell.owner, ir.Block)


def new_shadow(cell: Value, location: Location) -> Value:
    """A cell of zeros like another one, at the current insertion point."""
    b = OpEmitter(location)
    held = _held(cell)
    if None in held.shape:
        (now,) = create(ReadRef, [cell], {}, location=location).results
        zeros = b.zeros_like(b.value(now))
    else:
        zeros = b.full([extent or 0 for extent in held.shape], 0, held.dtype)
    return create(AllocRef, [zeros.handle], {}, location=location).results[0]


def _held(cell: Value) -> TensorType:
    found = type_from_mlir(cell.type)
    assert isinstance(found, RefType)
    return found.tensor


class Shadows:
    """The cells of cotangents, and which of them are known to be zero."""

    def __init__(self, cells: Iterable[Value] = (), location: Location | None = None) -> None:
        self._of = {
            cell: new_shadow(cell, location)
            for cell in cells
            if is_argument(cell) or None not in _held(cell).shape
        }
        self._zero = set(self._of)
        self._is_written = False
        """Whether those that are zero were written since they were made."""

    def touch(self, operation: Operation) -> bool:
        """Whether an op, or one inside of it, works on a cell that has a shadow."""
        if not self._of:
            return False
        inside = (operation, *operations_of(operation))
        return any(value in self._of for inner in inside for value in (*inner.operands, *inner.results))

    def copies(self, loop: Operation) -> dict[Value, Value]:
        """Cells for the second run of a loop, at the current insertion point, in place of those that the first reads.

        What they hold behind it is what the others hold; so they have the same cotangents.
        """
        reads = (op.operands[0] for op in operations_of(loop) if op_class_of(op) is ReadRef)
        found: dict[Value, Value] = {}
        for cell in dict.fromkeys(cell for cell in reads if not is_defined_inside(cell, loop)):
            with ir.InsertionPoint(loop):
                (now,) = create(ReadRef, [cell], {}, location=loop.location).results
            made = create(AllocRef, [now], {}, location=loop.location)
            made.attributes[AGAIN] = ir.UnitAttr.get()
            found[cell] = made.results[0]
            if cell in self._of:
                self._of[made.results[0]] = self._of[cell]
        return found

    def reverse(self, operation: Operation, adjoints: Adjoints, activity: Activity) -> bool:
        """Emit the reverse of an op on a cell at the current insertion point; whether it was one."""
        op_class = op_class_of(operation)
        if not self._of or op_class not in (AllocRef, ReadRef, WriteRef):
            return False
        cell = operation.results[0] if op_class is AllocRef else operation.operands[0]
        if cell not in self._of:
            return False
        if op_class is ReadRef:
            self._read(cell, operation, adjoints)
        else:
            self._written(cell, operation, adjoints, activity)
        return True

    def settle(self) -> None:
        """Let cells hold the zeros that they are known to hold: where a branch or loop begins or ends."""
        for cell in self._zero if self._is_written else ():
            shadow = self._of[cell]
            location = shadow.owner.operation.location
            b = OpEmitter(location)
            (now,) = create(ReadRef, [shadow], {}, location=location).results
            create(WriteRef, [shadow, b.zeros_like(b.value(now)).handle], {}, location=location)
        self._zero.clear()
        self._is_written = True

    def _read(self, cell: Value, read: Operation, adjoints: Adjoints) -> None:
        given = adjoints.take(read.results[0])
        if given is None:
            return
        b, shadow = OpEmitter(read.location), self._of[cell]
        total = b.value(rounded(b, given, read.results[0]))
        if cell not in self._zero:
            total = b.value(create(ReadRef, [shadow], {}, location=read.location).results[0]) + total
        create(WriteRef, [shadow, total.handle], {}, location=read.location)
        self._zero.discard(cell)
        self._is_written = True

    def _written(self, cell: Value, write: Operation, adjoints: Adjoints, activity: Activity) -> None:
        value = write.operands[-1]
        if cell not in self._zero and value in activity:
            b = OpEmitter(write.location)
            (held,) = create(ReadRef, [self._of[cell]], {}, location=write.location).results
            adjoints.add(b, value, b.value(held))
        self._zero.add(cell)
