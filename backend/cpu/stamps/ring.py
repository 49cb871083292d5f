"""The ring that compiled code writes time stamps to, and its reader."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

from ....dialect.records import NamedTuple
from ..native_python.layout import WORD
from ..native_python.library import link_native
from . import stamps_code
from .stamps_code import ENTRIES, ENTRY_BYTES, Entry

if sys.platform == "win32":
    from . import windows as system
else:
    from . import posix as system

_WORDS = ENTRY_BYTES // WORD


class Stamp(NamedTuple):
    """What ran, from when to when, on the clock of `time.perf_counter_ns`, and in which thread."""

    name: str
    begin: int
    end: int
    thread: int


class Ring:
    """The notes of all compiled code that makes some; read by one thread at a time."""

    def __init__(self) -> None:
        self.addresses = link_native("stamps", [stamps_code, system], {})
        self._count = ctypes.CFUNCTYPE(ctypes.c_int64)(self.addresses["weft_stamps_count"])
        self._memory = (ctypes.c_int64 * (ENTRIES * _WORDS))()
        self._read = 0
        self.lost = 0
        """How many were overwritten before anybody read them."""
        self._scale = _nanoseconds_a_tick()
        ctypes.CFUNCTYPE(None, ctypes.c_int64)(self.addresses["weft_stamps_setup"])(
            ctypes.addressof(self._memory)
        )

    def take(self) -> list[Stamp]:
        """The notes since the last time; names are those of code that is in memory now."""
        count = self._count()
        if count - self._read > ENTRIES:
            self.lost += count - self._read - ENTRIES
            self._read = count - ENTRIES
        found, names = [], dict[int, str]()
        while self._read < count:
            first = self._read % ENTRIES * _WORDS
            entry = self._memory[first : first + _WORDS]
            if entry[0] <= self._read:
                break  # it is being written; whoever writes it is running
            self._read += 1
            if entry[0] != self._read:
                self.lost += 1
                continue
            _, name, begin, end, thread = entry
            if name not in names:
                names[name] = ctypes.string_at(name).decode(errors="replace")
            found.append(Stamp(names[name], self._time(begin), self._time(end), thread))
        return found

    def _time(self, ticks: int) -> int:
        return ticks if self._scale == 1 else int(ticks * self._scale)


assert Entry.NUMBER == 0


def _nanoseconds_a_tick() -> float:
    loader = getattr(ctypes, "windll", None)  # of Windows alone, whose clock counts ticks
    if loader is None:
        return 1
    frequency = ctypes.c_int64()
    loader.kernel32.QueryPerformanceFrequency(ctypes.byref(frequency))
    return 1e9 / frequency.value


@cache
def ring() -> Ring:
    """The ring of this process, which is never freed: code that is running may write to it."""
    return Ring()


def stamp_address(name: str) -> int:
    """The address of a function that makes notes."""
    return ring().addresses[name]
