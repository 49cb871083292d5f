"""Calls of Python from a program for a GPU: what Python reads and gives is copied from and to the device."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Container, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ....dialect.callbacks import COLLECTIVES, Callback
from ....dialect.collective_words import collective_of
from ....dialect.collectives import Collective, current_member
from ....dialect.types import TensorType
from ...cpu.lowering.host_calls import HostLink, KnownSite
from ...planning.plan import HostSite, Site
from ..devices.open_devices import OpenDevice

if TYPE_CHECKING:
    from ....dialect.op import Array


class DeviceHostLink(HostLink):
    """What one call at a time needs to call Python, where arrays are on a device."""

    reads_memory: ClassVar[bool] = False

    __slots__ = ("_asked", "_constants", "_device", "_look")

    def __init__(
        self,
        sites: Sequence[Site | HostSite],
        callbacks: Sequence[Callback],
        record: ctypes.Array[Any],
        device: OpenDevice,
        look: Callable[[], None],
        constants: Container[int],
    ) -> None:
        """`look` lets the record tell what has failed on the device; `constants` are addresses there."""
        super().__init__(sites, callbacks, record)
        self._device = device
        self._look = look
        self._constants = constants
        self._asked: dict[int, Collective] = {}
        """By the addresses of their descriptions."""

    def enter(self, tensors: int) -> None:
        """Call the Python function, unless a check on the device has failed before."""
        site = self._record[0]
        self._look()
        if self._record[0] == site:
            super().enter(tensors)

    def begin(self, before: Callable[[], None]) -> None:
        """Before a call of the program."""
        self.before, self.exception = before, None

    def _call(self, known: KnownSite, tensors: int) -> None:
        if known.site.callback < COLLECTIVES or not self._work_together(known, tensors):
            super()._call(known, tensors)

    def _work_together(self, known: KnownSite, tensors: int) -> bool:
        """Do a collective with arrays that stay where they are, or come to the host where they have to."""
        (description, *operands), results = known.placed(tensors)
        collective, member = self._collective(*description), current_member()
        if collective.kind == "require_same":
            return not member.asks
        from .device_ranks import Placed, is_done_there, perform_on_device  # few programs have any

        if not is_done_there(collective):
            return False
        x, result = Placed(*operands[1]), Placed(*results[0])
        if not perform_on_device(self._device, member, collective, x, result):
            self.store(result.address, member.exchange(collective, self.fetch(x.address, x.type)))
        return True

    def _collective(self, address: int, kind: TensorType) -> Collective:
        """What a description on the device asks for; that of a constant is read once."""
        found = self._asked.get(address)
        if found is None:
            found = collective_of(self.fetch(address, kind).tobytes())
            if address in self._constants:
                self._asked[address] = found
        return found

    def fetch(self, address: int, tensor: TensorType) -> Array:
        """A copy of an array of the device."""
        array: Array = np.empty(tensor.shape, tensor.dtype)
        self._device.read(array, address)
        return array

    def store(self, address: int, array: Array) -> None:
        """Copy a result to the device."""
        self._device.write(address, np.ascontiguousarray(array))
