"""Modules: code that is loaded on a device, and its kernels."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from ....dialect.errors import DeviceError, InternalError
from .device import Device
from .signatures import Code, FunctionAttribute, JitOption
from .streams import Stream

_LOG_BYTES = 8192
NOT_THIS_CODE = (
    Code.INVALID_PTX,
    Code.INVALID_IMAGE,
    Code.NO_BINARY_FOR_GPU,
    Code.UNSUPPORTED_PTX_VERSION,
    Code.JIT_COMPILER_NOT_FOUND,
)
"""Codes with which the driver refuses an image although it may take another one of the same module."""


class Module:
    """Code on a device: machine code if there is some that the device takes, else PTX, which the driver assembles."""

    def __init__(self, device: Device, ptx: str, cubin: bytes | None = None) -> None:
        """Load code; DeviceError when the driver is too old for it, InternalError with the log when it is wrong."""
        self.device = device
        self.assembled_by_driver = cubin is None
        self._handle = ctypes.c_void_p()
        if cubin is not None:
            code, _ = self._load(cubin)
            if code not in NOT_THIS_CODE:
                device.check(code, "cuModuleLoadDataEx")
                return
            self.assembled_by_driver = True
        code, log = self._load(ptx.encode() + b"\0")
        if code == Code.INVALID_PTX:
            what = f"{device.doing}: " if device.doing else ""
            raise InternalError(
                f"{what}the driver does not take the code of a kernel: {log or 'it gives no reason'}"
            )
        if code and log:
            with device.working_on(log):
                device.check(code, "cuModuleLoadDataEx")
        device.check(code, "cuModuleLoadDataEx")

    def _load(self, image: bytes) -> tuple[int, str]:
        """The code of the driver, and what its assembler says."""
        log = ctypes.create_string_buffer(_LOG_BYTES)
        options = (ctypes.c_int * 2)(JitOption.ERROR_LOG, JitOption.ERROR_LOG_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), _LOG_BYTES)
        self.device.use()
        code = self.device.library.code(
            "cuModuleLoadDataEx", ctypes.byref(self._handle), ctypes.c_char_p(image), 2, options, values
        )
        return code, log.value.decode(errors="replace").strip()

    def function(self, name: str) -> Function:
        """A kernel; DeviceError if the module has none of that name."""
        handle = ctypes.c_void_p()
        self.device.call("cuModuleGetFunction", ctypes.byref(handle), self._handle, name.encode())
        assert handle.value is not None
        return Function(self, name, handle.value)

    def variable(self, name: str) -> tuple[int, int]:
        """The address and the size of a variable in device memory."""
        address, size = ctypes.c_void_p(), ctypes.c_size_t()
        self.device.call(
            "cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), self._handle, name.encode()
        )
        assert address.value is not None
        return address.value, size.value

    def unload(self) -> None:
        """Remove the code from the device; its kernels cannot be launched any more."""
        handle, self._handle = self._handle, ctypes.c_void_p()
        if handle:
            self.device.call("cuModuleUnload", handle)

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            self.device.call_quietly("cuModuleUnload", handle)


class Function:
    """A kernel on a device."""

    def __init__(self, module: Module, name: str, handle: int) -> None:
        self.module = module
        self.device = module.device
        self.name = name
        self.handle = handle
        """As `cuLaunchKernel` takes it."""
        self.allowed_shared_bytes = 0

    def attribute(self, attribute: int) -> int:
        """One of `signatures.FunctionAttribute`."""
        value = ctypes.c_int()
        self.device.call("cuFuncGetAttribute", ctypes.byref(value), attribute, self.handle)
        return value.value

    @property
    def registers(self) -> int:
        """How many registers of 32 bits a thread needs."""
        return self.attribute(FunctionAttribute.REGISTERS)

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a block, without what a launch adds."""
        return self.attribute(FunctionAttribute.SHARED_BYTES)

    @property
    def max_threads(self) -> int:
        """How many threads a block may have."""
        return self.attribute(FunctionAttribute.MAX_THREADS)

    def allow_shared(self, size: int) -> None:
        """Let launches add so much shared memory; DeviceError where the device has less.

        Launches with more than 48 KiB fail without it. Native code that launches needs it once.
        """
        if size > self.allowed_shared_bytes:
            properties = self.device.properties
            total = size + self.shared_bytes
            if total > properties.shared_bytes_opt_in:
                raise DeviceError(
                    f"{self.name} needs {total} bytes of shared memory a block, and {self.device!r} has "
                    f"{properties.shared_bytes_opt_in}"
                )
            self.device.call(
                "cuFuncSetAttribute", self.handle, FunctionAttribute.MAX_DYNAMIC_SHARED_BYTES, size
            )
            self.allowed_shared_bytes = size

    def launch(
        self,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        arguments: Sequence[Any],
        stream: Stream,
        shared: int = 0,
    ) -> None:
        """Launch the kernel with arguments of ctypes; native code calls `cuLaunchKernel` itself."""
        if shared > self.device.properties.shared_bytes:
            self.allow_shared(shared)
        pointers = (ctypes.c_void_p * max(len(arguments), 1))(
            *[ctypes.addressof(value) for value in arguments]
        )
        self.device.doing = f"kernel {self.name}"
        self.device.call("cuLaunchKernel", self.handle, *grid, *block, shared, stream.handle, pointers, None)
