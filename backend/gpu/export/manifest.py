"""The manifest of a library for GPUs: that of any library, and what is known of the device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...cpu.export.interface import CFunction
from ...cpu.export.manifest import manifest
from ...cpu.export.places import place_text
from ..driver.library import MINIMUM_DRIVER
from .entry import is_of_host
from .library import DeviceLibrary
from .runtime import DeviceProgram
from .waiting import why_it_waits


def device_manifest(made: DeviceLibrary, files: Mapping[str, str], producer: str) -> dict[str, Any]:
    """What is written as JSON."""
    found = manifest(made.built, files, producer)
    pairs = zip(found["functions"], made.built.library.functions, made.programs, strict=True)
    functions = [told | _function(function, program) for told, function, program in pairs]
    kernels = [kernel for program in made.programs for kernel in program.kernels]
    device = {
        "target": made.arch,
        "driver": MINIMUM_DRIVER,
        "modules": len({kernel.ptx for kernel in kernels}),
        "has_machine_code": any(kernel.cubin is not None for kernel in kernels),
    }
    return found | {"functions": functions, "device": device}


def _function(function: CFunction, program: DeviceProgram) -> dict[str, Any]:
    return {
        "on_host": [given.name for given in function.inputs if is_of_host(given)],
        "kernels": [kernel.name for kernel in program.kernels],
        "waits": list(why_it_waits(function, program)),
        "host_kernels": [
            {"reason": kernel.reason, "place": place_text(kernel.location)}
            for kernel in program.needs.host_kernels
        ],
    }
