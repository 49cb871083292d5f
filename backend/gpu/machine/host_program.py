"""The host's part of a program for a GPU: planned functions, launches, and kernels that run on the host.

It takes the path of the CPU backend from where its kernels are functions on memory, for the processor that the target
names as its host.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.attributes import elements_from_mlir
from ....dialect.mlir import Module, ir
from ....dialect.records import dataclass
from ....passes.base import TextPass
from ....passes.pipeline import run_pipeline
from ....passes.rewriting import symbols_of
from ...cpu.execution.symbols import called_by_instructions
from ...cpu.machine import llvm
from ...cpu.stages import Lowering
from ...planning.plan import DeviceKernel, HostKernel
from ...target import compiling_for, current
from ..pipeline import ALL_PASSES, steps_of
from .device_memory import CONSTANTS
from .driver_functions import LinkDriverFunctions
from .graphs import GRAPHS
from .host_kernels import HOST_KERNELS
from .launches import CHECKS, KERNELS

MOST_LINES = 10_000
"""Of LLVM assembly: so long a program of the host that computes nothing is made by LLVM's level 0.

That takes a quarter of the time. What launches waits for the driver: calls of it take as long as before.
"""


@dataclass(frozen=True)
class OfDevice:
    """What code of the host needs of the device."""

    kernels: tuple[str, ...]
    """The names of the kernels that it launches, by their numbers."""
    constants: tuple[bytes, ...]
    """The constants that the device must have, by their numbers."""
    checks: bool
    """Whether kernels of the device may raise."""
    graphs: tuple[tuple[int, int], ...]
    """For launches that are one graph each, where its words begin, and how many they are."""
    host_kernels: tuple[HostKernel, ...]
    """The kernels of the host, by their numbers."""

    def numbered(self, kernels: tuple[DeviceKernel, ...]) -> tuple[DeviceKernel, ...]:
        """The kernels in the order of their numbers."""
        by_name = {kernel.name: kernel for kernel in kernels}
        return tuple(by_name[name] for name in self.kernels)


@dataclass(frozen=True)
class HostCode:
    """Code of the host with what it needs of the device."""

    object_file: bytes
    symbols: tuple[str, ...]
    """The functions that it calls and does not define."""
    needs: OfDevice


class HostLowering(Lowering):
    """Takes a module of stage "gpu" to LLVM, in place; the `gpu.module`s in it are gone."""

    def lower(self) -> HostCode:
        """Run all steps, for the host of the current target."""
        with compiling_for(current().host):
            needs = self.to_assembly()
            optimised = llvm.optimise(self.llvm_text, self.scalar_loops)
            is_work = bool(needs.host_kernels) or _is_long(self.llvm_text)
            code = llvm.object_code(optimised, None if is_work else 0)
            symbols = (*llvm.external_symbols(optimised), *called_by_instructions(code))
            return HostCode(code, symbols, needs)

    def to_assembly(self) -> OfDevice:
        """Go as far as LLVM assembly, for the current target, which is the host."""
        module = self._module
        self._run_own("gpu-to-host")
        kernels = tuple(name.rpartition("::")[2] for name in _names(module, KERNELS))
        constants = tuple(_data(module, name) for name in _names(module, CONSTANTS))
        for view in list(module.body.operations):
            if view.operation.name == "gpu.module":
                view.operation.erase()
        checks = CHECKS in module.operation.attributes
        graphs = _pairs(module, GRAPHS)
        on_host = _host_kernels(module)
        for name in (KERNELS, CONSTANTS, CHECKS, GRAPHS, HOST_KERNELS, "gpu.container_module"):
            if name in module.operation.attributes:
                del module.operation.attributes[name]
        self._run("buffers-to-loops")
        self.loops_to_llvm()
        self.translate()
        return OfDevice(kernels, constants, checks, graphs, on_host)

    def _text_passes(self) -> Sequence[TextPass]:
        return (LinkDriverFunctions(), *super()._text_passes())

    def _run_own(self, pipeline: str) -> None:
        run_pipeline(
            self._module,
            steps_of(pipeline),
            passes=ALL_PASSES,
            observers=self._observers,
            verify=self._verify,
        )


def _is_long(text: str) -> bool:
    """Whether LLVM's level 0, which gives each value that outlives a call memory of its own, would need much of it."""
    return text.count("\n") > MOST_LINES


def _names(module: Module, attribute: str) -> tuple[str, ...]:
    if attribute not in module.operation.attributes:
        return ()
    return tuple(entry.value for entry in module.operation.attributes[attribute])


def _pairs(module: Module, attribute: str) -> tuple[tuple[int, int], ...]:
    if attribute not in module.operation.attributes:
        return ()
    numbers = list(ir.DenseI64ArrayAttr(module.operation.attributes[attribute]))
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def _host_kernels(module: Module) -> tuple[HostKernel, ...]:
    told = [[text.value for text in texts] for texts in module.operation.attributes[HOST_KERNELS]]
    return tuple(HostKernel(reason, location) for reason, location in told)


def _data(module: Module, name: str) -> bytes:
    """The elements of a constant of the module."""
    return elements_from_mlir(symbols_of(module)[name].attributes["initial_value"]).tobytes()
