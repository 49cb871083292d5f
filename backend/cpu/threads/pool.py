"""The pool of this process: made when code that may use several threads is loaded; see `pool_code` for how it works."""

from __future__ import annotations

import atexit
import ctypes
import platform
import threading
from collections.abc import Mapping
from types import MappingProxyType

from ....dialect.errors import InternalError
from ...cache.objects import cached_object
from ...planning.names import PARALLEL_FOR
from ..machine.libraries import call_at_fork, library_function
from ..machine.native_code import compile_assembly, link_forever
from ..memory.result_pool import result_pool
from .count import follow_num_threads
from .pool_code import EXPORTS, SET_THREADS, SETUP, STOP, called_functions, pool_code


class Pool:
    """The machine code of the pool. It is never freed: its threads may be running while Python ends."""

    def __init__(self) -> None:
        addresses = linked_pool()
        self.parallel_for = addresses[PARALLEL_FOR]
        self._set_threads = ctypes.CFUNCTYPE(None, ctypes.c_int32)(addresses[SET_THREADS])
        self._stop = ctypes.CFUNCTYPE(ctypes.c_int32)(addresses[STOP])
        follow_num_threads(self._set_threads)
        result_pool()  # asked first, it is locked last: threads that end give memory back
        call_at_fork(addresses[STOP], 0, addresses[SETUP])
        atexit.register(self.stop)

    def stop(self) -> bool:
        """End the threads, unless they are working for another thread of Python; more work starts them again."""
        return bool(self._stop())


def linked_pool(replaced: Mapping[str, int] = MappingProxyType({})) -> dict[str, int]:
    """The functions of a new pool, by name, set up; with other functions than the system's where they are given."""
    text = pool_code(platform.machine().lower())
    functions = {name: replaced.get(name) or library_function(name) for name in called_functions(text)}
    known = {name: address for name, address in functions.items() if address is not None}
    if len(known) < len(functions):
        missing = ", ".join(functions.keys() - known.keys())
        raise InternalError(f"threads need {missing}, which this system does not have")
    addresses = link_forever(cached_object(text, lambda: compile_assembly(text)), EXPORTS, functions, known)
    ctypes.CFUNCTYPE(None)(addresses[SETUP])()
    return addresses


_lock = threading.Lock()
_pool: list[Pool] = []


def pool() -> Pool:
    """The pool, made by the first who asks."""
    with _lock:
        if not _pool:
            _pool.append(Pool())
        return _pool[0]


def parallel_for_address() -> int:
    """The address of `weft_parallel_for`."""
    return pool().parallel_for
