"""What the driver refused in native code, as exceptions."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.errors import DeviceError, DeviceMemoryError
from ...planning.plan import DeviceKernel
from ..devices.open_devices import OpenDevice
from ..driver.errors import out_of_memory
from ..machine.call_context import (
    COPY,
    ENCODE,
    FREE,
    GRAPHED,
    LAUNCH,
    LIBRARY,
    OUT_OF_MEMORY,
    READ,
    RESERVE_DEVICE,
    RESERVE_HOST,
    WRITE,
)

_FUNCTIONS = {
    LAUNCH: "cuLaunchKernel",
    READ: "cuMemcpyDtoHAsync_v2",
    WRITE: "cuMemcpyHtoDAsync_v2",
    COPY: "cuMemcpyDtoDAsync_v2",
    RESERVE_DEVICE: "cuMemAllocFromPoolAsync",
    FREE: "cuMemFreeAsync",
    ENCODE: "cuTensorMapEncodeTiled",
    GRAPHED: "cuGraphLaunch",
}


def driver_failure(
    device: OpenDevice, name: str, kernels: Sequence[DeviceKernel], code: int, what: int, number: int
) -> BaseException:
    """The exception of what a function asked in vain: `what` is one of `call_context`, `number` its bytes or kernel."""
    if what == LIBRARY:
        from .library_calls import libraries_of  # few programs call any

        return libraries_of(device).error or DeviceError(f"a library has failed for {name}")
    if what == RESERVE_HOST:
        return MemoryError(f"the copies that {name} makes for the host need {number} bytes of memory")
    if code == OUT_OF_MEMORY and what == RESERVE_DEVICE:
        return out_of_memory_for(device, f"the arrays of {name} need a block of {number} bytes", number)
    doing = f"{name}, {kernels[number].name}" if what == LAUNCH else name
    with device.device.working_on(doing):
        return device.error(code, _FUNCTIONS[what])


def out_of_memory_for(device: OpenDevice, what: str, size: int) -> BaseException:
    """The exception for memory that the device does not have."""
    free, total = device.device.free_memory()
    error = out_of_memory(size, free, total, repr(device))
    return DeviceMemoryError(f"{what}: {error}", error.code)
