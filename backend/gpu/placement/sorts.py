"""Which memory a sort is of, and where its result goes: what the device sorts has to be without gaps."""

from __future__ import annotations

from ....dialect.mlir import Operation, Value, ir
from ....dialect.ops.sorting import Argsort, Partition, PartitionAt, Sort

SORTS = tuple(op.mlir_name() for op in (Sort, Argsort, Partition, PartitionAt))
"""The ops that are left to the backend."""
SORTED_BITS = "weft.sorted_bits"
"""The attribute of a sort of integers with the first of the bits that tell the order, and the one behind the last.

Those above are equal in a row, and elements of which these are equal are in order already.
"""


def memory_of_sort(op: Operation) -> tuple[Value, Value] | None:
    """The memory that a sort reads, and that which it writes; None if it does more, or if there are gaps."""
    operand, uses = op.operands[0], list(op.results[0].uses)
    if isinstance(operand.owner, ir.Block) or operand.owner.operation.name != "bufferization.to_tensor":
        return None
    if len(uses) != 1 or uses[0].owner.operation.name != "bufferization.materialize_in_destination":
        return None
    source, target = operand.owner.operation.operands[0], uses[0].owner.operation.operands[1]
    return (source, target) if _is_argument(source) and _is_argument(target) else None


def _is_argument(memref: Value) -> bool:
    """Whether a value is an argument, and memory without gaps."""
    type = memref.type
    return (
        isinstance(memref.owner, ir.Block)
        and isinstance(type, ir.MemRefType)
        and type.layout == ir.AffineMapAttr.get(ir.AffineMap.get_identity(type.rank))
    )
