"""The systems that libraries are for: what their files are called, and what their linkers are told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ....dialect.records import dataclass


@dataclass(frozen=True)
class System:
    """Linux, and what is like it."""

    triple: str
    ending: ClassVar[str] = ".so"
    has_archives: ClassVar[bool] = True
    """Whether linkers read the archives that weft writes."""

    def file_name(self, library: str) -> str:
        """What a shared library is called."""
        return f"lib{library}{self.ending}"

    def flags(self, name: str) -> list[str]:
        """What a compiler is told to link a shared library of some file name."""
        return ["-shared", "-Wl,-z,defs", f"-Wl,-soname,{name}"]

    def libraries(self, has_threads: bool) -> list[str]:
        """What a library may need, if it does."""
        return [*(["-pthread"] if has_threads else []), "-Wl,--as-needed", "-lm"]

    def exports(self, name: str, symbols: Sequence[str]) -> str:
        """A file that tells the linker what others see; empty where the object file does."""
        return ""

    def for_zig(self) -> str:
        """What zig calls the system. Libraries run with a C library of 2012 and with all later ones."""
        architecture, _, rest = self.triple.partition("-")
        return f"{architecture}-linux-gnu.2.17" if "linux-gnu" in rest else f"{architecture}-linux"


class MacOS(System):
    """macOS."""

    ending = ".dylib"
    has_archives = False

    def flags(self, name: str) -> list[str]:
        return ["-dynamiclib", f"-Wl,-install_name,@rpath/{name}"]

    def libraries(self, has_threads: bool) -> list[str]:
        return []

    def for_zig(self) -> str:
        return f"{_architecture(self.triple)}-macos.11.0"


class Windows(System):
    """Windows."""

    ending = ".dll"
    has_archives = False

    def file_name(self, library: str) -> str:
        return f"{library}{self.ending}"

    def flags(self, name: str) -> list[str]:
        return ["-shared", "-s"]

    def libraries(self, has_threads: bool) -> list[str]:
        return []

    def exports(self, name: str, symbols: Sequence[str]) -> str:
        return "\n".join([f'LIBRARY "{name}"', "EXPORTS", *(f"  {symbol}" for symbol in symbols), ""])

    def for_zig(self) -> str:
        return f"{_architecture(self.triple)}-windows-gnu"


def _architecture(triple: str) -> str:
    return triple.partition("-")[0].replace("arm64", "aarch64")


def system_of(triple: str) -> System:
    """The system of a target."""
    if "apple" in triple:
        return MacOS(triple)
    return (Windows if "windows" in triple else System)(triple)
