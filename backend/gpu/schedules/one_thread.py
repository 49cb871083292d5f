"""One thread for all: what always works, and what loops need of which each iteration waits for the last."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Operation
from ...nests.emit import Index
from ...nests.nest import loop_nest
from ..code.captures import NotScheduled, inner_operations
from ..code.kernel import Kernel
from ..code.points import write as store_point
from ..code.points import write_point
from ..steps import Step


def write(
    function: Operation, name: str, ops: Sequence[Operation], reason: str, step: Step | None = None
) -> None:
    """Run operations of a kernel function as they are, one after the other; or the nest of a step."""
    if any(inner.name == "memref.alloc" for inner in inner_operations(ops)):
        raise NotScheduled("its loops allocate memory")
    initial = None if step is None else step.initial
    kernel = Kernel(function, name, ops, (1, 1, 1), [] if initial is None else [initial])
    with kernel.body():
        copies = [kernel.clone(op) for op in ops]
        if initial is not None:
            nest = loop_nest(copies[0])
            positions: list[Index] = [0] * len(nest.parallel)
            for value, access in zip(
                write_point(nest, positions, kernel.emitter, [kernel.value(initial)]),
                nest.outputs,
                strict=True,
            ):
                store_point(value, access, [0] * len(nest.parallel), kernel.emitter)
            copies[0].erase()
    kernel.launch([1], reason)
