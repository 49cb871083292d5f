"""One thread for all: what always works, and what loops need of which each iteration waits for the last."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ....dialect.mlir import Operation, Value, ir
from ...nests.emit import Index
from ...nests.nest import loop_nest
from ...target import gpu_figures
from ..code.allocations import allocations_can_move, move_allocations
from ..code.captures import NotScheduled, inner_operations
from ..code.kernel import Kernel
from ..code.points import write_all, write_point
from ..placement.effort import is_better_on_host, known_bytes
from ..placement.trip_costs import LONG
from .device_schedule import DeviceSchedule, Run

MILLISECONDS = "weft.milliseconds"
"""On device kernels of one thread that take long, how long, as far as the number of its steps tells."""


class OneThread(DeviceSchedule):
    """What is left: one step after the other. It is right and slow."""

    reason = "one step after the other"

    @classmethod
    def match(cls, run: Run) -> OneThread | None:
        return cls(run) if run.is_serial else None

    @property
    def title(self) -> str:
        names = " and ".join(sorted({op.name for op in self.ops if op.name != "memref.load"}))
        return f"one thread: {names} is {self.reason}"

    def threads(self) -> float:
        return 1

    def require(self) -> None:
        work = self.work()
        if math.isinf(work) and any(op.name == "func.call" for op in inner_operations(self.ops)):
            raise NotScheduled("it may raise in a loop of unknown length, which one thread may take long for")
        check_host(self.function, work, work)

    def write(self, name: str) -> None:
        kernel = write_by_one(self, name, ())
        if LONG < self.seconds() < math.inf:
            kernel.operation.attributes[MILLISECONDS] = ir.FloatAttr.get_f64(self.seconds() * 1e3)
        kernel.launch([1], self.title)


class Searches(DeviceSchedule):
    """A thread that goes over all elements, where it needs what it found before."""

    reason = "one thread takes one element after the other"

    @classmethod
    def match(cls, run: Run) -> Searches | None:
        nest = run.nest
        return cls(run) if nest is not None and nest.parallel and not any(nest.parallel) else None

    def write(self, name: str) -> None:
        write_by_one(self, name, self.steps[0].starts).launch([1], self.title)


def write_by_one(schedule: DeviceSchedule, name: str, starts: Sequence[Value]) -> Kernel:
    """A kernel of one thread that runs operations as they are; the first, a nest, may start from numbers."""
    ops = schedule.ops
    if not allocations_can_move(ops):
        raise NotScheduled("its loops allocate memory")
    move_allocations(ops)
    kernel = Kernel(schedule.function, name, ops, (1, 1, 1), starts)
    with kernel.body():
        first = kernel.clone(ops[0])
        if starts:
            nest = loop_nest(first)
            positions: list[Index] = [0] * len(nest.parallel)
            values = write_point(nest, positions, kernel.emitter, [kernel.value(value) for value in starts])
            write_all(values, nest, positions, kernel.emitter)
            first.erase()
        for op in ops[1:]:
            kernel.clone(op)
    return kernel


def check_host(function: Operation, steps: float, work: float) -> None:
    """Raise `NotScheduled` where the host is sooner done with the work than the device with so many steps of it."""
    arrays = [a.type for a in function.regions[0].blocks[0].arguments if isinstance(a.type, ir.MemRefType)]
    if math.isfinite(steps + work) and is_better_on_host(steps, work, sum(map(known_bytes, arrays))):
        raise NotScheduled(
            f"the device would take some {steps * gpu_figures().step * 1e3:.0f} ms, step by step"
        )
