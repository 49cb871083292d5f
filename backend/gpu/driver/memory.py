"""Device memory: blocks, and copies between them and the host."""

from __future__ import annotations

import ctypes
import gc
import sys
import threading

from .device import Device
from .errors import out_of_memory
from .signatures import Code, PoolAttribute, PoolProperties
from .streams import Event, Stream

STAGED_BYTES = 64 << 10
"""From here on copies go through pinned memory, which the device reads by itself."""
KEPT_PART = 4
"""Of the memory of a device so much, a quarter, is kept when it is freed; more goes back to other libraries."""
STAGE_BYTES = 4 << 20
"""The size of a block of pinned memory."""


class Block:
    """A block of device memory; it is freed, on the stream that used it last, when nobody has it any more."""

    __slots__ = ("__weakref__", "_memory", "address", "size", "stream")

    def __init__(self, memory: Memory, address: int, size: int, stream: Stream) -> None:
        self._memory: Memory | None = memory
        self.address = address
        self.size = size
        self.stream = stream
        """The stream of the last use: assign to it when another stream uses the block."""

    @property
    def is_free(self) -> bool:
        """Whether it was freed."""
        return self._memory is None

    def free(self) -> None:
        """Free it now."""
        if self._memory is not None:
            memory, self._memory = self._memory, None
            memory.release(self.address, self.stream)

    def drop(self) -> None:
        """Free it now if it was not freed yet, where nobody can catch an error."""
        memory = self._memory
        if memory is not None:
            self._memory = None
            memory.release_quietly(self.address, self.stream.handle)

    __del__ = drop


class _Stage:
    """A block of pinned memory, and what uses it."""

    def __init__(self, device: Device) -> None:
        address = ctypes.c_void_p()
        device.call("cuMemHostAlloc", ctypes.byref(address), STAGE_BYTES, 0)
        assert address.value is not None
        self.address = address.value
        self.event = Event(device)


class Memory:
    """The memory of a device."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self._free = device.library.function("cuMemFreeAsync")
        self._stages: list[_Stage] = []
        self._lock = threading.Lock()
        self.pool = self._make_pool() if device.properties.has_pools else 0
        """The handle of the pool that all is allocated from; 0 where the device has none."""

    def _make_pool(self) -> int:
        """A pool that keeps some of what is freed, so that the next allocation takes no call of the system.

        It is not the default one, in which other libraries allocate by their own rules.
        """
        properties = PoolProperties(allocation_type=1, location_type=1, location=self.device.number)
        pool = ctypes.c_void_p()
        self.device.call("cuMemPoolCreate", ctypes.byref(pool), ctypes.byref(properties))
        kept = ctypes.c_uint64(self.device.properties.memory_bytes // KEPT_PART)
        self.device.call("cuMemPoolSetAttribute", pool, PoolAttribute.RELEASE_THRESHOLD, ctypes.byref(kept))
        return pool.value or 0

    def trim(self) -> None:
        """Give what is freed back to the system."""
        if self.device.properties.has_pools:
            self.device.synchronize()
            self.device.call("cuMemPoolTrimTo", self.pool, 0)

    # Blocks

    def allocate(self, size: int, stream: Stream) -> Block:
        """A block for use on a stream; DeviceMemoryError, with nothing lost, when there is no room."""
        return Block(self, self.allocate_address(size, stream), size, stream)

    def allocate_address(self, size: int, stream: Stream) -> int:
        """The address of a block that has to be freed by `release`."""
        address = ctypes.c_void_p()
        device = self.device
        device.use()
        name = "cuMemAllocFromPoolAsync" if self.pool else "cuMemAlloc_v2"
        arguments = (self.pool, stream.handle) if self.pool else ()
        code = device.library.code(name, ctypes.byref(address), max(size, 1), *arguments)
        if code == Code.OUT_OF_MEMORY:
            gc.collect()  # arrays that only each other's owners have
            self.trim()  # what other streams have freed
            code = device.library.code(name, ctypes.byref(address), max(size, 1), *arguments)
        if code == Code.OUT_OF_MEMORY:
            free, total = device.free_memory()
            raise out_of_memory(size, free, total, repr(device))
        device.check(code, name)
        assert address.value is not None
        return address.value

    def release(self, address: int, stream: Stream) -> None:
        """Free a block once a stream has done what was asked of it until now."""
        device = self.device
        if device.properties.has_pools:
            device.call("cuMemFreeAsync", address, stream.handle)
        else:
            device.call("cuMemFree_v2", address)

    def release_quietly(self, address: int, stream: int) -> None:
        """The same where nobody can catch an error: see `Device.call_quietly`. It ends most calls, so it is quick."""
        device = self.device
        if not device.properties.has_pools:
            device.call_quietly("cuMemFree_v2", address)
            return
        try:
            if not sys.is_finalizing():
                device.use()
                self._free(address, stream)
        except Exception:
            pass

    # Copies

    def copy_in(self, target: int, source: int, size: int, stream: Stream) -> None:
        """Copy from an address of the host; it may be written again when this returns."""
        if size < STAGED_BYTES:
            if size:
                self.device.call("cuMemcpyHtoDAsync_v2", target, source, size, stream.handle)
            return
        with self._lock:
            stages = self._stage_blocks()
            for number, start in enumerate(range(0, size, STAGE_BYTES)):
                stage = stages[number % len(stages)]
                part = min(STAGE_BYTES, size - start)
                stage.event.synchronize()
                ctypes.memmove(stage.address, source + start, part)
                self.device.call("cuMemcpyHtoDAsync_v2", target + start, stage.address, part, stream.handle)
                stream.record(stage.event)

    def copy_out(self, target: int, source: int, size: int, stream: Stream) -> None:
        """Copy to an address of the host, and wait until it is there."""
        if size < STAGED_BYTES:
            if size:
                self.device.call("cuMemcpyDtoHAsync_v2", target, source, size, stream.handle)
            stream.synchronize()
            return
        with self._lock:
            stages = self._stage_blocks()
            pending: tuple[_Stage, int, int] | None = None
            for number, start in enumerate(range(0, size, STAGE_BYTES)):
                stage = stages[number % len(stages)]
                part = min(STAGE_BYTES, size - start)
                stage.event.synchronize()
                self.device.call("cuMemcpyDtoHAsync_v2", stage.address, source + start, part, stream.handle)
                stream.record(stage.event)
                if pending is not None:
                    _take(target, *pending)
                pending = (stage, start, part)
            assert pending is not None
            _take(target, *pending)

    def copy(self, target: int, source: int, size: int, stream: Stream) -> None:
        """Copy within the device."""
        if size:
            self.device.call("cuMemcpyDtoDAsync_v2", target, source, size, stream.handle)

    def copy_from(self, target: int, source: int, other: Device, size: int, stream: Stream) -> None:
        """Copy from another device, on a stream of that one: over the link between them, where there is one."""
        if size:
            own = self.device.context
            other.call("cuMemcpyPeerAsync", target, own, source, other.context, size, stream.handle)

    def fill(self, target: int, byte: int, size: int, stream: Stream) -> None:
        """Set all bytes of a block."""
        if size:
            self.device.call("cuMemsetD8Async", target, byte, size, stream.handle)

    def _stage_blocks(self) -> list[_Stage]:
        while len(self._stages) < 2:
            self._stages.append(_Stage(self.device))
        return self._stages


def _take(target: int, stage: _Stage, start: int, size: int) -> None:
    """Copy what has come into pinned memory to where it belongs."""
    stage.event.synchronize()
    ctypes.memmove(target + start, stage.address, size)
