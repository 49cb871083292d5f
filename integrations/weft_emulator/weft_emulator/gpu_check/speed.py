"""How long programs take on the device, beside a copy of as many bytes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .packed import difference, executable_of, make_arguments

RUNS = 50
WARM_UP = 5
LONGEST = 2.0
"""Seconds that are measured at most, in which there are ten runs at least."""
LEAD_BYTES = 1 << 30
"""So much is copied before each run: the host is ahead of the device then, and nothing is left in its caches."""


def measure(packed: Mapping[str, Any], device: Any, runs: int = RUNS) -> dict[str, Any]:
    """The median time of a call on arrays of the device, and of a copy of as many bytes."""
    from weft.backend.gpu.arrays.array import from_host

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
    seconds = _median(lambda: executable(*arguments), lead, device, runs)
    moved = packed["bytes"]
    source, target = (device.memory.allocate(moved // 2, device.stream) for _ in range(2))
    copy = _median(
        lambda: device.memory.copy(target.address, source.address, moved // 2, device.stream),
        lead,
        device,
        runs,
    )
    line |= {
        "microseconds": 1e6 * seconds,
        "host_microseconds": 1e6 * _host_time(lambda: executable(*arguments), device, runs),
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


def _median(call: Callable[[], Any], lead: Callable[[], None], device: Any, runs: int) -> float:
    """The median of the time between two events around a call."""
    from weft.backend.gpu.driver.streams import Event

    times: list[float] = []
    for number in range(min(WARM_UP, runs - 1) + runs):
        if is_enough(times):
            break
        start, end = (Event(device.device, timing=True) for _ in range(2))
        lead()
        device.stream.record(start)
        call()
        device.stream.record(end)
        end.synchronize()
        if number >= min(WARM_UP, runs - 1):
            times.append(1e-3 * end.milliseconds_since(start))
    return statistics.median(times)


def is_enough(times: Sequence[float]) -> bool:
    """Whether runs took so long that their median is known.

    >>> is_enough([0.5] * 9), is_enough([0.5] * 10), is_enough([0.001] * 10)
    (False, True, False)
    """
    return len(times) >= 10 and sum(times) > LONGEST


def _host_time(call: Callable[[], Any], device: Any, runs: int) -> float:
    """The median time until a call comes back."""
    times: list[float] = []
    for _ in range(runs):
        if is_enough(times):
            break
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
        device.wait()
    return statistics.median(times)


__all__ = ["LEAD_BYTES", "LONGEST", "RUNS", "WARM_UP", "is_enough", "measure"]
