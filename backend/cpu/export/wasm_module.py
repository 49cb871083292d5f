"""An object file of WebAssembly becomes a module that can be run: with its memory, a stack, and exports.

LLVM's objects are modules already, in which memory and the stack pointer are imported, and what functions are called is
told in a section of its own (https://github.com/WebAssembly/tool-conventions/blob/main/Linking.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....dialect.errors import InternalError, NotPortable

_HEAD = b"\0asm\1\0\0\0"
CUSTOM, IMPORT, TABLE, MEMORY, GLOBAL, EXPORT, DATA_COUNT, DATA = 0, 2, 4, 5, 6, 7, 12, 11
_ORDER = (1, IMPORT, 3, TABLE, MEMORY, GLOBAL, EXPORT, 8, 9, DATA_COUNT, 10, DATA)
"""Of sections, by their numbers."""
_FUNCTION, _TABLE, _MEMORY, _GLOBAL = range(4)
"""The kinds of imports."""
_SYMBOL_TABLE = 8
_UNDEFINED, _EXPLICIT_NAME = 0x10, 0x40
PAGE = 1 << 16
STACK = 8 * PAGE


def wasm_module(content: bytes, exported: Sequence[str]) -> tuple[bytes, list[str]]:
    """The module of an object file, in which functions of some names are exported, and `memory`.

    And the names of the functions that it imports, from "env".
    """
    sections: dict[int, bytes] = {}
    functions: dict[str, int] = {}
    for number, section in _sections(content):
        if number != CUSTOM:
            sections[number] = section
        else:
            reader = _Reader(section)
            if reader.name() == "linking":
                functions = _functions(reader)
    tables, imported = _drop_imports(sections)
    end = -(-_end_of_data(sections.get(DATA, b"\0")) // 16) * 16 + STACK
    if tables:
        sections[TABLE] = _vector(tables)
    pages = -(-end // PAGE)
    sections[MEMORY] = _vector([b"\0" + _unsigned(pages)])
    sections[GLOBAL] = _vector([b"\x7f\1\x41" + _signed(end) + b"\x0b"])  # the stack pointer
    entries = [_text(name) + b"\0" + _unsigned(functions[name]) for name in exported]
    sections[EXPORT] = _vector([_text("memory") + b"\2\0", *entries])
    body = (bytes([n]) + _unsigned(len(sections[n])) + sections[n] for n in _ORDER if n in sections)
    return _HEAD + b"".join(body), imported


class _Reader:
    """Reads what sections are made of."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.at = 0

    @property
    def is_over(self) -> bool:
        """Whether all is read."""
        return self.at >= len(self._content)

    def byte(self) -> int:
        """A byte."""
        self.at += 1
        return self._content[self.at - 1]

    def number(self) -> int:
        """An unsigned number (LEB128)."""
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def take(self, count: int) -> bytes:
        """So many bytes."""
        self.at += count
        return self._content[self.at - count : self.at]

    def since(self, start: int) -> bytes:
        """What was read from a place on."""
        return self._content[start : self.at]

    def name(self) -> str:
        """A name."""
        return self.take(self.number()).decode()


def _sections(content: bytes) -> Iterator[tuple[int, bytes]]:
    if not content.startswith(_HEAD):
        raise InternalError("this is no object file of WebAssembly")
    reader = _Reader(content)
    reader.take(len(_HEAD))
    while not reader.is_over:
        number = reader.byte()
        yield number, reader.take(reader.number())


def _functions(reader: _Reader) -> dict[str, int]:
    """The functions of a module by their names, of its section "linking"."""
    found: dict[str, int] = {}
    reader.number()  # the version
    while not reader.is_over:
        kind, size = reader.byte(), reader.number()
        inner = _Reader(reader.take(size))
        for _ in range(inner.number() if kind == _SYMBOL_TABLE else 0):
            symbol, flags = inner.byte(), inner.number()
            if symbol == 1:  # data
                inner.name()
                if not flags & _UNDEFINED:
                    inner.number(), inner.number(), inner.number()
            elif symbol == 3:  # a section
                inner.number()
            else:
                index = inner.number()
                if not flags & _UNDEFINED or flags & _EXPLICIT_NAME:
                    name = inner.name()
                    if symbol == 0:
                        found[name] = index
    return found


def _drop_imports(sections: dict[int, bytes]) -> tuple[list[bytes], list[str]]:
    """Leave functions alone among the imports: the types of the tables that were among them, the names of functions."""
    reader = _Reader(sections.get(IMPORT, b"\0"))
    kept, tables, names = [], [], []
    for _ in range(reader.number()):
        start = reader.at
        reader.name()
        name, kind = reader.name(), reader.byte()
        if kind == _FUNCTION:
            reader.number()
            kept.append(reader.since(start))
            names.append(name)
            continue
        if kind == _GLOBAL:
            reader.take(2)
            if name != "__stack_pointer":
                raise NotPortable(
                    f"the module needs the variable {name}, which WebAssembly does not have here"
                )
            continue
        element = reader.take(int(kind == _TABLE))
        flags, least = reader.byte(), reader.number()
        if flags & 1:
            reader.number()
        if kind == _TABLE:  # the first place is that of no function
            tables.append(element + b"\0" + _unsigned(least + 1))
    sections[IMPORT] = _vector(kept)
    return tables, names


def _end_of_data(section: bytes) -> int:
    """The first address behind all data."""
    reader, end = _Reader(section), 0
    for _ in range(reader.number()):
        reader.number()  # in the memory that there is
        reader.byte()  # i32.const
        offset = reader.number()
        if reader.byte() != 0x0B:
            raise InternalError("data of a module of WebAssembly lies at no known address")
        size = reader.number()
        reader.take(size)
        end = max(end, offset + size)
    return end


def _vector(items: Sequence[bytes]) -> bytes:
    return _unsigned(len(items)) + b"".join(items)


def _text(name: str) -> bytes:
    return _unsigned(len(name.encode())) + name.encode()


def _unsigned(value: int) -> bytes:
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def _signed(value: int) -> bytes:
    """A positive number as a signed one: its last byte has a clear sign."""
    found = bytearray()
    while value >= 0x40:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])
