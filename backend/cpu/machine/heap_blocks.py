"""The heap blocks of compiled code, and arrays that lie in them.

Blocks for intermediates stay with the frame of a call and are used again by the next. The block of a result is given to
the array that the caller gets: nothing is copied, and it is freed with the array.
"""

from __future__ import annotations

import ctypes
import math
from functools import cache
from typing import Any

import numpy as np

from ..plan import ENTRY_WORDS
from .entry import data_address

_COPIED_BYTES = 4096
"""Results up to this size are copied: that is quicker than to hand over memory and to get other memory next time."""


class HeapBlocks:
    """A table of heap blocks for one call at a time, all of them empty at first."""

    def __init__(self, blocks: int, extents: int) -> None:
        self._words = (ctypes.c_int64 * (ENTRY_WORDS * blocks))()
        self.extents = (ctypes.c_int64 * extents)()
        self.address = ctypes.addressof(self._words)
        self.extents_address = ctypes.addressof(self.extents)
        self._free = _c_library().free

    def take(self, number: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """The array in a block, which is the block's owner from now on."""
        size = math.prod(shape) * dtype.itemsize
        first = ENTRY_WORDS * number
        address, capacity = self._words[first], self._words[first + 3]
        if size <= _COPIED_BYTES:
            array = np.empty(shape, dtype)
            ctypes.memmove(data_address(array), address, size)
            return array
        if capacity > size + size // 4:
            address = _c_library().realloc(address, size) or address
        self._words[first : first + ENTRY_WORDS] = [0] * ENTRY_WORDS
        memory = np.asarray(_Block(address, size, self._free))
        return memory.view(dtype).reshape(shape)

    def __del__(self, step: int = ENTRY_WORDS) -> None:
        # The step is kept with the function: when Python exits, the names of the module are gone before this runs.
        for address in self._words[::step]:
            if address:
                self._free(address)


class _Block:
    """Memory that is freed with the last array in it."""

    __slots__ = ("__array_interface__", "_address", "_free")

    def __init__(self, address: int, size: int, free: Any) -> None:
        self._address = address
        self._free = free
        self.__array_interface__ = {
            "data": (address, False),
            "shape": (size,),
            "typestr": "|u1",
            "version": 3,
        }

    def __del__(self) -> None:
        self._free(self._address)


@cache
def _c_library() -> ctypes.CDLL:
    library = ctypes.CDLL("ucrtbase" if hasattr(ctypes, "WinDLL") else None)
    library.free.argtypes, library.free.restype = [ctypes.c_void_p], None
    library.realloc.argtypes, library.realloc.restype = [ctypes.c_void_p, ctypes.c_size_t], ctypes.c_void_p
    return library
