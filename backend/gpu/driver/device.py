"""Devices: GPUs with their context, which all libraries of the process share."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

from ....dialect.errors import DeviceError
from ....dialect.records import dataclass
from .library import Library
from .signatures import BREAKING, Attribute, Code


@dataclass(frozen=True)
class Properties:
    """What code generation and messages ask of a device."""

    name: str
    arch: tuple[int, int]
    """The compute capability, as (9, 0)."""
    multiprocessors: int
    max_threads: int
    """In a block."""
    shared_bytes: int
    """Shared memory of a block that needs no leave."""
    shared_bytes_opt_in: int
    """Shared memory of a block that asks for leave (`modules.Function.allow_shared`)."""
    l2_bytes: int
    memory_bytes: int
    has_pools: bool
    """Whether memory can be allocated in the order of a stream."""

    @property
    def target(self) -> str:
        """The device as PTX names it: sm_90."""
        return f"sm_{self.arch[0]}{self.arch[1]}"


class Device:
    """A GPU.

    >>> from weft.backend.gpu.driver.library import Library
    >>> from weft_emulator.library import Emulator
    >>> device = Device(Library(Emulator().functions, "the emulator"))
    >>> device.properties.target
    'sm_90'
    """

    def __init__(self, library: Library, ordinal: int = 0) -> None:
        """Take a device of a driver; DeviceError if it has none of that number."""
        library.initialise()
        self.library = library
        self.ordinal = ordinal
        count = ctypes.c_int()
        library.call("cuDeviceGetCount", ctypes.byref(count))
        if not 0 <= ordinal < count.value:
            there = {0: "no GPU", 1: "one GPU, cuda:0"}.get(count.value, f"{count.value} GPUs, from cuda:0")
            raise DeviceError(
                f"there is no device cuda:{ordinal}: the driver has {there}", Code.INVALID_DEVICE
            )
        self.is_one_of_many = count.value > 1
        """Whether other libraries may make another device's context current in the meantime."""
        number = ctypes.c_int()
        library.call("cuDeviceGet", ctypes.byref(number), ordinal)
        self._number = number.value
        self.properties = self._read_properties()
        context = ctypes.c_void_p()
        library.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self._number)
        self.context = context
        self._broken = ""
        self.is_usable = ctypes.c_int64(1)
        """1, and 0 once `use` raises, as native code asks without calling it: in a forked process, too."""
        _DEVICES.add(self)
        self._local = threading.local()
        self.use()

    def __repr__(self) -> str:
        return f"cuda:{self.ordinal}"

    # Calls

    def use(self) -> None:
        """Let this thread call the driver for this device; DeviceError if a kernel has broken the context.

        Native code that launches kernels needs this once per call of it.
        """
        if not self.is_usable.value:
            self._refuse()
        code = self.library.code("cuCtxSetCurrent", self.context)  # other libraries set theirs on this thread
        if code:
            self.check(code, "cuCtxSetCurrent")

    def _refuse(self) -> None:
        """Say why the device cannot be used."""
        self.library.check_process()
        raise DeviceError(
            f"cuda:{self.ordinal} cannot be used any more, because of an earlier error: {self._broken}"
        )

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function of the driver for this device; DeviceError for every code but 0."""
        self.use()
        self.check(self.library.code(name, *arguments), name)

    def check(self, code: int, function: str) -> None:
        """Raise DeviceError for a code that a function has given to native code, or to `call`."""
        if not code:
            return
        error = self.library.error(code, function, self.doing)
        if code in BREAKING:
            self._broken = str(error)
            self.is_usable.value = 0
        raise error

    def call_quietly(self, name: str, *arguments: Any) -> None:
        """Call a function where nobody can catch an error: when an object goes; not as the interpreter ends.

        Then the driver frees all with the process, and the emulator is half gone.
        """
        try:
            if sys.is_finalizing():  # or `sys` is gone already
                return
            self.use()
            self.library.code(name, *arguments)
        except Exception:
            pass

    @property
    def doing(self) -> str:
        """What this thread does, for messages: the last kernel that it launched, or what `working_on` says."""
        return getattr(self._local, "doing", "")

    @doing.setter
    def doing(self, text: str) -> None:
        self._local.doing = text

    @contextmanager
    def working_on(self, text: str) -> Iterator[None]:
        """Say in errors what was being done, as "function step"."""
        before = self.doing
        self.doing = text
        try:
            yield
        finally:
            self.doing = before

    def synchronize(self) -> None:
        """Wait until the device has done all that was asked of it; DeviceError if some of it has gone wrong."""
        self.call("cuCtxSynchronize")

    def free_memory(self) -> tuple[int, int]:
        """How many bytes are free, and how many there are."""
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value, total.value

    # Properties

    @property
    def identity(self) -> bytes:
        """16 bytes that no other device has, on this machine or another."""
        found = (ctypes.c_ubyte * 16)()
        self.library.call("cuDeviceGetUuid_v2", found, self._number)
        return bytes(found)

    def attribute(self, attribute: int) -> int:
        """One of `signatures.Attribute`."""
        value = ctypes.c_int()
        self.library.call("cuDeviceGetAttribute", ctypes.byref(value), attribute, self._number)
        return value.value

    @property
    def number(self) -> int:
        """The device as the driver's functions take it."""
        return self._number

    def _read_properties(self) -> Properties:
        name = ctypes.create_string_buffer(256)
        self.library.call("cuDeviceGetName", name, len(name), self._number)
        size = ctypes.c_size_t()
        self.library.call("cuDeviceTotalMem_v2", ctypes.byref(size), self._number)
        return Properties(
            name.value.decode(errors="replace"),
            (self.attribute(Attribute.ARCH_MAJOR), self.attribute(Attribute.ARCH_MINOR)),
            self.attribute(Attribute.MULTIPROCESSORS),
            self.attribute(Attribute.MAX_THREADS_PER_BLOCK),
            self.attribute(Attribute.SHARED_BYTES),
            self.attribute(Attribute.SHARED_BYTES_OPT_IN),
            self.attribute(Attribute.L2_BYTES),
            size.value,
            bool(self.attribute(Attribute.MEMORY_POOLS)),
        )


_DEVICES: WeakSet[Device] = WeakSet()


def _leave_to_parent() -> None:
    """Keep native code of a forked process from the devices of its parent."""
    for device in _DEVICES:
        device.is_usable.value = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)


def device_count(library: Library) -> int:
    """How many GPUs a driver has; 0 where it says that there are none."""
    try:
        library.initialise()
    except DeviceError as error:
        if error.code == Code.NO_DEVICE:
            return 0
        raise
    count = ctypes.c_int()
    library.call("cuDeviceGetCount", ctypes.byref(count))
    return count.value
