"""The heap blocks of compiled code, and arrays that lie in them.

Blocks for intermediates stay with the frame of a call and are used again by the next. The block of a result is given to
the array that the caller gets: nothing is copied, and it is freed with the array.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from ...planning.plan import ENTRY_WORDS
from ..lowering.array_layout import data_address
from ..memory.result_pool import result_pool

_COPIED_BYTES = 4096
"""Results up to this size are copied: that is quicker than to hand over memory and to get other memory next time."""


class HeapAllocation:
    """A table of heap blocks for one call at a time, all of them empty at first."""

    def __init__(self, blocks: int, extents: int) -> None:
        self._words = (ctypes.c_int64 * (ENTRY_WORDS * blocks))()
        self.extents = (ctypes.c_int64 * extents)()
        self.address = ctypes.addressof(self._words)
        self.extents_address = ctypes.addressof(self.extents)
        self._free = result_pool().free

    def take(self, number: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """The array in a block, which is the block's owner from now on."""
        size = math.prod(shape) * dtype.itemsize
        first = ENTRY_WORDS * number
        address, capacity = self._words[first], self._words[first + 3]
        if size <= _COPIED_BYTES:
            array = np.empty(shape, dtype)
            ctypes.memmove(data_address(array), address, size)
            return array
        pool = result_pool()
        if capacity > size + size // 10:
            address = pool.reallocate(address, size) or address
            self._words[first : first + 2] = [address, address]
        array = pool.adopt(address, shape, dtype)
        self._words[first : first + ENTRY_WORDS] = [0] * ENTRY_WORDS
        return array

    def __del__(self, step: int = ENTRY_WORDS) -> None:
        # The step is kept with the function: when Python exits, the names of the module are gone before this runs.
        for address in self._words[::step]:
            if address:
                self._free(address)
