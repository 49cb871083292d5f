"""What debuggers and profilers are told of machine code in memory: where it is, and which lines it is of.

gdb reads a list in memory, which any library may keep: MLIR's has one. `perf` reads a file of addresses and names, and
one of code and lines.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import re
import struct
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from .jitdump import Dump, Function
from .line_tables import Row, line_rows
from .object_files import ObjectFile, Symbol

_lock = threading.RLock()

_FUNCTION = re.compile(
    r"^define [^@\n]*@(?P<name>[\w.$-]+|\"[^\"\n]+\")\(.*!dbg (?P<scope>!\d+)", re.MULTILINE
)
_SCOPE = re.compile(
    r"^(?P<id>!\d+) = distinct !DISubprogram\(.*?file: (?P<file>!\d+), line: (?P<line>\d+)", re.MULTILINE
)
_FILE = re.compile(r'^(?P<id>!\d+) = !DIFile\(filename: "(?P<name>[^"]*)"', re.MULTILINE)


def lines_of(assembly: str) -> dict[str, str]:
    """Where the functions of LLVM assembly with debug scopes are in the user's program, as `program.py:6`."""
    files = {match["id"]: match["name"] for match in _FILE.finditer(assembly)}
    scopes = {match["id"]: (files[match["file"]], match["line"]) for match in _SCOPE.finditer(assembly)}
    found = {}
    for match in _FUNCTION.finditer(assembly):
        file, line = scopes.get(match["scope"], ("", ""))
        if file not in ("", "<unknown>", "-"):
            found[match["name"].strip('"')] = f"{os.path.basename(file)}:{line}"
    return found


_ENTRY = re.compile(
    r'^(?P<head>define [^@\n]*@"?(?P<name>[^"(\n]+)_entry"?\([^\n]*) \{\n(?P<body>(?:.*\n)*?)\}\n',
    re.MULTILINE,
)
_CALL = re.compile(r"^  (?:%\S+ = )?(?:tail )?call .*$", re.MULTILINE)


def with_entry_scopes(assembly: str) -> str:
    """The assembly with debug scopes for entries, which are those of the functions that are inlined into them."""
    scopes = {match["name"].strip('"'): match["scope"] for match in _FUNCTION.finditer(assembly)}
    numbers = itertools.count(1 + max(map(int, re.findall(r"^!(\d+) = ", assembly, re.MULTILINE)), default=0))
    added: list[str] = []

    def scoped(match: re.Match[str]) -> str:
        found = scopes.get(match["name"])
        whole = None if found is None else re.search(rf"^{found} = (.*)$", assembly, re.MULTILINE)
        if whole is None or "!dbg" in match["head"]:
            return match[0]
        scope, place = next(numbers), next(numbers)
        own = re.sub(r'(?:linkageN|n)ame: "[^"]*", ', "", whole[1]).replace(
            "DISubprogram(", f'DISubprogram(name: "{match["name"]}_entry", '
        )
        (line,) = re.findall(r"\bline: (\d+)", own)
        added.append(f"!{scope} = {own}\n!{place} = !DILocation(line: {line}, column: 0, scope: !{scope})\n")
        body = _CALL.sub(lambda call: f"{call[0]}, !dbg !{place}", match["body"])
        return f"{match['head']} !dbg !{scope} {{\n{body}}}\n"

    return _ENTRY.sub(scoped, assembly) + "".join(added)


def announce(
    owner: Any, object_file: bytes, address: Callable[[str], int], exported: str, lines: Mapping[str, str]
) -> None:
    """Tell gdb and perf of an object file whose code is in memory, until its owner is gone.

    `exported` is a function whose address is known.
    """
    found = ObjectFile(object_file)
    known = next(function for function in found.functions() if function.name == exported)
    base = address(exported) - known.value
    functions = [function for function in found.functions() if function.section == known.section]
    image = bytearray(object_file)
    struct.pack_into("<Q", image, found.sections[known.section].header + 0x10, base)
    with _lock:
        _write_map([(base + f.value, f.size, _label(f.name, lines)) for f in functions])
        if sys.platform == "linux":
            rows = [row for row in line_rows(found) if row.section == known.section]
            _dump(found.machine).write(_in_memory(function, base, rows, lines) for function in functions)
    _register(owner, bytes(image))


def _label(name: str, lines: Mapping[str, str]) -> str:
    """What perf shows of a function."""
    return f"{name} at {lines[name]}" if name in lines else name


def _write_map(functions: list[tuple[int, int, str]]) -> None:
    """Add to the file in which perf looks up addresses."""
    path = Path(tempfile.gettempdir() if os.name == "nt" else "/tmp") / f"perf-{os.getpid()}.map"
    with path.open("a") as file:
        for address, size, name in functions:
            file.write(f"{address:x} {size:x} {name}\n")


def _in_memory(function: Symbol, base: int, rows: list[Row], lines: Mapping[str, str]) -> Function:
    """A function as it is in memory, with the lines of its code."""
    end = function.value + function.size
    own = [
        (base + row.offset, row.file, row.line)
        for row in rows
        if function.value <= row.offset < end and row.line
    ]
    address = base + function.value
    return Function(_label(function.name, lines), address, ctypes.string_at(address, function.size), own)


_dumps: dict[int, Dump] = {}
"""The file of this process; that of the one that it was forked from is no more written."""


def _dump(machine: int) -> Dump:
    if os.getpid() not in _dumps:
        _dumps[os.getpid()] = Dump(Path(os.environ.get("JITDUMPDIR", "/tmp")), machine)
    return _dumps[os.getpid()]


class _Entry(ctypes.Structure):
    """A `jit_code_entry` of gdb's interface."""


_Entry._fields_ = [
    ("next", ctypes.POINTER(_Entry)),
    ("previous", ctypes.POINTER(_Entry)),
    ("image", ctypes.c_char_p),
    ("size", ctypes.c_uint64),
]


class _Descriptor(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_uint32),
        ("action", ctypes.c_uint32),
        ("relevant", ctypes.POINTER(_Entry)),
        ("first", ctypes.POINTER(_Entry)),
    )


_REGISTER, _UNREGISTER = 1, 2


@cache
def _interface() -> tuple[_Descriptor, Callable[[], None]] | None:
    """The list that gdb reads, and the function at which it stops when that changes; None where there is none."""
    from ....dialect.mlir import ir

    for path in sorted(Path(ir.__file__).parent.glob("_mlir_libs/*CAPI*")):
        library = ctypes.CDLL(str(path))
        if hasattr(library, "__jit_debug_register_code"):
            return _Descriptor.in_dll(library, "__jit_debug_descriptor"), library["__jit_debug_register_code"]
    return None


_entries: dict[int, _Entry] = {}
"""What the list of gdb refers to."""


def _register(owner: Any, image: bytes) -> None:
    found = _interface()
    if found is None:
        return
    descriptor, tell = found
    entry = _Entry(image=image, size=len(image))
    with _lock:
        entry.next = descriptor.first
        if descriptor.first:
            descriptor.first.contents.previous = ctypes.pointer(entry)
        descriptor.first = descriptor.relevant = ctypes.pointer(entry)
        descriptor.action = _REGISTER
        tell()
        _entries[ctypes.addressof(entry)] = entry
    release = weakref.finalize(owner, _unregister, ctypes.addressof(entry))
    release.atexit = False


def _unregister(address: int) -> None:
    found = _interface()
    assert found is not None
    descriptor, tell = found
    with _lock:
        entry = _entries.pop(address)
        if entry.next:
            entry.next.contents.previous = entry.previous
        if entry.previous:
            entry.previous.contents.next = entry.next
        else:
            descriptor.first = entry.next
        descriptor.relevant, descriptor.action = ctypes.pointer(entry), _UNREGISTER
        tell()
