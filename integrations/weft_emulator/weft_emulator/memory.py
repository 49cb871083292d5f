"""Device memory: an address space of its own, whose addresses are none of the host's."""

from __future__ import annotations

import importlib
from bisect import bisect_right
from collections import deque
from functools import cache
from typing import Any

import numpy as np

from .faults import Fault

Array = np.ndarray[Any, Any]

FIRST_ADDRESS = 0x0700_0000_0000_0000
"""Where device memory begins: no processor has memory of the host there, so that a host that reads it crashes."""
SHARED_WINDOW = 0x0100_0000_0000_0000
LOCAL_WINDOW = 0x0200_0000_0000_0000
PARAMETER_WINDOW = 0x0300_0000_0000_0000
"""Where generic addresses of shared and of local memory begin, and those of parameters."""

_ALIGNMENT = 256
_GAP = 512
"""Between two allocations nothing lies for so many bytes."""
_QUARANTINE = 1 << 24
"""So many bytes that were freed are not given out again, so that their use is found."""
_POISON = 0xCB
"""What memory holds that nobody wrote: NaN in no format, but a number that is easily seen."""


@cache
def element_dtype(name: Any) -> np.dtype[Any]:
    """The dtype of a name, which is one of NumPy's, or "bfloat16": only kernels that have it need ml_dtypes.

    >>> element_dtype("f4"), element_dtype("bfloat16").itemsize
    (dtype('float32'), 2)
    """
    found: np.dtype[Any] = np.dtype(
        importlib.import_module("ml_dtypes").bfloat16 if name == "bfloat16" else name
    )
    return found


class Shadow:
    """For each granule of an allocation the last writer and the reader, and when that was."""

    __slots__ = (
        "_read_stamps",
        "_read_times",
        "_write_stamps",
        "_write_times",
        "generation",
        "granule",
        "readers",
        "writers",
    )

    def __init__(self, count: int, granule: int, generation: int) -> None:
        self.granule = granule
        self.generation = generation
        self.writers = np.zeros(count, np.int32)
        self.readers = np.zeros(count, np.int32)
        self._write_times: Array | None = None
        self._read_times: Array | None = None
        self._write_stamps: Array | None = None
        self._read_stamps: Array | None = None

    def write_times(self) -> Array:
        """When it was written, as the writer counts."""
        if self._write_times is None:
            self._write_times = np.zeros(self.writers.size, np.int32)
        return self._write_times

    def read_times(self) -> Array:
        """When it was read, as the reader counts."""
        if self._read_times is None:
            self._read_times = np.zeros(self.readers.size, np.int32)
        return self._read_times

    def write_stamps(self) -> Array:
        """By which warp it was written, and between which barriers."""
        if self._write_stamps is None:
            self._write_stamps = np.zeros(self.writers.size, np.int32)
        return self._write_stamps

    def read_stamps(self) -> Array:
        """By which warps it was read, and between which barriers."""
        if self._read_stamps is None:
            self._read_stamps = np.zeros(self.readers.size, np.int32)
        return self._read_stamps


class Allocation:
    """A block of device memory, with what races are found by."""

    __slots__ = ("_shadow", "address", "device", "size")

    def __init__(self, address: int, size: int, device: int) -> None:
        self.address = address
        self.device = device
        self.size = size
        self._shadow: Shadow | None = None

    def shadow(self, granule: int, generation: int) -> Shadow:
        """What is known of each `granule` bytes; marks of other generations mean nothing."""
        shadow = self._shadow
        if shadow is None or (shadow.granule, shadow.generation) != (granule, generation):
            shadow = self._shadow = Shadow(self.size // granule + 1, granule, generation)
        return shadow


class DeviceMemory:
    """The memory of a device: blocks that are allocated and freed, and their bytes."""

    def __init__(self, size: int) -> None:
        self.size = size
        reserved = np.empty(size + _ALIGNMENT, np.uint8)  # the system gives pages as they are touched
        start = -reserved.ctypes.data % _ALIGNMENT
        self.bytes: Array = reserved[start : start + size]
        self.used = 0
        self.peak = 0
        self._views: dict[tuple[Any, int], Array] = {}
        self._starts: list[int] = []
        self._allocations: dict[int, Allocation] = {}
        self._free: list[tuple[int, int]] = [(0, size)]
        self._quarantine: deque[tuple[int, int, int]] = deque()
        self._quarantined = 0

    def allocate(self, size: int, device: int = 0) -> int:
        """The address of a new block, aligned to 256 bytes; MemoryError when there is no room."""
        room = -(-max(size, 1) // _ALIGNMENT) * _ALIGNMENT + _GAP
        place = self._take(room)
        while place is None and self._quarantine:
            self._readmit()
            place = self._take(room)
        if place is None:
            raise MemoryError(f"{size} bytes of {self.size - self.used}")
        address = FIRST_ADDRESS + place
        self._starts.insert(bisect_right(self._starts, address), address)
        self._allocations[address] = Allocation(address, size, device)
        self.bytes[place : place + size] = _POISON
        self.used += room
        self.peak = max(self.peak, self.used)
        return address

    def release(self, address: int) -> None:
        """Free the block at an address; KeyError if there is none."""
        allocation = self._allocations.pop(address)
        self._starts.remove(address)
        room = -(-max(allocation.size, 1) // _ALIGNMENT) * _ALIGNMENT + _GAP
        self.used -= room
        self._quarantine.append((address - FIRST_ADDRESS, room, allocation.size))
        self._quarantined += room
        while self._quarantined > _QUARANTINE:
            self._readmit()

    def find(self, address: int) -> Allocation | None:
        """The block that an address lies in."""
        index = bisect_right(self._starts, address) - 1
        if index < 0:
            return None
        allocation = self._allocations[self._starts[index]]
        return allocation if address < allocation.address + allocation.size else None

    def describe(self, address: int) -> str:
        """What lies at an address, in words."""
        if allocation := self.find(address):
            return f"byte {address - allocation.address} of an allocation of {allocation.size} bytes"
        place = address - FIRST_ADDRESS
        for start, _, size in reversed(self._quarantine):
            if start <= place < start + size:
                return f"byte {place - start} of an allocation of {size} bytes that was freed"
        index = bisect_right(self._starts, address) - 1
        if index >= 0:
            before = self._allocations[self._starts[index]]
            over = address - before.address - before.size
            if over < 1 << 20:
                return f"{over} bytes behind the end of an allocation of {before.size} bytes"
        return "in no allocation"

    def span(self, address: int, size: int) -> Array:
        """The bytes of a copy; Fault where they are not all of one allocation."""
        place = address - FIRST_ADDRESS
        if size:
            allocation = self.find(address)
            if allocation is None or address + size > allocation.address + allocation.size:
                end = address if allocation is None else address + size - 1
                raise Fault(f"a copy of {size} bytes at {address:#x}: {self.describe(end)}")
        return self.bytes[place : place + size]

    def view(self, dtype: Any, width: int = 1) -> Array:
        """All of the memory as elements of a dtype, or as vectors of `width` of them."""
        key = (dtype, width)
        if key not in self._views:
            elements = self.bytes.view(element_dtype(dtype))
            self._views[key] = elements if width == 1 else elements.reshape(-1, width)
        return self._views[key]

    def _take(self, room: int) -> int | None:
        for index, (start, size) in enumerate(self._free):
            if size >= room:
                if size == room:
                    del self._free[index]
                else:
                    self._free[index] = (start + room, size - room)
                return start
        return None

    def _readmit(self) -> None:
        """Give the block that was freed first back to those that can be had."""
        start, room, _ = self._quarantine.popleft()
        self._quarantined -= room
        index = bisect_right(self._free, (start, room))
        self._free.insert(index, (start, room))
        for left in (index, index - 1):
            if left >= 0 and left + 1 < len(self._free):
                (first, size), (second, more) = self._free[left], self._free[left + 1]
                if first + size == second:
                    self._free[left : left + 2] = [(first, size + more)]


__all__ = [
    "FIRST_ADDRESS",
    "LOCAL_WINDOW",
    "PARAMETER_WINDOW",
    "SHARED_WINDOW",
    "Allocation",
    "Array",
    "DeviceMemory",
    "Shadow",
    "element_dtype",
]
