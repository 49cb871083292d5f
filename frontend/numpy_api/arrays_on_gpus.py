"""Arrays that lie on a GPU, where functions that make arrays are given them, or make them there."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ...backend.gpu.devices.names import CPU, device_number
from ...backend.gpu.devices.on_device import OnDevice, is_foreign_array_on_gpu, memory_of
from ...dialect.dtypes import DTypeLike, as_dtype
from ...dialect.errors import WeftValueError
from ..tracing.current import current_trace


def array_on_gpu(value: Any, dtype: DTypeLike | None, copy: bool | None) -> Any:
    """What lies on a GPU as an array there, as `asarray` gives it; None for what does not, and in a trace."""
    if current_trace() is not None or not is_foreign_array_on_gpu(value):
        return None
    from ...backend.gpu.arrays.array import DeviceArray  # most programs need no driver
    from ...backend.gpu.arrays.foreign import foreign_array

    array: Any = value if isinstance(value, DeviceArray) else foreign_array(value)
    if dtype is None or as_dtype(dtype) == array.dtype:
        return array.copy() if copy else array
    if copy is False:
        raise WeftValueError("Unable to avoid copy while creating an array as requested.")
    return array.astype(dtype)


Function = TypeVar("Function", bound=Callable[..., Any])


def require_known(device: str) -> None:
    """`WeftValueError` for what is no name of a device; from here on it is known how GPUs are reached."""
    from ..settings import settings  # with the first array on a GPU

    device_number(device)
    settings.cuda  # noqa: B018  (a setting is told to the driver when settings are read)


def makes_arrays(function: Function) -> Function:
    """Let a function that makes arrays on the processor make them on its `device`, by a copy."""

    @functools.wraps(function)
    def make(*args: Any, device: Any = None, **kwargs: Any) -> Any:
        if not is_on_gpu(device):
            return function(*args, device=device, **kwargs)
        from ...backend.gpu.arrays.foreign import device_put  # most programs need no driver

        require_known(device)
        made = function(*args, **kwargs)
        if isinstance(made, tuple):  # what comes beside the array is a number
            return (device_put(made[0], device), *made[1:])
        return device_put(made, device)

    return make  # type: ignore[return-value]


def takes_device_of_first(function: Function) -> Function:
    """Let a function that makes an array like its first argument make it on the device of that, unless told."""

    @functools.wraps(function)
    def make_like(*args: Any, device: Any = None, **kwargs: Any) -> Any:
        if args and isinstance(args[0], OnDevice) and current_trace() is None:
            return function(memory_of(args[0]), *args[1:], device=device or args[0].device, **kwargs)
        return function(*args, device=device, **kwargs)

    return make_like  # type: ignore[return-value]


def is_on_gpu(device: Any) -> bool:
    """Whether what is made outside of traces for a `device` lies on a GPU."""
    return isinstance(device, str) and device != CPU and current_trace() is None


def full_on_gpu(shape: Any, value: Any, device: str) -> Any:
    """An array on a GPU, filled with a value in its dtype."""
    from ...backend.gpu.arrays.filled import filled  # most programs need no driver

    require_known(device)
    extents = tuple(shape) if np.iterable(shape) else (shape,)
    return filled(tuple(operator.index(extent) for extent in extents), value, device)
