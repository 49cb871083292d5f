"""The devices that there are, by name, and waiting for them."""

from __future__ import annotations

from ..backend.gpu.device_names import CPU


def devices() -> list[str]:
    """The names of the devices that functions can run on: "cpu", and the GPUs that the driver has.

    >>> weft.devices()[0]
    'cpu'
    """
    from ..backend.gpu.runtime.devices import device_names

    return [CPU, *device_names()]


def synchronize(device: str | None = None) -> None:
    """Wait until a GPU, or all that were used, have done what was asked of them.

    Raises `weft.DeviceError` if some of it has gone wrong, and `ValueError` for what is no name of a device.

    >>> weft.synchronize()
    """
    from ..backend.gpu.runtime.devices import synchronize

    if device != CPU:
        synchronize(device)


__all__ = ["devices", "synchronize"]
