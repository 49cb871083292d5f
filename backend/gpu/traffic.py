"""What a program does between the host and a device: how often kernels are launched, and the host waits."""

from __future__ import annotations

from dataclasses import asdict

from ...dialect.mlir import Module, Operation, ir
from ...dialect.records import dataclass
from ...passes.rewriting import operations_in, operations_of
from ..planning.names import EXIT
from .machine.driver_code import weft_device_read
from .machine.host_functions import calls_in, host_functions, kernels_of
from .placement.place_kernels import REASON, is_of_library
from .schedules.one_thread import MILLISECONDS
from .stages import Lowering


@dataclass(frozen=True)
class Traffic:
    """Places in the program, each counted once however often it runs."""

    launches: int
    reads: int
    """Where the host reads one element, and waits for it; but for those of an exception that it raises."""
    host_kernels: dict[str, str]
    """The kernels that run on the host, on copies of their arrays, and why."""
    bytes_in: int | None
    """Of the arguments that are copied to the device if they are NumPy's; None where types do not tell."""
    bytes_out: int | None
    """Of the results and of what is written, which are copied back then."""
    slow_kernels: dict[str, float]
    """Device kernels of one thread that take more than about a millisecond, and how many."""


def traffic_of(module: Module, name: str) -> dict[str, object]:
    """What a function of a module at stage "linalg", which is used up, does with a device."""
    lowering = Lowering(module, verify=False)
    next(stage for stage in lowering.stages() if stage == "gpu")
    plan = next(plan for plan in lowering.plans if plan.name == name)
    kernels = kernels_of(module)
    launches = {name: _launches(kernel) for name, kernel in kernels.items()}
    calls = [callee for host in host_functions(module) for _, callee in calls_in(host.function)]
    on_host = sorted(
        {
            callee
            for callee in calls
            if callee in kernels and not (launches[callee] or is_of_library(kernels[callee]))
        }
    )
    arguments = [type for number, type in enumerate(plan.inputs) if number not in plan.on_host]
    returned = [*plan.results, *(plan.inputs[number] for number in sorted(plan.written))]
    return asdict(
        Traffic(
            sum(launches.get(callee, 0) for callee in calls),
            sum(_reads(host.function)[0] for host in host_functions(module)),
            {callee: ir.StringAttr(kernels[callee].attributes[REASON]).value for callee in on_host},
            _total([type.size and type.size * type.dtype.itemsize for type in arguments]),
            _total([type.size and type.size * type.dtype.itemsize for type in returned]),
            _slow_kernels(module),
        )
    )


def _launches(op: Operation) -> int:
    """How many launches an operation makes, of two ways the one with more."""
    if op.name == "gpu.launch_func":
        return 1
    ways = [sum(map(_launches, operations_in(block))) for region in op.regions for block in region]
    return max(ways, default=0) if op.name == "scf.if" else sum(ways)


def _reads(op: Operation) -> tuple[int, bool]:
    """How often the host waits for a number, but where the call ends anyway; and whether it ends."""
    if op.name == "func.call":
        callee = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
        return int(callee == weft_device_read.__name__), callee == EXIT
    total = 0
    for block in (block for region in op.regions for block in region):
        found = [_reads(inner) for inner in operations_in(block)]
        total += 0 if any(ends for _, ends in found) else sum(count for count, _ in found)
    return total, False


def _slow_kernels(module: Module) -> dict[str, float]:
    functions = [op for op in operations_of(module.operation) if op.name == "gpu.func"]
    return {
        ir.StringAttr(f.attributes["sym_name"]).value: ir.FloatAttr(f.attributes[MILLISECONDS]).value
        for f in functions
        if MILLISECONDS in f.attributes
    }


def _total(sizes: list[int | None]) -> int | None:
    return None if None in sizes else sum(size or 0 for size in sizes)
