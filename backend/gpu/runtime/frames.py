"""What one call of a program for a GPU needs for itself."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from ...cpu.execution.frames import MOST_AXES
from ...cpu.lowering.array_layout import DATA, DIMENSIONS
from ...cpu.native_python.layout import Frame as Native
from ...planning.plan import CHECKED, ENTRY_WORDS, POLLED, Plan
from ..machine.call_context import CONTEXT_LENGTH, CURRENT_GRAPH, LAUNCHES, READS

_WORD = 8
_OBJECT_WORDS = DIMENSIONS // _WORD + 1


class DeviceFrame:
    """The error record with what native code needs of the driver, and what tells it where arrays are.

    Native code finds the address and the extents of an array where array objects of NumPy have them, so that an array
    on a device is told by words in the place of such an object.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._arrays = len(plan.inputs) + len(plan.results)
        self.record = (ctypes.c_int64 * CONTEXT_LENGTH)()
        self.sizes = (ctypes.c_int64 * (plan.fixed_extents + 1))()
        self.extents = (ctypes.c_int64 * max(1, plan.heap_extents))()
        self.blocks = (ctypes.c_int64 * (ENTRY_WORDS * (len(plan.on_heap) + plan.blocks)))()
        """The table of heap blocks, those of results first."""
        self.table = (ctypes.c_ssize_t * (self._arrays + 2))()
        self.table[self._arrays :] = [ctypes.addressof(self.blocks), ctypes.addressof(self.extents)]
        self._objects = (ctypes.c_int64 * (_OBJECT_WORDS * self._arrays))()
        self._extents = [
            (ctypes.c_int64 * max(1, len(type.shape)))() for type in (*plan.inputs, *plan.results)
        ]
        first = ctypes.addressof(self._objects)
        for number, extents in enumerate(self._extents):
            self.table[number] = first + _WORD * _OBJECT_WORDS * number
            self._objects[_OBJECT_WORDS * number + DIMENSIONS // _WORD] = ctypes.addressof(extents)
        self.table_address = ctypes.addressof(self.table)
        self.record_address = ctypes.addressof(self.record)
        self.sizes_address = ctypes.addressof(self.sizes)
        self._shape = (ctypes.c_int64 * MOST_AXES)()
        self.header = (ctypes.c_int64 * Native.LENGTH)()
        """The frame as native code knows it, which puts what tells where arrays are into the table itself."""
        known = {
            Native.TABLE: self.table_address,
            Native.RECORD: self.record_address,
            Native.SIZES: self.sizes_address,
            Native.SHAPE: ctypes.addressof(self._shape),
            Native.OBJECT: id(self),
        }
        for offset, value in known.items():
            self.header[offset // _WORD] = value

    def begin(self) -> None:
        """Forget what the last call left."""
        self.record[0] = 0
        for word in (POLLED, CHECKED, LAUNCHES, READS, CURRENT_GRAPH):
            self.record[word] = 0

    def describe(self, number: int, address: int, shape: Sequence[int]) -> None:
        """Say where an argument is, or behind the arguments a result, and what its extents are."""
        self._objects[_OBJECT_WORDS * number + DATA // _WORD] = address
        self._extents[number][: len(shape)] = list(shape)

    def address(self, number: int) -> int:
        """Where an argument is."""
        address: int = self._objects[_OBJECT_WORDS * number + DATA // _WORD]
        return address

    def release_block(self, address: int) -> None:
        """Forget a heap block, which has another owner from now on."""
        for word in range(0, len(self.blocks), ENTRY_WORDS):
            if self.blocks[word] == address:
                self.blocks[word] = 0

    def take_blocks(self) -> list[int]:
        """The addresses of all heap blocks; the table is empty afterwards."""
        addresses = [address for address in self.blocks[::ENTRY_WORDS] if address]
        ctypes.memset(self.blocks, 0, ctypes.sizeof(self.blocks))
        return addresses
