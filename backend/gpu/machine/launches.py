"""`gpu.launch_func` becomes native code around the driver's cuLaunchKernel.

A kernel of the device is a function that computes a grid and launches. Here it gets the error record as one more
argument, and what it launches is asked for by number; the attribute `weft.kernels` of the module names the kernels in
the order of their numbers. Parameters are words on the stack, and the driver is given the address of each.
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, Type, Value, dialect, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.index_arithmetic import Extent, IndexArithmetic
from ....passes.rewriting import operations_of
from ...planning.failures import FailureSites
from ...planning.heap import table_type
from ...planning.shapes import static_shape
from ..code.kernel import is_tensor_map
from ..placement.place_kernels import guard_of
from .driver_code import weft_device_errors, weft_device_launch, weft_device_release
from .graph_code import weft_device_launch_in_graph, weft_device_release_in_graph
from .graphs import GRAPHS, LaunchGraphs, words_of
from .host_functions import (
    DriverCalls,
    add_record,
    call_with_record,
    calls_in,
    element_bytes,
    host_functions,
    kernels_of,
)
from .host_tensor_maps import erase_tensor_maps, write_tensor_map

KERNELS = "weft.kernels"
"""The attribute of a module with the names of its kernels: "kernel_0_device::kernel_0", ..."""

CHECKS = "weft.device_checks"
"""The attribute of a module whose device kernels may raise."""

_LAUNCH = "gpu.launch_func"
_ALLOCATIONS = ("memref.alloc", "gpu.alloc")
_DEALLOCATIONS = ("memref.dealloc", "gpu.dealloc")


@dataclass(frozen=True)
class LowerLaunches(Pass):
    """Turn launches into calls of the driver."""

    def run(self, module: Module, statistics: Statistics) -> None:
        numbers, failures = dict[str, int](), FailureSites(module)
        launching = {name for name, kernel in kernels_of(module).items() if _launches_of(kernel)}
        hosts = list(host_functions(module))
        graphs = LaunchGraphs(failures, kernels_of(module))
        of_graphs = {name for host in hosts for name in graphs.mark(host)}
        for name, kernel in kernels_of(module).items():
            if name in launching:
                _Stub(failures, kernel, numbers, name in of_graphs).lower()
        for host in hosts:
            calls = DriverCalls(failures, host.record)
            for op, name in calls_in(host.function):
                if name in launching:
                    call_with_record(host, calls, op, name)
        if any(guard_of(kernels_of(module)[name]) is not None for name in launching):
            module.operation.attributes[CHECKS] = ir.UnitAttr.get()
        if graphs.words:
            flat = [number for pair in graphs.words for number in pair]
            module.operation.attributes[GRAPHS] = ir.DenseI64ArrayAttr.get(flat)
            statistics["graphs"] += len(graphs.words)
        module.operation.attributes[KERNELS] = ir.ArrayAttr.get([ir.StringAttr.get(name) for name in numbers])
        statistics["kernels"] += len(numbers)


def _launches_of(function: Operation) -> list[Operation]:
    return [op for op in operations_of(function) if op.name == _LAUNCH]


class _Stub:
    """A function that launches."""

    def __init__(
        self, failures: FailureSites, function: Operation, numbers: dict[str, int], in_graph: bool
    ) -> None:
        self._function = function
        self._in_graph = in_graph
        self._numbers = numbers
        guard = guard_of(function)
        self._record = add_record(function) if guard is None else guard
        self._calls = DriverCalls(failures, self._record)
        self._index = IndexArithmetic()

    def lower(self) -> None:
        """Replace its launches and the memory that they share."""
        self._place_temporaries([op for op in operations_of(self._function) if op.name in _ALLOCATIONS])
        for launch in _launches_of(self._function):
            with ir.InsertionPoint(launch), launch.location:
                self._launch(launch)
            launch.erase()
        erase_tensor_maps(self._function)

    def _launch(self, launch: Operation) -> None:
        view = launch.opview
        kernel = "::".join(ir.SymbolRefAttr(launch.attributes["kernel"]).value)
        number = self._numbers.setdefault(kernel, len(self._numbers))
        grid = view.gridSizeX, view.gridSizeY, view.gridSizeZ
        block = view.blockSizeX, view.blockSizeY, view.blockSizeZ
        shared = view.dynamicSharedMemorySize
        dimensions = [*map(self._as_word, (*grid, *block)), 0 if shared is None else self._as_word(shared)]
        parameters = self._parameters(list(view.kernelOperands))
        if self._in_graph:
            self._calls.call(weft_device_launch_in_graph, number, *dimensions, parameters, words_of(launch))
        else:
            self._calls.call(weft_device_launch, number, *dimensions, parameters)

    def _parameters(self, operands: list[Value]) -> Value | int:
        """The address of the list of the addresses of the parameters."""
        if not operands:
            return 0
        memref, arith = dialect("memref"), dialect("arith")
        word = ir.IntegerType.get_signless(64)
        room = ir.MemRefType.get([len(operands)], word)
        values, addresses = memref.alloca(room, [], []), memref.alloca(room, [], [])
        first = self._calls.word(self._calls.address(values))
        for position, operand in enumerate(operands):
            if is_tensor_map(operand.type):
                address = self._calls.word(write_tensor_map(self._calls, operand))
            else:
                memref.store(self._as_word(operand), values, [self._index.value(position)])
                address = arith.addi(first, arith.constant(word, 8 * position))
            memref.store(address, addresses, [self._index.value(position)])
        return self._calls.address(addresses)

    def _as_word(self, operand: Value) -> Value:
        """A parameter as 64 bits, of which the driver reads as many as the kernel declares."""
        arith, word = dialect("arith"), ir.IntegerType.get_signless(64)
        type = operand.type
        if operand == self._record:
            return self._calls.call(weft_device_errors)
        if isinstance(type, ir.MemRefType):
            return self._calls.word(self._calls.address(operand))
        if isinstance(type, ir.IndexType):
            return self._calls.word(operand)
        if not isinstance(type, ir.IntegerType):
            type = ir.IntegerType.get_signless(type.width)
            operand = arith.bitcast(type, operand)
        return operand if type == word else arith.extui(word, operand)

    def _place_temporaries(self, allocations: list[Operation]) -> None:
        """Take the memory that launches share from the driver, and give it back behind the last of them."""
        if not allocations:
            return
        memref = dialect("memref")
        block = self._function.regions[0].blocks[0]
        entries = ir.MemRefType.get([len(allocations)], table_type().element_type)
        with ir.InsertionPoint.at_block_begin(block), self._function.location:
            table = memref.cast(table_type(), memref.alloca(entries, [], []))
            self._calls.clear(table, len(allocations))
        for number, op in enumerate(allocations):
            with ir.InsertionPoint(op), op.location:
                size = self._index.value(self._bytes(op.results[0].type, list(op.operands)))
                self._calls.reserve(table, number, size)
                entry = memref.load(table, [self._index.value(number)])
                view = memref.view(op.results[0].type, entry, self._index.value(0), list(op.operands))
            op.results[0].replace_all_uses_with(view)
            op.erase()
        for op in operations_of(self._function):
            if op.name in _DEALLOCATIONS:
                op.erase()
        with ir.InsertionPoint(list(block.operations)[-1]), self._function.location:
            release = weft_device_release_in_graph if self._in_graph else weft_device_release
            self._calls.call(release, self._calls.address(table), len(allocations))

    def _bytes(self, type: Type, sizes: list[Value]) -> Extent:
        size: Extent = element_bytes(type.element_type)
        unknown = iter(sizes)
        for extent in static_shape(type):
            size = self._index.multiply(size, next(unknown) if extent is None else extent)
        return size
