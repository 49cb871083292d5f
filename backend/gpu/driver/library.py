"""libcuda: its functions, checked calls of them, and their addresses for native code."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Mapping
from typing import Any

from ....dialect.errors import DeviceError
from .errors import driver_error
from .signatures import SIGNATURES, Code

MINIMUM_DRIVER = 12070
"""The oldest version that weft works with, as `cuDriverGetVersion` gives it: CUDA 12.7, the first with PTX 8.6."""


def describe_version(version: int) -> str:
    """A version as people write it.

    >>> describe_version(12040)
    '12.4'
    """
    return f"{version // 1000}.{version % 1000 // 10}"


class Library:
    """A driver: libcuda, or what stands for it.

    `functions` has for each name of `SIGNATURES` a function of ctypes with C's calling convention. Python calls
    `library.call("cuMemFree_v2", address)`, which raises `weft.DeviceError` for every code but 0. Native code calls
    `library.address("cuLaunchKernel")`, a pointer of the type that `signatures.py` tells, which returns the code; it is
    valid as long as the library is, and calls through it need a thread where `Device.use` was called before. A code
    that comes back that way is raised by `Device.check`.
    """

    def __init__(self, functions: Mapping[str, Any], name: str) -> None:
        self.name = name
        """What is called, for messages."""
        self.functions = functions
        self._process = os.getpid()
        self._initialised = False

    def initialise(self) -> None:
        """Call cuInit once; DeviceError without a GPU, for a driver that is too old, and in a forked process."""
        self.check_process()
        if not self._initialised:
            self.call("cuInit", 0)
            version = self.version()
            if version < MINIMUM_DRIVER:
                raise DeviceError(
                    f"the driver is one for CUDA {describe_version(version)}, and weft needs one for CUDA "
                    f"{describe_version(MINIMUM_DRIVER)} or newer: install a newer driver"
                )
            self._initialised = True

    @property
    def is_left_behind(self) -> bool:
        """Whether this is a child of the process that has used the driver, and found GPUs."""
        return self._initialised and os.getpid() != self._process

    def check_process(self) -> None:
        """Refuse to work in a child of the process that has used the driver."""
        if os.getpid() != self._process:
            raise DeviceError(
                "the GPU was used before this process was forked, and the driver does not work in the child: start "
                'processes by multiprocessing.get_context("spawn"), or use the GPU in the child only'
            )

    def version(self) -> int:
        """The newest CUDA that the driver knows, as 12040 for 12.4."""
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        return version.value

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function; DeviceError when it gives another code than 0."""
        code = self.code(name, *arguments)
        if code:
            raise self.error(code, name)

    def code(self, name: str, *arguments: Any) -> int:
        """Call a function, and give its code."""
        code: int = self.function(name)(*arguments)
        return code

    def address(self, name: str) -> int:
        """Where a function lies, for native code."""
        address = ctypes.cast(self.function(name), ctypes.c_void_p).value
        assert address is not None
        return address

    def error(self, code: int, function: str, doing: str = "") -> DeviceError:
        """The exception for a code that a function has given."""
        name, text = (self._text(which, code) for which in ("cuGetErrorName", "cuGetErrorString"))
        return driver_error(code, function, name or f"the unknown code {code}", text or "no text", doing)

    def _text(self, function: str, code: int) -> str:
        text = ctypes.c_char_p()
        failed = self.code(function, code, ctypes.byref(text)) != Code.SUCCESS
        return "" if failed or text.value is None else text.value.decode(errors="replace")

    def function(self, name: str) -> Any:
        """A function of ctypes, whose code nobody has checked."""
        try:
            return self.functions[name]
        except KeyError:
            assert name in SIGNATURES, name
            raise DeviceError(
                f"{self.name} has no {name}: weft needs a driver for CUDA {describe_version(MINIMUM_DRIVER)} or newer"
            ) from None


class _Functions(Mapping[str, Any]):
    """The functions of a shared library, looked up when they are first called."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self._found: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._found:
            try:
                function = getattr(self._library, name)
            except AttributeError:
                raise KeyError(name) from None
            function.argtypes, function.restype = SIGNATURES[name], ctypes.c_int
            self._found[name] = function
        return self._found[name]

    def __iter__(self) -> Any:
        return iter(SIGNATURES)

    def __len__(self) -> int:
        return len(SIGNATURES)


def driver_file() -> str:
    """The name of the driver's library on this system."""
    return "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"


def load_driver(file: str | None = None) -> Library:
    """libcuda of this machine; DeviceError where there is none."""
    name = driver_file() if file is None else file
    try:
        loaded = ctypes.CDLL(name)  # on 64-bit Windows there is one calling convention
    except OSError as error:
        # The system's text mostly starts with the name.
        text = str(error).removeprefix(f"{name}: ")
        raise DeviceError(f"no CUDA driver on this machine ({name}: {text})") from None
    return Library(_Functions(loaded), name)
