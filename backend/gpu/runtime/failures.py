"""What the driver refused in native code, as exceptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...planning.plan import DeviceKernel
from ..machine.call_context import (
    COPY,
    FREE,
    LAUNCH,
    OUT_OF_MEMORY,
    READ,
    RESERVE_DEVICE,
    RESERVE_HOST,
    WRITE,
)

_DOING = {
    READ: "reading {} bytes of the device",
    WRITE: "writing {} bytes to the device",
    COPY: "copying {} bytes on the device",
    RESERVE_DEVICE: "allocating {} bytes on the device",
    FREE: "freeing memory of the device",
}


def driver_failure(
    device: Any, name: str, kernels: Sequence[DeviceKernel], code: int, what: int, number: int
) -> BaseException:
    """The exception of what a function asked in vain: `what` is one of `call_context`, `number` its bytes or kernel."""
    if code == OUT_OF_MEMORY and what in (RESERVE_HOST, RESERVE_DEVICE):
        where = "the host" if what == RESERVE_HOST else device.describe()
        return MemoryError(f"the arrays of {name} need a block of {number} bytes of memory on {where}")
    doing = f"launching {kernels[number].name}" if what == LAUNCH else _DOING[what].format(number)
    error: BaseException = device.error(code, f"{name}: {doing}")
    return error


__all__ = ["driver_failure"]
