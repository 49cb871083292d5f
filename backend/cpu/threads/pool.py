"""The pool of this process: made when code that may use several threads is loaded; see `pool_code` for how it works."""

from __future__ import annotations

import atexit
import ctypes
import sys
import threading
from collections.abc import Mapping
from types import MappingProxyType

from ...planning.names import PARALLEL_FOR, THREADS
from ..machine.libraries import call_at_fork
from ..memory.result_pool import result_pool
from ..native_python.library import link_native
from . import pool_code
from .count import follow_num_threads

if sys.platform == "win32":
    from . import windows as system
else:
    from . import posix as system


class Pool:
    """The machine code of the pool. It is never freed: its threads may be running while Python ends."""

    def __init__(self) -> None:
        addresses = linked_pool()
        self.parallel_for = addresses[PARALLEL_FOR]
        self.threads = addresses[THREADS]
        self._set_threads = ctypes.CFUNCTYPE(None, ctypes.c_int64)(addresses["weft_pool_set_threads"])
        self._stop = ctypes.CFUNCTYPE(ctypes.c_int64)(addresses["weft_pool_stop"])
        follow_num_threads(self._set_threads)
        result_pool()  # asked first, it is locked last: threads that end give memory back
        call_at_fork(addresses["weft_pool_stop"], 0, addresses["weft_pool_setup"])
        atexit.register(self.stop)

    def stop(self) -> bool:
        """End the threads, unless they are working for another thread of Python; more work starts them again."""
        return bool(self._stop())


def linked_pool(replaced: Mapping[str, int] = MappingProxyType({})) -> dict[str, int]:
    """The functions of a new pool, by name, set up; with other functions than the system's where they are given."""
    addresses = link_native("threads", [pool_code, system], replaced)
    ctypes.CFUNCTYPE(None)(addresses["weft_pool_setup"])()
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


def threads_address() -> int:
    """The address of `weft_threads`."""
    return pool().threads
