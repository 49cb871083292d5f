"""What kernels of the host cost a call on a device: how often it waits for them, and what it copies."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable

from ....dialect.records import NamedTuple
from ...planning.plan import HostKernel
from ...processors.gpu_figures import GpuFigures
from ..machine.call_context import WORDS_OF_TRIPS
from ..placement.trip_costs import LONG

_USUAL = GpuFigures()
"""Of any GPU: the order of magnitude is enough to warn."""


class HostTrips(NamedTuple):
    """How often a kernel of the host ran in a call, and how many bytes were copied for it."""

    kernel: HostKernel
    runs: int
    bytes: int

    @property
    def is_slow(self) -> bool:
        """Whether the call took noticeably longer for it."""
        return self.runs * _USUAL.trip + self.bytes * _USUAL.byte > LONG

    @classmethod
    def all_of(
        cls, kernels: Iterable[HostKernel], words: ctypes.Array[ctypes.c_int64]
    ) -> tuple[HostTrips, ...]:
        """Of each kernel, given what native code has counted."""
        return tuple(
            cls(kernel, *words[WORDS_OF_TRIPS * number : WORDS_OF_TRIPS * (number + 1)])
            for number, kernel in enumerate(kernels)
        )
