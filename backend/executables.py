"""Machine code that is ready to be called, on the machine or the device that it is for; no MLIR is needed for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ..dialect.callbacks import Callback
from .cpu.execution.executable import Executable, RuntimeFailure
from .cpu.execution.foreign import loaded as loaded_here
from .planning.plan import MachineCode

if TYPE_CHECKING:
    from .gpu.runtime.executable import DeviceExecutable

    AnyExecutable: TypeAlias = Executable | DeviceExecutable


def loaded(
    code: MachineCode,
    callbacks: Sequence[Callback] = (),
    device: str | None = None,
    exception_of: Callable[[RuntimeFailure], BaseException] = lambda failure: failure,
) -> AnyExecutable:
    """Machine code in memory, ready to be called on a device ("cuda", "cuda:1"), or on this machine.

    If it cannot be called here, a call says so. `exception_of` makes the exceptions of calls that fail on a device
    after they have returned. Raises `DeviceError` where there is no such device.
    """
    if device is not None:
        from .gpu.devices.open_devices import open_device
        from .gpu.runtime.executable import DeviceExecutable

        return DeviceExecutable(code, callbacks, open_device(device), exception_of=exception_of)
    return loaded_here(code, callbacks)
