"""The devices of this process, by name: each with the memory and the stream that programs use."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from ....dialect.errors import DeviceError, WeftError
from ...cpu.dispatch.objects import NativeTable
from ...cpu.native_python.layout import Stream as Words
from ...planning.plan import DeviceKernel
from ...target import gpu_target
from ..driver.device import Device, device_count
from ..driver.library import Library
from ..driver.memory import Memory
from ..driver.modules import Function, Module
from ..driver.signatures import LEGACY_STREAM
from ..driver.streams import Stream, as_stream
from .libraries import chosen_library, wanted_features
from .names import device_number


class NativeMemory(NativeTable, Memory):
    """The memory of a device that native code may know."""

    def __init__(self, device: Device) -> None:
        self.address = 0
        """That of what native code is told of the device; 0 as long as it is not."""
        super().__init__(device)


class NativeStream(NativeTable, Stream):
    """A stream of a device that native code may know, for calls."""

    def __init__(self, device: Device, memory: Memory, handle: int, origin: object = None) -> None:
        """A stream that has a handle already: that of an object of any library, which is kept."""
        super().__init__(device, handle, keep=origin)
        self.origin = origin
        self._memory = memory
        self._words = (ctypes.c_int64 * Words.LENGTH)(id(memory), handle)
        self.address = ctypes.addressof(self._words)


class OpenDevice:
    """A device with its memory, and the stream that calls are queued on."""

    def __init__(self, library: Library, number: int) -> None:
        self.device = Device(library, number)
        self.memory = NativeMemory(self.device)
        self.default_stream = NativeStream(self.device, self.memory, LEGACY_STREAM)
        """The stream of calls outside of `using_stream`."""
        self._lock = threading.Lock()
        self._unchecked: list[tuple[Any, Callable[[], BaseException | None]]] = []
        self.is_unchecked = ctypes.c_int64(0)
        """1 where there are calls of which it is not known yet whether they have failed."""

    def __repr__(self) -> str:
        return repr(self.device)

    @property
    def stream(self) -> Stream:
        """The stream that calls of this thread are queued on: that of `using_stream`, or the legacy default."""
        chosen = chosen_stream.get()
        return self.default_stream if chosen is None else self.stream_of(chosen)

    def stream_of(self, chosen: Any) -> NativeStream:
        """A stream of any library as one for calls."""
        if isinstance(chosen, NativeStream):
            if chosen.device is self.device:
                return chosen
            if chosen.origin is not None:
                chosen = chosen.origin  # which is taken for what it is on another device
        handle = as_stream(self.device, chosen).handle
        if handle == LEGACY_STREAM:
            return self.default_stream
        return NativeStream(self.device, self.memory, handle, chosen)

    @property
    def target(self) -> str:
        """The target that code for it is compiled for."""
        properties = self.device.properties
        target = gpu_target(properties.arch, properties.shared_bytes_opt_in)
        if target is None:
            capability = ".".join(map(str, properties.arch))
            raise DeviceError(
                f"{self!r} ({properties.name}) has the compute capability {capability}, and weft needs a GPU with 7.0 "
                "or more"
            )
        return "+".join([target, *wanted_features()])

    def address(self, function: str) -> int:
        """Where a function of the driver lies."""
        return self.device.library.address(function)

    @contextlib.contextmanager
    def working_on(self, name: str) -> Iterator[None]:
        """Let this thread call the driver for a function; DeviceError where it cannot be used any more."""
        self.device.use()
        with self.device.working_on(name):
            yield

    def allocate(self, size: int) -> int:
        """The address of a new block; `DeviceMemoryError` with sizes, where there is no room."""
        return self.memory.allocate_address(size, self.stream)

    def free(self, address: int) -> None:
        """Free a block behind all that was asked for; never an error, as it ends what may have failed."""
        try:
            stream = self.stream
        except WeftError:  # garbage may be collected while another device's is chosen
            stream = self.default_stream
        self.memory.release_quietly(address, stream.handle)

    def write(self, address: int, array: np.ndarray[Any, Any]) -> None:
        """Copy a contiguous array to the device; it may be changed when this returns."""
        self.memory.copy_in(address, array.ctypes.data, array.nbytes, self.stream)

    def read(self, array: np.ndarray[Any, Any], address: int) -> None:
        """Wait, and copy memory of the device to a contiguous array; raises what calls before have left open."""
        self.raise_deferred()
        if array.nbytes:
            self.memory.copy_out(array.ctypes.data, address, array.nbytes, self.stream)

    def raise_later(self, check: Callable[[], BaseException | None]) -> None:
        """Let the next who waits raise the exception of a call, if there is one; that waits for the stream of now."""
        self._unchecked.append((chosen_stream.get(), check))
        self.is_unchecked.value = 1

    def raise_deferred(self) -> None:
        """Raise the exception of the first call that has failed since somebody waited; what followed followed it."""
        if self._unchecked:
            unchecked, self._unchecked = self._unchecked, []
            self.is_unchecked.value = 0
            errors = [_on_stream(stream, check) for stream, check in unchecked]
            for error in errors:
                if error is not None:
                    raise error

    def wait(self) -> None:
        """Wait for what was asked for; DeviceError if some of it has gone wrong."""
        self.raise_deferred()
        self.device.use()
        self.stream.synchronize()

    def kernels(self, kernels: Sequence[DeviceKernel]) -> list[Function]:
        """Kernels, loaded; those of one module are loaded together, once."""
        modules: dict[tuple[str, bytes | None], Module] = {}
        functions = []
        for kernel in kernels:
            code = kernel.ptx, kernel.cubin
            if code not in modules:
                modules[code] = Module(self.device, *code)
            functions.append(self._set_up(modules[code].function(kernel.name), kernel))
        return functions

    def _set_up(self, function: Function, kernel: DeviceKernel) -> Function:
        """Tell the driver what launches of a kernel ask for."""
        if kernel.shared_bytes:
            function.allow_shared(kernel.shared_bytes)
        for attribute, value in kernel.attributes:
            self.device.call("cuFuncSetAttribute", function.handle, attribute, value)
        return function

    def error(self, code: int, function: str) -> BaseException:
        """The exception for a code that native code got of a function of the driver."""
        try:
            self.device.check(code, function)
        except DeviceError as error:
            return error
        return DeviceError(f"{function} failed on {self!r}")


chosen_stream: ContextVar[Any] = ContextVar("stream", default=None)
"""The stream of `using_stream`; None for the default stream of a device."""
_open: dict[tuple[int, int], OpenDevice] = {}
_by_name: dict[tuple[int, str], OpenDevice] = {}
_lock = threading.Lock()


@contextlib.contextmanager
def using_stream(stream: Any) -> Iterator[None]:
    """Queue calls of this context on a stream: ours, or that of another library."""
    if stream is not None and len(_open) == 1:  # else each device takes it for its own when it is asked to
        (device,) = _open.values()
        stream = device.stream_of(stream)
    token = chosen_stream.set(stream)
    try:
        yield
    finally:
        chosen_stream.reset(token)


def _on_stream(stream: Any, check: Callable[[], BaseException | None]) -> BaseException | None:
    """What a check tells when the work of a stream is done."""
    token = chosen_stream.set(stream)
    try:
        return check()
    finally:
        chosen_stream.reset(token)


def open_device(name: str) -> OpenDevice:
    """The device of a name, "cuda" or "cuda:1"; DeviceError where there is none, or no driver."""
    library = chosen_library()
    known = _by_name.get((id(library), name))
    if known is not None:
        return known
    number = device_number(name) or 0
    with _lock:
        key = (id(library), number)
        if key not in _open:
            _open[key] = OpenDevice(library, number)
        return _by_name.setdefault((id(library), name), _open[key])


def device_names() -> list[str]:
    """The names of the devices that there are: none without a driver. DeviceError in a child of a process with some."""
    try:
        library = chosen_library()
        if not library.is_left_behind:
            return [f"cuda:{number}" for number in range(device_count(library))]
    except DeviceError:
        return []
    library.check_process()
    return []


def synchronize(name: str | None = None) -> None:
    """Wait for a device, or for all that were used."""
    devices = list(_open.values()) if name is None else [open_device(name)]
    for device in devices:
        device.raise_deferred()
        device.device.synchronize()
