"""Write the kernels of a module as device kernels: functions on memrefs in, launches and `gpu.module`s out."""

from __future__ import annotations

from ....dialect.errors import InternalError
from ....dialect.mlir import Module, Operation, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.notes import note
from ....passes.rewriting import holds, is_unused, operations_in, operations_of
from ...nests.emit import create
from ..code.captures import NotScheduled, is_pure
from ..code.kernel import remove_device_module
from ..placement.place_kernels import HOST, REASON, SIDE
from .schedule import schedules_of, working_operations
from .written_kernels import kernels_to_write, require_device

_WRITTEN = ("complex", "gpu", "nvvm", "ub", "vector", "llvm", "scf", "memref", "math")
"""The dialects of what is written, which have to be loaded before."""


@dataclass(frozen=True)
class ScheduleDeviceKernels(Pass):
    """Write kernels as device kernels, and their launches."""

    def require(self, module: Module) -> None:
        require_device(module)

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in kernels_to_write(module, _WRITTEN):
            try:
                statistics["launches"] += _schedule(function)
                statistics["kernels on the device"] += 1
            except NotScheduled as error:
                _remove_launches(function)
                function.attributes[SIDE] = ir.StringAttr.get(HOST)
                function.attributes[REASON] = ir.StringAttr.get(str(error))
                statistics["kernels on the host"] += 1


def _schedule(function: Operation) -> int:
    """Replace the operations of a kernel function by launches, unless they are; returns how many there are."""
    launches = sum(1 for op in operations_of(function) if op.name == "gpu.launch_func")
    if launches:  # of sorts
        return launches
    schedules, ops = schedules_of(function), working_operations(function)
    name = function.attributes["sym_name"].value
    names = [name] if len(schedules) == 1 else [f"{name}_{number}" for number in range(len(schedules))]
    for (schedule, place), own in zip(schedules, names, strict=True):
        with ir.InsertionPoint(place), schedule.ops[-1].location:
            note(
                "device",
                ir.Location.current,
                f"is written by the schedule {schedule.name}: {schedule.reason}",
            )
            schedule.write_all(own)
    for op in reversed(operations_in(function.regions[0].blocks[0])):
        if op in ops or (is_pure(op) and is_unused(op)):  # which may use what such an operation read
            op.erase()
    _own_memory(function)
    return sum(1 for op in operations_of(function) if op.name == "gpu.launch_func")


def _remove_launches(function: Operation) -> None:
    """Take back what was written for a function before it was known that not all of it can be."""
    remove_device_module(function)
    for op in operations_in(function.regions[0].blocks[0]):
        if any(inner.name == "gpu.launch_func" for inner in (op, *operations_of(op))):
            op.erase()


def _own_memory(function: Operation) -> None:
    """Memory that launches share is the device's; what only one needed is gone."""
    block = function.regions[0].blocks[0]
    for op in reversed(operations_in(block)):
        used = not is_unused(op)
        if op.name == "memref.load" and used:  # of memory of the device, which the launch itself has to read
            name = function.attributes["sym_name"].value
            raise InternalError(
                f"a launch of the kernel {name} takes what the host has loaded", at=str(op.location)
            )
        # A loop of launches makes a number that nobody asks for, too.
        if op.name == "memref.dealloc" or (op.results and not used and not holds(op, {"gpu.launch_func"})):
            op.erase()
    for op in operations_in(block):
        if op.name == "memref.alloc":
            _allocate_on_device(op, block)


def _allocate_on_device(op: Operation, block: ir.Block) -> None:
    with ir.InsertionPoint(op), op.location:
        segments = ir.DenseI32ArrayAttr.get([0, len(list(op.operands)), 0])
        memory = create(
            "gpu.alloc", [op.results[0].type], list(op.operands), {"operandSegmentSizes": segments}
        )
    op.results[0].replace_all_uses_with(memory)
    op.erase()
    with ir.InsertionPoint.at_block_terminator(block), memory.owner.location:
        create("gpu.dealloc", [], [memory])
