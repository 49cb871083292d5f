"""Updates of memory of the device that no other thread comes between."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Value, ir
from ...nests.emit import Emitter, Index, create

KINDS = {
    "arith.addi": "add",
    "arith.andi": "_and",
    "arith.ori": "_or",
    "arith.xori": "_xor",
    "arith.maxsi": "max",
    "arith.minsi": "min",
    "arith.maxui": "umax",
    "arith.minui": "umin",
}
"""The joins of integers that are one instruction, and how LLVM calls them."""
_KINDS = ("xchg", "add", "sub", "_and", "_nand", "_or", "_xor", "max", "min", "umax", "umin")
"""In the order of their numbers."""
_MONOTONIC = 2
"""Nothing but the update itself is in an order."""


def update(kind: str, value: Value, memref: Value, places: Sequence[Value], emitter: Emitter) -> None:
    """Join a number to an element of a memref, or put it there (`xchg`): for all threads of the device."""
    i64 = ir.IntegerType.get_signless(64)
    attributes = {
        "bin_op": ir.IntegerAttr.get(i64, _KINDS.index(kind)),
        "ordering": ir.IntegerAttr.get(i64, _MONOTONIC),
        "syncscope": ir.StringAttr.get("device"),
    }
    create("llvm.atomicrmw", [value.type], [_address(memref, places, emitter), value], attributes)


def _address(memref: Value, places: Sequence[Value], emitter: Emitter) -> Value:
    """The address of an element, in global memory."""
    rank, index = memref.type.rank, emitter.index_type
    results = [ir.MemRefType.get([], memref.type.element_type), index, *[index] * (2 * rank)]
    metadata = list(ir.Operation.create("memref.extract_strided_metadata", results, [memref]).results)
    offset: Index = metadata[1]
    for place, stride in zip(places, metadata[2 + rank :], strict=True):
        offset = emitter.add(offset, emitter.multiply(place, stride))
    pointer = create("memref.extract_aligned_pointer_as_index", [index], [memref])
    size = int(memref.type.element_type.width) // 8
    address = emitter.value(emitter.add(pointer, emitter.multiply(offset, size)))
    word = create("arith.index_cast", [ir.IntegerType.get_signless(64)], [address])
    return create("llvm.inttoptr", [ir.Type.parse("!llvm.ptr<1>")], [word])


__all__ = ["KINDS", "update"]
