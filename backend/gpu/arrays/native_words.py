"""What native code is told of a device, and of how arrays on it and their memory are built."""

from __future__ import annotations

import atexit
import ctypes
from typing import Any

from ...cpu.dispatch.descriptors import table
from ...cpu.dispatch.library import library
from ...cpu.dispatch.objects import slot_offset
from ...cpu.native_python.layout import WORD, Api
from ...cpu.native_python.layout import Device as Words
from ..devices.deferral import is_deferred
from ..devices.open_devices import NativeMemory, NativeStream, OpenDevice, chosen_stream
from ..driver.memory import Block
from ..machine.call_context import DRIVER_FAILED, READ
from .array import DeviceArray, ForeignMemory
from .description import Description


class DeviceWords:
    """The table of a device; there is one for each, for ever, as what is compiled for it refers to it."""

    def __init__(self, device: OpenDevice) -> None:
        stream = device.default_stream
        self.device = device
        content = {
            Words.IS_USABLE: ctypes.addressof(device.device.is_usable),
            Words.CONTEXT: device.device.context.value,
            Words.SET_CURRENT: device.address("cuCtxSetCurrent"),
            Words.ALLOCATE: device.address("cuMemAllocFromPoolAsync"),
            Words.POOL: device.memory.pool,
            Words.FREE: device.address("cuMemFreeAsync"),
            Words.READ: device.address("cuMemcpyDtoHAsync_v2"),
            Words.WAIT: device.address("cuStreamSynchronize"),
            Words.STREAM_OBJECT: id(stream),
            Words.VARIABLE: id(chosen_stream),
            Words.DEFERRAL: ctypes.addressof(is_deferred),
            Words.UNCHECKED: ctypes.addressof(device.is_unchecked),
            Words.DESCRIPTION_TYPE: id(Description),
            Words.ARRAY_TYPE: id(DeviceArray),
            Words.FOREIGN_TYPE: id(ForeignMemory),
            Words.OBJECT: id(device),
            Words.MEMORY: id(device.memory),
            Words.DEVICE_SLOT: slot_offset(DeviceArray, "_device"),
            Words.DESCRIBED_SLOT: slot_offset(DeviceArray, "_described"),
            Words.MEMORY_SLOT: slot_offset(DeviceArray, "_memory"),
            Words.OWNER_SLOT: slot_offset(ForeignMemory, "owner"),
            Words.REFUSED: DRIVER_FAILED,
            Words.READING: READ,
        }
        self._words = table([content[WORD * index] or 0 for index in range(Words.LENGTH)])
        self.address = device.memory.address = ctypes.addressof(self._words)

    def array(self, described: Description) -> DeviceArray:
        """The array of what native code has made."""
        owner: Any = described.base
        return DeviceArray(described, self.device, owner)


_words: dict[int, DeviceWords] = {}


def device_words(device: OpenDevice) -> DeviceWords:
    """What native code is told of a device."""
    if not _words:
        _drop_natively()
    known = _words.get(id(device))
    if known is None:
        known = _words.setdefault(id(device), DeviceWords(device))
    return known


class _Method(ctypes.Structure):
    """PyMethodDef of CPython."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_NO_ARGUMENTS = 4
_kept: list[Any] = []
"""What CPython and native code refer to for ever."""


def _drop_natively() -> None:
    """Let native code free blocks when they go: most calls end with that."""
    words = library().words
    words[Api.BLOCK_TYPE], words[Api.MEMORY_TYPE] = id(Block), id(NativeMemory)
    words[Api.STREAM_TYPE] = id(NativeStream)
    for word, name in (
        (Api.BLOCK_MEMORY, "_memory"),
        (Api.BLOCK_ADDRESS, "address"),
        (Api.BLOCK_SIZE, "size"),
        (Api.BLOCK_STREAM, "stream"),
    ):
        words[word] = slot_offset(Block, name)
    words[Api.DROP_BLOCK] = id(Block.drop)
    method = _Method(b"__del__", library().drop_block, _NO_ARGUMENTS, None)
    _kept.extend([Block.drop, method])
    make = ctypes.pythonapi.PyDescr_NewMethod
    make.restype, make.argtypes = ctypes.py_object, [ctypes.py_object, ctypes.c_void_p]
    Block.__del__ = make(Block, ctypes.addressof(method))
    atexit.register(_drop_by_python)


def _drop_by_python() -> None:
    """As the interpreter ends, blocks are no longer freed, which `Block.drop` knows."""
    for known in _words.values():
        known.device.memory.address = 0
