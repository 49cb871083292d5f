"""Kernels that call a library of the device: they tell it where their arrays are.

    %x, %status = weft.call_library(%a, %b) {routine = "cusolver.solve", updated = 1}
    bufferization.materialize_in_destination %x in restrict writable %target

becomes a call of `weft_device_library(record, routine, words)`. The words are how many arguments there are; for each
twice the bytes of an element, and one more if it is complex, where it is, where it may be written, its rank and its
extents; and where the status is written. An argument that holds nothing yet is at 0, and so is what nobody asks for.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.device_routines import NUMBERS
from ....dialect.mlir import Module, Operation, Value, dialect, ir
from ....dialect.ops.ufunc_loops import CallLibrary
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.index_arithmetic import IndexArithmetic
from ....passes.preconditions import refuse
from ....passes.rewriting import operations_in
from ...planning.failures import FailureSites
from ...planning.shapes import static_shape
from ..placement.place_kernels import VISIBLE
from .driver_code import weft_device_library, weft_device_read
from .host_functions import (
    DriverCalls,
    add_record,
    call_with_record,
    calls_in,
    element_bytes,
    host_functions,
    kernels_of,
)


@dataclass(frozen=True)
class WriteLibraryCalls(Pass):
    """Write routines of libraries of a GPU as calls of native code."""

    def run(self, module: Module, statistics: Statistics) -> None:
        failures = FailureSites(module)
        written = set()
        for name, kernel in kernels_of(module).items():
            ops = operations_in(kernel.regions[0].blocks[0])
            calls = [op for op in ops if op.name == CallLibrary.mlir_name()]
            for op in calls:
                _write(kernel, op, failures)
                written.add(name)
                statistics["calls of libraries written"] += 1
        for host in list(host_functions(module)) if written else []:
            for call, name in calls_in(host.function):
                if name in written:
                    call_with_record(host, DriverCalls(failures, host.record), call, name)


def _write(kernel: Operation, op: Operation, failures: FailureSites) -> None:
    """Let a kernel, which has one call and stores its results, make it."""
    record = add_record(kernel)
    calls = DriverCalls(failures, record)
    arguments, results = list(op.operands), list(op.results)
    first = len(arguments) - len(results) + 1
    with ir.InsertionPoint(op), op.location:
        words: list[Value | int] = [len(arguments)]
        for number, argument in enumerate(arguments):
            source = _memory(op, argument)
            target = source if number < first else _destination(op, results[number - first])
            words += _description(calls, source, target, argument)
        status = _destination(op, results[-1])
        words.append(0 if status is None else calls.address(status))
        table = _table(calls, words)
        if VISIBLE in kernel.attributes:  # nothing may be seen behind a check that has failed
            calls.call(weft_device_read, 0, 0, 0)
        calls.call(weft_device_library, NUMBERS[op.attributes["routine"].value], table)
    for result in results:
        for use in list(result.uses):
            use.owner.operation.erase()
    op.erase()
    for other in reversed(operations_in(kernel.regions[0].blocks[0])):
        if other.name in ("tensor.empty", "bufferization.to_tensor") and not any(
            True for _ in other.results[0].uses
        ):
            other.erase()


def _memory(op: Operation, argument: Value) -> Value | None:
    """Where an argument is; None for one that is empty."""
    made = None if isinstance(argument.owner, ir.Block) else argument.owner.operation
    if made is not None and made.name == "tensor.empty":
        return None
    if made is None or made.name != "bufferization.to_tensor":
        refuse(op, "an argument of a library is in memory: run --plan-buffers before --write-library-calls")
    return _dense(op, made.operands[0])


def _destination(op: Operation, result: Value) -> Value | None:
    """Where a result is stored; None if it is not asked for."""
    uses = list(result.uses)
    if not uses:
        return None
    if len(uses) != 1 or uses[0].owner.operation.name != "bufferization.materialize_in_destination":
        refuse(
            op, "the result of a library is stored to memory: run --plan-buffers before --write-library-calls"
        )
    return _dense(op, uses[0].owner.operation.operands[1])


def _dense(op: Operation, memref: Value) -> Value:
    layout = ir.AffineMapAttr.get(ir.AffineMap.get_identity(memref.type.rank))
    if memref.type.layout != layout:
        refuse(op, "an argument of a library is memory without gaps: run --place-kernels before")
    return memref


def _description(
    calls: DriverCalls, source: Value | None, target: Value | None, argument: Value
) -> list[Value | int]:
    """The words of an argument."""
    element = argument.type.element_type
    kind = 2 * element_bytes(element) + isinstance(element, ir.ComplexType)
    addresses = [0 if memref is None else calls.address(memref) for memref in (source, target)]
    shape = static_shape(argument.type)
    memref = source if target is None else target
    index = IndexArithmetic()
    extents: list[Value | int] = []
    for axis, extent in enumerate(shape):
        if extent is None:
            known = dialect("tensor" if memref is None else "memref")
            extents.append(known.dim(argument if memref is None else memref, index.value(axis)))
        else:
            extents.append(extent)
    return [kind, *addresses, len(shape), *extents]


def _table(calls: DriverCalls, words: Sequence[Value | int]) -> Value:
    """The address of words on the stack."""
    memref, index = dialect("memref"), IndexArithmetic()
    table = memref.alloca(ir.MemRefType.get([len(words)], ir.IntegerType.get_signless(64)), [], [])
    for place, word in enumerate(words):
        memref.store(calls.word(word), table, [index.value(place)])
    return calls.address(table)
