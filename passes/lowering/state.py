"""Cells that outlive the call are memref arguments: reading and writing them is bufferization's business."""

from __future__ import annotations

from ...dialect.errors import UnsupportedError
from ...dialect.made_ops import operation_of, value_of
from ...dialect.mlir import Value, dialect, ir
from ...dialect.ops.state import AllocRef, RaiseIf, ReadRef, WriteRef
from .conversion import Conversion, OpInstance, lowers, storage_type

bufferization = dialect("bufferization")


@lowers(AllocRef)
def lower_alloc_ref(c: Conversion, op: OpInstance) -> Value:
    """Local cells are promoted to values before the lowering; one that remains cannot be lowered."""
    raise UnsupportedError(
        "weft.alloc_ref: local cells must be promoted before the lowering (run promote-refs)"
    )


@lowers(ReadRef)
def lower_read_ref(c: Conversion, op: OpInstance) -> Value:
    """Read the argument's memory as a tensor; writes of the tensor may go back into it."""
    return value_of(
        "bufferization.to_tensor",
        [op.operands[0]],
        storage_type(op.result_type),
        restrict=ir.UnitAttr.get(),
        writable=ir.UnitAttr.get(),
    )


@lowers(WriteRef)
def lower_write_ref(c: Conversion, op: OpInstance) -> None:
    """Store the tensor in the argument's memory."""
    operation_of(
        "bufferization.materialize_in_destination",
        [op.operands[1], op.operands[0]],
        writable=ir.UnitAttr.get(),
    )


@lowers(RaiseIf)
def lower_raise_if(c: Conversion, op: OpInstance) -> None:
    """The backend ends the call here; it takes the op as it is, on storage types."""
    operation_of(
        RaiseIf.mlir_name(),
        op.operands,
        **{name: ir.StringAttr.get(op.attributes[name]) for name in ("error", "message")},
    )
