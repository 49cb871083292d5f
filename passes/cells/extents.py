"""The extents of an argument that is read more than once: they are the same each time, whatever was written."""

from __future__ import annotations

from collections.abc import Sequence

from ...dialect.mlir import Block, Operation, Value, ir
from ...dialect.ops.shape import Dim
from ...dialect.ops.state import ReadRef
from ...dialect.register import create, decode_attributes, op_class_of
from ..base import Statistics
from ..rewriting import type_of


def share_extents(entry: Block, ref: Value, reads: Sequence[Operation], statistics: Statistics) -> None:
    """Ask for the extents of a cell at one place that is before all others, for all reads of it in program order."""
    if not reads or type_of(reads[0].results[0]).is_static:
        return
    first = reads[0] if reads[0].block == entry else None
    others = [dim for read in reads if read is not first for dim in _dims_of(read)]
    if not others:
        return
    if first is None:
        with ir.InsertionPoint.at_block_begin(entry):
            first = create(ReadRef, [ref], {}, location=others[0].location)
    shared: dict[int, Value] = {}
    for dim in others:
        axis = decode_attributes(Dim, dim)["axis"]
        if axis not in shared:
            with ir.InsertionPoint(first):
                made = create(Dim, [first.results[0]], {"axis": axis}, location=dim.location)
            made.move_after(first)
            shared[axis] = made.results[0]
        dim.results[0].replace_all_uses_with(shared[axis])
        dim.erase()
        statistics["extents shared"] += 1


def _dims_of(read: Operation) -> list[Operation]:
    users = [use.owner.operation for use in read.results[0].uses]
    return [user for user in users if op_class_of(user) is Dim]
