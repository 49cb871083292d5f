"""New arrays on devices that hold one value, which no array of the host has to be made for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....dialect.dtypes import element_type
from ....dialect.errors import WeftValueError
from ..devices.open_devices import open_device
from .array import DeviceArray, empty

_FIRST_BYTES = 1 << 16
"""How much of a value is copied to the device; from there on, what is filled is doubled."""


def filled(shape: tuple[int, ...], value: np.ndarray[Any, Any], device: str) -> DeviceArray:
    """An array of a shape and of the dtype of a value, which broadcasts to it, on a device.

    Raises what NumPy raises for the shape, and `DeviceMemoryError` where the device has no room.
    """
    if any(extent < 0 for extent in shape):
        raise WeftValueError("negative dimensions are not allowed")
    element_type(value.dtype)
    np.broadcast_to(value, shape)  # what does not fit, or no address reaches
    target = open_device(device)
    made = empty(shape, value.dtype, target)
    if value.size == 1:
        _fill(made, value.reshape(()))
    else:
        made[...] = value
    return made


def _fill(made: DeviceArray, value: np.ndarray[Any, Any]) -> None:
    """Set all elements, with nothing compiled: by bytes, or by copies that double."""
    device, size = made.open_device, math.prod(made.shape) * value.itemsize
    with device.working_on("fill"):
        if not any(value.tobytes()):
            device.memory.fill(made.address, 0, size, device.stream)
            return
        first = np.full(min(size, _FIRST_BYTES) // value.itemsize, value)
        device.write(made.address, first)
        done = first.nbytes
        while done < size:
            step = min(done, size - done)
            device.memory.copy(made.address + done, made.address, step, device.stream)
            done += step
