"""What code for a device is compiled for."""

from __future__ import annotations


def target_of(device: str | None) -> str:
    """The target of code for a device: "native" for the processor; DeviceError where there is no such device."""
    if device is None:
        return "native"
    from .open_devices import open_device  # most programs need no driver

    return open_device(device).target
