"""The driver's codes as exceptions, and what devices, memory and modules do, on the emulated driver."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import weft
from support.device import Machine, addresses
from support.ptx import kernel
from weft.backend.gpu.devices import libraries
from weft.backend.gpu.driver.device import Device, device_count
from weft.backend.gpu.driver.library import Library, load_driver
from weft.backend.gpu.driver.memory import KEPT_PART, Memory
from weft.backend.gpu.driver.modules import Module
from weft.backend.gpu.driver.signatures import (
    FUNCTION_TYPES,
    SIGNATURES,
    LaunchConfig,
    PoolAttribute,
    PoolProperties,
)
from weft.backend.gpu.driver.streams import Stream, as_stream, stream_handle
from weft_emulator.library import Emulator
from weft_emulator.modules import highest_version

DOUBLE = kernel(
    "    mul.wide.u32 %d10, %r0, 4;\n    add.s64 %d11, %d0, %d10;\n    ld.global.b32 %r1, [%d11];\n"
    "    add.s32 %r2, %r1, %r1;\n    st.global.b32 [%d11], %r2;\n",
    1,
    name="double",
)


def launched(machine: Machine, x: Any) -> Any:
    """The numbers of an array doubled on a device."""
    block = machine.put(x)
    function = Module(machine.device, DOUBLE).function("double")
    function.launch((x.size // 32, 1, 1), (32, 1, 1), addresses(block), machine.stream)
    return machine.take(block, x)


def test_a_kernel_runs() -> None:
    machine = Machine()
    x = np.arange(64, dtype=np.int32)
    np.testing.assert_array_equal(launched(machine, x), 2 * x)
    assert list(machine.emulator.launches) == ["double"]
    properties = machine.device.properties
    assert (properties.target, properties.multiprocessors, properties.has_pools) == ("sm_90", 132, True)
    assert repr(machine.device) == "cuda:0"


# What is not there


def test_there_is_no_driver() -> None:
    with pytest.raises(weft.DeviceError, match=r"no CUDA driver on this machine \(libnot_there\.so: .*\)"):
        load_driver("libnot_there.so")
    assert issubclass(weft.DeviceError, RuntimeError)
    assert issubclass(weft.DeviceError, weft.WeftError)


def test_there_is_no_device() -> None:
    library = Library(Emulator(devices=0, memory_bytes=1 << 16).functions, "the emulator")
    assert device_count(library) == 0
    with pytest.raises(
        weft.DeviceError, match="cuInit gives CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"
    ):
        Device(library)


@pytest.mark.parametrize(
    ("devices", "there"), [(1, "one GPU, cuda:0"), (2, "2 GPUs, from cuda:0")], ids=["one", "two"]
)
def test_there_is_no_device_of_that_number(devices: int, there: str) -> None:
    library = Library(Emulator(devices=devices, memory_bytes=1 << 16).functions, "the emulator")
    assert device_count(library) == devices
    with pytest.raises(weft.DeviceError, match=f"there is no device cuda:7: the driver has {there}"):
        Device(library, 7)


def test_the_driver_is_too_old() -> None:
    library = Library(Emulator(driver_version=11080, memory_bytes=1 << 16).functions, "the emulator")
    with pytest.raises(
        weft.DeviceError, match=r"is one for CUDA 11\.8, and weft needs one for CUDA 12\.7 or newer"
    ):
        Device(library)


def test_the_driver_lacks_a_function() -> None:
    functions = dict(Emulator(memory_bytes=1 << 16).functions)
    del functions["cuLaunchKernelEx"]
    with pytest.raises(
        weft.DeviceError, match=r"libcuda has no cuLaunchKernelEx: weft needs a driver for CUDA 12\.7"
    ):
        Library(functions, "libcuda").address("cuLaunchKernelEx")


def test_the_setting_chooses_the_driver() -> None:
    with weft.settings.scope(cuda="off"), pytest.raises(weft.DeviceError, match="GPUs are switched off"):
        libraries.chosen_library()
    with weft.settings.scope(cuda="emulator"):
        assert libraries.chosen_library().name == "the emulator"
        assert libraries.chosen_library() is libraries.chosen_library()
    with pytest.raises(
        weft.WeftValueError, match="there is no CUDA driver 'magic'; the choices are: driver, emulator"
    ):
        weft.settings.cuda = "magic"
    assert weft.settings.cuda == "driver"


# Memory


def test_memory_runs_out_and_nothing_is_lost() -> None:
    machine = Machine(memory_bytes=1 << 20)
    free = machine.device.free_memory()
    block = machine.put(np.arange(8))
    with pytest.raises(weft.DeviceMemoryError) as caught:
        machine.memory.allocate(1 << 30, machine.stream)
    assert "out of memory on cuda:0: 1 GiB are needed, and " in str(caught.value)
    assert "KiB of 1 MiB are free" in str(caught.value)
    assert isinstance(caught.value, MemoryError)
    np.testing.assert_array_equal(machine.take(block, np.arange(8)), np.arange(8))
    block.free()
    machine.device.synchronize()
    assert machine.device.free_memory() == free


@pytest.mark.parametrize("has_pools", [True, False])
def test_memory_that_nobody_has_is_used_again(has_pools: bool) -> None:
    machine = Machine(memory_bytes=1 << 20, has_pools=has_pools)
    for _ in range(20):
        machine.memory.allocate(200_000, machine.stream)
    gc.collect()
    machine.memory.trim()
    machine.device.synchronize()
    assert machine.emulator.memory.used == 0


def test_what_is_freed_is_not_freed_again() -> None:
    machine = Machine()
    block = machine.memory.allocate(100, machine.stream)
    address = block.address
    block.free()
    block.free()
    with pytest.raises(weft.DeviceError, match=r"CUDA_ERROR_INVALID_VALUE: .* is no block of memory"):
        machine.memory.release(address, machine.stream)


@pytest.mark.parametrize("size", [0, 1, 65535, 65536, 4 << 20, (9 << 20) + 3])
def test_copies_of_all_sizes(size: int) -> None:
    machine = Machine(seed=size)
    x = np.random.default_rng(0).integers(0, 256, size, dtype=np.uint8)
    block, other = machine.put(x), machine.memory.allocate(size, machine.stream)
    machine.memory.copy(other.address, block.address, size, machine.stream)
    machine.memory.fill(block.address, 7, size, machine.stream)
    np.testing.assert_array_equal(machine.take(other, x), x)
    np.testing.assert_array_equal(machine.take(block, x), np.full_like(x, 7))


def test_a_copy_over_the_end_is_refused_and_harmless() -> None:
    machine = Machine()
    block = machine.put(np.arange(4))
    with pytest.raises(weft.DeviceError, match="CUDA_ERROR_INVALID_VALUE: a copy of 40 bytes"):
        machine.memory.copy(block.address, block.address, 40, machine.stream)
    np.testing.assert_array_equal(machine.take(block, np.arange(4)), np.arange(4))


def test_addresses_of_the_device_are_none_of_the_host() -> None:
    machine = Machine()
    program = f"import ctypes; ctypes.string_at({machine.memory.allocate(8, machine.stream).address}, 1)"
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", program]) != 0


# Kernels


def test_a_kernel_that_goes_wrong_ends_the_context() -> None:
    machine = Machine()
    block = machine.put(np.zeros(16, np.int32))
    function = Module(machine.device, DOUBLE).function("double")
    function.launch((1, 1, 1), (32, 1, 1), addresses(block), machine.stream)
    with pytest.raises(weft.DeviceError) as caught:
        machine.stream.synchronize()
    text = str(caught.value)
    assert text.startswith(
        "kernel double: cuStreamSynchronize gives CUDA_ERROR_ILLEGAL_ADDRESS: kernel double: "
    )
    assert "ld.global.b32 %r1, [%d11]" in text
    assert "block 0, thread 16" in text
    assert "the GPU can do nothing more in this process, for weft and for every other library" in text
    with pytest.raises(
        weft.DeviceError, match="cuda:0 cannot be used any more, because of an earlier error: kernel dou"
    ):
        machine.memory.allocate(8, machine.stream)


def test_code_that_the_driver_does_not_take() -> None:
    machine = Machine()
    with pytest.raises(
        weft.InternalError, match=r"line \d+: frobnicate\.b32 %r1, %r2: the instruction is not known"
    ):
        Module(machine.device, kernel("    frobnicate.b32 %r1, %r2;\n", 0))
    with pytest.raises(
        weft.DeviceError, match=r"PTX \.version 9\.9 is newer .*the driver is too old for this code"
    ):
        Module(machine.device, DOUBLE.replace(".version 8.6", ".version 9.9"))
    with pytest.raises(weft.DeviceError, match="was compiled for another kind of GPU"):
        Module(machine.device, DOUBLE.replace("sm_90a", "sm_100a"))
    np.testing.assert_array_equal(launched(machine, np.arange(32, dtype=np.int32)), 2 * np.arange(32))


def test_machine_code_that_the_driver_does_not_take_is_replaced_by_ptx() -> None:
    machine = Machine()
    module = Module(machine.device, DOUBLE, cubin=b"\x7fELF and so on")
    assert module.assembled_by_driver
    assert module.function("double").max_threads == 1024


def test_a_kernel_that_is_not_there() -> None:
    machine = Machine()
    with pytest.raises(weft.DeviceError, match="CUDA_ERROR_NOT_FOUND: the module has no kernel triple"):
        Module(machine.device, DOUBLE).function("triple")


def test_launches_that_ask_for_too_much_are_refused() -> None:
    machine = Machine()
    block = machine.put(np.arange(32, dtype=np.int32))
    function = Module(machine.device, DOUBLE).function("double")
    for grid, threads in (((1, 1, 1), (2048, 1, 1)), ((1, 70000, 1), (32, 1, 1)), ((0, 1, 1), (32, 1, 1))):
        with pytest.raises(
            weft.DeviceError, match="kernel double: cuLaunchKernel gives CUDA_ERROR_INVALID_VALUE"
        ):
            function.launch(grid, threads, addresses(block), machine.stream)
    np.testing.assert_array_equal(machine.take(block, np.arange(32, dtype=np.int32)), np.arange(32))


def test_shared_memory_beyond_48_kib_needs_leave() -> None:
    machine = Machine()
    block = machine.put(np.arange(32, dtype=np.int32))
    function = Module(machine.device, DOUBLE).function("double")
    arguments = [function.handle, 1, 1, 1, 32, 1, 1, 100_000, machine.stream.handle]
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(ctypes.c_void_p(block.address)))
    with pytest.raises(
        weft.DeviceError, match="100000 bytes of dynamic shared memory, and 49152 are allowed"
    ):
        machine.device.call("cuLaunchKernel", *arguments, parameters, None)
    function.launch((1, 1, 1), (32, 1, 1), addresses(block), machine.stream, shared=100_000)
    with pytest.raises(
        weft.DeviceError, match="double needs 300000 bytes of shared memory a block, and cuda:0 has 232448"
    ):
        function.allow_shared(300_000)


def test_variables_of_a_module_lie_on_the_device() -> None:
    machine = Machine()
    text = DOUBLE.replace(".visible", ".global .align 4 .b32 table[4] = {1, 2, 3};\n.visible", 1)
    module = Module(machine.device, text)
    address, size = module.variable("table")
    x = np.zeros(4, np.int32)
    machine.memory.copy_out(x.ctypes.data, address, size, machine.stream)
    assert x.tolist() == [1, 2, 3, 0]
    module.unload()
    assert machine.emulator.memory.used == 0


def test_kernels_go_with_their_module() -> None:
    machine = Machine()
    block = machine.put(np.arange(32, dtype=np.int32))
    module = Module(machine.device, DOUBLE)
    function = module.function("double")
    module.unload()
    with pytest.raises(weft.DeviceError, match="INVALID_HANDLE"):
        function.launch((1, 1, 1), (32, 1, 1), addresses(block), machine.stream)


# The driver's functions, as native code calls them


def test_native_code_launches_through_addresses() -> None:
    machine = Machine()
    block = machine.put(np.arange(32, dtype=np.int32))
    function = Module(machine.device, DOUBLE).function("double")
    value = ctypes.c_void_p(block.address)
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(value))
    launch = FUNCTION_TYPES["cuLaunchKernel"](machine.library.address("cuLaunchKernel"))
    machine.device.use()
    assert (
        launch(
            function.handle, 1, 1, 1, 32, 1, 1, 0, machine.stream.handle, ctypes.addressof(parameters), None
        )
        == 0
    )
    config = LaunchConfig(1, 1, 1, 32, 1, 1, 0, machine.stream.handle, None, 0)
    launch_ex = FUNCTION_TYPES["cuLaunchKernelEx"](machine.library.address("cuLaunchKernelEx"))
    assert launch_ex(ctypes.byref(config), function.handle, ctypes.addressof(parameters), None) == 0
    np.testing.assert_array_equal(machine.take(block, np.arange(32, dtype=np.int32)), 4 * np.arange(32))
    code = launch(12345, 1, 1, 1, 32, 1, 1, 0, machine.stream.handle, ctypes.addressof(parameters), None)
    with pytest.raises(
        weft.DeviceError, match="cuLaunchKernel gives CUDA_ERROR_INVALID_HANDLE: 0x3039 is no function"
    ):
        machine.device.check(code, "cuLaunchKernel")


def test_the_emulator_gives_the_codes_of_the_driver() -> None:
    emulator = Emulator(memory_bytes=1 << 16)
    assert set(emulator.functions) == set(SIGNATURES)
    library = Library(emulator.functions, "the emulator")
    out = ctypes.c_void_p()
    names = {}
    names["before cuInit"] = library.code("cuCtxSynchronize")
    library.call("cuInit", 0)
    names["without a context"] = library.code("cuMemAllocFromPoolAsync", ctypes.byref(out), 8, 0, 0)
    library.call("cuDevicePrimaryCtxRetain", ctypes.byref(out), 0)
    library.call("cuCtxSetCurrent", out)
    pool = ctypes.c_void_p()
    properties = PoolProperties(allocation_type=1, location_type=1)
    library.call("cuMemPoolCreate", ctypes.byref(pool), ctypes.byref(properties))
    names["too much memory"] = library.code("cuMemAllocFromPoolAsync", ctypes.byref(out), 1 << 40, pool, 0)
    properties.handle_types = 1
    names["a shared pool"] = library.code("cuMemPoolCreate", ctypes.byref(out), ctypes.byref(properties))
    names["no module"] = library.code("cuModuleGetFunction", ctypes.byref(out), 77, b"k")
    names["no stream"] = library.code("cuStreamSynchronize", 5555)
    names["no event"] = library.code("cuEventRecord", 7777, 0)
    names["no device"] = library.code("cuDeviceGet", ctypes.byref(ctypes.c_int()), 3)
    names["cubin"] = library.code("cuModuleLoadDataEx", ctypes.byref(out), b"\x7fELF", 0, None, None)
    assert names == {
        "before cuInit": 3,
        "without a context": 201,
        "too much memory": 2,
        "a shared pool": 1,
        "no module": 400,
        "no stream": 400,
        "no event": 400,
        "no device": 101,
        "cubin": 209,
    }
    with pytest.raises(weft.DeviceError, match="the unknown code 12345"):
        raise library.error(12345, "cuInit")


def test_other_threads_can_call_too() -> None:
    machine = Machine()
    x = np.arange(64, dtype=np.int32)
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(launched(machine, x)))
    thread.start()
    thread.join()
    np.testing.assert_array_equal(results[0], 2 * x)


def test_another_library_may_use_another_device_in_the_same_thread() -> None:
    library = Library(Emulator(devices=2, memory_bytes=1 << 16).functions, "the emulator")
    first, second = Device(library, 0), Device(library, 1)
    current = ctypes.c_void_p()
    for device in (first, second, first):
        device.use()
        library.call("cuCtxGetCurrent", ctypes.byref(current))
        assert current.value == device.context.value
    library.call("cuCtxSetCurrent", second.context)
    first.synchronize()
    library.call("cuCtxGetCurrent", ctypes.byref(current))
    assert current.value == first.context.value


def test_a_library_may_leave_a_context_of_its_own_on_the_thread_of_the_only_device() -> None:
    machine = Machine(memory_bytes=1 << 16)
    other, current = ctypes.c_void_p(), ctypes.c_void_p()
    machine.library.call("cuCtxGetCurrent", ctypes.byref(other))
    machine.library.call("cuCtxSetCurrent", None)  # as who pops what was pushed
    block = machine.put(np.arange(8))
    machine.library.call("cuCtxGetCurrent", ctypes.byref(current))
    assert current.value == machine.device.context.value == other.value
    np.testing.assert_array_equal(machine.take(block, np.arange(8)), np.arange(8))


def test_memory_comes_from_a_pool_of_our_own_that_keeps_a_part() -> None:
    machine = Machine(memory_bytes=1 << 20)
    kept = ctypes.c_uint64()
    machine.device.call(
        "cuMemPoolGetAttribute", machine.memory.pool, PoolAttribute.RELEASE_THRESHOLD, ctypes.byref(kept)
    )
    assert kept.value == (1 << 20) // KEPT_PART
    assert ctypes.sizeof(PoolProperties) == 88  # as cuda.h has it


def test_a_copy_between_devices_names_their_contexts() -> None:
    library = Library(Emulator(devices=2, memory_bytes=1 << 20).functions, "the emulator")
    devices = [Device(library, number) for number in range(2)]
    memories, streams = [Memory(device) for device in devices], [Stream.default(device) for device in devices]
    blocks = [memory.allocate(64, stream) for memory, stream in zip(memories, streams, strict=True)]
    numbers, found = np.arange(8), np.zeros(8, int)
    memories[0].copy_in(blocks[0].address, numbers.ctypes.data, 64, streams[0])
    streams[1].wait_for_stream(streams[0])  # of one handle, and of another device
    memories[1].copy_from(blocks[1].address, blocks[0].address, devices[0], 64, streams[0])
    memories[1].copy_out(found.ctypes.data, blocks[1].address, 64, streams[1])
    np.testing.assert_array_equal(found, numbers)
    with pytest.raises(weft.DeviceError, match=r"cuMemcpyPeerAsync .*is no memory of that context's device"):
        memories[0].copy_from(blocks[1].address, blocks[0].address, devices[1], 64, streams[1])


def test_arrays_in_a_cycle_are_freed_where_memory_runs_out() -> None:
    machine = Machine(memory_bytes=1 << 20)
    holder: list[object] = [machine.memory.allocate(3 << 18, machine.stream)]
    holder.append(holder)
    gc.disable()
    try:
        del holder
        assert machine.memory.allocate(3 << 18, machine.stream).address
    finally:
        gc.enable()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_is_refused() -> None:
    machine = Machine()
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            machine.memory.allocate(8, machine.stream)
        except BaseException as error:
            os.write(write, f"{type(error).__name__}: {error}".encode())
        os._exit(0)
    os.waitpid(child, 0)
    text = os.read(read, 1000).decode()
    assert text.startswith("DeviceError: the GPU was used before this process was forked")
    assert 'multiprocessing.get_context("spawn")' in text


def test_versions_of_ptx_by_driver() -> None:
    assert [highest_version(version) for version in (11040, 12000, 12080, 12090, 13000, 13050)] == [
        (7, 8),
        (8, 0),
        (8, 7),
        (8, 8),
        (9, 0),
        (9, 0),
    ]


# Streams


def chained(seed: int, wait: bool) -> bool:
    """Whether a kernel on one stream sees what a copy on another one has brought."""
    machine = Machine(seed=seed)
    first, second = (Stream.create(machine.device) for _ in range(2))
    x = np.arange(20000, dtype=np.int32)
    block = machine.memory.allocate(x.nbytes, first)
    machine.memory.fill(block.address, 0, x.nbytes, first)
    first.synchronize()
    machine.memory.copy_in(block.address, x.ctypes.data, x.nbytes, first)
    if wait:
        second.wait_for_stream(first)
    function = Module(machine.device, DOUBLE).function("double")
    function.launch((x.size // 32, 1, 1), (32, 1, 1), addresses(block), second)
    result = machine.take(block, x, second)
    return bool((result == 2 * x).all())


def test_a_wait_that_is_missing_between_streams_is_seen() -> None:
    assert all(chained(seed, True) for seed in range(8))
    assert not all(chained(seed, False) for seed in range(8))


def test_the_legacy_stream_waits_for_the_others_and_they_for_it() -> None:
    for seed in range(4):
        machine = Machine(seed=seed)
        blocking = Stream.create(machine.device, independent=False)
        x = np.arange(64, dtype=np.int32)
        block = machine.put(x, blocking)
        function = Module(machine.device, DOUBLE).function("double")
        for stream in (machine.stream, blocking, machine.stream):
            function.launch((2, 1, 1), (32, 1, 1), addresses(block), stream)
        np.testing.assert_array_equal(machine.take(block, x), 8 * x)


def test_events_tell_when_they_have_happened() -> None:
    machine = Machine()
    stream = Stream.create(machine.device)
    block = machine.put(np.arange(32, dtype=np.int32), stream)
    stream.synchronize()
    function = Module(machine.device, DOUBLE).function("double")
    function.launch((1, 1, 1), (32, 1, 1), addresses(block), stream)
    event = stream.record()
    asked = 0
    while not event.is_done():
        asked += 1
    assert asked
    assert stream.is_done()
    later = stream.record()
    later.synchronize()
    assert later.milliseconds_since(event) >= 0
    stream.close()


class Foreign:
    """A stream of another library."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


STREAMS: Mapping[str, tuple[Any, int]] = {
    "none": (None, 1),
    "zero": (0, 1),
    "a number": (77, 77),
    "PyTorch": (Foreign(cuda_stream=33), 33),
    "PyTorch, default": (Foreign(cuda_stream=0), 1),
    "CuPy": (Foreign(ptr=44), 44),
    "cuda.core": (Foreign(__cuda_stream__=lambda: (0, 55)), 55),
    "an older cuda.core": (Foreign(__cuda_stream__=(0, 66)), 66),
}


@pytest.mark.parametrize("name", STREAMS)
def test_streams_of_other_libraries(name: str) -> None:
    stream, handle = STREAMS[name]
    assert stream_handle(stream) == handle
    machine = Machine()
    assert as_stream(machine.device, stream).handle == handle


def test_what_is_no_stream() -> None:
    with pytest.raises(
        weft.WeftTypeError, match="str is no stream: it has neither __cuda_stream__, nor cuda_stream"
    ):
        stream_handle("main")
    with pytest.raises(weft.WeftTypeError, match="a bool is no stream"):
        stream_handle(True)
    with pytest.raises(weft.WeftValueError, match="-1 is no stream"):
        stream_handle(-1)
    with pytest.raises(weft.WeftValueError, match="__cuda_stream__ of Foreign has the unknown version 1"):
        stream_handle(Foreign(__cuda_stream__=lambda: (1, 5)))
    machine, other = Machine(), Machine()
    with pytest.raises(weft.WeftValueError, match=r"<stream legacy default of cuda:0> is used on cuda:0"):
        as_stream(machine.device, other.stream)
    own = Stream.create(machine.device)
    assert as_stream(machine.device, own) is own
    assert own.__cuda_stream__() == (0, own.handle)
