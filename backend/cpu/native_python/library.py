"""Modules in the part of Python that is translated, as machine code in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType

from ..machine.native_code import kept_library
from .intrinsics import CFunction


def link_native(name: str, modules: Sequence[ModuleType], known: Mapping[str, int]) -> dict[str, int]:
    """The addresses of the functions that are called `weft_...`, under a name for the disk cache.

    `known` gives the addresses of C functions that are not those of the system and of Python.
    """
    constants = {name: value for module in modules for name, value in vars(module).items()}
    exports = [name for name in constants if name.startswith("weft_")]
    symbols = [name for name, value in constants.items() if isinstance(value, CFunction)]

    def assembly() -> str:
        from .translator import translate  # takes long to load, and is not needed where the code is on disk

        return translate(modules, exports, 0)

    return kept_library(name, assembly, exports, symbols, known)
