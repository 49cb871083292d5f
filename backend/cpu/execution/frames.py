"""What one call of machine code at a time needs for itself."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np

from ...planning.plan import ALIGNMENT, RECORD_LENGTH, Plan
from ..lowering.host_calls import HostLink
from ..native_python.layout import ARRAY_DATA, SCALAR_WORDS, WORD
from ..native_python.layout import Frame as Native

if TYPE_CHECKING:
    from .heap_allocation import HeapAllocation

MOST_AXES = 64
"""NumPy's arrays have no more."""


class Frame:
    """What one call needs for itself: the table of array objects, the workspace and the error record."""

    def __init__(self, plan: Plan) -> None:
        arrays = len(plan.inputs) + len(plan.results)
        self.heap: HeapAllocation | None = None
        """Where the program needs memory whose size is known only while it runs."""
        if plan.blocks or plan.on_heap:
            from .heap_allocation import HeapAllocation  # which links the pool

            self.heap = HeapAllocation(len(plan.on_heap) + plan.blocks, plan.heap_extents)
        self.table = (ctypes.c_ssize_t * (arrays if self.heap is None else arrays + 2))()
        if self.heap is not None:
            self.table[arrays:] = [self.heap.address, self.heap.extents_address]
        self.record = (ctypes.c_int64 * RECORD_LENGTH)()
        self.header = (ctypes.c_int64 * Native.LENGTH)()
        """The frame as native code knows it."""
        self.sizes = (ctypes.c_int64 * (plan.fixed_extents + 1))()
        self.table_address = ctypes.addressof(self.table)
        self.record_address = ctypes.addressof(self.record)
        self.sizes_address = ctypes.addressof(self.sizes)
        self.link: HostLink | None = None
        """Where the program calls Python."""
        self._scalars = (ctypes.c_int64 * (SCALAR_WORDS * len(plan.results)))()
        self._shape = (ctypes.c_int64 * MOST_AXES)()
        self._describe(len(plan.results))
        self._name = plan.name
        self._capacity = -1
        self.reserve(plan.workspace or 0)

    def reserve(self, size: int) -> None:
        """Make the workspace at least as large as asked."""
        if size <= self._capacity:
            return
        try:
            self._memory = np.empty(size + ALIGNMENT, np.uint8)
        except (MemoryError, ValueError, OverflowError):
            raise MemoryError(
                f"the intermediate arrays of {self._name} need {size} bytes of memory"
            ) from None
        self._capacity = size
        address = self._memory.ctypes.data
        self.workspace_address = address + -address % ALIGNMENT
        self.header[Native.WORKSPACE // WORD] = self.workspace_address
        self.header[Native.CAPACITY // WORD] = size

    def _describe(self, results: int) -> None:
        """Tell native code where everything is."""
        scalars = ctypes.addressof(self._scalars)
        for index in range(results):
            first = SCALAR_WORDS * index
            self._scalars[first + ARRAY_DATA // WORD] = scalars + WORD * (first + ARRAY_DATA // WORD + 1)
        known = {
            Native.TABLE: self.table_address,
            Native.RECORD: self.record_address,
            Native.SIZES: self.sizes_address,
            Native.SCALARS: scalars,
            Native.SHAPE: ctypes.addressof(self._shape),
            Native.OBJECT: id(self),
        }
        for offset, value in known.items():
            self.header[offset // WORD] = value
