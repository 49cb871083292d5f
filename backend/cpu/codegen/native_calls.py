"""Calls of native code in kernels, by the addresses of memory: what sorts, what draws random numbers, loops of ufuncs.

The ops that become such calls are alone in their kernels, which store their results, while the rest is on tensors:

    %sorted = weft.sort %keys {axis = 1 : i64, descending = false}
    bufferization.materialize_in_destination %sorted in restrict writable %target
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Operation, Type, Value, dialect, ir
from ...nests.emit import Emitter, Index, create
from .vectors.temporaries import scratch


def only_store(result: Value) -> Operation | None:
    """What stores a result to memory, where nothing else uses it; None for others."""
    uses = list(result.uses)
    if len(uses) != 1 or uses[0].owner.operation.name != "bufferization.materialize_in_destination":
        return None
    return uses[0].owner.operation


class Memory:
    """The memory of tensors, for one function."""

    def __init__(self, emitter: Emitter) -> None:
        self._emitter = emitter

    def of(self, operand: Value) -> Value:
        """Memory that holds a tensor, row after row: where it is, or a copy."""
        made = None if isinstance(operand.owner, ir.Block) else operand.owner.operation
        if made is not None and made.name == "bufferization.to_tensor" and is_dense(made.operands[0]):
            return made.operands[0]
        copy = self.scratch(operand.type, self.extents(operand))
        if made is None or made.name != "tensor.empty":
            self.write(operand, copy)
        return copy

    def write(self, tensor: Value, memref: Value) -> None:
        """Write a tensor to memory."""
        flags = {"restrict": ir.UnitAttr.get(), "writable": ir.UnitAttr.get()}
        create("bufferization.materialize_in_destination", [], [tensor, memref], flags)

    def read(self, memref: Value, type: Type) -> Value:
        """The tensor that is in memory."""
        return create("bufferization.to_tensor", [type], [memref], {"restrict": ir.UnitAttr.get()})

    def extents(self, value: Value) -> list[Index]:
        """The extents of memory, or of a tensor."""
        name = "memref.dim" if isinstance(value.type, ir.MemRefType) else "tensor.dim"
        return [
            self._dim(name, value, axis) if extent == ir.ShapedType.get_dynamic_size() else extent
            for axis, extent in enumerate(value.type.shape)
        ]

    def _dim(self, name: str, value: Value, axis: int) -> Value:
        return create(name, [self._emitter.index_type], [value, self._emitter.value(axis)])

    def scratch(self, like: Type, extents: Sequence[Index]) -> Value:
        """Memory for a tensor of a type."""
        static = like.shape
        dynamic = ir.ShapedType.get_dynamic_size()
        known = [
            extent if static[axis] != dynamic else self._emitter.value(extent)
            for axis, extent in enumerate(extents)
        ]
        return scratch(self._emitter, known, like.element_type)

    def address(self, memref: Value) -> Value:
        """The address of memory."""
        return create("memref.extract_aligned_pointer_as_index", [self._emitter.index_type], [memref])


def is_dense(memref: Value) -> bool:
    """Whether a value is memory without gaps."""
    return isinstance(memref.type, ir.MemRefType) and memref.type.layout == ir.AffineMapAttr.get(
        ir.AffineMap.get_identity(memref.type.rank)
    )


def call_native(inside: Operation, emitter: Emitter, name: str, arguments: Sequence[Index]) -> Value:
    """Call a function of native code, which takes integers and addresses; the i64 that it returns."""
    i64 = ir.IntegerType.get_signless(64)
    integers = [create("arith.index_cast", [i64], [emitter.value(each)]) for each in arguments]
    _declare(name, ir.FunctionType.get([i64] * len(arguments), [i64]), inside)
    return create("func.call", [i64], integers, {"callee": ir.FlatSymbolRefAttr.get(name)})


def _declare(name: str, type: Type, inside: Operation) -> None:
    """Declare a function at the begin of the module, once."""
    module = inside
    while module.name != "builtin.module":
        module = module.parent.operation
    block = module.regions[0].blocks[0]
    for view in block.operations:
        if view.operation.name != "func.func" or view.operation.regions[0].blocks:
            break
        if view.operation.attributes["sym_name"].value == name:
            return
    with ir.InsertionPoint.at_block_begin(block):
        dialect("func").FuncOp(name, type, visibility="private")
