"""What functions of the host do with memory of the device becomes reads, writes and copies of the driver.

A read waits for all that was asked of the device before. A write, and a copy on the device, is queued behind it.
Constants of the program are in both memories: the module names those that the device needs in the order of their
numbers (`weft.constants`).
"""

from __future__ import annotations

from ....dialect.errors import InternalError
from ....dialect.mlir import Module, Operation, Type, Value, dialect, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.index_arithmetic import Extent, IndexArithmetic
from ....passes.rewriting import operations_of
from ...planning.failures import FailureSites
from ...planning.heap import table_type
from ...planning.names import CLEAR, HOST_CALL, RELEASE, RESERVE
from ...planning.shapes import static_shape
from .driver_code import (
    weft_device_constant,
    weft_device_copy,
    weft_device_read,
    weft_device_release,
    weft_device_write,
)
from .host_functions import VIEWS, DriverCalls, HostFunction, element_bytes, host_functions

CONSTANTS = "weft.constants"
"""The attribute of a module with the names of the constants that are on the device, too."""


@dataclass(frozen=True)
class LowerDeviceMemory(Pass):
    """Turn loads, stores and copies of the device's memory into calls of the driver."""

    def run(self, module: Module, statistics: Statistics) -> None:
        constants, failures = dict[str, int](), FailureSites(module)
        for host in list(host_functions(module)):
            _Function(failures, host, constants, statistics).lower()
        module.operation.attributes[CONSTANTS] = ir.ArrayAttr.get(
            [ir.FlatSymbolRefAttr.get(name) for name in constants]
        )


class _Function:
    """Rewrites one function."""

    def __init__(
        self, failures: FailureSites, host: HostFunction, constants: dict[str, int], statistics: Statistics
    ) -> None:
        self._host = host
        self._constants = constants
        self._statistics = statistics
        self._calls = DriverCalls(failures, host.record)
        self._index = IndexArithmetic()
        self._entry = host.function.regions[0].blocks[0]
        self._slots: dict[str, Value] = {}
        self._handlers = {
            "memref.copy": self._copy,
            "memref.extract_aligned_pointer_as_index": self._use_constants,
            "memref.load": self._load,
            "memref.store": self._store,
            "func.call": self._call,
        }

    def lower(self) -> None:
        """Replace what touches memory of the device."""
        operations = operations_of(self._host.function)
        for op in operations:
            handler = self._handlers.get(op.name)
            if handler is not None:
                with ir.InsertionPoint(op), op.location:
                    handler(op)
            elif op.name.startswith(("linalg.", "vector.", "bufferization.")):
                raise InternalError(f"{op.name} in a function of the host", at=str(op.location))

    def _load(self, op: Operation) -> None:
        source, *indices = op.operands
        if self._host.is_on_host(source):
            return
        slot = self._slot(op.results[0].type)
        size = element_bytes(op.results[0].type)
        self._calls.call(weft_device_read, self._calls.address(slot), self._address(source, indices), size)
        self._calls.exit_on_failure()
        op.results[0].replace_all_uses_with(dialect("memref").load(slot, []))
        op.erase()
        self._statistics["reads"] += 1

    def _store(self, op: Operation) -> None:
        value, target, *indices = op.operands
        if self._host.is_on_host(target):
            return
        slot = self._slot(value.type)
        dialect("memref").store(value, slot, [])
        size = element_bytes(value.type)
        self._calls.call(weft_device_write, self._address(target, indices), self._calls.address(slot), size)
        self._calls.exit_on_failure()
        op.erase()
        self._statistics["writes"] += 1

    def _copy(self, op: Operation) -> None:
        source, target = op.operands
        ends = self._host.is_on_host(target), self._host.is_on_host(source)
        if ends == (True, True):
            return
        for memref in op.operands:
            if not _is_contiguous(memref.type):
                raise InternalError(
                    "a copy of an array with gaps in a function of the host", at=str(op.location)
                )
        name = weft_device_copy if not any(ends) else weft_device_read if ends[0] else weft_device_write
        size = self._index.value(self._bytes(source))
        self._calls.call(name, self._calls.address(target), self._calls.address(source), size)
        self._calls.exit_on_failure()
        op.erase()
        self._statistics["copies"] += 1

    def _call(self, op: Operation) -> None:
        name = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
        if name == RESERVE:
            table, index, size = op.operands
            op.results[0].replace_all_uses_with(self._calls.fits(table, index, size))
            op.erase()
        elif name == RELEASE:
            table, count = op.operands
            self._calls.call(weft_device_release, self._calls.address(table), count)
            op.erase()
        elif name not in (CLEAR, HOST_CALL):
            self._use_constants(op)

    def _use_constants(self, op: Operation) -> None:
        """Let an op have the constants among its operands where the device has them."""
        for number, operand in enumerate(op.operands):
            if isinstance(operand.type, ir.MemRefType):
                op.operands[number] = self._on_device(operand)

    def _on_device(self, memref: Value) -> Value:
        """What a constant of the program, or a view of one, is on the device; other memory as it is."""
        if isinstance(memref.owner, ir.Block):
            return memref
        made = memref.owner.operation
        if made.name == "memref.get_global":
            return self._constant(memref)
        source = self._on_device(made.operands[0]) if made.name in VIEWS else None
        if source is None or source == made.operands[0]:
            return memref
        view = made.clone()
        view.operation.operands[0] = source
        return view.operation.results[0]

    def _constant(self, memref: Value) -> Value:
        """A constant of the program on the device."""
        made = memref.owner.operation
        name = ir.FlatSymbolRefAttr(made.attributes["name"]).value
        number = self._constants.setdefault(name, len(self._constants))
        entries = ir.MemRefType.get([1], table_type().element_type)
        size = self._bytes(memref)
        with ir.InsertionPoint.at_block_begin(self._entry):
            table = dialect("memref").alloca(entries, [], [])
        self._calls.call(weft_device_constant, self._calls.address(table), 0, number, self._index.value(size))
        block = dialect("memref").load(table, [self._index.value(0)])
        return dialect("memref").view(memref.type, block, self._index.value(0), [])

    def _slot(self, type: Type) -> Value:
        """Room on the stack for one element, on its way from or to the device."""
        key = str(type)
        if key not in self._slots:
            with ir.InsertionPoint.at_block_begin(self._entry):
                self._slots[key] = dialect("memref").alloca(ir.MemRefType.get([], type), [], [])
        return self._slots[key]

    def _address(self, memref: Value, indices: list[Value]) -> Value:
        """Where an element is."""
        if not _is_contiguous(memref.type):
            raise InternalError("an element of an array with gaps in a function of the host")
        shape = [self._extent(memref, axis) for axis in range(len(indices))]
        position: Extent = 0
        for index, extent in zip(indices, shape, strict=True):
            position = self._index.add(self._index.multiply(position, extent), index)
        offset = self._index.multiply(position, element_bytes(memref.type.element_type))
        return self._index.value(self._index.add(self._calls.address(memref), offset))

    def _bytes(self, memref: Value) -> Extent:
        size: Extent = element_bytes(memref.type.element_type)
        for axis in range(memref.type.rank):
            size = self._index.multiply(size, self._extent(memref, axis))
        return size

    def _extent(self, memref: Value, axis: int) -> Extent:
        known = static_shape(memref.type)[axis]
        return dialect("memref").dim(memref, self._index.value(axis)) if known is None else known


def _is_contiguous(type: Type) -> bool:
    return bool(type.layout == ir.AffineMapAttr.get(ir.AffineMap.get_identity(type.rank)))
