"""What debuggers and profilers are told of machine code in memory: where it is, and which lines it is of.

gdb reads a list in memory, which any library may keep: MLIR's has one. `perf` reads a file of addresses and names.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import re
import struct
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ....dialect.errors import InternalError

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


class _Section(NamedTuple):
    name: str
    header: int
    """Where its header is in the file."""
    kind: int
    flags: int
    offset: int
    size: int
    link: int


class _Symbol(NamedTuple):
    name: str
    value: int
    size: int
    section: int


_SYMBOLS, _ALLOCATED, _FUNCTION_KIND = 2, 2, 2


def _text(content: bytes, offset: int) -> str:
    return content[offset : content.index(b"\0", offset)].decode()


def _sections(content: bytes) -> list[_Section]:
    """The sections of an ELF file of 64 bits."""
    if content[:5] != b"\x7fELF\x02":
        raise InternalError("machine code is no ELF file of 64 bits")
    (start,) = struct.unpack_from("<Q", content, 0x28)
    size, count, names = struct.unpack_from("<HHH", content, 0x3A)
    headers = [struct.unpack_from("<IIQQQQI", content, start + size * index) for index in range(count)]
    text = headers[names][4]
    return [
        _Section(_text(content, text + name), start + size * index, kind, flags, offset, length, link)
        for index, (name, kind, flags, _, offset, length, link) in enumerate(headers)
    ]


def _functions(content: bytes, sections: list[_Section]) -> Iterator[_Symbol]:
    for table in sections:
        if table.kind == _SYMBOLS:
            for place in range(table.offset, table.offset + table.size, 24):
                name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", content, place)
                if info & 15 == _FUNCTION_KIND:
                    yield _Symbol(_text(content, sections[table.link].offset + name), value, size, section)


def announce(
    owner: Any, object_file: bytes, address: Callable[[str], int], exported: str, lines: Mapping[str, str]
) -> None:
    """Tell gdb and perf of an object file whose code is in memory, until its owner is gone.

    `exported` is a function whose address is known.
    """
    sections = _sections(object_file)
    functions = list(_functions(object_file, sections))
    known = next(function for function in functions if function.name == exported)
    base = address(exported) - known.value
    image = bytearray(object_file)
    struct.pack_into("<Q", image, sections[known.section].header + 0x10, base)
    _write_map([(base + f.value, f.size, f.name) for f in functions if f.section == known.section], lines)
    _register(owner, bytes(image))


def _write_map(functions: list[tuple[int, int, str]], lines: Mapping[str, str]) -> None:
    """Add to the file in which perf looks up addresses."""
    path = Path(tempfile.gettempdir() if os.name == "nt" else "/tmp") / f"perf-{os.getpid()}.map"
    with _lock, path.open("a") as file:
        for address, size, name in functions:
            file.write(f"{address:x} {size:x} {name}{f' at {lines[name]}' if name in lines else ''}\n")


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


__all__ = ["announce", "lines_of", "with_entry_scopes"]
