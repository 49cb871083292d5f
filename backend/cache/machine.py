"""What compiled code depends on besides the program: the processor, and the versions of all that takes part."""

from __future__ import annotations

import importlib.util
import os
import struct
import sys
from collections.abc import Iterator
from functools import cache

from ..processors.system import caches, kind_of_processor
from .files import digest
from .sources import Stamp, own_sources


@cache
def machine_key() -> str:
    """What has to be the same for object code to be used again, as one name."""
    return digest(parts())


def parts() -> tuple[object, ...]:
    """What is in the key of the machine."""
    import llvmlite  # but not its bindings, which load LLVM
    import numpy

    return (
        sys.version,
        sys.platform,
        struct.calcsize("P"),
        numpy.__version__,
        str(llvmlite.__version__),
        _processor(),
        tuple(_mlir()),
        tuple(own_sources()),
    )


def _processor() -> tuple[object, ...]:
    """All that follows from it, as what schedules ask, is told by what is here."""
    kind = kind_of_processor()
    if kind:
        return kind, tuple(caches())
    import llvmlite.binding as llvm

    from .processor import processor

    name, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features()
    return llvm.get_default_triple(), name, features.flatten(), repr(processor())


def _mlir() -> Iterator[Stamp]:
    """The installed MLIR, which is not imported for this."""
    found = importlib.util.find_spec("torch_mlir")
    for location in (found and found.submodule_search_locations) or ():
        libraries = os.path.join(location, "_mlir_libs")
        if os.path.isdir(libraries):
            at = os.stat(libraries)
            yield libraries, at.st_size, at.st_mtime_ns


__all__ = ["machine_key", "parts"]
