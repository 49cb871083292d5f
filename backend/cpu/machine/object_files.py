"""What is read of object files in memory: sections, symbols and relocations of ELF files of 64 bits."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from ....dialect.errors import InternalError
from ....dialect.records import NamedTuple


class Section(NamedTuple):
    """One section of a file."""

    name: str
    header: int
    """Where its header is in the file."""
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int = 1


class Symbol(NamedTuple):
    """A function, or another place in a section."""

    name: str
    kind: int
    value: int
    size: int
    section: int


class Relocation(NamedTuple):
    """A place in a section where the address of a symbol is to stand."""

    symbol: Symbol
    addend: int
    kind: int = 0
    """What is to stand there of it, as the processor's supplement of the format numbers it."""


_SYMBOLS, _RELOCATIONS, FUNCTION = 2, 4, 2


def text_at(content: bytes, offset: int) -> str:
    """The text that begins at a place, and ends with a zero."""
    return content[offset : content.index(b"\0", offset)].decode()


class ObjectFile:
    """The parts of an object file. Raises `InternalError` for other files.

    >>> ObjectFile(b"\\x7fELF\\x01")
    Traceback (most recent call last):
    weft.dialect.errors.InternalError: machine code is no ELF file of 64 bits
    """

    def __init__(self, content: bytes) -> None:
        if content[:5] != b"\x7fELF\x02":
            raise InternalError("machine code is no ELF file of 64 bits")
        self.content = content
        (self.machine,) = struct.unpack_from("<H", content, 0x12)
        self.sections = self._sections()
        self.symbols = list(self._symbols())

    def _sections(self) -> list[Section]:
        content = self.content
        (start,) = struct.unpack_from("<Q", content, 0x28)
        size, count, names = struct.unpack_from("<HHH", content, 0x3A)
        headers = [struct.unpack_from("<IIQQQQIIQ", content, start + size * index) for index in range(count)]
        text = headers[names][4]
        return [
            Section(text_at(content, text + name), start + size * index, kind, flags, offset, length, *others)
            for index, (name, kind, flags, _, offset, length, *others) in enumerate(headers)
        ]

    def _symbols(self) -> Iterator[Symbol]:
        for table in self.sections:
            if table.kind == _SYMBOLS:
                for place in range(table.offset, table.offset + table.size, 24):
                    name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", self.content, place)
                    text = text_at(self.content, self.sections[table.link].offset + name)
                    yield Symbol(text, info & 15, value, size, section)

    def functions(self) -> list[Symbol]:
        """The functions that it defines."""
        return [symbol for symbol in self.symbols if symbol.kind == FUNCTION]

    def section(self, name: str) -> Section | None:
        """The section of a name; None where there is none."""
        return next((section for section in self.sections if section.name == name), None)

    def relocations(self, section: Section) -> dict[int, Relocation]:
        """What is to stand at places of a section, by their offsets in it."""
        found = {}
        for table in self.sections:
            if table.kind == _RELOCATIONS and self.sections[table.info] is section:
                for place in range(table.offset, table.offset + table.size, 24):
                    offset, info, addend = struct.unpack_from("<QQq", self.content, place)
                    found[offset] = Relocation(self.symbols[info >> 32], addend, info & 0xFFFFFFFF)
        return found
