"""Spans and events as TensorBoard's profile plugin reads them: an `XSpace`, a message of protocol buffers.

Its fields are those of `xplane.proto` of XProf. It is written without the packages that read it, as four kinds of
fields are all there is to know of protocol buffers.
"""

from __future__ import annotations

import itertools
import os
import re
import socket
import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from .trace_events import Event, Span

_THREADS = "/host:CPU"
"""The name of the plane whose lines are threads."""

_ENVIRONMENT = "Task Environment"
"""The name of the plane that tells when all began."""

_TOLD: Mapping[str, str] = {"bytes": "bytes_accessed", "line": "source"}
"""What the plugin calls what spans tell, where it knows it."""

Value: TypeAlias = "int | float | str | bytes"


def new_run(logdir: str | os.PathLike[str]) -> Path:
    """Make the file of a profile where the plugin looks for one, in a folder named after the time."""
    runs = Path(logdir) / "plugins" / "profile"
    runs.mkdir(parents=True, exist_ok=True)
    now = time.strftime("%Y_%m_%d_%H_%M_%S")
    names = (f"{now}_{number}" if number else now for number in itertools.count())
    folder = next(folder for folder in map(runs.joinpath, names) if _made(folder))
    host = re.sub(r"[^A-Za-z0-9-]+", "-", socket.gethostname()) or "host"
    file = folder / f"{host}.xplane.pb"
    file.write_bytes(b"")
    return file


def _made(folder: Path) -> bool:
    """Whether a folder was not there yet."""
    try:
        folder.mkdir()
    except FileExistsError:
        return False
    return True


def space_of(
    spans: Sequence[Span], events: Sequence[Event], start: int, end: int, names: Mapping[int, str]
) -> bytes:
    """The spans and events of threads, from a start on; a line for each thread, as `names` calls it."""
    now = time.time_ns()
    plane = _Plane(1, _THREADS)
    for number, (thread, name) in enumerate(names.items(), 1):
        inside = [span for span in spans if span.thread == thread]
        told = [plane.event(span, span.begin - start, span.end - span.begin) for span in inside]
        told += [plane.event(event, event.time - start, 0) for event in events if event.thread == thread]
        plane.add_line(number, name, told)
    environment = _Plane(2, _ENVIRONMENT)
    environment.add_stat("profile_start_time", now - (end - start))
    environment.add_stat("profile_stop_time", now)
    return b"".join(
        [
            _field(_SPACE_PLANES, plane.message()),
            _field(_SPACE_PLANES, environment.message()),
            _field(_SPACE_HOSTS, socket.gethostname()),
        ]
    )


# Numbers of fields.
_SPACE_PLANES, _SPACE_HOSTS = 1, 4
_ID, _NAME = 1, 2  # of planes, lines, and what events and stats are called
_PLANE_LINES, _PLANE_EVENT_NAMES, _PLANE_STAT_NAMES, _PLANE_STATS = 3, 4, 5, 6
_LINE_EVENTS, _LINE_SHOWN = 4, 11
_EVENT_NAME, _EVENT_OFFSET, _EVENT_DURATION, _EVENT_STATS = 1, 2, 3, 4
_STAT_NAME, _STAT_DOUBLE, _STAT_UNSIGNED, _STAT_TEXT = 1, 2, 3, 5
_EVENT_SHOWN = 4
_KEY, _VALUE = 1, 2  # of an entry of a map


class _Plane:
    """Collects lines, and numbers the names of what is in them."""

    def __init__(self, number: int, name: str) -> None:
        self._parts = [_field(_ID, number), _field(_NAME, name)]
        self._events: dict[tuple[str, str], int] = {}
        self._stats: dict[str, int] = {}

    def add_line(self, number: int, name: str, events: Sequence[bytes]) -> None:
        """Add a thread with what happened in it."""
        parts = [_field(_ID, number), _field(_NAME, name), _field(_LINE_SHOWN, name)]
        parts += (_field(_LINE_EVENTS, event) for event in events)
        self._parts.append(_field(_PLANE_LINES, b"".join(parts)))

    def add_stat(self, name: str, value: Value) -> None:
        """Tell something of the plane itself."""
        self._parts.append(_field(_PLANE_STATS, self._stat(name, value)))

    def event(self, found: Span | Event, offset: int, nanoseconds: int) -> bytes:
        """Something that begins so many nanoseconds after the start."""
        name = self._events.setdefault((_op_name(found), found.name), len(self._events) + 1)
        parts = [
            _field(_EVENT_NAME, name),
            _field(_EVENT_OFFSET, 1000 * max(offset, 0)),
            _field(_EVENT_DURATION, 1000 * nanoseconds),
        ]
        told = {"category": found.category, **found.told}
        parts += (
            _field(_EVENT_STATS, self._stat(_TOLD.get(what, what), value)) for what, value in told.items()
        )
        return b"".join(parts)

    def _stat(self, name: str, value: Any) -> bytes:
        key = self._stats.setdefault(name, len(self._stats) + 1)
        if isinstance(value, float):
            told = _field(_STAT_DOUBLE, value)
        elif isinstance(value, int) and value >= 0:
            told = _field(_STAT_UNSIGNED, value)
        else:
            told = _field(_STAT_TEXT, str(value))
        return _field(_STAT_NAME, key) + told

    def message(self) -> bytes:
        """The plane as a message."""
        return b"".join([*self._parts, *self._names()])

    def _names(self) -> Iterator[bytes]:
        for (name, shown), number in self._events.items():
            meta = _field(_ID, number) + _field(_NAME, name) + _field(_EVENT_SHOWN, shown)
            yield _field(_PLANE_EVENT_NAMES, _field(_KEY, number) + _field(_VALUE, meta))
        for name, number in self._stats.items():
            meta = _field(_ID, number) + _field(_NAME, name)
            yield _field(_PLANE_STAT_NAMES, _field(_KEY, number) + _field(_VALUE, meta))


def _op_name(found: Span | Event) -> str:
    """What the plugin counts a span under: for kernels an op, by its line and function, else the name.

    >>> _op_name(Span("model.py:3 kernel_0", "kernel", 0, 1, 1, {"line": "/home/me/model.py:3", "function": "f"}))
    'f/model.py_3/kernel_0:Kernel'
    """
    if found.category not in ("kernel", "launch"):
        return found.name
    line = os.path.basename(str(found.told.get("line", ""))).replace(":", "_")
    steps = [str(found.told.get("function", "")), line, found.name.rpartition(" ")[2]]
    path = "/".join(re.sub(r"[^A-Za-z0-9_.-]+", "_", step) for step in steps if step)
    return f"{path}:{found.category.capitalize()}"


# Protocol buffers: a field is its number and its kind, then a number in parts of 7 bits, 8 bytes, or a length with
# so many bytes.


def _field(number: int, value: Value) -> bytes:
    if isinstance(value, int):
        return _number(number << 3) + _number(value)
    if isinstance(value, float):
        return _number(number << 3 | 1) + struct.pack("<d", value)
    data = value.encode() if isinstance(value, str) else value
    return _number(number << 3 | 2) + _number(len(data)) + data


def _number(value: int) -> bytes:
    """A number from 0 on.

    >>> _number(300)
    b'\\xac\\x02'
    """
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])
