"""One thread for all: what always works, and what loops need of which each iteration waits for the last."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Operation, ir
from ...nests.emit import Index
from ...nests.nest import loop_nest
from ...target import gpu_figures
from ..code.allocations import allocations_can_move, move_allocations
from ..code.captures import NotScheduled
from ..code.kernel import Kernel
from ..code.points import write as store_point
from ..code.points import write_point
from ..placement.trip_costs import LONG
from .steps import Step

MILLISECONDS = "weft.milliseconds"
"""On device kernels of one thread that take long, how long, as far as the number of its steps tells."""


def write(
    function: Operation,
    name: str,
    ops: Sequence[Operation],
    reason: str,
    step: Step | None = None,
    steps: int | None = None,
) -> None:
    """Run operations of a kernel function as they are, one after the other; or the nest of a step.

    `steps` is how many operations of loops that are, if it is known.
    """
    if not allocations_can_move(ops):
        raise NotScheduled("its loops allocate memory")
    move_allocations(ops)
    starts = () if step is None else step.starts
    kernel = Kernel(function, name, ops, (1, 1, 1), starts)
    with kernel.body():
        copies = [kernel.clone(op) for op in ops]
        if starts:
            nest = loop_nest(copies[0])
            positions: list[Index] = [0] * len(nest.parallel)
            for value, access in zip(
                write_point(nest, positions, kernel.emitter, [kernel.value(value) for value in starts]),
                nest.outputs,
                strict=True,
            ):
                store_point(value, access, [0] * len(nest.parallel), kernel.emitter)
            copies[0].erase()
    if steps is not None and steps * gpu_figures().step > LONG:
        kernel.operation.attributes[MILLISECONDS] = ir.FloatAttr.get_f64(steps * gpu_figures().step * 1e3)
    kernel.launch([1], reason)
