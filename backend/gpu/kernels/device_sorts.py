"""Sorts become launches before bufferisation, which does not know their ops: what a kernel sorts is in memory already.

%1 = bufferization.to_tensor %keys restrict
%2 = "weft.argsort"(%1)
bufferization.materialize_in_destination %2 in restrict writable %places
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.ops.sorting import Argsort
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.preconditions import refuse
from ....passes.rewriting import operations_in
from ...nests.emit import Emitter, Index, create
from ...nests.nest import memref_size
from ..placement.sorts import SORTED_BITS, SORTS, memory_of_sort
from ..schedules.sorts import Runs, Sorter
from .written_kernels import kernels_to_write, require_device

_WRITTEN = ("arith", "complex", "gpu", "math", "memref", "scf")
"""The dialects of what is written."""


@dataclass(frozen=True)
class WriteDeviceSorts(Pass):
    """Write sorts of the device as launches that sort tiles and merge runs."""

    def require(self, module: Module) -> None:
        require_device(module)

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in kernels_to_write(module, _WRITTEN):
            sorts = [op for op in operations_in(function.regions[0].blocks[0]) if op.name in SORTS]
            for op in sorts:  # which goes, and what stores its result does, too
                _write(function, op)
                statistics["sorts written"] += 1


def _write(function: Operation, op: Operation) -> None:
    memory = memory_of_sort(op)
    if memory is None:
        refuse(op, "a sort of the device is of memory without gaps, and to such: run --place-kernels before")
    with ir.InsertionPoint(op), op.location:
        _write_launches(function, op, *memory)
    for use in op.results[0].uses:
        use.owner.operation.erase()
    op.erase()


def _write_launches(function: Operation, op: Operation, source: Value, target: Value) -> None:
    emitter = Emitter(function)
    *others, length = [_extent(source, axis) for axis in range(source.type.rank)]
    rows: Index = 1
    for extent in others:
        rows = emitter.multiply(rows, extent)
    if emitter.multiply(rows, length) == 0:
        return
    reason = f"sorts: {op.name.split('.')[1]} of rows"
    bits = list(op.attributes[SORTED_BITS]) if SORTED_BITS in op.attributes else None
    sorter = Sorter(function, function.attributes["sym_name"].value, rows, length, reason, bits)
    if op.name == Argsort.mlir_name():
        keys = [_like(source, source.type.element_type) for _ in range(2)]
        spare = _like(source, target.type.element_type)
        sorter.sort(source, Runs(keys[0], target), Runs(keys[1], spare))
    else:
        sorter.sort(source, Runs(target, None), Runs(_like(source, source.type.element_type), None))


def _extent(memref: Value, axis: int) -> Index:
    extent = memref.type.shape[axis]
    if extent != ir.ShapedType.get_dynamic_size():
        return int(extent)
    return memref_size(memref, axis)


def _like(memref: Value, element: ir.Type) -> Value:
    """Memory of the device with the extents of another one."""
    extents = [_extent(memref, axis) for axis in range(memref.type.rank)]
    sizes = [extent for extent in extents if not isinstance(extent, int)]
    segments = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, len(sizes), 0])}
    return create("gpu.alloc", [ir.MemRefType.get(memref.type.shape, element)], sizes, segments)
