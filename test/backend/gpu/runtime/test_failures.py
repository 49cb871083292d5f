"""What goes wrong on a device: each a clear error, and nothing is lost."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

import weft
from weft.backend.gpu.devices import libraries, open_devices
from weft.backend.gpu.devices.open_devices import OpenDevice, open_device
from weft.backend.gpu.driver.library import Library
from weft.backend.gpu.driver.modules import Function
from weft.backend.planning.plan import DeviceKernel
from weft_emulator.library import Emulator

MEMORY = 1 << 20


@pytest.fixture
def emulator(monkeypatch: pytest.MonkeyPatch) -> Iterator[Emulator]:
    """A driver of the test's own, with little memory."""
    made = Emulator(memory_bytes=MEMORY)
    monkeypatch.setitem(libraries._loaded, "emulator", Library(made.functions, "the emulator"))
    monkeypatch.setattr(open_devices, "_open", {})  # others do not wait for what is broken here
    monkeypatch.setattr(open_devices, "_by_name", {})
    with weft.settings.scope(cuda="emulator"):
        yield made


def free_bytes() -> int:
    weft.synchronize()  # what is freed on a stream is freed in its turn
    return open_device("cuda").device.free_memory()[0]


def test_memory_that_is_not_there(emulator: Emulator) -> None:
    """Arguments, results, intermediates and growing blocks that do not fit: sizes are told, and all is given back."""

    @weft.function(
        device="cuda", input_signature=[weft.TensorSpec((None,), "float64"), weft.TensorSpec((), "int64")]
    )
    def f(x, n):
        return np.zeros(n) + 1, x.sum()

    assert f(np.ones(10), 3)[0].shape == (3,)
    free = free_bytes()
    for arguments, what in [
        (
            (np.ones(MEMORY // 8 + 1), 1),
            rf"the arguments of f need {MEMORY + 8} bytes: out of memory on cuda:0",
        ),
        ((np.ones(10), MEMORY), rf"the arrays of f need a block of {8 * MEMORY} bytes of memory"),
    ]:
        with pytest.raises(MemoryError, match=what):
            f(*arguments)
        assert free_bytes() == free
        assert f(np.ones(10), 3)[1] == 10


def test_a_kernel_that_faults(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told, and the device cannot be used any more: not by functions that worked before either."""
    before = weft.function(lambda x: x + 1, device="cuda")
    assert before(np.ones(4))[0] == 2.0
    load = OpenDevice.kernels

    def load_broken(device: OpenDevice, kernels: Sequence[DeviceKernel]) -> list[Function]:
        store = re.compile(r"(st\.global\S*\s+\[%\w+)")
        return load(device, [kernel._replace(ptx=store.sub(r"\1+4096", kernel.ptx)) for kernel in kernels])

    monkeypatch.setattr(OpenDevice, "kernels", load_broken)
    failing = weft.function(lambda x: x * 3, name="failing", device="cuda")
    told = r"failing: \w+ gives CUDA_ERROR_ILLEGAL_ADDRESS(.|\n)*the GPU can do nothing more in this process"
    with pytest.raises(weft.DeviceError, match=told):
        failing(np.ones(4))
    with pytest.raises(weft.DeviceError, match="cuda:0 cannot be used any more, because of an earlier error"):
        before(np.ones(4))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_child(emulator: Emulator) -> None:
    function = weft.function(lambda x: x + 1, device="cuda")
    function(np.ones(2))
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            function(np.ones(2))
        except weft.DeviceError as error:
            os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        assert "the GPU was used before this process was forked" in told.read()
    os.waitpid(child, 0)
    assert function(np.ones(2))[0] == 2.0
