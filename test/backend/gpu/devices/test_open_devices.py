"""What code GPUs run that weft does not know by name, and what users are told of those that cannot be used."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.gpu.devices import libraries, open_devices
from weft.backend.gpu.devices.open_devices import OpenDevice
from weft.backend.gpu.driver.device import Device
from weft.backend.gpu.driver.library import Library
from weft.backend.gpu.driver.signatures import Code, JitOption
from weft.backend.target import gpu_target
from weft_emulator.library import Emulator
from weft_emulator.state import Refused


class Faulty(Emulator):
    """An emulator whose waits tell of a fault, or whose assembler refuses all code."""

    is_gone = False
    log = b""

    def cuStreamSynchronize(self, *arguments: Any) -> None:
        if self.is_gone:
            raise Refused(Code.ILLEGAL_ADDRESS)
        super().cuStreamSynchronize(*arguments)

    def cuLaunchKernel(self, *arguments: Any) -> None:
        if self.is_gone:
            raise Refused(Code.ILLEGAL_ADDRESS)
        super().cuLaunchKernel(*arguments)

    def cuModuleLoadDataEx(self, place: int, image: int, count: int, options: int, values: int) -> None:
        if self.log:
            assert ctypes.c_int.from_address(options).value == JitOption.ERROR_LOG
            ctypes.memmove(ctypes.c_uint64.from_address(values).value, self.log, len(self.log))
            raise Refused(Code.INVALID_PTX)
        super().cuModuleLoadDataEx(place, image, count, options, values)


@pytest.fixture
def emulator(monkeypatch: pytest.MonkeyPatch) -> Iterator[Faulty]:
    """A driver of this test alone."""
    made = Faulty()
    monkeypatch.setitem(libraries._loaded, "emulator", Library(made.functions, "the emulator"))
    monkeypatch.setattr(open_devices, "_open", {})
    monkeypatch.setattr(open_devices, "_by_name", {})
    with weft.settings.scope(cuda="emulator"):
        yield made


@pytest.mark.parametrize(
    ("arch", "shared", "target"),
    [
        ((7, 0), 96, "sm_70"),
        ((7, 2), 96, "sm_70"),
        ((7, 5), 64, "sm_75"),
        ((8, 0), 163, "sm_80"),
        ((8, 6), 99, "sm_86"),
        ((8, 7), 163, "sm_86"),
        ((8, 9), 99, "sm_89"),
        ((9, 0), 227, "sm_90a"),
        ((10, 0), 227, "sm_90"),  # which does not run the code of sm_90a
        ((12, 0), 99, "sm_89"),  # blocks of sm_90 may have more memory than there is
        ((6, 1), 96, None),
    ],
)
def test_the_code_that_a_gpu_runs(arch: tuple[int, int], shared: int, target: str | None) -> None:
    assert gpu_target(arch, shared << 10) == target


def test_a_gpu_that_is_newer_than_weft() -> None:
    device = OpenDevice(Library(Emulator(arch=(10, 0)).functions, "the emulator"), 0)
    assert device.target == "sm_90"


def test_a_gpu_that_is_too_old() -> None:
    device = OpenDevice(Library(Emulator(arch=(6, 1)).functions, "the emulator"), 0)
    with pytest.raises(
        weft.DeviceError,
        match=r"cuda:0 \(.*\) has the compute capability 6\.1, and weft needs a GPU with 7\.0 or more",
    ):
        _ = device.target


def test_a_fault_that_is_told_late_says_how_to_find_the_kernel(emulator: Faulty) -> None:
    y = weft.function(lambda x: x + 1)(weft.device_put(np.ones(3)))
    emulator.is_gone = True
    with pytest.raises(
        weft.DeviceError, match="with CUDA_LAUNCH_BLOCKING=1 in the environment, it is told at"
    ):
        np.asarray(y)
    with pytest.raises(weft.DeviceError, match="cannot be used any more, because of an earlier error"):
        np.asarray(y)


def test_a_fault_that_is_told_at_its_launch_names_the_kernel(emulator: Faulty) -> None:
    f, x = weft.function(lambda x: np.sin(x) + 1), weft.device_put(np.ones(3))
    f(x)
    emulator.is_gone = True
    with pytest.raises(
        weft.DeviceError, match="lambda, kernel_0: cuLaunchKernel gives CUDA_ERROR_ILLEGAL"
    ) as told:
        f(x)
    assert "CUDA_LAUNCH_BLOCKING" not in str(told.value)


def test_code_that_the_driver_refuses_is_told_with_its_log(emulator: Faulty) -> None:
    emulator.log = b"ptxas error: line 7: it is too strange"
    with pytest.raises(
        weft.InternalError,
        match=r"^lambda: the driver does not take the code of a kernel: ptxas error: line 7: it is too strange",
    ):
        weft.function(lambda x: np.cos(x) * 3)(weft.device_put(np.ones(3)))


def test_kernels_of_a_program_are_loaded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []

    class Module(open_devices.Module):
        def __init__(self, device: Device, ptx: str, cubin: bytes | None = None) -> None:
            loaded.append(ptx)
            super().__init__(device, ptx, cubin)

    monkeypatch.setattr(open_devices, "Module", Module)
    with weft.settings.scope(cuda="emulator"):
        function = weft.function(lambda x: (np.cumsum(x), x @ x.T), device="cuda")
        sums, _ = function(np.ones((3, 4)))
    assert sums[-1] == 12.0
    (ptx,) = loaded
    assert ptx.count(".entry") > 1
