"""Which driver is used: libcuda of this machine, the emulator, or none; apart, so that the settings load neither."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....dialect.errors import DeviceError, WeftValueError
from ...processors.gpu_figures import PRODUCTS

if TYPE_CHECKING:
    from ..driver.library import Library
    from ..driver.math_libraries import MathLibrary
    from ..driver.nccl import Nccl

CHOICES = ("driver", "emulator", "off")
DRIVERS = "weft.cuda"
"""The group of entry points by which packages offer the functions of a driver."""
_SOURCES = Path(__file__).resolve().parents[3] / "integrations" / "weft_emulator"
"""Where the emulator lies in a tree of the sources, where it need not be installed."""

_choice = "driver"
_uses_cublas = False
_float32_products = "float32"
_loaded: dict[str, Library] = {}
_loaded_nccl: dict[str, Nccl] = {}
_loaded_math: dict[tuple[str, str], MathLibrary] = {}
_lock = threading.Lock()


def choose_library(choice: str) -> None:
    """Use another driver from now on: "driver", "emulator" or "off"."""
    global _choice
    check_choice(choice)
    _choice = choice


def use_cublas(wanted: bool) -> None:
    """Let functions that are compiled from now on multiply by cuBLAS, or not."""
    global _uses_cublas
    _uses_cublas = wanted


def multiply_float32_as(kind: str) -> None:
    """Let functions that are compiled from now on round factors of float32: "float32" (not), "tf32" or "bf16"."""
    global _float32_products
    if kind not in PRODUCTS:
        choices = ", ".join(PRODUCTS)
        raise WeftValueError(f"products of float32 are not made of {kind!r}; the choices are: {choices}")
    _float32_products = kind


def wanted_features() -> list[str]:
    """What is added to the name of a target: libraries beside the driver in use, and how float32 is multiplied."""
    return [*math_libraries(), *([] if _float32_products == "float32" else [_float32_products])]


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


def chosen_nccl() -> Nccl:
    """What sends arrays from one GPU to another: libnccl, or that of the emulator; DeviceError where there is none."""
    with _lock:
        if _choice not in _loaded_nccl:
            _loaded_nccl[_choice] = _load_nccl(_choice)
        return _loaded_nccl[_choice]


def _load_nccl(choice: str) -> Nccl:
    from ..driver.nccl import Nccl, load_nccl

    if choice == "driver":
        return load_nccl()
    return Nccl(_loaded[choice].functions, "the emulator")  # who asks has a device


def math_libraries() -> list[str]:
    """Which libraries of routines there are beside the driver in use, and wanted."""
    from ..driver.math_libraries import LIBRARIES, SIGNATURES, library_files

    wanted = [name for name in LIBRARIES if name != "cublas" or _uses_cublas]
    if _choice == "driver":
        return [name for name in wanted if library_files(name)]
    own = _loaded.get(_choice)
    return [] if own is None else [n for n in wanted if own.functions.keys() >= SIGNATURES[n].keys()]


def chosen_math_library(name: str) -> MathLibrary:
    """One of them, which is loaded when it is first asked for; DeviceError where it cannot be."""
    from ..driver.math_libraries import MathLibrary, load_math_library

    with _lock:
        if (_choice, name) not in _loaded_math:
            is_own = _choice != "driver"
            made = MathLibrary(_loaded[_choice].functions, name) if is_own else load_math_library(name)
            _loaded_math[_choice, name] = made
        return _loaded_math[_choice, name]


def _load(choice: str) -> Library:
    from ..driver.library import Library, load_driver

    if choice == "off":
        raise DeviceError("GPUs are switched off (the setting cuda, or WEFT_CUDA, is off)")
    if choice == "driver":
        return load_driver()
    return Library(_emulator()(), "the emulator")


def _emulator() -> Callable[[], Mapping[str, Any]]:
    """What makes the functions of the emulator, a package of its own that no file of this one imports."""
    from importlib.metadata import entry_points  # 12 ms, and the settings load this file

    for offered in entry_points(group=DRIVERS, name="emulator"):
        made: Callable[[], Mapping[str, Any]] = offered.load()
        return made
    if not _SOURCES.is_dir():
        raise DeviceError(
            "the emulator of a GPU (the setting cuda, or WEFT_CUDA, is emulator) is a package of its own, which is"
            " not installed: pip install 'weft[emulator]', or ./integrations/weft_emulator of weft's sources"
        )
    sys.path.append(str(_SOURCES))
    return import_module(_SOURCES.name).driver  # type: ignore[no-any-return]
