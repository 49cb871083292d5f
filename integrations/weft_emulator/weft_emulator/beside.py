"""Libraries beside the driver, for emulated devices: they work on what lies on devices, in the order of streams.

They wait for the stream that they are asked for on, and are done when they return.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any


class Refused(Exception):
    """What a function refuses, with the code that it gives."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class Beside:
    """A library whose functions are methods, by their names."""

    CUDA, INTERNAL = 1, 3
    """The codes for what the driver refused, and for what went wrong here."""

    def __init__(self, driver: Mapping[str, Any]) -> None:
        """`driver` has the functions of libcuda, by name."""
        self._driver = driver

    def _guarded(self, name: str, *arguments: Any) -> int:
        try:
            getattr(self, name)(*arguments)
        except Refused as refused:
            self._told(str(refused))
            return refused.code
        except Exception as error:
            self._told(repr(error))
            return self.INTERNAL
        return 0

    def _told(self, text: str) -> None:
        """Keep why something was refused."""

    def _cuda(self, name: str, *arguments: Any) -> None:
        code = self._driver[name](*arguments)
        if code:
            raise Refused(self.CUDA, f"{name} gives {code}")

    def _read(self, address: int | None, size: int, stream: int | None) -> bytes:
        found = ctypes.create_string_buffer(max(size, 1))
        if size:
            self._cuda("cuMemcpyDtoHAsync_v2", found, address, size, stream)
        self._cuda("cuStreamSynchronize", stream)
        return found.raw[:size]

    def _write(self, address: int | None, data: bytes, stream: int | None) -> None:
        if data:
            self._cuda("cuMemcpyHtoDAsync_v2", address, data, len(data), stream)
            self._cuda("cuStreamSynchronize", stream)


__all__ = ["Beside", "Refused"]
