"""Sorts in kernels: calls of native code that sorts one row (see `cpu/sorting`), in loops over all rows.

An op that sorts is alone in its kernel, which stores its result:

    %sorted = weft.sort %keys {axis = 1 : i64, descending = false}
    bufferization.materialize_in_destination %sorted in restrict writable %target

Elements are sorted in the memory of the result; where they are read from or stored with gaps, in scratch memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ....dialect.attributes import type_from_mlir
from ....dialect.mlir import Module, Operation, Type, Value, dialect, ir
from ....dialect.ops.sorting import Argsort, Partition, Sort
from ....dialect.records import dataclass
from ....dialect.types import TensorType
from ....passes.base import Pass, Statistics
from ....passes.preconditions import refuse
from ....passes.rewriting import defined_functions, operations_in
from ...nests.emit import Emitter, Index, create

BLOCK = 4096
"""Elements, in whole rows, that one call sorts; longer rows have a call each."""

SHORT = 64
"""The longest rows that are sorted where they should be partitioned."""

SORTS = tuple(op.mlir_name() for op in (Sort, Argsort, Partition))
"""The ops that are left to the backend."""


@dataclass(frozen=True)
class WriteSorts(Pass):
    """Replace the sorts of kernels by loops and calls on memrefs."""

    name: ClassVar[str] = "write-sorts"
    summary: ClassVar[str] = "write sorts as calls of native code, in loops over rows"

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in defined_functions(module):
            # Found before one is written: what stores its result is erased with it.
            sorts = [op for op in operations_in(view.regions[0].blocks[0]) if op.name in SORTS]
            for operation in sorts:
                with ir.InsertionPoint(operation), operation.location:
                    _RowSort(operation, Emitter(view.operation)).write()
                operation.erase()
                statistics["sorts written"] += 1


class _RowSort:
    """A sort along the last axis."""

    def __init__(self, operation: Operation, emitter: Emitter) -> None:
        self._op, self._emitter = operation, emitter
        self._i64 = ir.IntegerType.get_signless(64)
        keys = type_from_mlir(operation.operands[0].type)
        assert isinstance(keys, TensorType)
        self._keys = keys.dtype

    def write(self) -> None:
        """Write the loop, and store the result."""
        result = self._op.results[0]
        uses = list(result.uses)
        if len(uses) != 1 or uses[0].owner.operation.name != "bufferization.materialize_in_destination":
            refuse(self._op, "a sort is stored to memory once: run --plan-buffers before --write-sorts")
        (use,) = uses
        source, target = self._source(), use.owner.operation.operands[1]
        is_stored = _is_dense(target)
        if not is_stored:
            target = self._scratch(result.type, self._extents(source))
        *others, length = self._extents(target)
        rows: Index = 1
        for extent in others:
            rows = self._emitter.multiply(rows, extent)
        starts = [self._address(memref) for memref in (source, target)]
        sizes = [self._keys.itemsize, 8 if self._op.name == Argsort.mlir_name() else self._keys.itemsize]
        count = max(1, BLOCK // max(1, length)) if isinstance(length, int) else 1
        if self._op.name == Partition.mlir_name() and not _is_short(length):
            count = 1
        with self._emitter.loop(rows, count, parallel=True) as row:
            first = self._emitter.multiply(row, length)
            places = [
                self._emitter.add(start, self._emitter.multiply(first, size))
                for start, size in zip(starts, sizes, strict=True)
            ]
            left = self._emitter.minimum(self._emitter.subtract(rows, row), count)
            self._sort_rows(places[0], places[1], length, left)
        if is_stored:
            use.owner.operation.erase()
        else:
            result.replace_all_uses_with(
                create("bufferization.to_tensor", [result.type], [target], {"restrict": ir.UnitAttr.get()})
            )

    def _sort_rows(self, source: Index, target: Index, length: Index, rows: Index) -> None:
        if self._op.name == Argsort.mlir_name():
            self._call("weft_argsort", [source, target, length, rows])
        elif self._op.name == Sort.mlir_name() or _is_short(length):
            self._call("weft_sort", [source, target, length, rows])
        else:
            self._partition(source, target, length)

    def _partition(self, source: Index, target: Index, length: Index) -> None:
        """Select one place after the other: what comes behind a place is larger than what is before."""
        add, subtract = self._emitter.add, self._emitter.subtract
        before = 0
        for place in self._op.attributes["places"]:
            rest = add(target, before * self._keys.itemsize)
            self._call(
                "weft_select", [rest if before else source, rest, subtract(length, before), place - before]
            )
            before = place + 1

    def _source(self) -> Value:
        """The memory that holds the operand, row after row."""
        operand = self._op.operands[0]
        if not isinstance(operand.owner, ir.Block):
            made = operand.owner.operation
            if made.name == "bufferization.to_tensor" and _is_dense(made.operands[0]):
                return made.operands[0]
        extents: list[Index] = [
            self._dim("tensor.dim", operand, axis) if extent == ir.ShapedType.get_dynamic_size() else extent
            for axis, extent in enumerate(operand.type.shape)
        ]
        copy = self._scratch(operand.type, extents)
        flags = {"restrict": ir.UnitAttr.get(), "writable": ir.UnitAttr.get()}
        create("bufferization.materialize_in_destination", [], [operand, copy], flags)
        return copy

    def _extents(self, memref: Value) -> list[Index]:
        return [
            self._dim("memref.dim", memref, axis) if extent == ir.ShapedType.get_dynamic_size() else extent
            for axis, extent in enumerate(memref.type.shape)
        ]

    def _dim(self, name: str, value: Value, axis: int) -> Value:
        return create(name, [self._emitter.index_type], [value, self._emitter.value(axis)])

    def _scratch(self, like: Type, extents: Sequence[Index]) -> Value:
        """Memory for a tensor of a type."""
        static = like.shape
        dynamic = ir.ShapedType.get_dynamic_size()
        known = [
            extent if static[axis] != dynamic else self._emitter.value(extent)
            for axis, extent in enumerate(extents)
        ]
        return self._scratch_of(like.element_type, known)

    def _scratch_of(self, element: Type, extents: Sequence[Index]) -> Value:
        dynamic = ir.ShapedType.get_dynamic_size()
        shape = [extent if isinstance(extent, int) else dynamic for extent in extents]
        sizes = [extent for extent in extents if not isinstance(extent, int)]
        attributes = {
            "alignment": ir.IntegerAttr.get(self._i64, 64),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(sizes), 0]),
        }
        return create("memref.alloc", [ir.MemRefType.get(shape, element)], sizes, attributes)

    def _address(self, memref: Value) -> Value:
        return create("memref.extract_aligned_pointer_as_index", [self._emitter.index_type], [memref])

    def _call(self, function: str, arguments: Sequence[Index]) -> None:
        name = f"{function}_{self._keys}"
        integers = [
            create("arith.index_cast", [self._i64], [self._emitter.value(each)]) for each in arguments
        ]
        _declare(name, ir.FunctionType.get([self._i64] * len(arguments), [self._i64]), self._op)
        callee = {"callee": ir.FlatSymbolRefAttr.get(name)}
        create("func.call", [self._i64], integers, callee)


def _is_short(length: Index) -> bool:
    """Whether rows are so short that to sort them is the fastest way to partition them."""
    return isinstance(length, int) and length <= SHORT


def _is_dense(memref: Value) -> bool:
    """Whether a value is memory without gaps."""
    return isinstance(memref.type, ir.MemRefType) and memref.type.layout == ir.AffineMapAttr.get(
        ir.AffineMap.get_identity(memref.type.rank)
    )


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
