"""The functions of libcuda, as C functions: native code calls them as it calls the driver.

What goes wrong gives the driver's codes. A fault of a kernel comes to light when somebody waits, and ends the context;
`cuGetErrorString` tells more than the driver does, as which instruction of which thread did it.
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any

from weft.backend.gpu.driver.signatures import Code

from .error_texts import ERRORS
from .graph_calls import GraphCalls
from .memory_calls import MemoryCalls
from .module_calls import ModuleCalls
from .state import Handle, Refused
from .stream_calls import StreamCalls


class Emulator(GraphCalls, ModuleCalls, MemoryCalls, StreamCalls):
    """A driver, with its devices; all of them run on one memory."""

    # The library

    def cuInit(self, flags: int) -> None:
        if flags:
            raise Refused(Code.INVALID_VALUE)
        if not self.devices:
            raise Refused(Code.NO_DEVICE)
        self._initialised = True

    def cuDriverGetVersion(self, version: Any) -> None:
        version[0] = self.driver_version

    def cuGetErrorName(self, code: int, text: Any) -> int:
        return self._error_text(code, text, 0)

    def cuGetErrorString(self, code: int, text: Any) -> int:
        for known, detail in (self._fault or (0, ""), self._detail):
            if known == code and detail:
                self._texts[-1] = ctypes.c_char_p(detail.encode())
                text[0] = self._texts[-1]
                return 0
        return self._error_text(code, text, 1)

    def _error_text(self, code: int, text: Any, which: int) -> int:
        if code not in ERRORS:
            return Code.INVALID_VALUE
        key = code * 2 + which
        self._texts.setdefault(key, ctypes.c_char_p(ERRORS[code][which].encode()))
        text[0] = self._texts[key]
        return 0

    # Devices and contexts

    def _check_device(self, device: int) -> None:
        if not 0 <= device < self.devices:
            raise Refused(Code.INVALID_DEVICE, f"there is no device {device}")

    def cuDeviceGetCount(self, count: Any) -> None:
        count[0] = self.devices

    def cuDeviceGet(self, device: Any, ordinal: int) -> None:
        self._check_device(ordinal)
        device[0] = ordinal

    def cuDeviceGetName(self, name: int, length: int, device: int) -> None:
        self._check_device(device)
        text = b"weft's emulator of a GPU"[: max(length - 1, 0)] + b"\0"
        ctypes.memmove(name, text, len(text))

    def cuDeviceGetAttribute(self, value: Any, attribute: int, device: int) -> None:
        self._check_device(device)
        if attribute not in self._attributes:
            raise Refused(Code.INVALID_VALUE, f"the device attribute {attribute} is not emulated")
        value[0] = self._attributes[attribute]

    def cuDeviceTotalMem_v2(self, size: Any, device: int) -> None:
        self._check_device(device)
        size[0] = self.memory.size

    def cuDeviceGetUuid_v2(self, identity: int, device: int) -> None:
        self._check_device(device)
        ctypes.memmove(identity, self._identity + bytes([device]), 16)

    def cuDevicePrimaryCtxRetain(self, context: Any, device: int) -> None:
        self._check_device(device)
        if device not in self._contexts:
            self._contexts[device] = self._new(Handle("context", device))
        context[0] = self._contexts[device]

    def cuDevicePrimaryCtxRelease_v2(self, device: int) -> None:
        self._check_device(device)

    def cuCtxSetCurrent(self, context: int | None) -> None:
        if context:
            self._object(context, Handle)
        self._current[threading.get_ident()] = context or 0

    def cuCtxGetCurrent(self, context: Any) -> None:
        context[0] = self._current.get(threading.get_ident(), 0)

    def cuCtxGetDevice(self, device: Any) -> None:
        device[0] = self._device()

    def cuCtxSynchronize(self) -> None:
        self.queues.wait_for_all()


__all__ = ["Emulator"]
