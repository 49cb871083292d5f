"""The state of the emulated driver: handles, contexts, and how a call goes."""

from __future__ import annotations

import ctypes
import itertools
import os
import threading
import traceback
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from weft.backend.gpu.driver.signatures import FUNCTION_TYPES, Attribute, Code
from weft.dialect.records import dataclass

from .error_texts import ERRORS
from .faults import Fault
from .kernel import Kernel
from .machine import Options
from .memory import DeviceMemory
from .queues import Queues, Work

_ALWAYS = ("cuGetErrorName", "cuGetErrorString")
_BEFORE_CONTEXT = (
    *(
        "cuInit",
        "cuDriverGetVersion",
        "cuDeviceGetCount",
        "cuDeviceGet",
        "cuDeviceGetName",
        "cuDeviceGetAttribute",
    ),
    *("cuDeviceTotalMem_v2", "cuDeviceGetUuid_v2", "cuMemPoolCreate", "cuDevicePrimaryCtxRetain"),
    *("cuDevicePrimaryCtxRelease_v2", "cuCtxSetCurrent", "cuCtxGetCurrent"),
    *("cuMemPoolSetAttribute", "cuMemPoolGetAttribute", "cuMemPoolTrimTo"),
)
_CODES = {name: code for code, (name, _) in ERRORS.items()}
DEFAULT_SHARED = 48 * 1024


class Refused(Exception):
    """A call that gives a code, at once and without harm."""

    def __init__(self, code: int, text: str = "") -> None:
        super().__init__(text)
        self.code = code


@dataclass
class Function:
    """A kernel as a handle, with what has been set of it."""

    kernel: Kernel
    dynamic_shared: int


@dataclass
class Event:
    """An event as a handle."""

    work: Work | None


@dataclass
class Stream:
    """A stream as a handle."""

    handle: int


@dataclass
class Handle:
    """A context or a memory pool."""

    what: str
    device: int = 0


class State:
    """What the functions of a driver share."""

    def __init__(
        self,
        *,
        memory_bytes: int = 1 << 30,
        seed: int = 0,
        devices: int = 1,
        arch: tuple[int, int] = (9, 0),
        driver_version: int = 13000,
        has_pools: bool = True,
        options: Options | None = None,
    ) -> None:
        self.memory = DeviceMemory(memory_bytes)
        self.seed = seed
        self.devices = devices
        self.arch = arch
        self.driver_version = driver_version
        self.options = options or Options()
        self.queues = Queues(seed)
        self.random = np.random.default_rng(seed)
        self.launches: deque[str] = deque(maxlen=1000)
        """The names of the kernels that ran last."""
        self.instructions = 0
        """How many instructions they ran."""
        self._initialised = False
        self._process = os.getpid()
        self._identity = os.urandom(15)
        self._lock = threading.RLock()
        self._fault: tuple[int, str] | None = None
        self._detail: tuple[int, str] = (0, "")
        self._objects: dict[int, Any] = {}
        self._handles = itertools.count(1)
        self._current: dict[int, int] = {}
        self._pinned: dict[int, Any] = {}
        self._freed: set[int] = set()
        self._texts: dict[int, ctypes.c_char_p] = {}
        self._threshold = 0
        self._contexts: dict[int, int] = {}
        self._attributes = {
            Attribute.MAX_THREADS_PER_BLOCK: 1024,
            Attribute.MAX_GRID_X: (1 << 31) - 1,
            Attribute.MAX_GRID_Y: 65535,
            Attribute.MAX_GRID_Z: 65535,
            Attribute.SHARED_BYTES: DEFAULT_SHARED,
            Attribute.WARP_SIZE: 32,
            Attribute.MULTIPROCESSORS: 132,
            Attribute.L2_BYTES: 50 << 20,
            Attribute.THREADS_PER_MULTIPROCESSOR: 2048,
            Attribute.ARCH_MAJOR: arch[0],
            Attribute.ARCH_MINOR: arch[1],
            Attribute.SHARED_BYTES_OF_MULTIPROCESSOR: 233472,
            Attribute.SHARED_BYTES_OPT_IN: 232448,
            Attribute.MEMORY_POOLS: int(has_pools),
        }
        self.functions = {name: kind(self._guarded(name)) for name, kind in FUNCTION_TYPES.items()}
        """The functions by name, as ctypes has them."""

    # How a call goes

    def _guarded(self, name: str) -> Callable[..., int]:
        method = getattr(self, name)

        def call(*arguments: Any) -> int:
            with self._lock:
                try:
                    self._admit(name)
                    return method(*arguments) or 0
                except Refused as refused:
                    self._detail = refused.code, str(refused)
                    return refused.code
                except Fault as fault:
                    return self._break(_CODES[fault.code], str(fault))
                except Exception:
                    return self._break(Code.UNKNOWN, f"the emulator failed: {traceback.format_exc()}")

        return call

    def _admit(self, name: str) -> None:
        """Refuse calls that the driver would refuse, whatever they ask."""
        if name in _ALWAYS:
            return
        if os.getpid() != self._process or (
            not self._initialised and name not in ("cuInit", "cuDriverGetVersion")
        ):
            raise Refused(Code.NOT_INITIALIZED)
        if self._fault is not None:
            raise Refused(self._fault[0], self._fault[1])
        if name not in _BEFORE_CONTEXT and not self._current.get(threading.get_ident()):
            raise Refused(Code.INVALID_CONTEXT)

    def _break(self, code: int, text: str) -> int:
        self._fault = code, text
        self.queues.drop()
        return code

    def _new(self, value: Any) -> int:
        handle = next(self._handles) << 8
        self._objects[handle] = value
        return handle

    def _object(self, handle: int | None, kind: type[Any]) -> Any:
        value = self._objects.get(handle or 0)
        if not isinstance(value, kind):
            raise Refused(Code.INVALID_HANDLE, f"{handle or 0:#x} is no {kind.__name__.lower()}")
        return value

    def _forget(self, handle: int | None, kind: type[Any]) -> Any:
        value = self._object(handle, kind)
        del self._objects[handle or 0]
        return value

    def _put(self, stream: int | None, action: Callable[[], None], after: Work | None = None) -> Work:
        if (stream or 1) not in self.queues.queues:
            raise Refused(Code.INVALID_HANDLE, f"{stream or 0:#x} is no stream")
        return self.queues.put(stream or 0, action, after)

    def _span(self, address: int | None, size: int) -> Any:
        try:
            return self.memory.span(address or 0, size)
        except Fault as fault:
            raise Refused(Code.INVALID_VALUE, str(fault)) from None


__all__ = ["DEFAULT_SHARED", "Event", "Function", "Handle", "Refused", "State", "Stream"]
