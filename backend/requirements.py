"""What machine code that lies in a file needs of the machine and of the weft that take it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import numpy as np

from ..dialect.records import NamedTuple
from .cache.sources import sources_digest
from .processors.system import kind_of_processor

if TYPE_CHECKING:
    from .target import Target


class Requirements(NamedTuple):
    """What has to be as it was when code was made for it to be right."""

    weft: str
    """A name for the sources of weft, by which code and those who call it were made."""
    numpy: str
    """The version of NumPy, whose functions code may call."""
    header: int
    """The bytes of an object's header, behind which arrays tell where their elements are."""
    architecture: str
    system: str
    needs: tuple[str, ...] | None
    """The features of the processor that it uses; None where it has to be the one of a name."""
    processor: str
    """That name."""
    kind: str
    """The kind of processor of the machine that made it, if that could run it; empty if not."""


def requirements(target: Target) -> Requirements:
    """What code for a target needs: of the machine that launches its kernels, if it is for a GPU."""
    from .target import named, why_not_here

    machine = named(target.host) if target.gpu is not None else target
    needs: frozenset[str] | None = machine.needs
    if machine.name == "native":
        needs = frozenset(f[1:] for f in machine.features.split(",") if f.startswith("+"))
    return Requirements(
        sources_digest(),
        _numpy_version(),
        object.__basicsize__,
        *_platform(machine.triple),
        None if needs is None else tuple(sorted(needs)),
        machine.cpu,
        kind_of_processor() if not why_not_here(machine) else "",
    )


def why_not_fitting(needed: Requirements) -> str:
    """Why code is not right here; empty if it is. LLVM is asked only on another kind of processor."""
    if needed.weft != sources_digest():
        return "it was made by another version of weft"
    if needed.numpy != _numpy_version():
        return f"it was made for NumPy {needed.numpy}, and this is {_numpy_version()}"
    if needed.header != object.__basicsize__:
        return "it was made for another build of Python, whose objects lie in memory in another way"
    if needed.kind and needed.kind == kind_of_processor():
        return ""
    here = _here()
    if (needed.architecture, needed.system) != here:
        return f"it is for {needed.architecture} and {needed.system}, and this is {here[0]} and {here[1]}"
    from .target import host  # which asks LLVM for the processor

    if needed.needs is None:
        return (
            ""
            if needed.processor == host().cpu
            else f"it is for {needed.processor}, and this is {host().cpu}"
        )
    present = {f[1:] for f in host().features.split(",") if f.startswith("+")}
    missing = [feature for feature in needed.needs if feature not in present]
    return f"this machine lacks {', '.join(missing)}" if missing else ""


def _here() -> tuple[str, str]:
    """The architecture and the system of this process, without LLVM."""
    machine = (
        os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "").lower()
    )
    return _NAMES.get(machine, machine), _SYSTEMS.get(sys.platform, sys.platform)


def _numpy_version() -> str:
    return ".".join(np.__version__.split(".")[:2])


_NAMES = {"arm64": "aarch64", "amd64": "x86_64"}
_SYSTEMS = {"darwin": "macos", "macosx": "macos", "windows": "windows", "win32": "windows", "linux": "linux"}


def _platform(triple: str) -> tuple[str, str]:
    """The architecture and the system of a triple of LLVM's.

    >>> _platform("arm64-apple-macosx11.0.0"), _platform("x86_64-unknown-linux-gnu")
    (('aarch64', 'macos'), ('x86_64', 'linux'))
    """
    architecture, _, rest = triple.partition("-")
    system = next((name for word, name in _SYSTEMS.items() if word in rest), sys.platform)
    return _NAMES.get(architecture, architecture), system
