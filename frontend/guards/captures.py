"""Arrays that compiled functions found outside of their arguments."""

from __future__ import annotations

import sys
import zlib
from typing import Any

import numpy as np

from ...backend.gpu.devices.on_device import OnDevice
from ...dialect.records import NamedTuple
from ...dialect.types import TensorType, type_of
from .handles import Handle

_OF_A_CAPTURE = 3
"""The references to an array that nobody else has: of its `Capture`, of native code that compares, of who counts."""


class Capture(NamedTuple):
    """An array that the function found outside its arguments."""

    array: np.ndarray[Any, Any]
    value: Any
    """What stands for it in the trace."""
    user: str
    """The name of the function."""
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    content: bytes | None
    """The elements that were compiled in, for a small one; None for a hidden argument, which is read at each call."""
    checksum: int
    """That of a hidden argument's elements when it was captured, to tell whether the function itself changes them."""
    handle: Handle | None = None
    """The place where one was found whose elements were compiled in."""

    @classmethod
    def of(
        cls,
        array: np.ndarray[Any, Any],
        value: Any,
        user: str,
        is_hidden: bool,
        handle: Handle | None = None,
    ) -> Capture:
        """Note what an array is now."""
        content = None if is_hidden else array.tobytes()
        checksum = _checksum(array) if is_hidden else 0
        return cls(array, value, user, array.shape, array.dtype, content, checksum, handle)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.array, self.user, self.shape, self.dtype, self.content, self.handle)

    def holds(self) -> bool:
        """Whether what was compiled is still right: arrays can be written, and even resized, in place."""
        array = self.array
        if array.shape != self.shape or array.dtype != self.dtype:
            return False
        return self.content is None or array.tobytes() == self.content

    def is_own(self) -> bool:
        """Whether nothing else has the array: tracing has made it, as `np.linspace(0, 1, n)` of numbers."""
        return self.handle is None and sys.getrefcount(self.array) <= _OF_A_CAPTURE

    def changed(self) -> str:
        """What changed, in words."""
        if self.handle is not None:
            return f"the elements of {self.handle.name} changed"
        return f"an array from outside that {self.user} uses has changed"

    def changed_place(self) -> tuple[Handle, tuple[Any, ...]] | None:
        """What is to be read at each call, if changes of it shall not compile again: a handle, and a path from it."""
        return None if self.handle is None else (self.handle, ())

    @property
    def name(self) -> str:
        """Words for it."""
        whence = "made while it was traced" if self.is_own() else "from outside"
        return f"an array {whence} ({type_of(self.array)})"

    @property
    def type(self) -> TensorType:
        """Its tensor type."""
        return type_of(self.array)

    def fetch(self) -> np.ndarray[Any, Any]:
        """The array, for a hidden argument."""
        return self.array

    def is_untouched(self) -> bool:
        """Whether it has the type and the elements that it had when it was captured."""
        return self.holds() and (self.content is not None or _checksum(self.array) == self.checksum)


def _restored(
    array: np.ndarray[Any, Any],
    user: str,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    content: bytes | None,
    handle: Handle | None,
) -> Capture:
    """A capture of another process, of what is in its place in this one."""
    checksum = _checksum(array) if content is None else 0
    return Capture(array, None, user, shape, dtype, content, checksum, handle)


def _checksum(array: np.ndarray[Any, Any]) -> int:
    """A checksum of the elements; of those on a device, which no Python code of a trace changes, there is none."""
    if isinstance(array, OnDevice):
        return 0
    return zlib.crc32(np.ascontiguousarray(array).view(np.uint8).data)
