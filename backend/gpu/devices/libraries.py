"""Which driver is used: libcuda of this machine, the emulator, or none; apart, so that the settings load neither."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ....dialect.errors import DeviceError, WeftValueError

if TYPE_CHECKING:
    from ..driver.library import Library

CHOICES = ("driver", "emulator", "off")

_choice = "driver"
_loaded: dict[str, Library] = {}
_lock = threading.Lock()


def choose_library(choice: str) -> None:
    """Use another driver from now on: "driver", "emulator" or "off"."""
    global _choice
    check_choice(choice)
    _choice = choice


def check_choice(choice: str) -> None:
    """Refuse what is no driver."""
    if choice not in CHOICES:
        raise WeftValueError(f"there is no CUDA driver {choice!r}; the choices are: {', '.join(CHOICES)}")


def chosen_library() -> Library:
    """The driver in use, which is loaded when it is first asked for; DeviceError where there is none."""
    known = _loaded.get(_choice)
    if known is not None:
        return known
    with _lock:
        if _choice not in _loaded:
            _loaded[_choice] = _load(_choice)
        return _loaded[_choice]


def _load(choice: str) -> Library:
    from ..driver.library import Library, load_driver

    if choice == "off":
        raise DeviceError("GPUs are switched off (the setting cuda, or WEFT_CUDA, is off)")
    if choice == "driver":
        return load_driver()
    from ..emulator.library import Emulator

    emulator = Emulator()
    return Library(emulator.functions, "the emulator")


__all__ = ["CHOICES", "check_choice", "choose_library", "chosen_library"]
