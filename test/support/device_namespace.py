"""The array namespace of arrays on a device, where functions that make arrays make them, too."""

from __future__ import annotations

from types import FunctionType, ModuleType
from typing import Any

import numpy as np

import weft

weft.settings.cuda = "emulator"
_MAKING = ("arange", "asarray", "empty", "eye", "from_dlpack", "full", "linspace", "ones", "zeros")


class OnDevice(ModuleType):
    """The namespace, with another device of what makes arrays."""

    def __init__(self) -> None:
        super().__init__("weft")
        self._namespace: Any = weft.device_put(np.zeros(1)).__array_namespace__()

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._namespace, name)
        return _there(value) if name in _MAKING and isinstance(value, FunctionType) else value

    def __dir__(self) -> list[str]:
        return dir(self._namespace)


def _there(function: Any) -> Any:
    def make(*args: Any, device: Any = None, **kwargs: Any) -> Any:
        return function(*args, device="cuda:0" if device is None else device, **kwargs)

    make.__name__ = function.__name__
    make.__signature__ = None  # type: ignore[attr-defined]
    return make


xp = OnDevice()
