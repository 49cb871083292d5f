"""Modules: PTX that is loaded, with its variables in device memory."""

from __future__ import annotations

import re

import numpy as np

from .faults import PTXError
from .kernel import Kernel, Linker
from .memory import DeviceMemory
from .operands import Symbol
from .ptx import parse

_VERSIONS = {1108: (7, 8), 1200: (8, 0), 1201: (8, 1), 1202: (8, 2), 1203: (8, 3), 1204: (8, 4), 1205: (8, 5)}
_VERSIONS |= {1206: (8, 5), 1207: (8, 6), 1208: (8, 7), 1209: (8, 8), 1300: (9, 0)}


def highest_version(driver: int) -> tuple[int, int]:
    """The newest version of PTX that a driver reads, by its version as `cuDriverGetVersion` gives it (12040: 12.4)."""
    release = driver // 1000 * 100 + driver % 1000 // 10
    return max(version for number, version in _VERSIONS.items() if number <= max(release, 1108))


class UnsupportedVersion(PTXError):
    """PTX that is newer than the driver."""


class OtherTarget(PTXError):
    """PTX for another processor."""


class Module:
    """A module of a context."""

    def __init__(self, text: str, memory: DeviceMemory, arch: tuple[int, int], driver: int) -> None:
        program = parse(text)
        if program.version > highest_version(driver):
            version, highest = (".".join(map(str, v)) for v in (program.version, highest_version(driver)))
            raise UnsupportedVersion(
                f"PTX .version {version} is newer than the driver, which reads {highest}"
            )
        _check_target(program.target, arch)
        self.memory = memory
        self.functions: list[int] = []
        """The handles of its kernels that were asked for."""
        self.variables: dict[str, Symbol] = {}
        try:
            for variable in program.variables:
                if variable.space in ("global", "const"):
                    address = memory.allocate(variable.size)
                    self.variables[variable.name] = Symbol(variable.space, address, variable.size)
                    data = np.frombuffer(variable.initial.ljust(variable.size, b"\0"), np.uint8)
                    memory.span(address, variable.size)[...] = data
            self.kernels: dict[str, Kernel] = {
                name: Linker(program, self.variables).link(name) for name in program.kernels
            }
        except BaseException:
            self.unload()
            raise

    def unload(self) -> None:
        """Free the variables."""
        for symbol in self.variables.values():
            self.memory.release(symbol.address)
        self.variables.clear()


def _check_target(target: str, arch: tuple[int, int]) -> None:
    """Whether a processor runs code for a target: sm_90a runs on 9.0 alone, sm_80 on all from 8.0 on."""
    match = re.fullmatch(r"sm_(\d+)(\d)([af]?)", target)
    if match is None:
        raise PTXError(f".target {target} is unknown")
    wanted = int(match[1]), int(match[2])
    if wanted > arch or (match[3] and wanted != arch):
        raise OtherTarget(f".target {target} does not run on sm_{arch[0]}{arch[1]}")


__all__ = ["Module", "OtherTarget", "UnsupportedVersion", "highest_version"]
