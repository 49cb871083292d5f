"""Object code that is put into memory without a linker: ELF files for x86-64 whose addresses all have 64 bits.

LLVM's linker does the same for every format, but to load LLVM takes longer than all else that a process does which
finds its functions on disk.
"""

from __future__ import annotations

import ctypes
import struct
import sys
import weakref
from collections.abc import Mapping
from functools import cache

from ....dialect.errors import InternalError
from .libraries import library_function
from .object_files import ObjectFile, Section, Symbol

_X86_64 = 62  # a machine
_WRITTEN, _LOADED = 1, 2  # flags of sections
_ZEROS = 8  # a kind of sections
_UNDEFINED = 0  # the section of what a file does not define
_TABLE_OF_ADDRESSES = "_GLOBAL_OFFSET_TABLE_"

_ABSOLUTE, _FROM_PLACE, _FROM_TABLE, _ENTRY_FROM_TABLE, _TABLE_FROM_PLACE = 1, 24, 25, 27, 29
"""R_X86_64_64, PC64, GOTOFF64, GOT64 and GOTPC64: all that LLVM makes for code that may lie anywhere."""
_KINDS = frozenset([_ABSOLUTE, _FROM_PLACE, _FROM_TABLE, _ENTRY_FROM_TABLE, _TABLE_FROM_PLACE])

_PAGE = 4096
_READ, _WRITE, _EXECUTE, _PRIVATE, _ANONYMOUS = 1, 2, 4, 0x02, 0x20  # of mmap on Linux


class NotLoadable(Exception):
    """An object file that is left to LLVM's linker: it has another format, or addresses of another kind."""


class Image:
    """An object file in pages of memory of its own, given back with this object: code, constants, and variables.

    `addresses` are those of the functions that it calls and does not define; others, such as `memset`, which LLVM calls
    without being asked to, are those of the C library, as for LLVM's linker. Raises `NotLoadable` for what is left to
    LLVM, `InternalError` where an address is missing and `MemoryError` where there is no memory.
    """

    def __init__(self, object_file: bytes, addresses: Mapping[str, int]) -> None:
        if sys.platform != "linux" or object_file[:5] != b"\x7fELF\x02":
            raise NotLoadable
        file = ObjectFile(object_file)
        if file.machine != _X86_64:
            raise NotLoadable
        layout = _Layout(file)
        base = _pages(layout.size)
        self._release = weakref.finalize(self, _system().munmap, base, layout.size)
        self._release.atexit = False  # other threads may run the code while Python exits
        content = layout.content(base, addresses)
        ctypes.memmove(base, bytes(content), len(content))
        if _system().mprotect(base, layout.constant, _READ | _EXECUTE):
            raise InternalError("the system does not allow memory with compiled code to be executed")
        self._addresses = {
            symbol.name: base + layout.places[symbol.section] + symbol.value
            for symbol in file.symbols
            if symbol.section in layout.places
        }

    def address(self, name: str) -> int:
        """The address of a function or variable that the file defines."""
        if name not in self._addresses:
            raise InternalError(f"the compiled code does not define {name}")
        return self._addresses[name]


class _Layout:
    """Where everything is in the pages of an image: first what is only read, in whole pages, then what is written."""

    def __init__(self, file: ObjectFile) -> None:
        self._file = file
        parts = [part for part in enumerate(file.sections) if _is_loaded(part[1])]
        self.places: dict[int, int] = {}
        """Of sections, by number."""
        end = 0
        for index, section in parts:
            if not section.flags & _WRITTEN:
                self.places[index] = _aligned(end, section.alignment)
                end = self.places[index] + section.size
        relocations = [(index, file.relocations(section)) for index, section in parts]
        self._relocations = [
            (index, offset, relocation)
            for index, found in relocations
            for offset, relocation in found.items()
        ]
        self._table = _aligned(end, 8)
        entries = [found.symbol for _, _, found in self._relocations if found.kind == _ENTRY_FROM_TABLE]
        self._entries = {
            symbol: self._table + 8 * number for number, symbol in enumerate(dict.fromkeys(entries))
        }
        """The symbols whose addresses are in the table, and where."""
        end = self.constant = _aligned(self._table + 8 * len(self._entries), _PAGE)
        """The size of what is only read."""
        for index, section in parts:
            if section.flags & _WRITTEN:
                self.places[index] = _aligned(end, section.alignment)
                end = self.places[index] + section.size
        self.size = end
        known = {_UNDEFINED, *self.places}
        if any(r.kind not in _KINDS or r.symbol.section not in known for _, _, r in self._relocations):
            raise NotLoadable

    def content(self, base: int, addresses: Mapping[str, int]) -> bytearray:
        """What stands in the pages when they begin at an address."""
        file, content = self._file, bytearray(self.size)
        for index, place in self.places.items():
            section = file.sections[index]
            if section.kind != _ZEROS:
                stored = file.content[section.offset : section.offset + section.size]
                content[place : place + section.size] = stored
        for symbol, entry in self._entries.items():
            struct.pack_into("<Q", content, entry, self._address(symbol, base, addresses))
        for index, offset, (symbol, addend, kind) in self._relocations:
            place = self.places[index] + offset
            if kind == _ENTRY_FROM_TABLE:
                value = base + self._entries[symbol]
            elif kind == _TABLE_FROM_PLACE:
                value = base + self._table
            else:
                value = self._address(symbol, base, addresses)
            if kind in (_FROM_PLACE, _TABLE_FROM_PLACE):
                value -= base + place
            elif kind in (_FROM_TABLE, _ENTRY_FROM_TABLE):
                value -= base + self._table
            struct.pack_into("<Q", content, place, value + addend & 0xFFFF_FFFF_FFFF_FFFF)
        return content

    def _address(self, symbol: Symbol, base: int, addresses: Mapping[str, int]) -> int:
        """Where a symbol is when the pages begin at an address."""
        if symbol.name == _TABLE_OF_ADDRESSES:
            return base + self._table
        if symbol.section != _UNDEFINED:
            return base + self.places[symbol.section] + symbol.value
        address = addresses.get(symbol.name) or library_function(symbol.name)
        if address is None:
            raise InternalError(f"the compiled code calls {symbol.name}, whose address is not known")
        return address


def _is_loaded(section: Section) -> bool:
    """Whether a section is part of the image; nothing unwinds this code, so that `.eh_frame` is not."""
    return bool(section.flags & _LOADED) and section.size > 0 and section.name != ".eh_frame"


def _aligned(place: int, alignment: int) -> int:
    return -(-place // alignment) * alignment


def _pages(size: int) -> int:
    """The address of zeroed pages that can be written."""
    base = _system().mmap(None, size, _READ | _WRITE, _PRIVATE | _ANONYMOUS, -1, 0)
    if base == ctypes.c_void_p(-1).value:
        raise MemoryError("there is no memory for compiled code")
    return int(base)


@cache
def _system() -> ctypes.CDLL:
    """The C library."""
    library = ctypes.CDLL(None)
    word, size, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    library.mmap.argtypes, library.mmap.restype = (word, size, number, number, number, ctypes.c_long), word
    library.munmap.argtypes = (word, size)
    library.mprotect.argtypes = (word, size, number)
    return library
