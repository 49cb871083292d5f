"""Reads of cells move into the branch that alone uses them: a write that follows there would have the cell copied."""

from __future__ import annotations

from ...dialect.mlir import Block, Operation
from ...dialect.ops.state import ReadRef
from ...dialect.register import op_class_of
from ..rewriting import operations_in


def sink(read: Operation) -> bool:
    """Move a read to where a branch begins that alone uses what is read, as deep as may be; whether it moved."""
    moved = False
    while (found := _branch_of_uses(read)) is not None:
        branch, block = found
        if _is_written_between(read, branch):
            break
        read.move_before(operations_in(block)[0])
        moved = True
    return moved


def _branch_of_uses(read: Operation) -> tuple[Operation, Block] | None:
    """The one `scf.if` that holds all uses of a read, and the block of it that does."""
    found: tuple[Operation, Block] | None = None
    for use in read.results[0].uses:
        holder, block = _holder(use.owner.operation, read.block)
        if holder is None or block is None or holder.name != "scf.if" or found not in (None, (holder, block)):
            return None
        found = holder, block
    return found


def _holder(operation: Operation, block: Block) -> tuple[Operation | None, Block | None]:
    """The op of a block that an op is, or that holds it, and the block of that on the way; None for one outside."""
    inner: Block | None = None
    while operation.block != block:
        inner = operation.block
        if operation.name == "func.func" or inner is None:
            return None, None
        operation = inner.owner.operation
    return operation, inner


def _is_written_between(read: Operation, branch: Operation) -> bool:
    """Whether anything between a read and a branch behind it may write the cell: all that has it, but for reads."""
    users = [use.owner.operation for use in read.operands[0].uses]
    holders = [_holder(user, read.block)[0] for user in users if op_class_of(user) is not ReadRef]
    if not holders:
        return False
    operations = operations_in(read.block)
    between = operations[operations.index(read) + 1 : operations.index(branch)]
    return any(holder in between for holder in holders if holder is not None)
