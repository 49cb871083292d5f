"""The heap blocks of compiled code, and arrays that lie in them.

Blocks for intermediates stay with the frame of a call and are used again by the next. The block of a result is given to
the array that the caller gets: nothing is copied, and it is freed with the array.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ...planning.plan import ENTRY_WORDS
from ..memory.result_pool import result_pool
from ..native_python.layout import WORD


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
        return result_pool().take(self.address + WORD * ENTRY_WORDS * number, shape, dtype)

    def __del__(self, step: int = ENTRY_WORDS) -> None:
        # The step is kept with the function: when Python exits, the names of the module are gone before this runs.
        for address in self._words[::step]:
            if address:
                self._free(address)
