"""Kernel boundaries: functions on tensors with destinations become functions on memrefs.

    func.func private @kernel_0(%input: memref<8xf32>, %destination: memref<8xf32>)

Inside, nothing changes: arguments are read through `bufferization.to_tensor` and results are stored with
`bufferization.materialize_in_destination`, so the kernel scheduler still works on tensors.
"""

from __future__ import annotations

from ...dialect.dtypes import by_mlir
from ...dialect.mlir import Module, Operation, Type, Value, dialect, ir
from ...dialect.ops.state import RaiseIf
from ...dialect.records import dataclass
from ...dialect.types import TensorType
from ...passes.rewriting import settle_signature, terminator
from .checks_in_a_row import nest_checks
from .failures import FailureSites, record_type
from .interrupts import insert_polls, is_interruptible
from .names import is_kernel_name
from .outlining.op_kinds import contains
from .profile import Profile


@dataclass(frozen=True)
class KernelInterface:
    """How a kernel is called."""

    tensors: int  # tensor results; as many destinations are the last arguments
    may_raise: bool
    polls: bool  # has loops that look for interrupts

    @property
    def takes_record(self) -> bool:
        """Whether the error record is one more argument, behind the destinations."""
        return self.may_raise or self.polls


def memref_type(tensor: Type) -> Type:
    """The memref type, with identity layout, of a buffer that holds a tensor."""
    return ir.MemRefType.get(tensor.shape, tensor.element_type)


def data_type(memref: Type) -> TensorType:
    """What a buffer holds, as data; its integers count as signed, as MLIR's signless types do not tell."""
    element = memref.element_type
    dynamic = ir.ShapedType.get_dynamic_size()
    shape = tuple(None if extent == dynamic else extent for extent in memref.shape)
    name = "i64" if isinstance(element, ir.IndexType) else str(element)
    row = by_mlir(name)
    assert row is not None
    return TensorType(shape, row.dtype)


def kernel_functions(module: Module) -> dict[str, Operation]:
    """The kernels, by name."""
    return {
        op.attributes["sym_name"].value: op.operation
        for op in module.body.operations
        if op.operation.name == "func.func"
        and is_kernel_name(op.attributes["sym_name"].value)
        and op.regions[0].blocks
    }


def convert_kernel(function: Operation, failures: FailureSites, profile: Profile) -> KernelInterface:
    """Give a kernel memref arguments and out-parameters."""
    block = function.regions[0].blocks[0]
    results = terminator(block)
    tensors = [value for value in results.operands if isinstance(value.type, ir.RankedTensorType)]
    scalars = [value for value in results.operands if not isinstance(value.type, ir.RankedTensorType)]
    first = sum(1 for _ in block.arguments) - len(tensors)
    may_raise = contains(function, RaiseIf.mlir_name())
    destinations: list[Value] = []
    with ir.InsertionPoint.at_block_begin(block), function.location:
        for index, argument in enumerate(list(block.arguments)):
            if isinstance(argument.type, ir.RankedTensorType):
                _make_memref(argument, writable=index >= first)
            if index >= first:
                destinations.append(argument)
    _store_results(results, tensors, scalars, destinations)
    polls = profile.kernels_poll and is_interruptible(function)
    if may_raise or polls:
        record = block.add_argument(record_type(), function.location)
        nest_checks(function)
        failures.lower_nested(function, record)
        if polls:
            insert_polls(function, record, failures)
    settle_signature(function)
    return KernelInterface(len(tensors), may_raise, polls)


def _make_memref(argument: Value, *, writable: bool) -> None:
    tensor = argument.type
    argument.set_type(memref_type(tensor))
    reading = dialect("bufferization").ToTensorOp(tensor, argument, restrict=True, writable=writable or None)
    argument.replace_all_uses_except(reading.result, reading.operation)
    if not any(True for _ in reading.result.uses):
        reading.operation.erase()


def _store_results(
    terminator: Operation, tensors: list[Value], scalars: list[Value], destinations: list[Value]
) -> None:
    """Store results to the memory behind their destinations; only scalars are still returned."""
    bufferization, func = dialect("bufferization"), dialect("func")
    with ir.InsertionPoint(terminator), terminator.location:
        for value, destination in zip(tensors, destinations, strict=True):
            source = value.owner.operands[0]
            bufferization.materialize_in_destination(None, source, destination, restrict=True, writable=True)
        func.ReturnOp(scalars)
    terminator.erase()
    for value, destination in zip(tensors, destinations, strict=True):
        value.owner.operation.erase()
        reading = next(
            (use.owner for use in destination.uses if use.owner.name == "bufferization.to_tensor"), None
        )
        if reading is not None and not any(True for _ in reading.results[0].uses):
            reading.operation.erase()
