"""Functions of the C libraries that the process has loaded."""

from __future__ import annotations

import ctypes
import sys
from functools import cache


@cache
def library_function(name: str) -> int | None:
    """The address of a function of C's library, of the interpreter or of the system; None if there is none."""
    for library in _libraries():
        try:
            function = getattr(library, name)
        except AttributeError:
            continue
        address = ctypes.cast(function, ctypes.c_void_p).value
        if address:
            return address
    return None


@cache
def _libraries() -> list[ctypes.CDLL]:
    # By name: ctypes.util.find_library starts processes and takes a tenth of a second.
    names: list[str | None] = [None]
    if sys.platform == "linux":
        names += ["libm.so.6", "libgcc_s.so.1"]
    elif sys.platform == "win32":
        names = ["ucrtbase", "msvcrt", "kernel32"]
    found: list[ctypes.CDLL] = [ctypes.pythonapi]
    for name in names:
        try:
            found.append(ctypes.CDLL(name))
        except OSError:
            continue
    return found
