"""The functions of the driver for modules and kernels."""

from __future__ import annotations

import ctypes
from typing import Any

from weft.backend.gpu.driver.signatures import Attribute, Code, FunctionAttribute, JitOption

from .faults import Fault, PTXError
from .kernel import Kernel
from .machine import Launch, Machine
from .modules import Module, OtherTarget, UnsupportedVersion
from .state import DEFAULT_SHARED, Function, Refused, State
from .tensor_maps import MAP_ALIGNMENT, MAP_BYTES, TensorMap


class ModuleCalls(State):
    """Loading, asking and launching."""

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
        loaded = self._forget(module, Module)
        for function in loaded.functions:
            self._forget(function, Function)
        loaded.unload()

    def cuModuleGetFunction(self, function: Any, module: int | None, name: bytes) -> None:
        loaded = self._object(module, Module)
        kernel = loaded.kernels.get(name.decode())
        if kernel is None:
            raise Refused(Code.NOT_FOUND, f"the module has no kernel {name.decode()}")
        function[0] = self._new(Function(kernel, max(0, DEFAULT_SHARED - kernel.shared_size)))
        loaded.functions.append(function[0])

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

    def cuLaunchKernel(
        self, function: int | None, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int,
        stream: int | None, parameters: int | None, extra: int | None,
    ) -> None:  # fmt: skip
        kernel, launch = self._launch_of(function, (gx, gy, gz), (bx, by, bz), shared, parameters, extra)
        self._put(stream, lambda: self._run(kernel, launch))

    def _launch_of(
        self,
        function: int | None,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        shared: int,
        parameters: int | None,
        extra: int | None,
    ) -> tuple[Kernel, Launch]:
        """A launch, checked, with the parameters as they are now."""
        f = self._object(function, Function)
        kernel = f.kernel
        bx, by, bz = block
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
        return kernel, Launch(grid, block, _parameters(kernel, parameters), shared)

    def cuLaunchKernelEx(
        self, config: Any, function: int | None, parameters: int | None, extra: int | None
    ) -> None:
        c = config[0]
        if c.attribute_count:
            raise Refused(Code.NOT_SUPPORTED, "attributes of launches are not emulated")
        extents = (c.grid_x, c.grid_y, c.grid_z, c.block_x, c.block_y, c.block_z)
        self.cuLaunchKernel(function, *extents, c.shared_bytes, c.stream, parameters, extra)

    def cuTensorMapEncodeTiled(
        self, map_: int | None, kind: int, rank: int, array: int | None, extents: int | None, strides: int | None,
        box: int | None, steps: int | None, interleave: int, swizzle: int, promotion: int, fill: int,
    ) -> None:  # fmt: skip
        if not map_ or map_ % MAP_ALIGNMENT or not extents or not box or not steps or not 0 < rank <= 5:
            raise Refused(Code.INVALID_VALUE, "a tensor map that is not aligned to 64 bytes, or of nothing")
        long, short = ctypes.c_uint64, ctypes.c_uint32
        told = TensorMap(
            kind,
            array or 0,
            tuple((long * rank).from_address(extents)),
            tuple((long * (rank - 1)).from_address(strides)) if strides else (),
            tuple((short * rank).from_address(box)),
            swizzle,
            tuple((short * rank).from_address(steps)),
        )
        error = told.error()
        if interleave or fill:
            error = "a kind of tensor map that is not emulated"
        if error:
            raise Refused(Code.INVALID_VALUE, error)
        ctypes.memmove(map_, told.encoded(), MAP_BYTES)

    def _run(self, kernel: Kernel, launch: Launch) -> None:
        self.launches.append(kernel.name)
        machine = Machine(kernel, launch, self.memory, self.random, self.options)
        try:
            self.instructions += machine.run()
        except Fault as fault:
            raise Fault(f"kernel {kernel.name}: {fault}", fault.code) from None


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


__all__ = ["ModuleCalls"]
