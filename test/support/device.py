"""A device of the emulated driver."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from weft.backend.gpu.driver.device import Device
from weft.backend.gpu.driver.library import Library
from weft.backend.gpu.driver.memory import Memory
from weft.backend.gpu.driver.streams import Stream
from weft_emulator.library import Emulator


class Machine:
    """An emulator, its first device, that one's memory, and the stream that is used unless another is named."""

    def __init__(self, **options: Any) -> None:
        self.emulator = Emulator(**{"memory_bytes": 1 << 25, **options})
        self.library = Library(self.emulator.functions, "the emulator")
        self.device = Device(self.library)
        self.memory = Memory(self.device)
        self.stream = Stream.default(self.device)

    def put(self, array: Any, stream: Stream | None = None) -> Any:
        """A block with the numbers of an array."""
        stream = stream or self.stream
        block = self.memory.allocate(array.nbytes, stream)
        self.memory.copy_in(block.address, array.ctypes.data, array.nbytes, stream)
        return block

    def take(self, block: Any, like: Any, stream: Stream | None = None) -> Any:
        """The numbers of a block as an array."""
        result = np.empty_like(like)
        self.memory.copy_out(result.ctypes.data, block.address, result.nbytes, stream or self.stream)
        return result


def addresses(*blocks: Any) -> list[Any]:
    """Arguments of a kernel."""
    return [ctypes.c_void_p(block.address) for block in blocks]


__all__ = ["Machine", "addresses"]
