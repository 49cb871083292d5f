"""Why calls of exported functions wait for the device."""

from __future__ import annotations

from collections.abc import Iterator

from ...cpu.export.interface import CFunction, Place
from .runtime import DeviceProgram


def why_it_waits(function: CFunction, program: DeviceProgram) -> Iterator[str]:
    """The reasons for which a call does not return before the device is done; none where it only asks for it."""
    if program.needs.checks:
        yield "its result code tells of checks on the GPU"
    if any(function.inputs[number].place is Place.STATE for number in function.plan.on_host):
        yield "the host reads a number of the state"
    if program.needs.host_kernels:
        yield "the host does a part of it, on copies"
    elif program.reads:
        yield "the host reads what was computed"
