"""Which kernel runs where: attributes of the kernel functions say it, and why.

    func.func private @kernel_3(...) attributes {weft.side = "host", weft.reason = "it returns numbers ...", ...}

`weft.accesses` tells for every argument whether the kernel reads it ("r"), writes it ("w"), or both ("rw").
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.ops.random import FillRandom
from ....dialect.ops.ufunc_loops import CallLibrary, CallLoop
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.notes import note
from ....passes.preconditions import refuse
from ....passes.rewriting import operations_of
from ...planning.boundaries import kernel_functions
from ...planning.names import EXIT
from ...target import current
from .accesses import ACCESSES, accesses_of
from .sorts import SORTS, memory_of_sort

SIDE, REASON = "weft.side", "weft.reason"
GUARDED = "weft.guarded"
"""On kernels of the device that look at the record of errors before they do anything."""
VISIBLE = "weft.visible"
"""On those that write what the caller of the program sees."""
DEVICE, HOST, LIBRARY = "device", "host", "library"
RETURNS = "it returns numbers that the host needs"
"""Why kernels are the host's that could be the device's as parts of larger ones."""


@dataclass(frozen=True)
class PlaceKernels(Pass):
    """Say of each kernel whether it runs on the device or on the host."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in kernel_functions(module).values():
            side, reason = _place(function)
            describe(function, side, reason)
            statistics[f"kernels on the {side}"] += 1
            if side == HOST:
                note("host", function.location, "runs on the host, as {}", reason)
            else:
                note("device", function.location, "runs on the device")


def describe(kernel: Operation, side: str, reason: str) -> None:
    """Note where a kernel runs, why, and what it does with its arguments."""
    attributes = kernel.attributes
    attributes[SIDE], attributes[REASON] = ir.StringAttr.get(side), ir.StringAttr.get(reason)
    attributes[ACCESSES] = ir.ArrayAttr.get(
        [ir.StringAttr.get(access.text) for access in accesses_of(kernel)]
    )


def reason_of(kernel: Operation) -> str:
    """Why a kernel runs where it does; nothing of one whose side was written by hand."""
    return str(kernel.attributes[REASON].value) if REASON in kernel.attributes else ""


def require_placed(module: Module, before: str) -> None:
    """Refuse kernels of which it is not decided where they run, with the name of the pass that has to know."""
    for kernel in kernel_functions(module).values():
        if SIDE not in kernel.attributes:
            refuse(kernel, f"where this kernel runs is not decided: run --place-kernels before --{before}")


def _place(kernel: Operation) -> tuple[str, str]:
    """The side of a kernel, and the reason."""
    if any(op.name in SORTS and memory_of_sort(op) is None for op in operations_of(kernel)):
        return HOST, "it sorts what lies in memory with gaps"
    for op in operations_of(kernel):
        if op.name == CallLoop.mlir_name():
            return HOST, _why_not_library(op.attributes["function"].value)
    if any(op.name == CallLibrary.mlir_name() for op in operations_of(kernel)):
        return LIBRARY, "a library of the device does it"
    called = {op.attributes["callee"].value for op in operations_of(kernel) if op.name == "func.call"}
    if called - {EXIT}:
        return HOST, "it calls functions of the host"
    if any(op.name == FillRandom.mlir_name() for op in operations_of(kernel)):
        return HOST, "it draws random numbers"
    if ir.TypeAttr(kernel.attributes["function_type"]).value.results:
        return HOST, RETURNS
    return DEVICE, "all that it uses is there"


def _why_not_library(function: str) -> str:
    """Why a loop of a ufunc is the host's."""
    known = {"numpy.fft": "cufft", "numpy.linalg": "cusolver"}
    library, gpu = known.get(".".join(function.split(".")[:2])), current().gpu
    if library is None or gpu is None or library in gpu.libraries:
        return "it calls a library of the host"
    return f"it calls a library, and {library} is not there: pip install nvidia-{library}-cu12"


def is_of_library(kernel: Operation) -> bool:
    """Whether a library of the device does what a kernel is."""
    return SIDE in kernel.attributes and bool(kernel.attributes[SIDE].value == LIBRARY)


def guard_of(kernel: Operation) -> Value | None:
    """The record of errors that a kernel looks at first; None for one that does not."""
    if GUARDED not in kernel.attributes:
        return None
    arguments = kernel.regions[0].blocks[0].arguments
    return arguments[len(arguments) - 1]
