"""The array namespace of arrays on devices: weft's, whose functions compute with such arrays where they lie."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from ...backend.gpu.devices.on_device import OnDevice

Compute = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
"""What runs a function on the device: the function, and its arguments by position and name."""

_OF_ALL_DEVICES = frozenset(
    [
        "asarray",
        "empty_like",
        "from_dlpack",
        "full_like",
        "ones_like",
        "zeros_like",
        "__array_namespace_info__",
    ]
)
"""The functions that know of devices themselves."""


class DeviceNamespace(ModuleType):
    """A module, with functions that compute on a device where one of their arguments lies there.

    The functions of `weft` itself, called outside of compiled functions, compute on the processor.
    """

    def __init__(self, module: ModuleType, compute: Compute) -> None:
        super().__init__(module.__name__, module.__doc__)
        self._module = module
        self._compute = compute

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        if isinstance(value, ModuleType):
            value = DeviceNamespace(value, self._compute)
        elif isinstance(value, FunctionType) and name not in _OF_ALL_DEVICES:
            value = _on_devices(value, self._compute)
        vars(self)[name] = value  # the next time, Python finds it there
        return value

    def __dir__(self) -> list[str]:
        return dir(self._module)


def _on_devices(function: Callable[..., Any], compute: Compute) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if _holds_array_on_device(args) or _holds_array_on_device(kwargs.values()):
            return compute(function, args, kwargs)
        return function(*args, **kwargs)

    return call


def _holds_array_on_device(values: Any) -> bool:
    return any(
        isinstance(value, OnDevice) or (isinstance(value, (list, tuple)) and _holds_array_on_device(value))
        for value in values
    )


@functools.cache
def device_namespace(compute: Compute) -> DeviceNamespace:
    """weft's namespace, for arrays on devices."""
    return DeviceNamespace(sys.modules[__name__.partition(".")[0]], compute)
