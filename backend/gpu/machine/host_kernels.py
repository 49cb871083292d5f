"""Kernels that run on the host: what they read is copied there before, what they write is copied back.

    func.func private @kernel_7.on_host(%input: memref<8xf32>, %output: memref<8xf32>, %record: memref<20xi64>)

has the kernel's arguments, which are memory of the device, and calls `@kernel_7` on copies. The attribute
`weft.host_kernels` of the module says of each, in the order of their numbers, why it is the host's, and where it stands
in the program.
"""

from __future__ import annotations

from collections.abc import Callable

from ....dialect.mlir import Module, Operation, Type, Value, dialect, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.index_arithmetic import Extent, IndexArithmetic
from ....passes.rewriting import operations_of
from ...nests.emit import create
from ...planning.failures import FailureSites, record_type
from ...planning.heap import table_type
from ...planning.names import CLEAR, RELEASE, RESERVE
from ...planning.plan import ALIGNMENT
from ...planning.shapes import static_shape
from ..placement.accesses import accesses_of
from ..placement.place_kernels import is_of_library, reason_of
from .call_context import OUT_OF_MEMORY, RESERVE_HOST, WORDS_OF_TRIPS
from .driver_code import weft_device_fail, weft_device_read, weft_device_trip, weft_device_write
from .host_functions import (
    ON_HOST,
    DriverCalls,
    call_with_record,
    calls_in,
    element_bytes,
    host_functions,
    kernels_of,
)

HOST_KERNELS = "weft.host_kernels"
"""The attribute of a module with the kernels of the host: `["it draws random numbers", "loc(...)"]`, ..."""


@dataclass(frozen=True)
class CopyForHostKernels(Pass):
    """Run the kernels of the host on copies of the device's arrays."""

    def run(self, module: Module, statistics: Statistics) -> None:
        kernels = kernels_of(module)
        made, failures = dict[str, list[str]](), FailureSites(module)
        for host in list(host_functions(module)):
            calls = DriverCalls(failures, host.record)
            for op, name in calls_in(host.function):
                if name not in kernels or _launches(kernels[name]) or is_of_library(kernels[name]):
                    continue
                if name not in made:
                    takes_record = bool(len(op.operands)) and op.operands[len(op.operands) - 1] == host.record
                    _Copies(failures, kernels[name], len(made), takes_record=takes_record).build()
                    made[name] = [reason_of(kernels[name]), str(op.location)]
                    statistics["kernels of the host"] += 1
                call_with_record(host, calls, op, name + ON_HOST)
        told = [ir.ArrayAttr.get([ir.StringAttr.get(text) for text in texts]) for texts in made.values()]
        module.operation.attributes[HOST_KERNELS] = ir.ArrayAttr.get(told)


def _launches(kernel: Operation) -> bool:
    return any(op.name == "gpu.launch_func" for op in operations_of(kernel))


class _Copies:
    """Writes the function that runs one kernel on copies."""

    def __init__(self, failures: FailureSites, kernel: Operation, number: int, *, takes_record: bool) -> None:
        self._failures = failures
        self._number = number
        self._kernel = kernel
        self._takes_record = takes_record
        type = ir.TypeAttr(kernel.attributes["function_type"]).value
        self._inputs: list[Type] = list(type.inputs)
        self._results: list[Type] = list(type.results)
        self._accesses = accesses_of(kernel)
        self._index = IndexArithmetic()

    def build(self) -> None:
        """Make the function behind the kernel."""
        func, memref, scf = dialect("func"), dialect("memref"), dialect("scf")
        name = self._kernel.attributes["sym_name"].value + ON_HOST
        inputs = self._inputs if self._takes_record else [*self._inputs, record_type()]
        with self._kernel.location:
            with ir.InsertionPoint.after(self._kernel):
                function = func.FuncOp(name, (inputs, self._results), visibility="private")
            with ir.InsertionPoint(function.add_entry_block()):
                arguments = list(function.entry_block.arguments)
                self._record = arguments[-1]
                self._calls = DriverCalls(self._failures, self._record)
                parameters = arguments[: len(self._inputs) - self._takes_record]
                offsets, total = self._layout(parameters)
                entries = ir.MemRefType.get([1], table_type().element_type)
                table = memref.cast(table_type(), memref.alloca(entries, [], []))
                self._on_table(CLEAR, table, [1])
                fits = self._on_table(RESERVE, table, [0, total], result=ir.IntegerType.get_signless(1))
                branch = scf.IfOp(fits, self._results, has_else=True)
                with ir.InsertionPoint(branch.then_block):
                    scf.YieldOp(self._run_on(memref.load(table, [self._index.value(0)]), parameters, offsets))
                with ir.InsertionPoint(branch.else_block):
                    self._calls.call(weft_device_fail, OUT_OF_MEMORY, RESERVE_HOST, self._index.value(total))
                    scf.YieldOp(list(map(_zero, self._results)))
                self._on_table(RELEASE, table, [1])
                func.ReturnOp(list(branch.results))

    def _layout(self, parameters: list[Value]) -> tuple[list[Extent], Extent]:
        """Where in a block of the host the copies are, and how large it must be."""
        offsets: list[Extent] = []
        total: Extent = 0
        for parameter in parameters:
            offsets.append(total)
            if isinstance(parameter.type, ir.MemRefType):
                units = self._index.steps(self._bytes(parameter), ALIGNMENT)
                total = self._index.add(total, self._index.multiply(units, ALIGNMENT))
        return offsets, total

    def _run_on(self, block: Value, parameters: list[Value], offsets: list[Extent]) -> list[Value]:
        """Copy, run, and copy back; the kernel's results, or zeros where something failed before."""
        memref, scf = dialect("memref"), dialect("scf")
        copies = []
        for parameter, offset in zip(parameters, offsets, strict=True):
            if isinstance(parameter.type, ir.MemRefType):
                sizes = [
                    memref.dim(parameter, self._index.value(axis))
                    for axis, extent in enumerate(static_shape(parameter.type))
                    if extent is None
                ]
                copies.append(memref.view(parameter.type, block, self._index.value(offset), sizes))
            else:
                copies.append(parameter)
        accesses = self._accesses[: len(parameters)]
        read = [
            number
            for number, access in enumerate(accesses)
            if access.reads or (access.writes and self._takes_record)
        ]
        written = [number for number, access in enumerate(accesses) if access.writes]
        moved: Extent = 0
        for number in (*read, *written):
            moved = self._index.add(moved, self._bytes(parameters[number]))
        self._calls.call(weft_device_trip, WORDS_OF_TRIPS * self._number, self._index.value(moved))
        for number in read:
            self._copy(weft_device_read, copies[number], parameters[number])
        if not read:  # what failed on the device before must be known all the same
            self._calls.call(weft_device_read, 0, 0, 0)
        branch = scf.IfOp(self._calls.has_failed(), self._results, has_else=True)
        with ir.InsertionPoint(branch.then_block):
            scf.YieldOp(list(map(_zero, self._results)))
        with ir.InsertionPoint(branch.else_block):
            given = [*copies, self._record] if self._takes_record else copies
            call = dialect("func").CallOp(self._results, self._kernel.attributes["sym_name"].value, given)
            for number in written:
                self._copy(weft_device_write, parameters[number], copies[number])
            scf.YieldOp(list(call.results))
        return list(branch.results)

    def _copy(self, function: Callable[..., None], to: Value, source: Value) -> None:
        size = self._index.value(self._bytes(to))
        self._calls.call(function, self._calls.address(to), self._calls.address(source), size)

    def _bytes(self, array: Value) -> Extent:
        size: Extent = element_bytes(array.type.element_type)
        for axis, extent in enumerate(static_shape(array.type)):
            known = dialect("memref").dim(array, self._index.value(axis)) if extent is None else extent
            size = self._index.multiply(size, known)
        return size

    def _on_table(self, name: str, table: Value, numbers: list[Extent], result: Type | None = None) -> Value:
        indices = [self._index.value(number) for number in numbers]
        results = [] if result is None else [result]
        self._failures.declare(name, [table_type(), *(i.type for i in indices)], results)
        call = dialect("func").CallOp(results, name, [table, *indices])
        return None if result is None else call.result


def _zero(type: Type) -> Value:
    if isinstance(type, ir.ComplexType):
        part = _zero(ir.ComplexType(type).element_type)
        return create("complex.create", [type], [part, part])
    return dialect("arith").constant(type, 0.0 if isinstance(type, ir.FloatType) else 0)
