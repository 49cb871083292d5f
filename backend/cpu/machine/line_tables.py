"""Which machine code is of which line of the program: the line tables of object files, in the format of DWARF 4.

A table is a program for a machine of few registers, address, file and line among them, which emits a row at each place
where one of these changes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from ....dialect.errors import InternalError
from ....dialect.records import NamedTuple
from .object_files import ObjectFile, Relocation, text_at

VERSION = 4


class Row(NamedTuple):
    """From here on, code is of a line."""

    section: int
    """The section of the code."""
    offset: int
    """Where the code begins in it."""
    file: str
    line: int


class _Bytes:
    """A position in bytes from which numbers are read."""

    def __init__(self, content: bytes, place: int) -> None:
        self.content = content
        self.place = place

    def number(self, code: str) -> int:
        (value,) = struct.unpack_from(f"<{code}", self.content, self.place)
        self.place += struct.calcsize(code)
        return int(value)

    def text(self) -> str:
        value = text_at(self.content, self.place)
        self.place += len(value.encode()) + 1
        return value

    def unsigned(self) -> int:
        """A number in groups of seven bits."""
        value = shift = 0
        while True:
            byte = self.number("B")
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self) -> int:
        before = self.place
        value = self.unsigned()
        bits = 7 * (self.place - before)
        return value - (1 << bits) if value >> (bits - 1) else value


_COPY, _ADVANCE, _ADVANCE_LINE, _SET_FILE, _ADD_CONSTANT, _ADVANCE_FIXED = 1, 2, 3, 4, 8, 9
_END, _SET_ADDRESS = 1, 2


def line_rows(found: ObjectFile) -> list[Row]:
    """The rows of all line tables of an object file; those at the end of code have line 0.

    Raises `InternalError` for tables of another version.
    """
    table = found.section(".debug_line")
    if table is None:
        return []
    relocations = found.relocations(table)
    rows: list[Row] = []
    place = table.offset
    while place < table.offset + table.size:
        reader = _Bytes(found.content, place)
        length = reader.number("I")
        place = reader.place + length
        rows += _Table(reader, place, table.offset, relocations).rows()
    return rows


class _Table:
    """The table of one unit."""

    def __init__(self, reader: _Bytes, end: int, begin: int, relocations: dict[int, Relocation]) -> None:
        self._reader, self._end = reader, end
        self._begin, self._relocations = begin, relocations
        version = reader.number("H")
        if version != VERSION:
            raise InternalError(f"line tables are those of DWARF {VERSION}, and not {version}")
        header = reader.number("I")
        program = reader.place + header
        self._step, _, _ = (reader.number("B") for _ in range(3))  # operations and statements of no interest
        self._line_base, self._line_range = reader.number("b"), reader.number("B")
        self._lengths = [0] + [reader.number("B") for _ in range(reader.number("B") - 1)]
        folders = ["", *self._texts()]
        self._files = [""]
        while name := reader.text():
            folder, _, _ = (reader.unsigned() for _ in range(3))
            whole = folders[folder]
            self._files.append(f"{whole}/{name}" if whole and not name.startswith("/") else name)
        reader.place = program
        self._section = self._offset = 0
        self._file = self._line = 1

    def _texts(self) -> Iterator[str]:
        while text := self._reader.text():
            yield text

    def rows(self) -> Iterator[Row]:
        """What its program emits."""
        reader, base = self._reader, len(self._lengths)
        while reader.place < self._end:
            code = reader.number("B")
            if code >= base:
                self._offset += (code - base) // self._line_range * self._step
                self._line += self._line_base + (code - base) % self._line_range
                yield self._row()
            elif code == 0:
                yield from self._extended()
            elif code == _COPY:
                yield self._row()
            else:
                self._set_register(code)

    def _row(self) -> Row:
        return Row(self._section, self._offset, self._files[self._file], self._line)

    def _extended(self) -> Iterator[Row]:
        """An operation that says how long it is."""
        reader = self._reader
        behind = reader.unsigned() + reader.place
        kind = reader.number("B")
        if kind == _SET_ADDRESS:
            self._section, self._offset = self._address(reader)
        elif kind == _END:
            self._line = 0
            yield self._row()
            self._file = self._line = 1
        reader.place = behind

    def _set_register(self, code: int) -> None:
        reader = self._reader
        if code == _ADVANCE:
            self._offset += reader.unsigned() * self._step
        elif code == _ADVANCE_LINE:
            self._line += reader.signed()
        elif code == _SET_FILE:
            self._file = reader.unsigned()
        elif code == _ADD_CONSTANT:
            self._offset += (255 - len(self._lengths)) // self._line_range * self._step
        elif code == _ADVANCE_FIXED:
            self._offset += reader.number("H")
        else:
            for _ in range(self._lengths[code]):
                reader.unsigned()

    def _address(self, reader: _Bytes) -> tuple[int, int]:
        """The section and offset that an address is to be."""
        found = self._relocations.get(reader.place - self._begin)
        if found is None:
            raise InternalError("a line table has an address that nothing tells the section of")
        return found.symbol.section, found.symbol.value + found.addend
