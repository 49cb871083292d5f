"""In which order ops are swept: reads of an array in front of what updates it, as far as they do not need the result.

Going back, the cotangent of the updated array is there then when those of its parts are added, at their places. In the
order of the program these might come first, each in an array of zeros of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...dialect.mlir import Operation, ir
from ...dialect.ops.indexing import Gather, TakeAlongAxis
from ...dialect.ops.slicing import DynamicSlice, Slice, Update
from ...dialect.register import op_class_of
from ..control_flow.speculation import is_pure

READS = (Slice, DynamicSlice, Gather, TakeAlongAxis)
"""What reads parts, and adds to parts."""


def reads_first(operations: Sequence[Operation]) -> Sequence[Operation]:
    """Ops of a block, in an order in which reads of arrays come before their updates."""
    updates = [op for op in operations if _is_update(op)]
    if not any(_later_reads(update) for update in updates):
        return operations
    places = {op: i for i, op in enumerate(operations)}
    found: dict[Operation, None] = {}
    for operation in operations:
        for read in _later_reads(operation) if _is_update(operation) else ():
            if read in places and read not in found:
                found.update(dict.fromkeys(_with_needs(read, operation, places, found)))
        found[operation] = None
    return list(found)


def _is_update(operation: Operation) -> bool:
    op_class = op_class_of(operation)
    return op_class is not None and issubclass(op_class, Update)


def _later_reads(update: Operation) -> list[Operation]:
    """The reads behind an update of what it updates, in its block."""
    users = {use.owner.operation: None for use in update.operands[0].uses}
    return [
        user
        for user in users
        if op_class_of(user) in READS and user.block == update.block and update.is_before_in_block(user)
    ]


def _with_needs(
    read: Operation, update: Operation, places: dict[Operation, int], placed: dict[Operation, None]
) -> list[Operation]:
    """A read and what it is computed of that is not placed yet, in order; nothing if that needs the update."""
    needs: set[Operation] = set()
    pending = [read]
    while pending:
        operation = pending.pop()
        if operation in placed or operation in needs or operation not in places:
            continue
        if operation == update or len(operation.regions) or not is_pure(operation):
            return []
        needs.add(operation)
        pending += [v.owner.operation for v in operation.operands if not isinstance(v.owner, ir.Block)]
    return sorted(needs, key=places.__getitem__)
