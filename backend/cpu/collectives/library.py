"""The native code of collectives in this process: linked when code that needs it is loaded, and given a table."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from ....dialect.callbacks import COLLECTIVE
from ....dialect.collective_words import NATIVE_DTYPES, NATIVE_REDUCTIONS
from ....dialect.collectives import REDUCTIONS
from ..machine.ufuncs import c_loop
from ..native_python.layout import WORD
from ..native_python.library import link_native
from . import meetings, native
from .table import FUNCTIONS, GROUPS, LOOP_COUNT, Entry, Group

if sys.platform == "win32":
    from ..threads import windows as system
else:
    from ..threads import posix as system


@cache
def _linked() -> dict[str, int]:
    addresses = link_native("collectives", [native, meetings, system], {})
    loops = ctypes.CFUNCTYPE(ctypes.c_int64)(addresses["weft_session_setup"])
    _fill_loops(loops())
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=loops)
    return addresses


def _fill_loops(address: int) -> None:
    """Tell native code NumPy's loops that combine two arrays."""
    words: Any = (ctypes.c_int64 * (2 * LOOP_COUNT)).from_address(address)
    kinds = [
        (np.dtype(dtype).char, REDUCTIONS[name]) for dtype in NATIVE_DTYPES for name in NATIVE_REDUCTIONS
    ]
    for number, (char, ufunc) in enumerate(kinds):
        words[2 * number : 2 * number + 2] = c_loop(ufunc, f"{char}{char}->{char}")


@cache
def linked_function(name: str, result: Any, *arguments: Any) -> Any:
    """A function of native code, called without the interpreter's lock."""
    return ctypes.CFUNCTYPE(result, *arguments)(_linked()[name])


def collective_address() -> int:
    """The address of `weft_collective`."""
    return _linked()[COLLECTIVE]


class NativeRanks:
    """What native code knows of the ranks that it calls MPI for: one communicator at a time, in one thread."""

    def __init__(self, library: str) -> None:
        """`library` has the functions of MPI, or has loaded what has them; AttributeError where one is not there."""
        addresses = _linked()
        table = ctypes.CFUNCTYPE(ctypes.c_int64)(addresses["weft_collective_table"])()
        self._words: Any = (ctypes.c_int64 * Entry.LENGTH).from_address(table)
        self._allow = ctypes.CFUNCTYPE(None, ctypes.c_int64)(addresses["weft_collective_allow"])
        self._forget = ctypes.CFUNCTYPE(None)(addresses["weft_collective_forget"])
        self._thread: Any = ctypes.PYFUNCTYPE(ctypes.c_int64)(("PyThread_get_thread_ident", ctypes.pythonapi))
        loaded = ctypes.CDLL(library)
        self._functions = [_address(getattr(loaded, name)) for name in FUNCTIONS]
        self._wait: Any = None

    def serve(
        self,
        handles: Mapping[str, int],
        groups: Sequence[tuple[int, int, int, int]],
        request_bytes: int,
        wait: Callable[[int], int],
    ) -> None:
        """Call MPI for this thread, with the handles of dtypes and of reductions, and with groups of ranks.

        Of a group that is what names it, the handle of its communicator, the place of the rank in it, and its size.
        `wait` is called now and then while a rank waits, and returns 1 to end that.
        """
        self.stop()
        self._wait = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int64)(wait)
        self._forget()
        words = self._words
        words[Entry.BYTE // WORD] = handles["byte"]
        flat = [number for group in groups[:GROUPS] for number in group]
        words[Entry.WAIT // WORD], words[Entry.FAILED // WORD] = _address(self._wait), 0
        words[Entry.REQUEST // WORD] = request_bytes
        for first, values in (
            (Entry.FIRST_GROUP, [*flat, *[0] * (GROUPS * Group.LENGTH // WORD - len(flat))]),
            (Entry.CALLS, self._functions),
            (Entry.DTYPES, [handles[name] for name in NATIVE_DTYPES]),
            (Entry.REDUCTIONS, [handles[name] for name in NATIVE_REDUCTIONS]),
        ):
            words[first // WORD : first // WORD + len(values)] = values
        words[Entry.THREAD // WORD] = self._thread()

    def stop(self) -> None:
        """Leave all to Python."""
        self._words[Entry.THREAD // WORD] = 0

    @property
    def serves(self) -> bool:
        """Whether this thread is served."""
        return bool(self._words[Entry.THREAD // WORD] == self._thread())

    def allow(self, key: int) -> None:
        """From now on do what has a key: all ranks ask for it."""
        self._allow(key)

    def take_failure(self) -> int:
        """What MPI has returned that went wrong, -1 where `wait` has ended a call; 0 for nothing."""
        failed = int(self._words[Entry.FAILED // WORD])
        self._words[Entry.FAILED // WORD] = 0
        return failed


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0
