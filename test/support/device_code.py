"""What a function becomes for a GPU, without one: the device kernels, their schedules and what the assembler says."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from unittest import mock

import weft
from weft.backend.gpu.machine.assembler import Resources, assemble
from weft.backend.gpu.machine.driver_code import weft_device_read
from weft.backend.gpu.stages import Lowering
from weft.backend.planning.names import EXIT
from weft.backend.planning.plan import DeviceKernel
from weft.backend.target import compiling_for
from weft.frontend.compiling import compile_function

_SCHEDULE = re.compile(r'gpu\.func @(?P<name>\w+)\(.*?weft\.schedule = "(?P<schedule>[^"]*)"')
_HOST = re.compile(
    r'func\.func private @(?P<name>\w+)\(.*?weft\.reason = "(?P<reason>[^"]*)", weft\.side = "host"'
)


@dataclass
class DeviceCode:
    """A function compiled for a GPU."""

    text: str
    """Of the stage "gpu"."""
    kernels: Sequence[DeviceKernel]

    @property
    def schedules(self) -> dict[str, str]:
        """How each device kernel is spread over threads."""
        return {match["name"]: match["schedule"] for match in _SCHEDULE.finditer(self.text)}

    @property
    def on_host(self) -> dict[str, str]:
        """The kernels that stay with the host, and why."""
        return on_host(self.text)

    @property
    def reads(self) -> int:
        """At how many places the host waits for a number of the device."""
        return reads(self.text)

    def assembled(self) -> dict[str, Resources]:
        """What each kernel takes, as the assembler says."""
        modules = {ptx: assemble(ptx, arch) for ptx, arch in {(k.ptx, k.arch) for k in self.kernels}}
        return {kernel.name: modules[kernel.ptx].kernels[kernel.name] for kernel in self.kernels}


class _Done(BaseException):
    """Ends a compilation where the tests have what they want."""


def on_host(text: str) -> dict[str, str]:
    """The kernels that stay with the host, and why, of a module at stage "gpu"."""
    return {match["name"]: match["reason"] for match in _HOST.finditer(text)}


def reads(text: str, *, in_loops: bool = False) -> int:
    """At how many places the host waits for a number of the device, in a module at stage "gpu": all, or those in loops.

    In loops it waits for kernels of its own as well. Places in branches in which the call ends are left out: they are
    for the text of an exception.
    """
    waits = [f"call @{name}(" for name in (weft_device_read.__name__, *(on_host(text) if in_loops else ()))]
    return _count(text, waits, in_loops=in_loops)


def launches_in_loops(text: str) -> int:
    """At how many places in loops of the host kernels are called, in a module at stage "gpu"."""
    return _count(text, ["call @kernel_"], in_loops=True)


def _count(text: str, waits: Sequence[str], *, in_loops: bool) -> int:
    """How many lines hold one of some calls, but for branches in which the call ends."""
    blocks = [_Block(in_loop=not in_loops)]
    for line in map(str.strip, text.splitlines()):
        if line.startswith("}") and len(blocks) > 1:
            done = blocks.pop()
            blocks[-1].reads += 0 if done.ends else done.reads
        if line.endswith("{"):
            is_loop = "scf.for" in line or "scf.while" in line or line == "} do {"
            blocks.append(_Block(in_loop=blocks[-1].in_loop or is_loop))
        blocks[-1].reads += blocks[-1].in_loop and any(wait in line for wait in waits)
        blocks[-1].ends |= f"call @{EXIT}(" in line
    return blocks[0].reads


@dataclass
class _Block:
    """What is between braces."""

    in_loop: bool
    reads: int = 0
    ends: bool = False
    """Whether the call ends in it."""


def gpu_text(function: Callable[..., Any], *arguments: Any, target: str = "sm_90a") -> str:
    """The module of a function at stage "gpu", before its kernels become PTX."""
    return _lowered(function, arguments, target, "gpu").text


def device_code(function: Callable[..., Any], *arguments: Any, target: str = "sm_90a") -> DeviceCode:
    """Compile a function for a GPU; arguments are arrays, numbers and `weft.TensorSpec`s."""
    return _lowered(function, arguments, target, "ptx")


def _lowered(function: Callable[..., Any], arguments: Sequence[Any], target: str, last: str) -> DeviceCode:
    """A function at a stage."""
    found: list[DeviceCode] = []

    def lower(module: Any, *_: Any, **__: Any) -> None:
        with compiling_for(target):
            lowering, text = Lowering(module, verify=True), ""
            for stage in lowering.stages():
                text = str(module) if stage == "gpu" else text
                if stage == last:
                    break
            found.append(DeviceCode(text, lowering.kernels))
        raise _Done

    with mock.patch.object(compile_function, "machine_code", lower), contextlib.suppress(_Done):
        weft.function(function, target=target).get_concrete_function(*arguments)
    return found[0]
