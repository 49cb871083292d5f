"""The host's time for calls of functions on a GPU: `python bench/gpu/call_overhead.py`.

No GPU is needed, and none is measured: in the place of the driver stand functions of C that do nothing, so that a call
takes what weft itself needs from the call in Python to the array that comes back. A driver adds its own time for each
launch and block of memory.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import weft
from weft.backend.cpu.machine.native_code import compile_assembly, link_forever
from weft.backend.gpu.devices import libraries
from weft.backend.gpu.devices.open_devices import open_device
from weft.backend.gpu.driver.library import Library
from weft.backend.gpu.driver.signatures import FUNCTION_TYPES
from weft.backend.gpu.driver.streams import Stream
from weft_emulator.library import Emulator

CALLS = 5_000
"""In a measurement, of which there are seven."""

QUEUED = 200
"""The same where a driver queues them: so many that nobody waits for the device."""

_CODE = """
@next = internal global i64 1099511627776
define i32 @weft_nothing() {
  ret i32 0
}
define i32 @weft_handle(ptr %place) {
  store i64 4096, ptr %place
  ret i32 0
}
define i32 @weft_allocate(ptr %place, i64 %size, ptr %pool, ptr %stream) {
  %room = add i64 %size, 256
  %address = atomicrmw add ptr @next, i64 %room monotonic
  %aligned = and i64 %address, -256
  store i64 %aligned, ptr %place
  ret i32 0
}
"""
_DOES_NOTHING = (
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuEventRecord",
    "cuFuncSetAttribute",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
    "cuGraphExecKernelNodeSetParams_v2",
    "cuGraphLaunch",
    "cuLaunchKernel",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemFreeAsync",
    "cuMemPoolSetAttribute",
    "cuMemPoolTrimTo",
    "cuPointerGetAttribute",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
)
_GIVES_A_HANDLE = (
    "cuEventCreate",
    "cuGraphAddKernelNode_v2",
    "cuGraphCreate",
    "cuGraphInstantiateWithFlags",
    "cuMemPoolCreate",
    "cuModuleGetFunction",
    "cuModuleLoadDataEx",
    "cuStreamCreate",
)


def idle_driver() -> Library:
    """A driver with the devices of the emulator that does nothing when it is asked to."""
    linked = link_forever(compile_assembly(_CODE), ("weft_nothing", "weft_handle", "weft_allocate"), (), {})
    native = {
        **dict.fromkeys(_DOES_NOTHING, linked["weft_nothing"]),
        **dict.fromkeys(_GIVES_A_HANDLE, linked["weft_handle"]),
        "cuMemAllocFromPoolAsync": linked["weft_allocate"],
    }
    functions = {name: FUNCTION_TYPES[name](address) for name, address in native.items()}
    return Library({**Emulator().functions, **functions}, "a driver that does nothing")


def measured(call: Callable[[], Any], calls: int) -> float:
    """Microseconds of a call, the median of seven measurements of so many; the device has nothing to do before each."""
    for _ in range(100):
        call()
    times = []
    for _ in range(7):
        weft.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - start) / calls * 1e6)
    return statistics.median(times)


class _Foreign:
    """Stands for an array of another library."""

    def __init__(self, array: Any) -> None:
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def main() -> int:
    """Measure, and print a line of JSON for each kind of call; with `--driver` calls of the driver that is there."""
    parser = argparse.ArgumentParser(prog="call_overhead.py", description=__doc__)
    parser.add_argument("--driver", action="store_true", help="call the driver of this machine")
    options = parser.parse_args()
    count = QUEUED if options.driver else CALLS
    if not options.driver:
        libraries._loaded["driver"] = idle_driver()
    weft.settings.cuda = "driver"
    x, y = (weft.device_put(np.ones(64, np.float32)) for _ in range(2))
    foreign = _Foreign(x)

    @weft.function
    def increased(x: Any) -> Any:
        return x + 1

    @weft.function
    def written(x: Any, y: Any) -> None:
        x += y

    @weft.function
    def parts(x: Any, y: Any) -> Any:
        return {"sum": x.sum(), "both": (x + y, x * y)}

    @weft.function
    def scaled(x: Any, rate: float) -> Any:
        return x * rate

    @weft.function
    def checked(x: Any, at: Any) -> Any:
        return x[at]

    at = weft.device_put(np.arange(8))
    stepped = x[::2]
    increased_there = weft.function(lambda x: x + 1)
    stream = Stream.create(open_device("cuda").device)
    with weft.stream(stream):
        there = increased_there(x)
    scaled(x, 0.5), scaled(x, 0.25)  # from now on the number is data
    calls: dict[str, Callable[[], Any]] = {
        "one kernel, one result": lambda: increased(x),
        "in place, no result": lambda: written(x, y),
        "three results": lambda: parts(x, y),
        "an array and a number": lambda: scaled(x, 0.5),
        "checks that are waited for": lambda: checked(x, at),
        "an array with steps": lambda: increased(stepped),
        "an array of another library": lambda: increased(foreign),
    }
    for name, call in calls.items():
        print(json.dumps({"call": name, "microseconds": round(measured(call, count), 2)}), flush=True)
    with weft.stream(stream):
        time = round(measured(lambda: increased_there(there), count), 2)
    print(json.dumps({"call": "on a stream", "microseconds": time}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
