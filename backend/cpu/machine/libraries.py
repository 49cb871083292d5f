"""Functions of the C libraries that the process has loaded, and of NumPy."""

from __future__ import annotations

import ctypes
import importlib
import os
import sys
from functools import cache

from ....dialect.errors import InternalError


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


def numpy_function(index: int) -> int:
    """The address at an index of NumPy's table of C functions."""
    capsule = importlib.import_module("numpy._core._multiarray_umath")._ARRAY_API
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    table = pointer(("PyCapsule_GetPointer", ctypes.pythonapi))(capsule, None)
    if table is None:
        raise InternalError("NumPy has no table of C functions")
    return ctypes.c_size_t.from_address(table + 8 * index).value


def call_at_fork(before: int, in_parent: int, in_child: int) -> None:
    """Have the C library call native functions without arguments around each fork, until the process ends.

    They run right before and after the process is copied. Hooks of Python would not do for locks: other hooks run
    between them and the fork, and may hand Python's own lock to a thread that waits for ours.
    """
    if not hasattr(os, "fork"):
        return
    more: tuple[None, ...] = ()
    register = library_function("pthread_atfork")
    if register is None:  # glibc has it in the program, not in the library
        register, more = library_function("__register_atfork"), (None,)
    if register is None:
        raise InternalError("this system does not tell when a process forks")
    arguments = (before, in_parent, in_child, *more)
    function = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * len(arguments))(register)
    if function(*arguments):
        raise MemoryError("there is no memory to be told of forks")


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
