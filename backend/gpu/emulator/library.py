"""The functions of libcuda, as C functions: native code calls them as it calls the driver.

What goes wrong gives the driver's codes. A fault of a kernel comes to light when somebody waits, and ends the context;
`cuGetErrorString` tells more than the driver does, as which instruction of which thread did it.
"""

from __future__ import annotations

import ctypes
import os
import threading
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from ....dialect.records import dataclass
from ..driver.signatures import FUNCTION_TYPES, Attribute, Code, FunctionAttribute, JitOption, PoolAttribute
from .error_texts import ERRORS
from .faults import Fault, PTXError
from .kernel import Kernel
from .machine import Launch, Machine, Options
from .memory import DeviceMemory
from .modules import Module, OtherTarget, UnsupportedVersion
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
    *("cuDeviceTotalMem_v2", "cuDeviceGetDefaultMemPool", "cuDevicePrimaryCtxRetain"),
    *("cuDevicePrimaryCtxRelease_v2", "cuCtxSetCurrent", "cuCtxGetCurrent"),
    *("cuMemPoolSetAttribute", "cuMemPoolGetAttribute", "cuMemPoolTrimTo"),
)
_CODES = {name: code for code, (name, _) in ERRORS.items()}
_DEFAULT_SHARED = 48 * 1024


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


class Emulator:
    """A driver, with its devices; all of them run on one memory."""

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
        self.log: list[str] = []
        """The names of the functions that were called."""
        self.launches: list[str] = []
        """The names of the kernels that ran."""
        self.instructions = 0
        """How many instructions they ran."""
        self._initialised = False
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._fault: tuple[int, str] | None = None
        self._detail: tuple[int, str] = (0, "")
        self._objects: dict[int, Any] = {}
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
            Attribute.SHARED_BYTES: _DEFAULT_SHARED,
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
        self.log.append(name)
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
        handle = (len(self._objects) + 1) << 8
        self._objects[handle] = value
        return handle

    def _object(self, handle: int | None, kind: type[Any]) -> Any:
        value = self._objects.get(handle or 0)
        if not isinstance(value, kind):
            raise Refused(Code.INVALID_HANDLE, f"{handle or 0:#x} is no {kind.__name__.lower()}")
        return value

    def _forget(self, handle: int | None, kind: type[Any]) -> Any:
        value = self._object(handle, kind)
        self._objects[handle or 0] = None
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

    # The library

    def cuInit(self, flags: int) -> None:
        if flags:
            raise Refused(Code.INVALID_VALUE)
        if not self.devices:
            raise Refused(Code.NO_DEVICE)
        self._initialised = True

    def cuDriverGetVersion(self, version: Any) -> None:
        version[0] = self.driver_version

    def cuGetErrorName(self, code: int, text: Any) -> int:
        return self._error_text(code, text, 0)

    def cuGetErrorString(self, code: int, text: Any) -> int:
        for known, detail in (self._fault or (0, ""), self._detail):
            if known == code and detail:
                self._texts[-1] = ctypes.c_char_p(detail.encode())
                text[0] = self._texts[-1]
                return 0
        return self._error_text(code, text, 1)

    def _error_text(self, code: int, text: Any, which: int) -> int:
        if code not in ERRORS:
            return Code.INVALID_VALUE
        key = code * 2 + which
        self._texts.setdefault(key, ctypes.c_char_p(ERRORS[code][which].encode()))
        text[0] = self._texts[key]
        return 0

    # Devices and contexts

    def _check_device(self, device: int) -> None:
        if not 0 <= device < self.devices:
            raise Refused(Code.INVALID_DEVICE, f"there is no device {device}")

    def cuDeviceGetCount(self, count: Any) -> None:
        count[0] = self.devices

    def cuDeviceGet(self, device: Any, ordinal: int) -> None:
        self._check_device(ordinal)
        device[0] = ordinal

    def cuDeviceGetName(self, name: int, length: int, device: int) -> None:
        self._check_device(device)
        text = b"weft's emulator of a GPU"[: max(length - 1, 0)] + b"\0"
        ctypes.memmove(name, text, len(text))

    def cuDeviceGetAttribute(self, value: Any, attribute: int, device: int) -> None:
        self._check_device(device)
        if attribute not in self._attributes:
            raise Refused(Code.INVALID_VALUE, f"the device attribute {attribute} is not emulated")
        value[0] = self._attributes[attribute]

    def cuDeviceTotalMem_v2(self, size: Any, device: int) -> None:
        self._check_device(device)
        size[0] = self.memory.size

    def cuDeviceGetDefaultMemPool(self, pool: Any, device: int) -> None:
        self._check_device(device)
        if not self._attributes[Attribute.MEMORY_POOLS]:
            raise Refused(Code.NOT_SUPPORTED)
        pool[0] = self._new(Handle("pool", device))

    def cuDevicePrimaryCtxRetain(self, context: Any, device: int) -> None:
        self._check_device(device)
        if device not in self._contexts:
            self._contexts[device] = self._new(Handle("context", device))
        context[0] = self._contexts[device]

    def cuDevicePrimaryCtxRelease_v2(self, device: int) -> None:
        self._check_device(device)

    def cuCtxSetCurrent(self, context: int | None) -> None:
        if context:
            self._object(context, Handle)
        self._current[threading.get_ident()] = context or 0

    def cuCtxGetCurrent(self, context: Any) -> None:
        context[0] = self._current.get(threading.get_ident(), 0)

    def cuCtxSynchronize(self) -> None:
        self.queues.wait_for_all()

    # Modules and kernels

    def cuModuleLoadDataEx(
        self, module: Any, image: int | None, count: int, options: int | None, values: int | None
    ) -> None:
        if not image:
            raise Refused(Code.INVALID_VALUE)
        if ctypes.string_at(image, 4) == b"\x7fELF":
            raise Refused(Code.NO_BINARY_FOR_GPU, "the emulator runs PTX, and no machine code")
        try:
            loaded = Module(ctypes.string_at(image).decode(), self.memory, self.arch, self.driver_version)
        except (PTXError, UnicodeDecodeError) as error:
            _write_log(str(error), count, options, values)
            code = Code.INVALID_PTX
            if isinstance(error, UnsupportedVersion):
                code = Code.UNSUPPORTED_PTX_VERSION
            elif isinstance(error, OtherTarget):
                code = Code.NO_BINARY_FOR_GPU
            raise Refused(code) from None
        except MemoryError:
            raise Refused(Code.OUT_OF_MEMORY) from None
        module[0] = self._new(loaded)

    def cuModuleUnload(self, module: int | None) -> None:
        self.queues.wait_for_all()
        self._forget(module, Module).unload()

    def cuModuleGetFunction(self, function: Any, module: int | None, name: bytes) -> None:
        kernel = self._object(module, Module).kernels.get(name.decode())
        if kernel is None:
            raise Refused(Code.NOT_FOUND, f"the module has no kernel {name.decode()}")
        function[0] = self._new(Function(kernel, max(0, _DEFAULT_SHARED - kernel.shared_size)))

    def cuModuleGetGlobal_v2(self, address: Any, size: Any, module: int | None, name: bytes) -> None:
        symbol = self._object(module, Module).variables.get(name.decode())
        if symbol is None:
            raise Refused(Code.NOT_FOUND, f"the module has no variable {name.decode()}")
        if address:
            address[0] = symbol.address
        if size:
            size[0] = symbol.size

    def cuFuncGetAttribute(self, value: Any, attribute: int, function: int | None) -> None:
        f = self._object(function, Function)
        kernel = f.kernel
        known = {
            FunctionAttribute.MAX_THREADS: kernel.max_threads,
            FunctionAttribute.SHARED_BYTES: kernel.shared_size,
            FunctionAttribute.CONST_BYTES: 0,
            FunctionAttribute.LOCAL_BYTES: kernel.local_size,
            FunctionAttribute.REGISTERS: kernel.registers,
            FunctionAttribute.MAX_DYNAMIC_SHARED_BYTES: f.dynamic_shared,
        }
        if attribute not in known:
            raise Refused(Code.INVALID_VALUE, f"the function attribute {attribute} is not emulated")
        value[0] = known[attribute]

    def cuFuncSetAttribute(self, function: int | None, attribute: int, value: int) -> None:
        f = self._object(function, Function)
        limit = self._attributes[Attribute.SHARED_BYTES_OPT_IN] - f.kernel.shared_size
        if attribute != FunctionAttribute.MAX_DYNAMIC_SHARED_BYTES or not 0 <= value <= limit:
            raise Refused(Code.INVALID_VALUE)
        f.dynamic_shared = value

    def cuOccupancyMaxActiveBlocksPerMultiprocessor(
        self, blocks: Any, function: int | None, threads: int, shared: int
    ) -> None:
        f = self._object(function, Function)
        if not 0 < threads <= f.kernel.max_threads:
            raise Refused(Code.INVALID_VALUE)
        size = f.kernel.shared_size + shared
        room = self._attributes[Attribute.SHARED_BYTES_OF_MULTIPROCESSOR] // (size + 1024) if size else 32
        blocks[0] = min(
            32, self._attributes[Attribute.THREADS_PER_MULTIPROCESSOR] // (-(-threads // 32) * 32), room
        )

    def cuLaunchKernel(
        self, function: int | None, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int,
        stream: int | None, parameters: int | None, extra: int | None,
    ) -> None:  # fmt: skip
        f = self._object(function, Function)
        kernel = f.kernel
        grid, block = (gx, gy, gz), (bx, by, bz)
        limits = [
            self._attributes[key]
            for key in (Attribute.MAX_GRID_X, Attribute.MAX_GRID_Y, Attribute.MAX_GRID_Z)
        ]
        if any(not 0 < extent <= limit for extent, limit in zip(grid, limits, strict=True)):
            raise Refused(Code.INVALID_VALUE, f"{kernel.name}: a grid of {grid} blocks")
        if min(block) < 1 or bz > 64 or not 0 < bx * by * bz <= kernel.max_threads:
            raise Refused(
                Code.INVALID_VALUE,
                f"{kernel.name}: a block of {block} threads, and there may be {kernel.max_threads}",
            )
        if shared > f.dynamic_shared:
            raise Refused(
                Code.INVALID_VALUE,
                f"{kernel.name}: {shared} bytes of dynamic shared memory, and {f.dynamic_shared} are allowed",
            )
        if extra or (kernel.parameters and not parameters):
            raise Refused(Code.INVALID_VALUE, f"{kernel.name}: no parameters")
        launch = Launch(grid, block, _parameters(kernel, parameters), shared)
        self._put(stream, lambda: self._run(kernel, launch))

    def cuLaunchKernelEx(
        self, config: Any, function: int | None, parameters: int | None, extra: int | None
    ) -> None:
        c = config[0]
        if c.attribute_count:
            raise Refused(Code.NOT_SUPPORTED, "attributes of launches are not emulated")
        extents = (c.grid_x, c.grid_y, c.grid_z, c.block_x, c.block_y, c.block_z)
        self.cuLaunchKernel(function, *extents, c.shared_bytes, c.stream, parameters, extra)

    def _run(self, kernel: Kernel, launch: Launch) -> None:
        self.launches.append(kernel.name)
        machine = Machine(kernel, launch, self.memory, self.random, self.options)
        try:
            self.instructions += machine.run()
        except Fault as fault:
            raise Fault(f"kernel {kernel.name}: {fault}", fault.code) from None

    # Memory

    def cuMemGetInfo_v2(self, free: Any, total: Any) -> None:
        free[0], total[0] = self.memory.size - self.memory.used, self.memory.size

    def cuMemAlloc_v2(self, address: Any, size: int) -> None:
        if not size:
            raise Refused(Code.INVALID_VALUE)
        try:
            address[0] = self.memory.allocate(size)
        except MemoryError:
            self.queues.wait_for_all()  # what is freed there can be had
            try:
                address[0] = self.memory.allocate(size)
            except MemoryError as error:
                raise Refused(Code.OUT_OF_MEMORY, f"out of memory: {error}") from None

    def cuMemAllocAsync(self, address: Any, size: int, stream: int | None) -> None:
        if not self._attributes[Attribute.MEMORY_POOLS]:
            raise Refused(Code.NOT_SUPPORTED)
        self._put(stream, lambda: None)
        self.cuMemAlloc_v2(address, size)

    def _check_block(self, address: int | None) -> int:
        allocation = self.memory.find(address or 0)
        if allocation is None or allocation.address != address or address in self._freed:
            raise Refused(Code.INVALID_VALUE, f"{address or 0:#x} is no block of memory")
        self._freed.add(allocation.address)
        return allocation.address

    def _release(self, address: int) -> None:
        self._freed.discard(address)
        self.memory.release(address)

    def cuMemFree_v2(self, address: int | None) -> None:
        block = self._check_block(address)
        self.queues.wait_for_all()
        self._release(block)

    def cuMemFreeAsync(self, address: int | None, stream: int | None) -> None:
        block = self._check_block(address)
        self._put(stream, lambda: self._release(block))

    def cuMemPoolSetAttribute(self, pool: int | None, attribute: int, value: int | None) -> None:
        self._object(pool, Handle)
        if attribute != PoolAttribute.RELEASE_THRESHOLD or not value:
            raise Refused(Code.INVALID_VALUE)
        self._threshold = ctypes.c_uint64.from_address(value).value

    def cuMemPoolGetAttribute(self, pool: int | None, attribute: int, value: int | None) -> None:
        self._object(pool, Handle)
        known = {
            PoolAttribute.RELEASE_THRESHOLD: self._threshold,
            PoolAttribute.RESERVED_BYTES: self.memory.peak,
            PoolAttribute.USED_BYTES: self.memory.used,
        }
        if attribute not in known or not value:
            raise Refused(Code.INVALID_VALUE)
        ctypes.c_uint64.from_address(value).value = known[attribute]

    def cuMemPoolTrimTo(self, pool: int | None, size: int) -> None:
        self._object(pool, Handle)

    def cuMemHostAlloc(self, address: Any, size: int, flags: int) -> None:
        block = (ctypes.c_ubyte * max(size, 1))()
        self._pinned[ctypes.addressof(block)] = block
        address[0] = ctypes.addressof(block)

    def cuMemFreeHost(self, address: int | None) -> None:
        if address not in self._pinned:
            raise Refused(Code.INVALID_VALUE)
        self.queues.wait_for_all()
        del self._pinned[address or 0]

    def _is_pinned(self, address: int) -> bool:
        return any(start <= address < start + ctypes.sizeof(block) for start, block in self._pinned.items())

    def cuMemcpyHtoDAsync_v2(
        self, target: int | None, source: int | None, size: int, stream: int | None
    ) -> None:
        span, start = self._span(target, size), source or 0
        if self._is_pinned(start):
            self._put(stream, lambda: _assign(span, ctypes.string_at(start, size)))
        else:  # the driver reads pageable memory before it returns
            data = ctypes.string_at(start, size)
            self._put(stream, lambda: _assign(span, data))

    def cuMemcpyDtoHAsync_v2(
        self, target: int | None, source: int | None, size: int, stream: int | None
    ) -> None:
        span = self._span(source, size)
        work = self._put(stream, lambda: _take(span, target or 0))
        if not self._is_pinned(target or 0):  # the driver writes pageable memory before it returns
            self.queues.finish(work)

    def cuMemcpyDtoDAsync_v2(
        self, target: int | None, source: int | None, size: int, stream: int | None
    ) -> None:
        to, of = self._span(target, size), self._span(source, size)
        self._put(stream, lambda: _assign(to, of.tobytes()))

    def cuMemsetD8Async(self, target: int | None, value: int, size: int, stream: int | None) -> None:
        span = self._span(target, size)
        self._put(stream, lambda: span.fill(value))

    def cuPointerGetAttribute(self, data: int | None, attribute: int, address: int | None) -> None:
        if not data or self.memory.find(address or 0) is None:
            raise Refused(Code.INVALID_VALUE)
        ctypes.c_int.from_address(data).value = {2: 2, 9: 0}[attribute]

    # Streams and events

    def cuStreamCreate(self, stream: Any, flags: int) -> None:
        value = Stream(0)
        value.handle = stream[0] = self._new(value)
        self.queues.add(value.handle, bool(flags & 1))

    def cuStreamDestroy_v2(self, stream: int | None) -> None:
        self._forget(stream, Stream)
        self.queues.remove(stream or 0)

    def _check_stream(self, stream: int | None) -> int:
        if (stream or 1) not in self.queues.queues:
            raise Refused(Code.INVALID_HANDLE, f"{stream or 0:#x} is no stream")
        return stream or 1

    def cuStreamSynchronize(self, stream: int | None) -> None:
        self.queues.wait(self._check_stream(stream))

    def cuStreamQuery(self, stream: int | None) -> int:
        queue = self.queues.queues[self._check_stream(stream)]
        if queue:
            self.queues.step()  # who asks often enough gets there
        return Code.NOT_READY if queue else 0

    def cuStreamWaitEvent(self, stream: int | None, event: int | None, flags: int) -> None:
        work = self._object(event, Event).work
        if work is not None:
            self._put(stream, lambda: None, work)

    def cuEventCreate(self, event: Any, flags: int) -> None:
        event[0] = self._new(Event(None))

    def cuEventDestroy_v2(self, event: int | None) -> None:
        self._forget(event, Event)

    def cuEventRecord(self, event: int | None, stream: int | None) -> None:
        value = self._object(event, Event)
        value.work = self._put(stream, lambda: None)

    def cuEventQuery(self, event: int | None) -> int:
        work = self._object(event, Event).work
        if work is None or work.done:
            return 0
        self.queues.step()
        return Code.NOT_READY

    def cuEventSynchronize(self, event: int | None) -> None:
        work = self._object(event, Event).work
        if work is not None:
            self.queues.finish(work)

    def cuEventElapsedTime(self, milliseconds: Any, start: int | None, end: int | None) -> int:
        first, last = (self._object(event, Event).work for event in (start, end))
        if first is None or last is None:
            return Code.INVALID_HANDLE
        if not (first.done and last.done):
            return Code.NOT_READY
        milliseconds[0] = 1000 * (last.time - first.time)
        return 0


def _take(span: Any, target: int) -> None:
    ctypes.memmove(target, span.ctypes.data, span.size)


def _assign(span: Any, data: bytes) -> None:
    span[...] = np.frombuffer(data, np.uint8)


def _parameters(kernel: Kernel, pointers: int | None) -> bytes:
    """The parameters of a launch, as they lie one after the other."""
    if not kernel.parameters or not pointers:
        return b""
    data = bytearray(kernel.parameters[-1][0] + kernel.parameters[-1][1])
    table = (ctypes.c_void_p * len(kernel.parameters)).from_address(pointers)
    for pointer, (offset, size) in zip(table, kernel.parameters, strict=True):
        if not pointer:
            raise Refused(Code.INVALID_VALUE, f"{kernel.name}: a parameter without an address")
        data[offset : offset + size] = ctypes.string_at(pointer, size)
    return bytes(data)


def _write_log(text: str, count: int, options: int | None, values: int | None) -> None:
    """Put a text where the caller wants errors."""
    if not count or not options or not values:
        return
    names = (ctypes.c_int * count).from_address(options)
    given = (ctypes.c_void_p * count).from_address(values)
    table = dict(zip(names, given, strict=True))
    size = table.get(JitOption.ERROR_LOG_BYTES) or 0
    buffer = table.get(JitOption.ERROR_LOG)
    if buffer and size:
        data = text.encode()[: size - 1] + b"\0"
        ctypes.memmove(buffer, data, len(data))


__all__ = ["Emulator"]
