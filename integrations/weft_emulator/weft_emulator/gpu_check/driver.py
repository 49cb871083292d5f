"""How long the host takes for what it asks of the driver, in C, without Python between."""

from __future__ import annotations

import ctypes
import statistics
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from weft.backend.gpu.driver.modules import Module
from weft.backend.gpu.driver.streams import Event

from .host_code import compile_library
from .packed import executable_of, make_arguments

_LOOPS = r"""
#include <stddef.h>
#include <time.h>
typedef int allocation(void **, size_t, void *, void *);
typedef int release(void *, void *);
typedef int copy(void *, void *, size_t, void *);
typedef int wait(void *);
typedef void program(void *, void *, void *);
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
double time_blocks(allocation *make, release *free, void *pool, void *stream, int runs) {
    double start = now();
    for (int i = 0; i < runs; i++) {
        void *block;
        if (make(&block, 256, pool, stream) || free(block, stream)) return -1;
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


def time_driver(packed: Mapping[str, Any], device: Any, steps: int = 1 << 16) -> dict[str, Any]:
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
            [
                device.address("cuMemAllocFromPoolAsync"),
                device.address("cuMemFreeAsync"),
                device.memory.pool,
                stream,
            ],
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
    line |= _link(device) | {"step_nanoseconds": 1e9 * _step(device, steps)}
    return {"ok": frame.record[0] == 0 and min(line.values()) > 0, **line}


_LINK_BYTES = 1 << 26


def _link(device: Any) -> dict[str, float]:
    """Gigabytes a second of copies from ordinary memory of the host, and back."""
    size = min(_LINK_BYTES, device.device.properties.memory_bytes // 64)
    here, there = np.ones(size, np.uint8), device.memory.allocate(size, device.stream)
    times: dict[str, list[float]] = {"in": [], "out": []}
    for _ in range(5):
        for way, found in times.items():
            device.wait()
            start = time.perf_counter()
            if way == "in":
                device.memory.copy_in(there.address, here.ctypes.data, size, device.stream)
            else:
                device.memory.copy_out(here.ctypes.data, there.address, size, device.stream)
            device.wait()
            found.append(time.perf_counter() - start)
    return {f"gigabytes_per_second_{way}": 1e-9 * size / min(found) for way, found in times.items()}


_STEPS = """
.version 8.6
.target sm_70
.address_size 64
.visible .entry steps(.param .u64 place, .param .u32 count)
{
    .reg .pred %more;
    .reg .b32 %x, %left;
    .reg .b64 %at;
    ld.param.b64 %at, [place];
    ld.param.b32 %left, [count];
$next:
    ld.global.b32 %x, [%at];
    fma.rn.f32 %x, %x, %x, %x;
    add.rn.f32 %x, %x, %x;
    st.global.b32 [%at], %x;
    sub.u32 %left, %left, 1;
    setp.ne.u32 %more, %left, 0;
    @%more bra $next;
    ret;
}
"""
_OPERATIONS = 4
"""Of an iteration, each of which waits for the one before."""


def _step(device: Any, count: int) -> float:
    """The seconds that one thread takes for an operation that waits for the one before."""
    function = Module(device.device, _STEPS).function("steps")
    place = device.memory.allocate(4, device.stream)
    zero = ctypes.c_float()
    device.memory.copy_in(place.address, ctypes.addressof(zero), 4, device.stream)
    times = []
    for _ in range(3):
        start, end = (Event(device.device, timing=True) for _ in range(2))
        device.stream.record(start)
        function.launch(
            (1, 1, 1), (1, 1, 1), [ctypes.c_uint64(place.address), ctypes.c_uint32(count)], device.stream
        )
        device.stream.record(end)
        end.synchronize()
        times.append(1e-3 * end.milliseconds_since(start))
    return min(times) / (count * _OPERATIONS)


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


__all__ = ["time_driver"]
