"""The file in which `perf` finds machine code that is in memory no more, with its lines: `jit-PID.dump`.

`perf record -k mono` notices that the process maps the file, `perf inject --jit` makes object files of what is in it,
which `perf report` and `perf annotate` show. Its format is that of tools/perf/Documentation/jitdump-specification.txt
of Linux.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import mmap
import os
import struct
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

from ....dialect.records import NamedTuple

MAGIC, VERSION = 0x4A695444, 1
CODE_LOAD, CODE_DEBUG_INFO = 0, 2
HEADER = struct.Struct("<IIIIIIQQ")
PREFIX = struct.Struct("<IIQ")
"""What all records begin with: their kind, their size and the time."""
LOAD = struct.Struct("<IIQQQQ")
DEBUG_INFO = struct.Struct("<QQ")
LINE = struct.Struct("<QII")


class Function(NamedTuple):
    """A function in memory."""

    name: str
    address: int
    code: bytes
    lines: Sequence[tuple[int, str, int]]
    """Addresses, and the files and lines that code is of from there on."""


class Dump:
    """The file of one process."""

    def __init__(self, folder: Path, machine: int) -> None:
        self.path = folder / f"jit-{os.getpid()}.dump"
        self._file: IO[bytes] = self.path.open("w+b")
        atexit.register(self._file.close)
        self._numbers = itertools.count()
        self._file.write(HEADER.pack(MAGIC, VERSION, HEADER.size, machine, 0, os.getpid(), _now(), 0))
        self._file.flush()
        self._marker: mmap.mmap | None = None
        with contextlib.suppress(
            OSError
        ):  # where nothing in the folder may be executed, perf does not notice it
            self._marker = mmap.mmap(
                self._file.fileno(), HEADER.size, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC
            )

    def write(self, functions: Iterable[Function]) -> None:
        """Add functions."""
        for function in functions:
            if function.lines:
                self._record(CODE_DEBUG_INFO, _debug_info(function))
            self._record(CODE_LOAD, self._load(function))
        self._file.flush()

    def _load(self, function: Function) -> bytes:
        thread, address, size = threading.get_native_id(), function.address, len(function.code)
        head = LOAD.pack(os.getpid(), thread, address, address, size, next(self._numbers))
        return head + function.name.encode() + b"\0" + function.code

    def _record(self, kind: int, content: bytes) -> None:
        size = PREFIX.size + len(content)
        padding = -size % 8
        self._file.write(PREFIX.pack(kind, size + padding, _now()) + content + b"\0" * padding)


def _debug_info(function: Function) -> bytes:
    entries = [LINE.pack(address, line, 0) + file.encode() + b"\0" for address, file, line in function.lines]
    return DEBUG_INFO.pack(function.address, len(entries)) + b"".join(entries)


def _now() -> int:
    """The time as `perf record -k mono` tells it."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)
