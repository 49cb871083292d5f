"""The pool of this process: made when code that may use several threads is loaded; see `pool_code` for how it works."""

from __future__ import annotations

import atexit
import ctypes
import os
import platform
import threading

from ....dialect.errors import InternalError
from ..machine import llvm
from ..machine.libraries import library_function
from ..planning.names import PARALLEL_FOR
from .count import follow_num_threads
from .pool_code import EXPORTS, SET_THREADS, SETUP, STOP, pool_code


class Pool:
    """The machine code of the pool. It is never freed: its threads may be running while Python ends."""

    def __init__(self) -> None:
        object_file, symbols = _compiled()
        addresses = {name: library_function(name) for name in symbols}
        missing = [name for name, address in addresses.items() if address is None]
        if missing:
            raise InternalError(f"threads need {', '.join(missing)}, which this system does not have")
        code = llvm.Code(object_file, EXPORTS, {n: address for n, address in addresses.items() if address})
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(code))
        self.parallel_for = code.address(PARALLEL_FOR)
        self._set_threads = ctypes.CFUNCTYPE(None, ctypes.c_int32)(code.address(SET_THREADS))
        self._stop = ctypes.CFUNCTYPE(ctypes.c_int32)(code.address(STOP))
        self._setup = ctypes.PYFUNCTYPE(None)(code.address(SETUP))

    def begin(self) -> None:
        """Make the pool ready, and follow what happens to the process; the threads start with the first work."""
        self._setup()
        follow_num_threads(self._set_threads)
        atexit.register(self.stop)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self.stop, after_in_child=self._setup)

    def stop(self) -> bool:
        """End the threads, unless they are working for another thread of Python; more work starts them again."""
        return bool(self._stop())


def _compiled() -> tuple[bytes, list[str]]:
    """The object code of the pool, and the functions it calls."""
    module = llvm.optimise(pool_code(platform.machine().lower()))
    return llvm.object_code(module), llvm.external_symbols(module)


_lock = threading.Lock()
_pool: list[Pool] = []


def pool() -> Pool:
    """The pool, made by the first who asks."""
    with _lock:
        if not _pool:
            made = Pool()
            made.begin()
            _pool.append(made)
        return _pool[0]


def parallel_for_address() -> int:
    """The address of `weft_parallel_for`."""
    return pool().parallel_for
