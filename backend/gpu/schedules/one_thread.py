"""One thread for all: what always works, and what loops need of which each iteration waits for the last."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Operation
from ..code.kernel import Kernel


def write(function: Operation, name: str, ops: Sequence[Operation], reason: str) -> None:
    """Run operations of a kernel function as they are, one after the other."""
    kernel = Kernel(function, name, ops, (1, 1, 1))
    with kernel.body():
        for op in ops:
            kernel.clone(op)
    kernel.launch([1], reason)
