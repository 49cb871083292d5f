"""What compiled code depends on besides the program: the processor, and the versions of all that takes part."""

from __future__ import annotations

import importlib.util
import os
import struct
import sys
from collections.abc import Iterator
from functools import cache

from ...dialect.outside_ops import OUTSIDE
from ..processors.system import caches, kind_of_processor
from .files import digest
from .sources import Stamp, own_sources, sources_below


def machine_key() -> str:
    """What has to be the same for object code to be used again, as one name."""
    return digest((_own_key(), *_outside())) if OUTSIDE else _own_key()


@cache
def _own_key() -> str:
    return digest(parts())


_THIS_PROCESS = os.urandom(8).hex()


def _outside() -> Iterator[object]:
    """The files of the packages that define ops of their own; what is typed at a prompt is of this process alone."""
    for package in sorted({name.partition(".")[0] for name in OUTSIDE}):
        module = sys.modules[package]
        folders = [os.path.abspath(folder) for folder in getattr(module, "__path__", ())]
        file = getattr(module, "__file__", None)
        if folders:
            yield package, tuple(sources_below(folders))
        elif file is not None:
            told = os.stat(file)
            yield package, file, told.st_size, told.st_mtime_ns
        else:
            yield package, _THIS_PROCESS


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
