"""The kernels of a module that passes write as device kernels."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Module, Operation
from ....passes.preconditions import refuse
from ...planning.boundaries import kernel_functions
from ...target import current
from ..placement.place_kernels import DEVICE, SIDE


def require_device(module: Module) -> None:
    """Refuse to write device kernels for a target that has none."""
    if current().gpu is None:
        refuse(module.operation, f"{current().name} is no device: give --target=sm_90, say")


def kernels_to_write(module: Module, dialects: Sequence[str]) -> list[Operation]:
    """The kernel functions that run on the device: all, where that is not decided. Loads what is written in them."""
    for name in dialects:
        module.context.get_dialect_descriptor(name)
    kernels = kernel_functions(module).values()
    return [k for k in kernels if SIDE not in k.attributes or k.attributes[SIDE].value == DEVICE]
