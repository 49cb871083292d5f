"""Calls of Python from a program for a GPU: what Python reads and gives is copied from and to the device."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ....dialect.callbacks import Callback
from ....dialect.types import TensorType
from ...cpu.lowering.host_calls import HostLink
from ...planning.plan import HostSite, Site
from ..devices.open_devices import OpenDevice

if TYPE_CHECKING:
    from ....dialect.op import Array


class DeviceHostLink(HostLink):
    """What one call at a time needs to call Python, where arrays are on a device."""

    reads_memory: ClassVar[bool] = False

    __slots__ = ("_device", "_look")

    def __init__(
        self,
        sites: Sequence[Site | HostSite],
        callbacks: Sequence[Callback],
        record: ctypes.Array[Any],
        device: OpenDevice,
        look: Callable[[], None],
    ) -> None:
        """`look` lets the record tell what has failed on the device."""
        super().__init__(sites, callbacks, record)
        self._device = device
        self._look = look

    def enter(self, tensors: int) -> None:
        """Call the Python function, unless a check on the device has failed before."""
        site = self._record[0]
        self._look()
        if self._record[0] == site:
            super().enter(tensors)

    def begin(self, before: Callable[[], None]) -> None:
        """Before a call of the program."""
        self.before, self.exception = before, None

    def fetch(self, address: int, tensor: TensorType) -> Array:
        """A copy of an array of the device."""
        array: Array = np.empty(tensor.shape, tensor.dtype)
        self._device.read(array, address)
        return array

    def store(self, address: int, array: Array) -> None:
        """Copy a result to the device."""
        self._device.write(address, np.ascontiguousarray(array))


__all__ = ["DeviceHostLink"]
