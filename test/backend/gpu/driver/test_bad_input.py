"""What is wrong with a machine, a card or a program: one error each, which says what, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.ptx import kernel
from weft.backend.gpu.driver.device import Device
from weft.backend.gpu.driver.library import Library, load_driver
from weft.backend.gpu.driver.memory import Memory
from weft.backend.gpu.driver.modules import Module
from weft.backend.gpu.driver.signatures import BREAKING, FUNCTION_TYPES, Code
from weft.backend.gpu.driver.streams import Stream
from weft_emulator.error_texts import ERRORS
from weft_emulator.library import Emulator

SMALL = 1 << 18


def _failing(name: str, code: int, times: int = 1 << 30) -> Library:
    """A driver of which a function gives a code, so many times."""
    emulator = Emulator(memory_bytes=SMALL)
    own = emulator.functions[name]
    left = iter(range(times))

    def function(*arguments: Any) -> int:
        return int(own(*arguments)) if next(left, None) is None else code

    return Library({**emulator.functions, name: FUNCTION_TYPES[name](function)}, "a driver")


def _no_driver() -> None:
    load_driver("libcuda-of-nobody.so.1")


def _old_driver() -> None:
    Device(Library(Emulator(driver_version=11080, memory_bytes=SMALL).functions, "a driver"))


def _no_card() -> None:
    Device(Library(Emulator(devices=0, memory_bytes=SMALL).functions, "a driver"))


def _card_of_another() -> None:
    Device(_failing("cuDevicePrimaryCtxRetain", Code.DEVICE_UNAVAILABLE))


def _fallen_off() -> None:
    Device(_failing("cuCtxSynchronize", Code.UNKNOWN)).synchronize()


def _damaged_memory() -> None:
    Device(_failing("cuCtxSynchronize", Code.ECC_UNCORRECTABLE)).synchronize()


def _damaged_link() -> None:
    Device(_failing("cuCtxSynchronize", Code.NVLINK_UNCORRECTABLE)).synchronize()


def _context_is_gone() -> None:
    Device(_failing("cuCtxSynchronize", Code.CONTEXT_IS_DESTROYED)).synchronize()


def _never_ends() -> None:
    Device(_failing("cuCtxSynchronize", Code.LAUNCH_TIMEOUT)).synchronize()


def _illegal_address() -> None:
    device = Device(Library(Emulator(memory_bytes=SMALL).functions, "a driver"))
    stream = Stream.default(device)
    body = "    mov.b64 %d9, 64;\n    ld.global.b32 %r1, [%d9];"
    function = Module(device, kernel(body, 0, name="astray")).function("astray")
    function.launch((1, 1, 1), (32, 1, 1), [], stream)
    device.synchronize()


def _out_of_memory() -> None:
    device = Device(Library(Emulator(memory_bytes=SMALL).functions, "a driver"))
    Memory(device).allocate(1 << 30, Stream.default(device))


BAD: dict[Callable[[], None], str] = {
    _no_driver: r"no CUDA driver on this machine \(libcuda-of-nobody",
    _old_driver: r"the driver is one for CUDA 11\.8, and weft needs .* install a newer driver",
    _no_card: "there is a driver, and no GPU that it can use",
    _card_of_another: "another process has the GPU for itself, or it does not answer; see nvidia-smi",
    _fallen_off: "if nvidia-smi does not list the GPU any more, it has fallen off the bus: restart the machine",
    _damaged_memory: "its memory has lost bits: reset the GPU",
    _damaged_link: "the link to another GPU has lost data",
    _context_is_gone: "another library of the process has destroyed the context",
    _never_ends: r"a kernel ran longer than the system lets it: does a loop of it end\?",
    _illegal_address: r"kernel astray: ld\.global\.b32 .*the GPU can do nothing more in this process",
    _out_of_memory: "out of memory on cuda:0: 1 GiB are needed, and .* are free",
}


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.__name__.strip("_"))
def test_each_has_an_error_that_says_what_to_do(bad: Callable[[], None]) -> None:
    with pytest.raises(weft.DeviceError, match=BAD[bad]) as caught:
        bad()
    assert len(str(caught.value)) < 600
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("code", sorted(BREAKING - {721}))
def test_what_breaks_the_context_is_told_again_by_all_that_follows(code: int) -> None:
    device = Device(_failing("cuCtxSynchronize", code, times=1))
    name, text = ERRORS[code]
    with pytest.raises(weft.DeviceError, match=f"{name}: {text}.*can do nothing more in this process"):
        device.synchronize()
    with pytest.raises(
        weft.DeviceError, match=f"cannot be used any more, because of an earlier error: .*{name}"
    ):
        device.synchronize()


def test_a_card_that_is_too_old_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from weft.backend.gpu.devices.open_devices import OpenDevice

    device = OpenDevice(Library(Emulator(memory_bytes=SMALL).functions, "a driver"), 0)
    properties = device.device.properties
    monkeypatch.setattr(
        device.device, "properties", type(properties)(**{**_fields(properties), "arch": (6, 1)})
    )
    with pytest.raises(
        weft.DeviceError, match=r"has the compute capability 6\.1, and weft needs a GPU with 7\.0 or more"
    ):
        _ = device.target


def _fields(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in type(record).__annotations__}


def test_arrays_of_the_processor_and_of_a_card_by_their_function() -> None:
    with weft.settings.scope(cuda="emulator"):
        x = weft.device_put(np.ones(3))
        with pytest.raises(
            weft.WeftValueError, match="argument 'x' lies on cuda:0, and the function runs on cpu; copy"
        ):
            weft.function(lambda x: x + 1, device="cpu")(x)
        with pytest.raises(weft.DeviceError, match="there is no device cuda:3"):
            weft.device_put(np.ones(2), "cuda:3")


def test_memory_that_runs_out_is_given_back_and_asked_for_again() -> None:
    device = Device(_failing("cuMemAllocFromPoolAsync", Code.OUT_OF_MEMORY, times=1))
    trimmed: list[int] = []
    call = device.call

    def noted(name: str, *arguments: Any) -> None:
        if name == "cuMemPoolTrimTo":
            trimmed.append(1)
        call(name, *arguments)

    device.call = noted  # type: ignore[method-assign]
    block = Memory(device).allocate(64, Stream.default(device))
    assert block.address
    assert trimmed == [1]
