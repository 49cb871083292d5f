"""How long programs take on the device, and how long the host takes for what it asks of the driver."""

from __future__ import annotations

import ctypes
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .host_code import compile_library
from .packed import difference, executable_of, make_arguments

RUNS = 50
WARM_UP = 5
LEAD_BYTES = 1 << 30
"""So much is copied before each run: the host is ahead of the device then, and nothing is left in its caches."""


def measure(packed: Mapping[str, Any], device: Any) -> dict[str, Any]:
    """The median time of a call on arrays of the device, and of a copy of as many bytes."""
    from ...backend.gpu.arrays.array import from_host

    executable = executable_of(packed, device)
    arguments = [
        from_host(array, device) if array.ndim else array for array in make_arguments(packed["specs"])
    ]
    results = executable(*arguments)
    line = difference(
        packed, [*map(np.asarray, results), *(np.asarray(arguments[n]) for n in packed["written"])]
    )
    del results
    lead = _lead(device)
    seconds = _median(lambda: executable(*arguments), lead, device)
    moved = packed["bytes"]
    source, target = (device.memory.allocate(moved // 2, device.stream) for _ in range(2))
    copy = _median(
        lambda: device.memory.copy(target.address, source.address, moved // 2, device.stream), lead, device
    )
    line |= {
        "microseconds": 1e6 * seconds,
        "host_microseconds": 1e6 * _host_time(lambda: executable(*arguments), device),
        "launches": executable.launches,
        "reads": executable.reads,
        "gigabytes_per_second": 1e-9 * moved / seconds,
        "copy_microseconds": 1e6 * copy,
    }
    if packed["flops"]:
        line["teraflops"] = 1e-12 * packed["flops"] / seconds
    return line


def _lead(device: Any) -> Callable[[], None]:
    """Work that keeps the device busy while the host asks for what is measured."""
    size = min(LEAD_BYTES, device.device.properties.memory_bytes // 64)
    source, target = (device.memory.allocate(size, device.stream) for _ in range(2))

    def lead() -> None:
        device.memory.copy(target.address, source.address, size, device.stream)

    return lead


def _median(call: Callable[[], Any], lead: Callable[[], None], device: Any) -> float:
    """The median of the time between two events around a call."""
    from ...backend.gpu.driver.streams import Event

    times = []
    for number in range(WARM_UP + RUNS):
        start, end = (Event(device.device, timing=True) for _ in range(2))
        lead()
        device.stream.record(start)
        call()
        device.stream.record(end)
        end.synchronize()
        if number >= WARM_UP:
            times.append(1e-3 * end.milliseconds_since(start))
    return statistics.median(times)


def _host_time(call: Callable[[], Any], device: Any) -> float:
    """The median time until a call comes back."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
        device.wait()
    return statistics.median(times)


# What the host does, in C, without Python between


_LOOPS = r"""
#include <stddef.h>
#include <time.h>
typedef int allocation(void **, size_t, void *);
typedef int release(void *, void *);
typedef int copy(void *, void *, size_t, void *);
typedef int wait(void *);
typedef void program(void *, void *, void *);
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
double time_blocks(allocation *make, release *free, void *stream, int runs) {
    double start = now();
    for (int i = 0; i < runs; i++) {
        void *block;
        if (make(&block, 256, stream) || free(block, stream)) return -1;
    }
    return (now() - start) / runs;
}
double time_entry(program *entry, void *table, void *record, int runs) {
    double start = now();
    for (int i = 0; i < runs; i++) entry(table, 0, record);
    return (now() - start) / runs;
}
double time_waits(wait *until, void *stream, int runs) {
    double start = now();
    for (int i = 0; i < runs; i++) if (until(stream)) return -1;
    return (now() - start) / runs;
}
double time_reads(copy *read, wait *until, void *to, void *from, void *stream, int runs) {
    double start = now();
    for (int i = 0; i < runs; i++) if (read(to, from, 8, stream) || until(stream)) return -1;
    return (now() - start) / runs;
}
double time_round_trips(program *entry, void *table, void *record, wait *until, void *stream, int runs) {
    double start = now();
    for (int i = 0; i < runs; i++) {
        entry(table, 0, record);
        if (until(stream)) return -1;
    }
    return (now() - start) / runs;
}
"""
_IN_A_ROW = 100
"""Launches that the driver takes without waiting for the first to end."""


def time_driver(packed: Mapping[str, Any], device: Any) -> dict[str, Any]:
    """Microseconds of the host for what a call of one kernel asks of the driver: blocks, a launch, a read that waits.

    The program has one kernel, without a workspace.
    """
    with tempfile.TemporaryDirectory(prefix="weft-gpu-") as folder:
        source, library = Path(folder) / "loops.c", Path(folder) / "loops.so"
        source.write_text(_LOOPS)
        compile_library([str(source), "-o", str(library)])
        loops = ctypes.CDLL(str(library))
    executable = executable_of(packed, device)
    frame = executable.lend_frame()
    shapes = [*(array.shape for array in make_arguments(packed["specs"])), *packed["shapes"]]
    blocks = [device.memory.allocate(1 << 20, device.stream) for _ in shapes]
    for number, (shape, block) in enumerate(zip(shapes, blocks, strict=True)):
        frame.describe(number, block.address, shape)
    frame.begin()
    word = ctypes.c_int64()
    entry, stream = executable.entry_address, device.default_stream.handle
    table, record, wait = frame.table_address, frame.record_address, device.address("cuStreamSynchronize")
    jobs: dict[str, tuple[str, list[int]]] = {
        "block_microseconds": (
            "time_blocks",
            [device.address("cuMemAllocAsync"), device.address("cuMemFreeAsync"), stream],
        ),
        "launch_microseconds": ("time_entry", [entry, table, record]),
        "wait_microseconds": ("time_waits", [wait, stream]),
        "read_microseconds": (
            "time_reads",
            [
                device.address("cuMemcpyDtoHAsync_v2"),
                wait,
                ctypes.addressof(word),
                blocks[0].address,
                stream,
            ],
        ),
        "launch_and_wait_microseconds": ("time_round_trips", [entry, table, record, wait, stream]),
    }
    line: dict[str, Any] = {}
    for name, (function, arguments) in jobs.items():
        line[name] = 1e6 * _timed(loops, function, arguments, device)
    del blocks
    return {"ok": frame.record[0] == 0 and min(line.values()) > 0, **line}


def _timed(loops: Any, function: str, arguments: list[int], device: Any) -> float:
    """The median of seconds that a loop gives."""
    call = getattr(loops, function)
    call.restype = ctypes.c_double
    times: list[float] = []
    for _ in range(15):
        device.wait()
        times.append(call(*[ctypes.c_void_p(argument) for argument in arguments], _IN_A_ROW))
    device.wait()
    return statistics.median(times)


__all__ = ["measure", "time_driver"]
