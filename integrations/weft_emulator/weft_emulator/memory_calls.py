"""The functions of the driver for memory and copies."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np

from weft.backend.gpu.driver.signatures import Attribute, Code, PoolAttribute

from .state import Handle, Refused, State


class MemoryCalls(State):
    """Blocks, pinned memory and copies."""

    def cuMemGetInfo_v2(self, free: Any, total: Any) -> None:
        free[0], total[0] = self.memory.size - self.memory.used, self.memory.size

    def cuMemAlloc_v2(self, address: Any, size: int) -> None:
        if not size:
            raise Refused(Code.INVALID_VALUE)
        try:
            address[0] = self.memory.allocate(size, self._device())
        except MemoryError:
            self.queues.wait_for_all()  # what is freed there can be had
            try:
                address[0] = self.memory.allocate(size, self._device())
            except MemoryError as error:
                raise Refused(Code.OUT_OF_MEMORY, f"out of memory: {error}") from None

    def _device(self) -> int:
        """The device of the current context."""
        context: Handle = self._object(self._current[threading.get_ident()], Handle)
        return context.device

    def cuMemPoolCreate(self, pool: Any, properties: Any) -> None:
        known = properties[0]
        if not self._attributes[Attribute.MEMORY_POOLS]:
            raise Refused(Code.NOT_SUPPORTED)
        kinds = known.allocation_type, known.handle_types, known.location_type, known.usage, *known.reserved
        if kinds != (1, 0, 1, *[0] * 55) or not 0 <= known.location < self.devices:
            raise Refused(Code.INVALID_VALUE, "a pool that is not of pinned memory of a device is not known")
        pool[0] = self._new(Handle("pool", known.location))

    def cuMemPoolDestroy(self, pool: int | None) -> None:
        if self._object(pool, Handle).what != "pool":
            raise Refused(Code.INVALID_HANDLE)
        self._forget(pool, Handle)

    def cuMemAllocFromPoolAsync(self, address: Any, size: int, pool: int | None, stream: int | None) -> None:
        if not self._attributes[Attribute.MEMORY_POOLS]:
            raise Refused(Code.NOT_SUPPORTED)
        if self._object(pool, Handle).what != "pool":
            raise Refused(Code.INVALID_HANDLE)
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

    def cuMemcpyPeerAsync(
        self,
        target: int | None,
        target_context: int | None,
        source: int | None,
        source_context: int | None,
        size: int,
        stream: int | None,
    ) -> None:
        for address, context in ((target, target_context), (source, source_context)):
            allocation, known = self.memory.find(address or 0), self._object(context, Handle)
            if allocation is None or allocation.device != known.device:
                raise Refused(Code.INVALID_VALUE, f"{address or 0:#x} is no memory of that context's device")
        self.cuMemcpyDtoDAsync_v2(target, source, size, stream)

    def cuMemsetD8Async(self, target: int | None, value: int, size: int, stream: int | None) -> None:
        span = self._span(target, size)
        self._put(stream, lambda: span.fill(value))

    def cuPointerGetAttribute(self, data: int | None, attribute: int, address: int | None) -> None:
        allocation = self.memory.find(address or 0)
        if not data or allocation is None:
            raise Refused(Code.INVALID_VALUE)
        ctypes.c_int.from_address(data).value = {2: 2, 9: allocation.device}[attribute]


def _take(span: Any, target: int) -> None:
    ctypes.memmove(target, span.ctypes.data, span.size)


def _assign(span: Any, data: bytes) -> None:
    span[...] = np.frombuffer(data, np.uint8)


__all__ = ["MemoryCalls"]
